"""A session of Kimi CLI: the messages between the agent and its user interface.

{"type":"metadata","protocol_version":"1.10"}
{"timestamp":1777710000.5,"message":{"type":"TurnBegin","payload":{"user_input":"Prune."}}}
{"timestamp":1777710001.5,"message":{"type":"StepBegin","payload":{"n":1}}}
{"timestamp":1777710002.5,"message":{"type":"ContentPart","payload":{"type":"text","text":"…"}}}

A step is one response of a model: what comes until the next step is part of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

import msgspec

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.kimi_cli import session_of
from agent_journal.connectors.placed_log import PlacedLogReader, with_spoken_title
from agent_journal.connectors.replacements import with_replaced_parts
from agent_journal.connectors.titles import SpokenTitle
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

_FAILED = re.compile(r"failed with exit code: (-?\d{1,10})")
_REPEATED = "the sub-agent's own log has it"
# Records that say something about the session and nothing of the conversation
_NOTICES = (
    "CompactionBegin",
    "CompactionEnd",
    "ApprovalRequest",
    "ApprovalResponse",
    "Notification",
    "PlanDisplay",
    "StepRetry",
)
_FAMILIES = ("Btw", "Hook", "Question")
_TEXTS = ("description", "text", "message", "content", "title", "question", "reason")


class Line(msgspec.Struct):
    """The fields of a record."""

    type: str = ""
    timestamp: Any = None
    message: Any = None


class State(msgspec.Struct, omit_defaults=True):
    """What must be known to continue later."""

    started: datetime | None = None
    ended: datetime | None = None
    step: str | None = None  # the id of the current response
    has_begun: bool = False  # whether something of it was yielded
    spoken: SpokenTitle = msgspec.field(default_factory=SpokenTitle)
    messages_of_calls: dict[str, str] = {}  # of calls without a result


class WireReader(PlacedLogReader[Line, State]):
    """Reads a session, or a sub-agent of one."""

    record_type = Line
    state_type = State
    is_ranked_by_bytes = True
    record_starts = ('{"timestamp":', '{"type": "metadata"')

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        self._id = file.session_id or session_of(file.name) or file.name

    @property
    def id(self) -> str:
        """The id of the session; for a sub-agent behind that of its session."""
        return self._id

    @property
    def is_subagent(self) -> bool:
        """Whether another session started this one."""
        return "/" in self._id

    def record(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one record."""
        state = self.state
        timestamp = parse_time(record.timestamp)
        self.begin(offset, length, timestamp)
        if record.type == "metadata":
            self.mapped("metadata")
            return ()
        state.started = state.started or timestamp
        state.ended = timestamp or state.ended
        message = mapping(record.message)
        kind = string(message.get("type")) or ""
        payload = mapping(message.get("payload"))
        if kind in _NOTICES or kind.startswith(_FAMILIES):
            self.mapped(kind)
            return (self.event(kind, _text_in(payload)),)
        read = _RECORDS.get(kind)
        if read is None:
            return self.unknown_event(kind, line)
        self.mapped(kind)
        return read(self, payload)

    def sessions(self) -> Iterable[Session]:
        """The session, as far as it has been read."""
        state = self.state
        if not self.offset:
            return
        session = Session(
            agent="kimi-cli",
            id=self.id,
            started_at=state.started,
            ended_at=state.ended,
            parent_id=self.id.rpartition("/")[0] or None,
            agent_name="subagent" if self.is_subagent else None,
        )
        yield with_spoken_title(session, state.spoken)

    def answer(self, text: str = "", **fields: Any) -> Piece:
        """A part of the current response."""
        state = self.state
        state.step = state.step or self.record_id
        state.has_begun = True
        return self.message("assistant", "answer", text, id=state.step, **fields)


# -- the conversation --------------------------------------------------------------------------


def _turn(reader: WireReader, payload: dict[str, Any]) -> Iterable[Piece]:
    reader.state.step = None
    return _prompt(reader, payload)


def _prompt(reader: WireReader, payload: dict[str, Any]) -> Iterable[Piece]:
    """What the person said, perhaps during a response; in a sub-agent, what it was asked."""
    text, attachments = _said(payload.get("user_input"))
    kind: MessageKind = "injected" if reader.is_subagent else "prompt"
    reader.state.spoken.note_prompt(text)
    return (reader.message("user", kind, text, attachments=attachments),)


def _said(value: Any) -> tuple[str, tuple[Attachment, ...]]:
    """A text, or the texts and other parts of a list."""
    if isinstance(value, str):
        return value, ()
    texts = [string(part.get("text")) or "" for part in items(value) if part.get("type") == "text"]
    others = [part for part in items(value) if part.get("type") != "text"]
    return "\n\n".join(texts), tuple(map(_attachment, others))


def _attachment(part: dict[str, Any]) -> Attachment:
    return Attachment(kind=string(part.get("type")) or "part")


def _step(reader: WireReader, payload: dict[str, Any]) -> Iterable[Piece]:
    reader.state.step = reader.record_id
    reader.state.has_begun = False
    return ()


def _content(reader: WireReader, part: dict[str, Any]) -> Iterable[Piece]:
    kind = part.get("type")
    if kind == "think":
        return (reader.answer(reasoning=string(part.get("think")) or ""),)
    if kind == "text":
        text = string(part.get("text")) or ""
        reader.state.spoken.note_answer(text)
        return (reader.answer(text),)
    return (reader.answer(attachments=(_attachment(part),)),)


def _interrupted(reader: WireReader, payload: dict[str, Any]) -> Iterable[Piece]:
    """The end of a step that failed or was stopped: which of them is not recorded."""
    event = reader.event("StepInterrupted", "the response was interrupted or failed")
    if not reader.state.has_begun:
        return (event,)
    return (reader.answer(state="cancelled"), event)


def _status(reader: WireReader, payload: dict[str, Any]) -> Iterable[Piece]:
    """The tokens of one response."""
    tokens = mapping(payload.get("token_usage"))
    if not tokens:
        return ()
    step = reader.state.step or reader.record_id
    response = string(payload.get("message_id"))
    usage = Usage(
        session_id=reader.id,
        key=f"{step}:{response or reader.id}",
        message_id=step,
        timestamp=reader.timestamp,
        input_tokens=count(tokens.get("input_other")),
        output_tokens=count(tokens.get("output")),
        cache_read_tokens=count(tokens.get("input_cache_read")),
        cache_write_tokens=count(tokens.get("input_cache_creation")),
    )
    return (reader.answer(usage=usage, api_id=response),)


# -- tools -------------------------------------------------------------------------------------


def _call(reader: WireReader, payload: dict[str, Any]) -> Iterable[Piece]:
    function = mapping(payload.get("function"))
    name = string(function.get("name"))
    answer = reader.answer()
    call_id = string(payload.get("id")) or reader.record_id
    reader.state.messages_of_calls[call_id] = reader.state.step or reader.record_id
    call = reader.call(
        call_id,
        message_id=reader.state.step,
        name=name,
        kind=tool_kind(name),
        arguments=string(function.get("arguments")),
        started_at=reader.timestamp,
    )
    return (answer, call)


def _result(reader: WireReader, payload: dict[str, Any]) -> Iterable[Piece]:
    call_id = string(payload.get("tool_call_id")) or reader.record_id
    returned = mapping(payload.get("return_value"))
    message_id = reader.state.messages_of_calls.pop(call_id, None)
    note = string(returned.get("message"))
    output = returned.get("output")
    text, attachments = _said(output)
    result_at = None
    if isinstance(output, str):
        path = ("message", "payload", "return_value", "output")
        result_at = reader.quote(text, reader.place, *path)
    code = _FAILED.search(note or "")
    status: ToolStatus = "ok"
    if returned.get("is_error") is True:
        status = "failed" if code else "error"
    call = reader.call(
        call_id,
        message_id=message_id,
        result=text or note,
        result_at=result_at,
        display=note if text and note != text else None,
        status=status,
        exit_code=int(code[1]) if code else None,
        ended_at=reader.timestamp,
        attachments=attachments,
        record_ids=(reader.record_id,),
    )
    pieces: list[Piece] = [call]
    for shown in items(returned.get("display")):
        if shown.get("type") == "todo":
            pieces.append(_todos(reader, shown))
    if status == "ok":
        pieces += _edits(reader, call_id, message_id, items(returned.get("display")))
    return pieces


def _todos(reader: WireReader, shown: dict[str, Any]) -> TodoList:
    todos = [
        Todo(content=title, status=string(item.get("status")))
        for item in items(shown.get("items"))
        if (title := string(item.get("title")))
    ]
    return TodoList(session_id=reader.id, origin="todowrite", items=tuple(todos))


def _edits(
    reader: WireReader, call_id: str, message_id: str | None, shown: list[dict[str, Any]]
) -> Iterable[FileEdit]:
    """The parts of files that a call replaced; a summary has no texts."""
    parts: dict[str, list[tuple[str, str]]] = {}
    for diff in shown:
        path = string(diff.get("path"))
        if diff.get("type") != "diff" or path is None:
            continue
        texts = (diff.get("old_text"), diff.get("new_text"))
        known = parts.setdefault(path, [])
        if diff.get("is_summary") is not True and all(isinstance(text, str) for text in texts):
            known.append((str(texts[0]), str(texts[1])))
    for path, pairs in parts.items():
        edit = FileEdit(
            session_id=reader.id,
            path=path,
            message_id=message_id,
            call_id=call_id,
            timestamp=reader.timestamp,
            offset=reader.place[0],
        )
        yield with_replaced_parts(edit, pairs) if pairs else edit


def _subagent(reader: WireReader, payload: dict[str, Any]) -> Iterable[Piece]:
    """An event of a sub-agent: its first one says which call started it."""
    call_id = string(payload.get("parent_tool_call_id"))
    agent_id = string(payload.get("agent_id"))
    event = mapping(payload.get("event"))
    if call_id is None or agent_id is None or event.get("type") != "TurnBegin":
        reader.skipped("SubagentEvent", _REPEATED)
        return ()
    return (reader.call(call_id, child_session_id=f"{reader.id}/{agent_id}"),)


def _part_of_call(reader: WireReader, payload: dict[str, Any]) -> Iterable[Piece]:
    reader.skipped("ToolCallPart", "a part of a call, which is recorded whole")
    return ()


def _nothing(reader: WireReader, payload: dict[str, Any]) -> Iterable[Piece]:
    return ()


def _text_in(payload: dict[str, Any]) -> str:
    for name in _TEXTS:
        text = string(payload.get(name))
        if text:
            return text
    return ""


_RECORDS: dict[str, Callable[[WireReader, dict[str, Any]], Iterable[Piece]]] = {
    "TurnBegin": _turn,
    "SteerInput": _prompt,
    "TurnEnd": _nothing,
    "StepBegin": _step,
    "StepInterrupted": _interrupted,
    "ContentPart": _content,
    "StatusUpdate": _status,
    "ToolCall": _call,
    "ToolCallPart": _part_of_call,
    "ToolResult": _result,
    "SubagentEvent": _subagent,
}
