"""Which lines of a rollout were copied from another session, or written twice.

A fork, or a sub-agent that was given the conversation, begins with its parent's lines. They are
copied in one go, with the time of the copy in place of their own, and often with the parent's
`session_meta` in front. The end of the copy is found, best evidence first, by the number of the
first own line, by turn ids (UUIDv7: they contain a time), and by the first turn that took time:
a person and a model are slow, a copy is not.
"""

from __future__ import annotations

import re
from datetime import datetime

from agent_journal.connectors.codex.records import Item, Record, RolloutState, digest_of
from agent_journal.connectors.values import integer, mapping

# RolloutState.inheritance
OWN = 0  # final
UNDECIDED = 1  # a fork, before there is any evidence
INHERITED = 2
LIKELY_OWN = 3  # after a pause, until a turn shows whether it took time

# In seconds. A copy is written without pauses unless the machine stalls, and no model answers
# faster than _FASTEST_ANSWER. Lines older than the session by _EARLIER kept their original times.
_PAUSE = 0.25
_FASTEST_ANSWER = 0.05
_EARLIER = 1.0

_ASKING = frozenset(("turn_context", "task_started", "turn_started", "user_message"))
_ANSWERING = frozenset(
    (
        "agent_message",
        "agent_reasoning",
        "agent_reasoning_raw_content",
        "reasoning",
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "web_search_call",
    )
)
_UUID7 = re.compile(
    r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE
)


def track_copy(state: RolloutState, record: Record, item: Item, timestamp: datetime | None) -> bool:
    """Remember what a line shows of the copy; return whether the line belongs to it."""
    if state.inheritance == OWN:
        return False
    _update_inheritance(state, record, item, timestamp)
    return state.inheritance == INHERITED


def _update_inheritance(
    state: RolloutState, record: Record, item: Item, timestamp: datetime | None
) -> None:
    ordinal = integer(record.ordinal)
    if state.history_start is not None and ordinal is not None:
        _decide(state, is_copy=ordinal < state.history_start)
        return
    turn_time = uuid_time(item.turn_id or mapping(item.passthrough).get("turn_id"))
    if turn_time is not None and state.created is not None:
        state.has_turns = True
        _decide(state, is_copy=turn_time < state.created)
        return
    if timestamp is None:
        return
    time = timestamp.timestamp()
    if state.created is not None and time < state.created - _EARLIER:
        state.inheritance = INHERITED
    elif not state.has_turns and state.last_time is not None:
        _judge_by_pauses(state, record, item, time, time - state.last_time)


def _decide(state: RolloutState, *, is_copy: bool) -> None:
    if is_copy:
        state.inheritance = INHERITED
    else:
        state.inheritance = OWN


def _judge_by_pauses(
    state: RolloutState, record: Record, item: Item, time: float, pause: float
) -> None:
    """Decide by the time that passed whether the copy has ended.

    A pause alone proves nothing, the machine may have stalled: the turn after it must take time.
    """
    is_asking = _is_asking(record, item)
    is_answering = _is_answering(record, item)
    if state.inheritance == INHERITED and pause > _PAUSE and (is_asking or is_answering):
        # An answer after a pause replies to a prompt that was written together with the copy
        state.inheritance = LIKELY_OWN
        state.turn_began = None
    if state.inheritance != LIKELY_OWN:
        return
    if is_asking:
        state.turn_began = time
    elif is_answering and state.turn_began is not None:
        _decide(state, is_copy=time - state.turn_began <= _FASTEST_ANSWER)


def _is_asking(record: Record, item: Item) -> bool:
    kind = item.type or record.type
    if kind == "message":
        return bool(item.role != "assistant")
    return kind in _ASKING


def _is_answering(record: Record, item: Item) -> bool:
    kind = item.type or record.type
    if kind == "message":
        return bool(item.role == "assistant")
    return kind in _ANSWERING


def track_repeat(state: RolloutState, timestamp: datetime | None, line: bytes) -> bool:
    """Remember where a file repeats itself; return whether a line was written before.

    A resumed session may begin by writing its first lines once more, with their old times.
    """
    if state.first_digest is None:
        state.first_digest = digest_of(line)
        return False
    if state.is_resumed:
        state.is_resumed = False
        state.repeated_until = None
        if digest_of(line) == state.first_digest:
            state.repeated_until = state.last_time
    if state.repeated_until is None or timestamp is None:
        return False
    if timestamp.timestamp() <= state.repeated_until:
        return True
    state.repeated_until = None
    return False


def uuid_time(value: object) -> float | None:
    """Return the time in a UUIDv7, in seconds; None for anything else."""
    if not isinstance(value, str):
        return None
    match = _UUID7.fullmatch(value)
    if match is None:
        return None
    milliseconds = int(match[1] + match[2], 16)
    return milliseconds / 1000
