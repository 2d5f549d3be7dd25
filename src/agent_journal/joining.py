"""How pieces with the same identity become one: the rules every connector can rely on.

A message arrives as several records (Claude writes one line per content block), a tool call as request, start and
result. Joining is associative in file order, so reading a file in two parts gives the same as reading it at once.
"""

from __future__ import annotations

from msgspec.structs import replace

from agent_journal.model import Message, ToolCall, Usage


def join_messages(old: Message, new: Message) -> Message:
    """The earlier piece completed by the later one; a record that was seen before changes nothing."""
    if new.record_ids and set(new.record_ids) <= set(old.record_ids):
        return old
    return replace(
        old,
        text=_join_text(old.text, new.text, new.continues),
        reasoning=_join_text(old.reasoning, new.reasoning, new.continues),
        model=old.model or new.model,
        timestamp=old.timestamp or new.timestamp,
        parent_id=old.parent_id or new.parent_id,
        record_ids=old.record_ids + tuple(r for r in new.record_ids if r not in old.record_ids),
        attachments=old.attachments + tuple(a for a in new.attachments if a not in old.attachments),
        usage=join_usage(old.usage, new.usage),
        state=new.state or old.state,
        stop_reason=new.stop_reason or old.stop_reason,
        api_id=old.api_id or new.api_id,
    )


def join_calls(old: ToolCall, new: ToolCall) -> ToolCall:
    """The earlier piece with every value the later one knows."""
    return replace(
        old,
        message_id=old.message_id or new.message_id,
        name=old.name or new.name,
        kind=old.kind if old.kind != "other" else new.kind,
        title=new.title or old.title,
        server=new.server or old.server,
        arguments=old.arguments if old.arguments is not None else new.arguments,
        result=new.result if new.result is not None else old.result,
        display=new.display if new.display is not None else old.display,
        status=new.status or old.status,
        exit_code=new.exit_code if new.exit_code is not None else old.exit_code,
        started_at=old.started_at or new.started_at,
        ended_at=new.ended_at or old.ended_at,
        duration_ms=new.duration_ms if new.duration_ms is not None else old.duration_ms,
        child_session_id=new.child_session_id or old.child_session_id,
        spilled_to=new.spilled_to or old.spilled_to,
        attachments=old.attachments + tuple(a for a in new.attachments if a not in old.attachments),
        record_ids=old.record_ids + tuple(r for r in new.record_ids if r not in old.record_ids),
    )


def join_usage(old: Usage | None, new: Usage | None) -> Usage | None:
    """Of two reports about one response the one with more output; the later on a tie.

    Old versions of Claude Code wrote growing output_tokens on the lines of one message (5, 5, 631).
    """
    if old is None or new is None:
        return new or old
    return new if (new.output_tokens or 0) >= (old.output_tokens or 0) else old


def _join_text(old: str, new: str, glued: bool) -> str:
    if not new:
        return old
    if not old:
        return new
    if glued:
        return old + new
    # Old versions wrote a streamed block twice: an equal last block is the same block.
    if old == new or old.endswith("\n\n" + new):
        return old
    return f"{old}\n\n{new}"
