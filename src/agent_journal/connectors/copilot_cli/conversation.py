"""Events that are part of the conversation, as functions of the reader and its current record.

    {"type":"user.message","data":{"content":"fix it",
     "transformedContent":"<current_datetime>…\\n\\nfix it"},…}

`content` is what the person typed; the other is what the model saw.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from agent_journal.connectors.copilot_cli import legacy, models, usage
from agent_journal.connectors.copilot_cli.attachments import attachments
from agent_journal.connectors.copilot_cli.records import MAX_SKILLS, Data, Record, event_data
from agent_journal.connectors.copilot_cli.tool_events import interrupted_calls, requested_call
from agent_journal.connectors.loose import remember
from agent_journal.connectors.values import first_string, mapping, string, title_of
from agent_journal.model import Message, MessageKind, Piece, Plan, Role

if TYPE_CHECKING:
    from agent_journal.connectors.copilot_cli.events import EventsReader

_HUMAN_SOURCES = (None, "", "user", "human", "remote")
_MAX_ID = 64


def user_message(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A prompt, or text that the harness put in its place."""
    text = data.content or ""
    kind = _prompt_kind(reader, data)
    is_of_caller = reader.agent_id is not None and kind == "injected"
    if kind == "prompt" or is_of_caller:
        reader.thread.prompt = reader.record_id(record)
    if kind == "prompt":
        reader.state.spoken.note_prompt(text)
    attached = attachments(data.attachments, reader.state.assets)
    return (reader.message(record, "user", kind, text, attached),)


def _prompt_kind(reader: EventsReader, data: Data) -> MessageKind:
    source = data.source
    if source and source.startswith("skill-"):
        return "skill"
    if source not in _HUMAN_SOURCES or data.is_autopilot_continuation:
        return "injected"
    if reader.agent_id is not None:
        return "injected"
    if data.agent_mode == "shell":
        return "shell"
    return "prompt"


def assistant_message(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """An answer of the model; long ones are written in chunks with the same message id."""
    record_id = reader.record_id(record)
    message_id = data.message_id or record_id
    model = models.of_answer(reader, data.model)
    if reader.agent_id is None and data.content:
        reader.state.spoken.note_answer(data.content)
    message = Message(
        session_id=reader.session_id,
        id=message_id,
        role="assistant",
        kind="answer",
        text=data.content or "",
        reasoning=_new_reasoning(reader, data.reasoning_text),
        model=model,
        timestamp=reader.time,
        record_ids=(record_id,),
        tool_calls=tuple(
            requested_call(reader, request, message_id, record_id)
            for request in data.tool_requests or ()
            if request.tool_call_id
        ),
        api_id=data.api_call_id,
        continues=bool(data.chunk_index),
        offset=reader.record_offset,
        length=reader.record_length,
    )
    tokens = None
    if data.output_tokens is not None:
        context = reader.usage_context()
        tokens = usage.message_usage(message_id, model, data.output_tokens, context)
    if model is None:
        models.note_unnamed(reader, message_id, tokens)
    if tokens is None:
        return (message,)
    return (message, tokens)


def _new_reasoning(reader: EventsReader, text: str | None) -> str:
    """The reasoning; nothing when it repeats the last one, as some versions write it twice."""
    if not text:
        return ""
    mark = hashlib.sha256(text.strip().encode("utf-8", "replace")).hexdigest()[:16]
    if mark == reader.thread.reasoned:
        return ""
    reader.thread.reasoned = mark
    return text


def reasoning(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """Reasoning in a separate event."""
    text = _new_reasoning(reader, data.content)
    if not text:
        reader.skipped(record.type, "empty, or in the message beside it")
        return ()
    record_id = reader.record_id(record)
    message_id = data.reasoning_id
    if not message_id or len(message_id) > _MAX_ID:
        message_id = record_id
    model = models.of_answer(reader, data.model)
    if model is None:
        models.note_unnamed(reader, message_id, None)
    message = Message(
        session_id=reader.session_id,
        id=message_id,
        role="assistant",
        kind="answer",
        reasoning=text,
        model=model,
        timestamp=reader.time,
        record_ids=(record_id,),
        offset=reader.record_offset,
        length=reader.record_length,
    )
    return (message,)


def system_message(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The system prompt, once per agent and again when it changes."""
    return (reader.message(record, "system", "system_prompt", data.content or ""),)


def notification(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """Background work that finished, or a message of another agent."""
    return (reader.message(record, "system", "notification", data.content or ""),)


def error(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """An error the person saw."""
    text = first_string(event_data(reader.line), "message", "errorType") or "error"
    return (reader.message(record, "system", "error", text),)


def abort(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The turn was stopped, and with it the calls that were running."""
    reason = str(event_data(reader.line).get("reason") or "stopped")
    role: Role = "system"
    if "user" in reason:
        role = "user"
    message = reader.message(record, role, "interrupt", reason)
    return (message, *interrupted_calls(reader))


def compaction(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A summary that replaced earlier messages for the model; they all stay in the file."""
    fields = event_data(reader.line)
    yield _compaction_result(reader, record, data, fields)
    key = string(fields.get("compactionAttemptId")) or reader.record_id(record)
    used = mapping(fields.get("compactionTokensUsed"))
    used.setdefault("model", reader.thread.model)
    tokens = usage.compaction_usage(used, key, reader.usage_context())
    if tokens is not None:
        yield tokens


def _compaction_result(
    reader: EventsReader, record: Record, data: Data, fields: dict[str, Any]
) -> Piece:
    if fields.get("success") is True and fields.get("outcome") in (None, "applied"):
        text = string(fields.get("summaryContent")) or ""
        return reader.message(record, "system", "compaction", text)
    reason = (
        mapping(data.error).get("message")
        or data.error
        or fields.get("failureReason")
        or fields.get("outcomeReason")
        or fields.get("outcome")
    )
    if not reason:
        return reader.event(record, "compaction not applied")
    return reader.event(record, f"compaction not applied: {reason}")


def human_response(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The answer to a question, or the verdict on a plan: each plan shown is a Plan."""
    fields = event_data(reader.line)
    response = mapping(fields.get("response"))
    if response.get("responseKind") == "exit_plan_mode":
        yield _shown_plan(reader, record, response)
    words = _response_text(response)
    if not words:
        action = response.get("selectedAction") or response.get("responseKind")
        yield reader.event(record, f"answered: {action}")
    elif fields.get("actor") == "host_automation":
        yield reader.message(record, "user", "injected", words)
    else:
        yield reader.message(record, "user", "prompt", words)


def _response_text(response: dict[str, Any]) -> str | None:
    """What the person typed: feedback on a plan, the fields of a form, or an answer."""
    if response.get("responseKind") == "exit_plan_mode":
        return string(response.get("feedback"))
    if isinstance(response.get("content"), dict):
        return "\n".join(f"{key}: {value}" for key, value in response["content"].items())
    return string(response.get("answer"))


def _shown_plan(reader: EventsReader, record: Record, response: dict[str, Any]) -> Plan:
    text = first_string(response, "planContent", "summary") or ""
    approved = response.get("approved")
    if not isinstance(approved, bool):
        approved = None
    return Plan(
        text=text,
        name=title_of(text.lstrip("# \n").partition("\n")[0]) or "plan",
        session_id=reader.session_id,
        kind="exit_plan_mode",
        approved=approved,
        feedback=string(response.get("feedback")),
        created_at=reader.time,
    )


def skill(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The text of a skill."""
    text = data.content or ""
    if text:
        content_id = "sha256:" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        remember(reader.state.skills, content_id, reader.record_id(record), MAX_SKILLS)
    return (reader.message(record, "system", "skill", text),)


def skill_again(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A skill whose text is in an earlier event."""
    fields = event_data(reader.line)
    content_id = fields.get("contentId")
    message_id = reader.state.skills.get(str(content_id))
    place = f"text {content_id}"
    if message_id:
        place = f"text in message {message_id}"
    return (reader.event(record, f"skill {fields.get('name')} used again, {place}"),)


def imported(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A whole session of the first releases."""
    old = mapping(event_data(reader.line).get("legacySession"))
    models.choose(reader, string(old.get("selectedModel")))
    for piece in legacy.pieces(old, reader.session_id, reader.record_offset):
        if isinstance(piece, Message) and piece.kind == "prompt":
            reader.state.spoken.note_prompt(piece.text)
        yield piece
