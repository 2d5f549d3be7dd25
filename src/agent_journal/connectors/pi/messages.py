"""The messages of a session, by their role.

user            what a person said, in OpenClaw behind lines about the sender
assistant       one response of a model: texts, thoughts, tool calls, usage
toolResult      what a tool returned
bashExecution   a command that the person ran with `!`
system          the system prompt in sections, since Pi 1; a later one has the sections that changed
others          texts of extensions, summaries
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from agent_journal.connectors.pi.contents import Contents, contents_of
from agent_journal.connectors.pi.edits import made_edit, requested_edit
from agent_journal.connectors.pi.usage import usage_beside, usage_of_answer
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import count, integer, mapping, string
from agent_journal.model import (
    Attachment,
    FileEdit,
    Message,
    MessageKind,
    MessageState,
    Piece,
    ToolCall,
    ToolStatus,
)
from agent_journal.model.origins import COPIED_EDIT

if TYPE_CHECKING:
    from agent_journal.connectors.pi.reading import EntryReader

_STATES: dict[str, MessageState] = {"error": "failed", "aborted": "cancelled"}
_STOPS = {"toolUse": "tool_use"}  # as other agents say it
_EXIT = re.compile(r"\bCommand exited with code (\d{1,10})\)?\s*\Z")
_TAIL = 200  # letters at the end of a result, where the exit code is
_pattern = lru_cache(re.compile)


def read_message(reader: EntryReader, message: dict[str, Any], line: bytes) -> Iterable[Piece]:
    """The pieces of one message."""
    role = string(message.get("role")) or "no role"
    read = _ROLES.get(role)
    if read is None:
        reader.stand_for_parent()
        return reader.unknown_event(f"message {role}", line)
    reader.mapped(f"message {role}")
    return read(reader, message)


# -- the person --------------------------------------------------------------------------------


def _user(reader: EntryReader, message: dict[str, Any]) -> Iterable[Piece]:
    contents = contents_of(message.get("content"))
    pattern = reader.dialect.prompt_context
    context = None
    if pattern is not None:
        context = _pattern(pattern, re.DOTALL).match(contents.text)
    if context is not None and context.end():
        added = Attachment(kind="context", text=context[0].strip())
        contents = contents._replace(
            text=contents.text[context.end() :], attachments=(*contents.attachments, added)
        )
    reader.state.spoken.note_prompt(contents.text)
    kind: MessageKind = "injected" if reader.state.is_subagent else "prompt"
    return (reader.said("user", kind, contents),)


def _bash_execution(reader: EntryReader, message: dict[str, Any]) -> Iterable[Piece]:
    command = string(message.get("command")) or ""
    output = string(message.get("output"))
    exit_code = integer(message.get("exitCode"))
    status: ToolStatus = "ok"
    if message.get("cancelled") is True:
        status = "interrupted"
    elif exit_code:
        status = "failed"
    call = reader.call(
        reader.record_id,
        message_id=reader.record_id,
        name="bash",
        kind="shell",
        arguments=msgspec.json.encode({"command": command}).decode(),
        result=output,
        result_at=reader.quote(output, reader.place, "message", "output"),
        status=status,
        exit_code=exit_code,
        ended_at=reader.timestamp,
    )
    return (reader.said("user", "shell", Contents(command)), call)


# -- the model ---------------------------------------------------------------------------------


def _assistant(reader: EntryReader, message: dict[str, Any]) -> Iterable[Piece]:
    contents = contents_of(message.get("content"))
    pattern = reader.dialect.answer_wrapper
    if pattern is not None:
        wrapped = _pattern(pattern, re.DOTALL).fullmatch(contents.text)
        if wrapped is not None:
            contents = contents._replace(text=wrapped[1].strip())
    model = string(message.get("model"))
    if model and model not in reader.state.models:
        reader.state.models.append(model)
    stop_reason = string(message.get("stopReason"))
    kind: MessageKind = "answer"
    problem = string(message.get("errorMessage"))
    if problem is not None and contents == Contents():
        kind = "error"
        contents = Contents(problem)
        problem = None
    reader.state.spoken.note_answer(contents.text)
    answer = reader.said(
        "assistant",
        kind,
        contents,
        model=model,
        usage=usage_of_answer(reader, message, model),
        state=_STATES.get(stop_reason or ""),
        stop_reason=_STOPS.get(stop_reason or "", stop_reason),
        api_id=string(message.get("responseId")),
    )
    calls = [_call(reader, call, number) for number, call in enumerate(contents.calls)]
    if problem is None:
        return (answer, *calls)
    return (answer, *calls, reader.event("error", problem))


def _call(reader: EntryReader, block: dict[str, Any], number: int) -> ToolCall:
    call_id = string(block.get("id")) or f"{reader.record_id}#{number}"
    name = string(block.get("name"))
    arguments = block.get("arguments")
    edit = requested_edit(name, mapping(arguments), reader.record_id)
    if edit is not None:
        reader.state.edits[call_id] = edit
    return reader.call(
        call_id,
        message_id=reader.record_id,
        name=name,
        kind=tool_kind(name),
        arguments=None if arguments is None else msgspec.json.encode(arguments).decode(),
        started_at=reader.timestamp,
    )


# -- tools -------------------------------------------------------------------------------------


def _tool_result(reader: EntryReader, message: dict[str, Any]) -> Iterable[Piece]:
    call_id = string(message.get("toolCallId")) or reader.record_id
    contents = contents_of(message.get("content"))
    details = mapping(message.get("details"))
    result_at = None
    if contents.path is not None:
        path = ("message", "content", *contents.path)
        result_at = reader.quote(contents.text, reader.place, *path)
    name = string(message.get("toolName"))
    exit_code = _exit_code(details, contents.text)
    status: ToolStatus = "ok"
    if exit_code:
        status = "failed"
    elif message.get("isError") is True:
        status = "error"
    call = reader.call(
        call_id,
        name=name,
        kind=tool_kind(name),
        result=contents.text,
        result_at=result_at,
        status=status,
        exit_code=exit_code,
        ended_at=reader.timestamp,
        duration_ms=count(details.get("durationMs")),
        attachments=contents.attachments,
        record_ids=(reader.record_id,),
    )
    nested = usage_beside(reader, message.get("usage"))
    request = reader.state.edits.pop(call_id, None)
    if request is None or status != "ok":
        return (call, *nested)
    edit = FileEdit(
        session_id=reader.id,
        path=request.path,
        message_id=request.message_id,
        call_id=call_id,
        timestamp=reader.timestamp,
        origin=COPIED_EDIT if reader.is_copied else "tool",
        offset=reader.place[0],
    )
    return (call, *nested, made_edit(request, edit, details))


def _exit_code(details: dict[str, Any], text: str) -> int | None:
    """The exit code of a command, from the details or from the last line of the result."""
    if "exitCode" in details:
        return integer(details["exitCode"])
    printed = _EXIT.search(text[-_TAIL:])
    if printed is None:
        return None
    return int(printed[1])


# -- others ------------------------------------------------------------------------------------


def _summary(reader: EntryReader, message: dict[str, Any]) -> tuple[Message]:
    return (reader.said("system", "compaction", Contents(string(message.get("summary")) or "")),)


def _system(reader: EntryReader, message: dict[str, Any]) -> tuple[Message]:
    contents = contents_of(message.get("content"))
    sections = [string(text) for text in mapping(message.get("sections")).values()]
    text = "\n\n".join(filter(None, [contents.text, *sections]))
    return (reader.said("system", "system_prompt", Contents(text)),)


def _injected(reader: EntryReader, message: dict[str, Any]) -> tuple[Message]:
    return (reader.said("user", "injected", contents_of(message.get("content"))),)


_ROLES: dict[str, Callable[[EntryReader, dict[str, Any]], Iterable[Piece]]] = {
    "system": _system,
    "user": _user,
    "assistant": _assistant,
    "toolResult": _tool_result,
    "bashExecution": _bash_execution,
    "branchSummary": _summary,
    "compactionSummary": _summary,
    "custom": _injected,
    "hookMessage": _injected,
}
