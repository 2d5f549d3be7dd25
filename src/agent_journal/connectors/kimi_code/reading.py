"""A session of Kimi Code: what came into the context of the model, and the calls to it.

{"type":"metadata","protocol_version":"1.5","created_at":1777710000000}
{"type":"context.append_message","agentId":"main","message":{"role":"user",…},"time":…}
{"type":"context.append_loop_event","agentId":"main","event":{"type":"step.begin",…},"time":…}

Most things are recorded two or three times: what is read is what came into the context. A step is
one response of a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.kimi_code import session_of
from agent_journal.connectors.kimi_code.records import Line, RequestedEdit, State
from agent_journal.connectors.placed_log import PlacedLogReader, with_spoken_title
from agent_journal.connectors.replacements import with_replaced_parts, with_whole_texts
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import count, items, mapping, string
from agent_journal.model import (
    Attachment,
    FileEdit,
    MessageKind,
    Piece,
    Session,
    Todo,
    TodoList,
    ToolStatus,
    Usage,
)
from agent_journal.text.dates import parse_time

_EXIT = re.compile(r"Command failed with exit code: (-?\d{1,10})\.?\s*\Z")
_TAIL = 200  # letters at the end of a result, where the exit code is
# Why records are left out, by their types, or by how these begin
_SKIPPED = {
    "agent.message.appended": "it repeats what came into the context",
    "turn.prompt": "it repeats what came into the context",
    "agent.turn.": "about the course of a turn",
    "prompt.": "about the course of a turn",
    "turn.step.interrupted": "the end of the turn says the same",
    "token_counting.": "sizes of the context",
    "llm.tools_snapshot": "descriptions of the tools",
    "full_compaction.": "about the course of a compaction",
    "file_history.checkpoint": "names of kept files",
    "permission.": "settings of the agent",
    "plan_mode.": "settings of the agent",
    "runtime.": "settings of the agent",
    "tools.set_active_tools": "settings of the agent",
    "plugin.": "settings of the agent",
    "subagent.": "about the course of a sub-agent, which has a log of its own",
}


class WireReader(PlacedLogReader[Line, State]):
    """Reads a session, or a sub-agent of one."""

    record_type = Line
    state_type = State
    is_ranked_by_bytes = True
    record_starts = ('{"type":',)

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        self._id = file.session_id or session_of(file.name) or file.name

    @property
    def id(self) -> str:
        """The id of the session; for a sub-agent behind that of its session."""
        return self._id

    def record(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one record."""
        state = self.state
        timestamp = parse_time(record.time) or parse_time(record.created_at)
        self.begin(offset, length, timestamp)
        state.started = state.started or timestamp
        state.ended = timestamp or state.ended
        self.mapped(record.type)
        if record.type == "context.append_loop_event":
            return self._loop_event(mapping(record.event), line)
        read = _RECORDS.get(record.type)
        if read is not None:
            return read(self, record)
        reason = _why_skipped(record.type)
        if reason is None:
            return self.unknown_event(record.type, line)
        self.skipped(record.type, reason)
        return ()

    def _loop_event(self, event: dict[str, Any], line: bytes) -> Iterable[Piece]:
        kind = string(event.get("type")) or ""
        self.mapped(kind)
        read = _LOOP_EVENTS.get(kind)
        if read is None:
            return self.unknown_event(kind, line)
        return read(self, event)

    def sessions(self) -> Iterable[Session]:
        """The session, as far as it has been read."""
        state = self.state
        if not self.offset:
            return
        parent = self.id.rpartition("/")[0] or None
        session = Session(
            agent="kimi-code",
            id=self.id,
            project_path=state.cwd,
            models=tuple(state.models),
            started_at=state.started,
            ended_at=state.ended,
            parent_id=parent,
            agent_name="subagent" if parent else None,
        )
        yield with_spoken_title(session, state.spoken)


def _why_skipped(kind: str) -> str | None:
    if kind in _SKIPPED:
        return _SKIPPED[kind]
    for start, reason in _SKIPPED.items():
        if start.endswith(".") and kind.startswith(start):
            return reason
    return None


# -- the session and the person ----------------------------------------------------------------


def _nothing(reader: WireReader, record: Any) -> Iterable[Piece]:
    return ()


def _profile(reader: WireReader, record: Line) -> Iterable[Piece]:
    cwd = string(mapping(record.environment_disclosure).get("cwd")) or string(record.cwd)
    reader.state.cwd = reader.state.cwd or cwd
    return ()


def _request(reader: WireReader, record: Line) -> Iterable[Piece]:
    """A call to a model, which is the only place with its real name."""
    reader.state.model = record.model
    if record.model and record.model not in reader.state.models:
        reader.state.models.append(record.model)
    return ()


def _message(reader: WireReader, record: Line) -> Iterable[Piece]:
    message = mapping(record.message)
    text, attachments = _said(message.get("content"))
    origin = mapping(message.get("origin")).get("kind")
    kind: MessageKind = "injected"
    if message.get("role") == "user" and origin in ("user", None):
        kind = "prompt"
    is_asked = origin == "system_trigger" and "/" in reader.id
    if kind == "prompt" or is_asked:
        reader.state.spoken.note_prompt(text)
    message_id = string(message.get("id")) or reader.record_id
    return (reader.message("user", kind, text, id=message_id, attachments=attachments),)


def _said(value: Any) -> tuple[str, tuple[Attachment, ...]]:
    """A text, or the texts and other parts of a list."""
    if isinstance(value, str):
        return value, ()
    texts = [string(part.get("text")) or "" for part in items(value) if part.get("type") == "text"]
    others = [part for part in items(value) if part.get("type") != "text"]
    return "\n\n".join(texts), tuple(_attachment(part) for part in others)


def _attachment(part: dict[str, Any]) -> Attachment:
    return Attachment(kind=string(part.get("type")) or "part")


def _store(reader: WireReader, record: Line) -> Iterable[Piece]:
    """What a tool keeps: the todo list."""
    if record.key != "todo":
        reader.skipped(record.type, "what a tool keeps")
        return ()
    todos = [
        Todo(content=title, status=string(item.get("status")))
        for item in items(record.value)
        if (title := string(item.get("title")))
    ]
    return (TodoList(session_id=reader.id, origin="todowrite", items=tuple(todos)),)


def _tracked(reader: WireReader, record: Line) -> Iterable[Piece]:
    """A file that the next call changes: one without a key was not there before."""
    is_new = "key" in mapping(record.entry) and mapping(record.entry)["key"] is None
    reader.state.new_file = record.path if is_new else None
    return ()


def _turn_ended(reader: WireReader, record: Line) -> Iterable[Piece]:
    problem = string(mapping(record.error).get("message"))
    if problem is None:
        return ()
    return (reader.message("assistant", "error", problem, state="failed"),)


def _cancel(reader: WireReader, record: Line) -> Iterable[Piece]:
    return (reader.event(record.type, record.reason or ""),)


def _spawned(reader: WireReader, record: Line) -> Iterable[Piece]:
    """Which call started a sub-agent."""
    if record.parent_tool_call_id is None or record.subagent_id is None:
        return ()
    main = reader.id.partition("/")[0]
    child = f"{main}/{record.subagent_id}"
    return (reader.call(record.parent_tool_call_id, child_session_id=child),)


def _compaction(reader: WireReader, record: Line) -> Iterable[Piece]:
    return (reader.message("system", "compaction", string(record.summary) or ""),)


def _other_usage(reader: WireReader, record: Line) -> Iterable[Piece]:
    """The tokens of a call outside of turns, such as a compaction; other calls are steps."""
    tokens = mapping(record.usage)
    if record.usage_scope != "session" or not tokens:
        reader.skipped(record.type, "the end of the step has the same tokens")
        return ()
    return (_usage(reader, tokens, f"{reader.id}:{record.time}"),)


# -- the model ---------------------------------------------------------------------------------


def _part(reader: WireReader, event: dict[str, Any]) -> Iterable[Piece]:
    part = mapping(event.get("part"))
    kind = part.get("type")
    fields: dict[str, Any] = {"id": _step_of(reader, event), "model": reader.state.model}
    text = string(part.get("text")) or ""
    if kind == "think":
        fields["reasoning"] = string(part.get("think")) or ""
    elif kind != "text":
        fields["attachments"] = (_attachment(part),)
    reader.state.spoken.note_answer(text)
    return (reader.message("assistant", "answer", text, **fields),)


def _step_of(reader: WireReader, event: dict[str, Any]) -> str:
    return string(event.get("stepUuid")) or reader.record_id


def _step_end(reader: WireReader, event: dict[str, Any]) -> Iterable[Piece]:
    """The tokens of a response; one that failed before it began has none, and no parts."""
    step = string(event.get("uuid")) or reader.record_id
    finish = string(event.get("finishReason"))
    tokens = mapping(event.get("usage"))
    if finish == "error" and not tokens:
        return ()
    response = string(event.get("messageId"))
    usage = None
    if tokens:
        usage = _usage(reader, tokens, f"{step}:{response or ''}", step)
    is_cancelled = finish == "interrupted"
    message = reader.message(
        "assistant",
        "answer",
        id=step,
        model=reader.state.model,
        usage=usage,
        api_id=response,
        stop_reason=finish,
        state="cancelled" if is_cancelled else None,
    )
    return (message,)


def _usage(reader: WireReader, tokens: dict[str, Any], key: str, step: str | None = None) -> Usage:
    return Usage(
        session_id=reader.id,
        key=key,
        message_id=step,
        model=reader.state.model,
        timestamp=reader.timestamp,
        input_tokens=count(tokens.get("inputOther")),
        output_tokens=count(tokens.get("output")),
        cache_read_tokens=count(tokens.get("inputCacheRead")),
        cache_write_tokens=count(tokens.get("inputCacheCreation")),
    )


# -- tools -------------------------------------------------------------------------------------


def _call(reader: WireReader, event: dict[str, Any]) -> Iterable[Piece]:
    name = string(event.get("name"))
    call_id = string(event.get("toolCallId")) or reader.record_id
    step = _step_of(reader, event)
    arguments = event.get("args")
    edit = _requested(name, mapping(arguments), step)
    if edit is not None:
        new_file = reader.state.new_file
        edit.is_new = new_file is not None and f"/{edit.path}".endswith(f"/{new_file}")
        reader.state.edits[call_id] = edit
    reader.state.new_file = None
    answer = reader.message("assistant", "answer", id=step, model=reader.state.model)
    call = reader.call(
        call_id,
        message_id=step,
        name=name,
        kind=tool_kind(name),
        title=string(event.get("description")),
        arguments=None if arguments is None else msgspec.json.encode(arguments).decode(),
        started_at=reader.timestamp,
    )
    return (answer, call)


def _requested(name: str | None, arguments: dict[str, Any], step: str) -> RequestedEdit | None:
    path = string(arguments.get("path"))
    if path is None or name not in ("Write", "Edit"):
        return None
    texts = [arguments.get(key) for key in ("content", "old_string", "new_string")]
    content, old, new = (text if isinstance(text, str) else None for text in texts)
    return RequestedEdit(step, path, content, old, new)


def _result(reader: WireReader, event: dict[str, Any]) -> Iterable[Piece]:
    call_id = string(event.get("toolCallId")) or reader.record_id
    result = mapping(event.get("result"))
    output = result.get("output")
    text, attachments = _said(output)
    result_at = None
    if isinstance(output, str):
        result_at = reader.quote(text, reader.place, "event", "result", "output")
    code = _EXIT.search(text[-_TAIL:])
    status: ToolStatus = "ok"
    if result.get("isError") is True:
        status = "failed" if code else "error"
    call = reader.call(
        call_id,
        result=text,
        result_at=result_at,
        display=string(result.get("note")),
        status=status,
        exit_code=int(code[1]) if code and status == "failed" else None,
        ended_at=reader.timestamp,
        duration_ms=count(result.get("durationMs")),
        attachments=attachments,
        record_ids=(reader.record_id,),
    )
    request = reader.state.edits.pop(call_id, None)
    if request is None or status != "ok":
        return (call,)
    return (call, _made(reader, request, call_id))


def _made(reader: WireReader, request: RequestedEdit, call_id: str) -> FileEdit:
    edit = FileEdit(
        session_id=reader.id,
        path=request.path,
        kind="create" if request.is_new else "edit",
        message_id=request.message_id,
        call_id=call_id,
        timestamp=reader.timestamp,
        offset=reader.place[0],
    )
    if request.content is not None and request.is_new:
        return with_whole_texts(edit, None, request.content)
    if request.old is not None and request.new is not None:
        return with_replaced_parts(edit, [(request.old, request.new)])
    return replace(edit, after=request.content)


_RECORDS: dict[str, Callable[[WireReader, Line], Iterable[Piece]]] = {
    "metadata": _nothing,
    "profile.bind": _profile,
    "config.update": _profile,
    "context.apply_compaction": _compaction,
    "usage.record": _other_usage,
    "llm.request": _request,
    "context.append_message": _message,
    "tools.update_store": _store,
    "file_history.tracked": _tracked,
    "turn.ended": _turn_ended,
    "turn.cancel": _cancel,
    "subagent.spawned": _spawned,
}
_LOOP_EVENTS: dict[str, Callable[[WireReader, dict[str, Any]], Iterable[Piece]]] = {
    "step.begin": _nothing,
    "content.part": _part,
    "step.end": _step_end,
    "tool.call": _call,
    "tool.result": _result,
}
