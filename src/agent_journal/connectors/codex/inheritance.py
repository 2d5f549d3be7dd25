"""Whose lines a rollout holds: a fork, or a sub-agent that was given the conversation, begins with
its parent's.

The parent's lines are copied in one go, with the time of the copy in place of their own, and often
with the parent's `session_meta` in front. Where the copy ends is told, best first, by the number of
the first own line, by turn ids (UUIDv7: they hold a time) and by the first turn that was lived: a
person and a model take their time, a copy does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from agent_journal.connectors.codex.records import (
    Item,
    Record,
    State,
    json_text,
    mark_of,
    payload_of,
)
from agent_journal.connectors.loose import decode_any
from agent_journal.connectors.values import integer, mapping, string
from agent_journal.model import Message, Piece
from agent_journal.text.dates import parse_time

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

# OWN is for good. PERHAPS: a fork before anything tells. LIKELY: after a pause, until a turn shows
# that it was lived.
OWN, PERHAPS, INHERITED, LIKELY = 0, 1, 2, 3
# Seconds: a copy is written without one, unless the machine stalls; the first answer takes longer
_PAUSE = 0.25
_LIVED = 0.05  # seconds from prompt to answer: no model is faster
_EARLIER = 1.0  # seconds before the session began: such lines have kept their own times
_ASKING = ("turn_context", "task_started", "turn_started", "user_message")
_ANSWERING = (
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "reasoning",
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "web_search_call",
)
_UUID7 = re.compile(
    r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE
)
_REMOTE = re.compile(
    r"(?:[\w+.-]+://)?(?:[^@/]*@)?[^/:]+(?::\d+(?=/))?[/:](.+?)(?:\.git)?/?", re.DOTALL
)


def is_inherited(state: State, record: Record, item: Item, when: datetime | None) -> bool:
    """Whether a line is a copy of the parent's."""
    if state.lineage == OWN:
        return False
    number = integer(record.ordinal)
    if state.history_start is not None and number is not None:
        state.lineage = INHERITED if number < state.history_start else OWN
        return state.lineage == INHERITED
    turn = _time_of(item.turn_id or mapping(item.passthrough).get("turn_id"))
    if turn is not None and state.born is not None:
        state.has_turns = True
        state.lineage = INHERITED if turn < state.born else OWN
    elif when is not None:
        if state.born is not None and when.timestamp() < state.born - _EARLIER:
            state.lineage = INHERITED
        elif not state.has_turns and state.last is not None:
            _judge(state, record, item, when.timestamp())
    return state.lineage == INHERITED


def _judge(state: State, record: Record, item: Item, time: float) -> None:
    """Whether a copy goes on, by the time that passed: a pause may also be the machine's."""
    kind = item.type or record.type
    is_asking = kind in _ASKING or (kind == "message" and item.role != "assistant")
    is_answering = kind in _ANSWERING or (kind == "message" and item.role == "assistant")
    is_paused = state.last is not None and time - state.last > _PAUSE
    if state.lineage == INHERITED and is_paused and (is_asking or is_answering):
        # Answering: on a prompt that came together with the copy
        state.lineage, state.turn = LIKELY, None
    if state.lineage != LIKELY:
        return
    if is_asking:
        state.turn = time
    elif is_answering and state.turn is not None:
        state.lineage = OWN if time - state.turn > _LIVED else INHERITED


def is_repeated(state: State, when: datetime | None, line: bytes) -> bool:
    """Whether a line was written before: a resumed session may tell its beginning again, with the
    old times.
    """
    if state.first is None:
        state.first = mark_of(line)
        return False
    if state.is_resumed:
        state.is_resumed = False
        state.repeated_until = state.last if mark_of(line) == state.first else None
    if state.repeated_until is None or when is None:
        return False
    if when.timestamp() <= state.repeated_until:
        return True
    state.repeated_until = None
    return False


def session_meta(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """The first one is the file's; later ones are of resumes, or of the session this one was forked
    from.
    """
    state, payload = reader.state, payload_of(reader.line)
    meta_id = string(payload.get("id")) or string(payload.get("session_id"))
    if state.records == 0:
        return _first_meta(reader, payload, meta_id, string(record.timestamp))
    if meta_id == state.meta_id or meta_id == reader.id:
        state.is_resumed = True
        reader.close()
        return (reader.event("session resumed" + _by(payload)),)
    if state.last_answer is None and state.prompt is None:
        state.lineage = INHERITED
        state.is_fork = True
        state.copied_from = state.copied_from or reader.at
        if not state.is_subagent:
            state.fork_of = state.fork_of or meta_id
        reader.skipped("session_meta", "of the session this one was forked from")
        return ()
    return (reader.event(f"session {meta_id or '?'} told in this file"),)


def _by(payload: dict[str, Any]) -> str:
    version = string(payload.get("cli_version"))
    return f", version {version}" if version else ""


def _first_meta(
    reader: RolloutReader, payload: dict[str, Any], meta_id: str | None, written: str | None
) -> Iterable[Piece]:
    state = reader.state
    state.meta_id = meta_id
    state.started = string(payload.get("timestamp")) or written
    state.version = string(payload.get("cli_version"))
    state.host = string(payload.get("originator"))
    state.cwd = string(payload.get("cwd"))
    _learn_git(state, payload.get("git"))
    _learn_parent(state, payload)
    state.history_start = integer(payload.get("subagent_history_start_ordinal"))
    begun = parse_time(state.started)
    state.born = _time_of(reader.id) or (begun.timestamp() if begun else None)
    reader.uses(string(payload.get("model")))
    told = f"session started{_by(payload)}"
    source = payload.get("source")
    told += f" from {source}" if isinstance(source, str) and source else ""
    instructions = payload.get("base_instructions")
    text = (
        string(mapping(instructions).get("text"))
        or string(instructions)
        or string(payload.get("instructions"))
    )
    return (reader.event(told), *_system_prompt(reader, text))


def _learn_parent(state: State, payload: dict[str, Any]) -> None:
    source = mapping(payload.get("source")).get("subagent")
    spawn = mapping(mapping(source).get("thread_spawn"))
    forked_from = string(payload.get("forked_from_id"))
    parent = string(spawn.get("parent_thread_id")) or string(payload.get("parent_thread_id"))
    state.is_subagent = (
        bool(source) or payload.get("thread_source") == "subagent" or parent is not None
    )
    state.is_fork = forked_from is not None or bool(spawn)
    state.lineage = PERHAPS if state.is_fork else OWN
    if not state.is_subagent:
        state.fork_of = forked_from
        return
    state.parent = parent or forked_from
    names = [
        string(payload.get(key)) or string(spawn.get(key))
        for key in ("agent_nickname", "agent_role")
    ]
    kind = (
        source
        if isinstance(source, str)
        else next(iter(mapping(source)), None)
        if not spawn
        else None
    )
    state.agent_name = ", ".join(name for name in names if name) or string(kind)


def _learn_git(state: State, git: object) -> None:
    values = mapping(git)
    state.branch = string(values.get("branch"))
    url = string(values.get("repository_url"))
    remote = _REMOTE.fullmatch(url) if url else None
    # A URL may hold a password, and names the host for nobody
    state.repository = remote[1] if remote else None


def _system_prompt(reader: RolloutReader, text: str | None) -> tuple[Message, ...]:
    return (reader.message("system", "system_prompt", text),) if text else ()


def old_meta(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """The first line of a file from before there was a `type`."""
    state = reader.state
    values = mapping(decode_any(reader.line))
    if state.records == 0:
        state.meta_id = string(record.id)
        state.started = string(record.timestamp)
        _learn_git(state, values.get("git"))
    text = string(values.get("instructions"))
    return (reader.event("session started"), *_system_prompt(reader, text))


def turn_context(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """What a turn runs with: told when it is not as before."""
    state = reader.state
    reader.close()
    reader.uses(string(item.model))
    state.cwd = state.cwd or string(item.cwd)
    policy = mapping(item.sandbox_policy)
    sandbox = (
        string(policy.get("type")) or string(policy.get("mode")) or string(item.sandbox_policy)
    )
    approval = (
        item.approval_policy
        if isinstance(item.approval_policy, str)
        else json_text(item.approval_policy)
    )
    told = {
        "model": string(item.model),
        "effort": string(item.effort),
        "approval": approval,
        "sandbox": sandbox,
        "in": string(item.cwd),
    }
    text = ", ".join(f"{name} {value}" for name, value in told.items() if value)
    if not text or text == state.settings:
        reader.skipped("turn_context", "as before")
        return ()
    state.settings = text
    return (reader.event(text),)


def _time_of(value: object) -> float | None:
    """The time in a UUIDv7, in seconds."""
    match = _UUID7.fullmatch(value) if isinstance(value, str) else None
    return int(match[1] + match[2], 16) / 1000 if match else None
