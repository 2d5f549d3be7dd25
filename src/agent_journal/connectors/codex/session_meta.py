"""What a rollout says about its session: the head of the file, and the settings of each turn."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from agent_journal.connectors.codex.inheritance import INHERITED, OWN, UNDECIDED, uuid_time
from agent_journal.connectors.codex.records import (
    Item,
    Record,
    RolloutState,
    json_text,
    payload_of,
)
from agent_journal.connectors.loose import decode_any
from agent_journal.connectors.values import integer, mapping, string
from agent_journal.model import Message, Piece
from agent_journal.text.dates import parse_time

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

_REMOTE = re.compile(
    r"(?:[\w+.-]+://)?(?:[^@/]*@)?[^/:]+(?::\d+(?=/))?[/:](.+?)(?:\.git)?/?", re.DOTALL
)


def session_meta(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read a `session_meta`.

    The first one is the file's own. Later ones belong to resumes, or to the session that this one
    was forked from.
    """
    state = reader.state
    payload = payload_of(reader.line)
    meta_id = string(payload.get("id")) or string(payload.get("session_id"))
    if state.records == 0:
        state.meta_id = meta_id
        state.started = string(payload.get("timestamp")) or string(record.timestamp)
        return _first_meta(reader, payload)
    if meta_id == state.meta_id or meta_id == reader.id:
        state.is_resumed = True
        reader.end_answer()
        return (reader.event("session resumed" + _version_suffix(payload)),)
    if state.last_answer is None and state.prompt is None:
        _begin_copy(reader, meta_id)
        reader.skipped("session_meta", "head of the parent session")
        return ()
    return (reader.event(f"head of another session, {meta_id or 'without an id'}"),)


def _begin_copy(reader: RolloutReader, parent_id: str | None) -> None:
    """Note that the lines of the parent follow."""
    state = reader.state
    state.inheritance = INHERITED
    state.is_fork = True
    state.copied_from = state.copied_from or reader.record_offset
    if not state.is_subagent:
        state.fork_of = state.fork_of or parent_id


def _version_suffix(payload: dict[str, Any]) -> str:
    version = string(payload.get("cli_version"))
    if version is None:
        return ""
    return f", version {version}"


def _first_meta(reader: RolloutReader, payload: dict[str, Any]) -> Iterable[Piece]:
    state = reader.state
    state.version = string(payload.get("cli_version"))
    state.host = string(payload.get("originator"))
    state.cwd = string(payload.get("cwd"))
    _set_repository(state, payload.get("git"))
    _set_origin(state, payload)
    state.history_start = integer(payload.get("subagent_history_start_ordinal"))
    state.created = uuid_time(reader.id) or _seconds(state.started)
    reader.set_model(string(payload.get("model")))
    text = "session started" + _version_suffix(payload)
    source = string(payload.get("source"))
    if source is not None:
        text += f" from {source}"
    instructions = payload.get("base_instructions")
    prompt = (
        string(mapping(instructions).get("text"))
        or string(instructions)
        or string(payload.get("instructions"))
    )
    return (reader.event(text), *_system_prompt(reader, prompt))


def _seconds(text: str | None) -> float | None:
    time = parse_time(text)
    if time is None:
        return None
    return time.timestamp()


def _set_origin(state: RolloutState, payload: dict[str, Any]) -> None:
    """Set whether the session is a fork or a sub-agent, and whose."""
    source = mapping(payload.get("source")).get("subagent")
    spawn = mapping(mapping(source).get("thread_spawn"))
    forked_from = string(payload.get("forked_from_id"))
    parent = string(spawn.get("parent_thread_id")) or string(payload.get("parent_thread_id"))
    is_marked = bool(source) or payload.get("thread_source") == "subagent"
    state.is_subagent = is_marked or parent is not None
    state.is_fork = forked_from is not None or bool(spawn)
    state.inheritance = UNDECIDED if state.is_fork else OWN
    if not state.is_subagent:
        state.fork_of = forked_from
        return
    state.parent = parent or forked_from
    state.agent_name = _agent_name(payload, spawn) or _agent_kind(source, spawn)


def _agent_name(payload: dict[str, Any], spawn: dict[str, Any]) -> str:
    """Return the nickname and the role of a sub-agent: `Curie, explorer`."""
    nickname = string(payload.get("agent_nickname")) or string(spawn.get("agent_nickname"))
    role = string(payload.get("agent_role")) or string(spawn.get("agent_role"))
    return ", ".join(filter(None, (nickname, role)))


def _agent_kind(source: object, spawn: dict[str, Any]) -> str | None:
    """Return the kind of a sub-agent without a name: `"review"`, or the key of `{"review":…}`."""
    if isinstance(source, str):
        return string(source)
    if spawn:
        return None
    return string(next(iter(mapping(source)), None))


def _set_repository(state: RolloutState, git: object) -> None:
    values = mapping(git)
    state.branch = string(values.get("branch"))
    remote = _REMOTE.fullmatch(string(values.get("repository_url")) or "")
    # Only the path: a URL may contain a password
    state.repository = remote[1] if remote else None


def _system_prompt(reader: RolloutReader, text: str | None) -> tuple[Message, ...]:
    if not text:
        return ()
    return (reader.message("system", "system_prompt", text),)


def old_meta(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read the first line of a file from before there was a `type`."""
    state = reader.state
    values = mapping(decode_any(reader.line))
    if state.records == 0:
        state.meta_id = string(record.id)
        state.started = string(record.timestamp)
        _set_repository(state, values.get("git"))
    text = string(values.get("instructions"))
    return (reader.event("session started"), *_system_prompt(reader, text))


def turn_context(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read the settings of a turn: an event when they differ from those before."""
    state = reader.state
    reader.end_answer()
    reader.set_model(string(item.model))
    state.cwd = state.cwd or string(item.cwd)
    policy = mapping(item.sandbox_policy)
    settings = {
        "model": string(item.model),
        "effort": string(item.effort),
        "approval": json_text(item.approval_policy),
        "sandbox": string(policy.get("type"))
        or string(policy.get("mode"))
        or string(item.sandbox_policy),
        "in": string(item.cwd),
    }
    text = ", ".join(f"{name} {value}" for name, value in settings.items() if value)
    if not text or text == state.settings:
        reader.skipped("turn_context", "unchanged settings")
        return ()
    state.settings = text
    return (reader.event(text),)
