"""How pieces with the same identity become one: the rules every connector can rely on.

A message arrives as several records (Claude writes one line per content block), a tool call as
request, start and result. Joining is associative in file order, so reading a file in two parts
gives the same as reading it at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from agent_journal.model.structs import Message, ToolCall, Usage

T = TypeVar("T")
_FIRST_KNOWN = ("model", "timestamp", "parent_id", "api_id")
_FIRST_TOLD = ("message_id", "name", "arguments", "started_at")
_LATEST = (
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
    """One message from its pieces in file order; a record that was seen before changes nothing."""
    first = pieces[0]
    if len(pieces) == 1:
        return first
    text, reasoning = _Blocks(first.text), _Blocks(first.reasoning)
    records, attachments = dict.fromkeys(first.record_ids), dict.fromkeys(first.attachments)
    usage, state, stop_reason = first.usage, first.state, first.stop_reason
    known = {name: getattr(first, name) for name in _FIRST_KNOWN}
    for piece in pieces[1:]:
        if piece.record_ids and records.keys() >= set(piece.record_ids):
            continue
        records.update(dict.fromkeys(piece.record_ids))
        attachments.update(dict.fromkeys(piece.attachments))
        text.add(piece.text, piece.continues)
        reasoning.add(piece.reasoning, piece.continues)
        usage = join_usage(usage, piece.usage)
        state, stop_reason = piece.state or state, piece.stop_reason or stop_reason
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
    """The earlier piece with every value the later one knows; what names the call stays as it was
    first told.
    """
    known = {name: value for name in _LATEST if (value := getattr(new, name)) is not None}
    for name in _FIRST_TOLD:
        if getattr(old, name) is None:
            known[name] = getattr(new, name)
    if new.result is not None:
        known["result_at"] = new.result_at
    if old.kind == "other":
        known["kind"] = new.kind
    if new.attachments:
        known["attachments"] = _union(old.attachments, new.attachments)
    if new.record_ids:
        known["record_ids"] = _union(old.record_ids, new.record_ids)
    return replace(old, **known)


def join_usage(old: Usage | None, new: Usage | None) -> Usage | None:
    """Of two reports about one response the one with more output; the later on a tie.

    Old versions of Claude Code wrote growing output_tokens on the lines of one message (5, 5, 631).
    """
    if old is None or new is None:
        return new or old
    return new if (new.output_tokens or 0) >= (old.output_tokens or 0) else old


def _union(old: tuple[T, ...], new: tuple[T, ...]) -> tuple[T, ...]:
    # A call has one result; a file that repeats one a hundred thousand times must not take hours.
    if not new or len(old) >= _MAX_RESULTS:
        return old
    return tuple(dict.fromkeys(old + new))


class _Blocks:
    """Text that comes block by block; long messages stay linear because nothing is copied until the
    end.
    """

    def __init__(self, text: str) -> None:
        self._blocks = [text] if text else []

    def add(self, text: str, is_glued: bool) -> None:
        if not text:
            return
        last = self._blocks[-1] if self._blocks else None
        if last is None:
            self._blocks.append(text)
        elif is_glued:
            self._blocks[-1] += text
        # Old versions wrote a streamed block twice: an equal last block is the same block.
        elif last != text and not last.endswith("\n\n" + text):
            self._blocks.append(text)

    @property
    def joined(self) -> str:
        return "\n\n".join(self._blocks)
