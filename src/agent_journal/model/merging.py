"""How pieces with the same identity are joined: the rules every connector can rely on.

A message arrives as several records (Claude writes one line per content block), a tool call as
request, start and result. Joining is associative in file order, so reading a file in two parts
gives the same as reading it at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from agent_journal.model.structs import Message, ToolCall, Usage

T = TypeVar("T")
_FIRST_KNOWN_OF_MESSAGE = ("model", "timestamp", "parent_id", "api_id")
_FIRST_KNOWN_OF_CALL = ("message_id", "name", "arguments", "started_at")
_LATEST_OF_CALL = (
    "title",
    "server",
    "result",
    "display",
    "status",
    "approval",
    "exit_code",
    "ended_at",
    "duration_ms",
    "child_session_id",
    "spilled_to",
)
_MAX_RESULTS = 100


def join_messages(pieces: Sequence[Message]) -> Message:
    """Join the pieces of a message in file order; a record that was seen before changes nothing."""
    first = pieces[0]
    if len(pieces) == 1:
        return first
    text = _TextBlocks(first.text)
    reasoning = _TextBlocks(first.reasoning)
    records = dict.fromkeys(first.record_ids)
    attachments = dict.fromkeys(first.attachments)
    usage = first.usage
    state = first.state
    stop_reason = first.stop_reason
    known = {name: getattr(first, name) for name in _FIRST_KNOWN_OF_MESSAGE}
    for piece in pieces[1:]:
        if piece.record_ids and records.keys() >= set(piece.record_ids):
            continue
        records.update(dict.fromkeys(piece.record_ids))
        attachments.update(dict.fromkeys(piece.attachments))
        text.add(piece.text, piece.continues)
        reasoning.add(piece.reasoning, piece.continues)
        usage = join_usage(usage, piece.usage)
        state = piece.state or state
        stop_reason = piece.stop_reason or stop_reason
        for name, value in known.items():
            if value is None:
                known[name] = getattr(piece, name)
    return replace(
        first,
        text=text.joined,
        reasoning=reasoning.joined,
        record_ids=tuple(records),
        attachments=tuple(attachments),
        usage=usage,
        state=state,
        stop_reason=stop_reason,
        **known,
    )


def is_other_message(old: Message, new: Message) -> bool:
    """Whether a piece whose records are all in a message says something that is not in it.

    An agent, or another program, has given one id to two records then.
    """
    if not new.record_ids or not set(new.record_ids) <= set(old.record_ids):
        return False
    if not set(new.attachments) <= set(old.attachments):
        return True
    if len(old.record_ids) == 1:
        return not (_has_block(old.text, new.text) and _has_block(old.reasoning, new.reasoning))
    return new.text not in old.text or new.reasoning not in old.reasoning


def under_another_id(message: Message) -> Message:
    """Return a message with an id that says what is in it: its own one is taken.

    It has no parent: beside the other message it would be taken for one that a rewind left behind.
    """
    content = repr((message.text, message.reasoning, message.attachments))
    new_id = f"{message.id}-{_mark(content)}"
    calls = [
        replace(call, message_id=new_id) if call.message_id == message.id else call
        for call in message.tool_calls
    ]
    return replace(message, id=new_id, tool_calls=tuple(calls), parent_id=None)


def is_other_call(old: ToolCall, new: ToolCall, is_repeated: bool) -> bool:
    """Whether a piece asks for something else than the call whose records it has.

    `is_repeated`: it is part of a message whose records were seen before.
    """
    has_its_records = bool(new.record_ids) and set(new.record_ids) <= set(old.record_ids)
    if not is_repeated and not has_its_records:
        return False
    return None not in (old.arguments, new.arguments) and old.arguments != new.arguments


def call_under_another_id(call: ToolCall) -> ToolCall:
    """Return a call with an id that says what it asks for: its own one is taken."""
    return replace(call, id=f"{call.id}-{_mark(call.arguments or '')}")


def _has_block(text: str, block: str) -> bool:
    return block in ("", text) or f"\n\n{block}\n\n" in f"\n\n{text}\n\n"


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def join_calls(old: ToolCall, new: ToolCall) -> ToolCall:
    """Join two pieces of a call: the first known name and arguments, the latest of the rest."""
    known: dict[str, Any] = {}
    for name in _LATEST_OF_CALL:
        value = getattr(new, name)
        if value is not None:
            known[name] = value
    for name in _FIRST_KNOWN_OF_CALL:
        if getattr(old, name) is None:
            known[name] = getattr(new, name)
    if "duration_ms" not in known and old.duration_ms is None:
        known["duration_ms"] = _time_running(old, new)
    if new.result is not None:
        known["result_at"] = new.result_at
    if old.kind == "other":
        known["kind"] = new.kind
    if new.attachments:
        known["attachments"] = _union(old.attachments, new.attachments)
    if new.record_ids:
        known["record_ids"] = _union(old.record_ids, new.record_ids)
    return replace(old, **known)


def _time_running(old: ToolCall, new: ToolCall) -> int | None:
    """Return how long a call ran, if the agent recorded when it began to run.

    When a call was asked for tells nothing: a person may have taken hours to allow it.
    """
    if old.status != "running" or old.started_at is None or new.ended_at is None:
        return None
    return max(0, round((new.ended_at - old.started_at).total_seconds() * 1000))


def join_usage(old: Usage | None, new: Usage | None) -> Usage | None:
    """Return the report with more output of two about one response; the later on a tie.

    Old versions of Claude Code wrote growing output_tokens on the lines of one message (5, 5, 631).
    """
    if old is None or new is None:
        return new or old
    if (new.output_tokens or 0) >= (old.output_tokens or 0):
        return new
    return old


def _union(old: tuple[T, ...], new: tuple[T, ...]) -> tuple[T, ...]:
    # A call has one result; a file that repeats one a hundred thousand times must not take hours.
    if not new or len(old) >= _MAX_RESULTS:
        return old
    return tuple(dict.fromkeys(old + new))


class _TextBlocks:
    """Text that comes block by block; nothing is copied until the end, so the cost is linear."""

    def __init__(self, text: str) -> None:
        self._blocks = [text] if text else []

    def add(self, text: str, is_glued: bool) -> None:
        if not text:
            return
        if not self._blocks:
            self._blocks.append(text)
            return
        if is_glued:
            self._blocks[-1] += text
            return
        last = self._blocks[-1]
        # Old versions wrote a streamed block twice: an equal last block is the same block.
        if last != text and not last.endswith("\n\n" + text):
            self._blocks.append(text)

    @property
    def joined(self) -> str:
        return "\n\n".join(self._blocks)
