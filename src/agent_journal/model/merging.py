"""How pieces with the same identity are joined: the rules every connector can rely on.

A message arrives as several records (Claude writes one line per content block), a tool call as
request, start and result. Joining is associative in file order, so reading a file in two parts
gives the same as reading it at once.
"""

from __future__ import annotations

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
