"""Events that are part of the conversation, as functions of the reader and the record at hand.

`{"type":"user.message","data":{"content":"fix it","transformedContent":"<current_datetime>…\n\nfix
it"},…}`: what the person typed is `content`; the other is what the model saw.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_journal.connectors.copilot_cli import calls, legacy, usage
from agent_journal.connectors.copilot_cli.attachments import attachments
from agent_journal.connectors.copilot_cli.records import MAX_SKILLS, Data, Record, event_data
from agent_journal.connectors.loose import remember
from agent_journal.connectors.values import mapping, string, title_of
from agent_journal.model import Message, MessageKind, Piece, Plan
from agent_journal.text.dates import parse_time

if TYPE_CHECKING:
    from agent_journal.connectors.copilot_cli.events import EventsReader

_HUMAN_SOURCES = (None, "", "user", "human", "remote")
_MAX_ID = 64


def user_message(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A prompt, or text that the harness put in its place."""
    text = data.content or ""
    kind = _prompt_kind(reader, data)
    if kind == "prompt" or (reader.agent and kind == "injected"):
        reader.thread.prompt = reader.record_id(record)
    if kind == "prompt" and reader.state.title is None:
        reader.state.title = title_of(text)
    return (
        reader.message(
            record, "user", kind, text, attachments(data.attachments, reader.state.assets)
        ),
    )


def _prompt_kind(reader: EventsReader, data: Data) -> MessageKind:
    source = data.source
    if source and source.startswith("skill-"):
        return "skill"
    if reader.agent or data.is_autopilot_continuation or source not in _HUMAN_SOURCES:
        return "injected"
    return "shell" if data.agent_mode == "shell" else "prompt"


def assistant_message(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """One answer of the model; long ones come in chunks of the same message id."""
    record_id = reader.record_id(record)
    message_id = data.message_id or record_id
    when = parse_time(record.timestamp)
    reader.uses(data.model)
    message = Message(
        session_id=reader.session,
        id=message_id,
        role="assistant",
        kind="answer",
        text=data.content or "",
        reasoning=_new_reasoning(reader, data.reasoning_text),
        model=data.model,
        timestamp=when,
        record_ids=(record_id,),
        tool_calls=tuple(
            calls.requested_call(
                request, reader.session, message_id, record_id, reader.at, reader.length
            )
            for request in data.tool_requests or ()
            if request.tool_call_id
        ),
        api_id=data.api_call_id,
        continues=bool(data.chunk_index),
        offset=reader.at,
        length=reader.length,
    )
    if data.output_tokens is None:
        return (message,)
    tokens = usage.message_usage(
        reader.session,
        message_id,
        data.model,
        data.output_tokens,
        when,
        reader.state.segment,
        bool(reader.agent),
    )
    return (message, tokens)


def _new_reasoning(reader: EventsReader, text: str | None) -> str:
    """The reasoning, or nothing when the event beside it had the same: some versions write it
    twice.
    """
    if not text:
        return ""
    mark = hashlib.sha256(text.strip().encode("utf-8", "replace")).hexdigest()[:16]
    if mark == reader.thread.reasoned:
        return ""
    reader.thread.reasoned = mark
    return text


def reasoning(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """Reasoning in an event of its own."""
    text = _new_reasoning(reader, data.content)
    if not text:
        reader.skipped(record.type, "empty, or in the message beside it")
        return ()
    record_id = reader.record_id(record)
    reasoning_id = data.reasoning_id
    return (
        Message(
            session_id=reader.session,
            id=reasoning_id if reasoning_id and len(reasoning_id) <= _MAX_ID else record_id,
            role="assistant",
            kind="answer",
            reasoning=text,
            model=data.model,
            timestamp=parse_time(record.timestamp),
            record_ids=(record_id,),
            offset=reader.at,
            length=reader.length,
        ),
    )


def system_message(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The system prompt, once per agent and again when it changes."""
    return (reader.message(record, "system", "system_prompt", data.content or ""),)


def notification(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """Background work that finished, a message of another agent."""
    return (reader.message(record, "system", "notification", data.content or ""),)


def error(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """An error the person saw."""
    whole = event_data(reader.line)
    text = string(whole.get("message")) or string(whole.get("errorType")) or "error"
    return (reader.message(record, "system", "error", text),)


def abort(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The turn was stopped."""
    reason = str(event_data(reader.line).get("reason") or "stopped")
    return (reader.message(record, "user" if "user" in reason else "system", "interrupt", reason),)


def compaction(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A summary took the place of earlier messages, which all stay in the file."""
    whole = event_data(reader.line)
    key = string(whole.get("compactionAttemptId")) or reader.record_id(record)
    used = usage.compaction_usage(
        mapping(whole.get("compactionTokensUsed")),
        reader.session,
        key,
        parse_time(record.timestamp),
        reader.state.segment,
        bool(reader.agent),
    )
    if whole.get("success") is True and whole.get("outcome") in (None, "applied"):
        text = string(whole.get("summaryContent")) or ""
        found: Piece = reader.message(record, "system", "compaction", text)
    else:
        reason = next(
            (whole[k] for k in ("failureReason", "outcomeReason", "outcome") if whole.get(k)), ""
        )
        error = mapping(data.error).get("message") or data.error or reason
        found = reader.event(record, f"compaction not applied{f': {error}' if error else ''}")
    return (found, used) if used else (found,)


def human_response(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A question's answer or the verdict on a plan, which is a plan of its own each time."""
    whole = event_data(reader.line)
    response = mapping(whole.get("response"))
    words: object = response.get("answer")
    if response.get("responseKind") == "exit_plan_mode":
        words = response.get("feedback")
        text = string(response.get("planContent")) or string(response.get("summary")) or ""
        approved = response.get("approved")
        yield Plan(
            text=text,
            name=title_of(text.lstrip("# \n").partition("\n")[0]) or "plan",
            session_id=reader.session,
            kind="exit_plan_mode",
            approved=approved if isinstance(approved, bool) else None,
            feedback=string(words),
            created_at=parse_time(record.timestamp),
        )
    elif isinstance(response.get("content"), dict):
        words = "\n".join(f"{key}: {value}" for key, value in response["content"].items())
    if isinstance(words, str) and words:
        is_person = whole.get("actor") != "host_automation"
        yield reader.message(record, "user", "prompt" if is_person else "injected", words)
    else:
        yield reader.event(
            record, f"answered: {response.get('selectedAction') or response.get('responseKind')}"
        )


def skill(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The text of a skill."""
    text = data.content or ""
    if text:
        content_id = "sha256:" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        remember(reader.state.skills, content_id, reader.record_id(record), MAX_SKILLS)
    return (reader.message(record, "system", "skill", text),)


def skill_again(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A skill whose text was written before."""
    whole = event_data(reader.line)
    content_id = whole.get("contentId")
    known = reader.state.skills.get(str(content_id))
    place = f"text in message {known}" if known else f"text {content_id}"
    return (reader.event(record, f"skill {whole.get('name')} used again, {place}"),)


def imported(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A session of the first releases, whole."""
    old = mapping(event_data(reader.line).get("legacySession"))
    reader.uses(string(old.get("selectedModel")))
    for piece in legacy.pieces(old, reader.session, reader.at):
        if isinstance(piece, Message) and piece.kind == "prompt" and reader.state.title is None:
            reader.state.title = title_of(piece.text)
        yield piece
