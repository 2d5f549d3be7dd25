"""Reads the rows of a session: messages with parts, results in messages of the role `tool`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.assets import decoded_asset
from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.crush import FOLDERS
from agent_journal.connectors.crush.files import Versions, with_calls
from agent_journal.connectors.row_lines import OpenCalls, RowLine, RowsReader, json_column
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import array, integer, items, mapping, string, title_of
from agent_journal.model import (
    Attachment,
    Event,
    FileEdit,
    Message,
    MessageKind,
    Piece,
    Role,
    Session,
    Todo,
    TodoList,
    ToolCall,
    Usage,
)
from agent_journal.text.dates import parse_time

_DEFAULT_TITLES = ("New Session", "Untitled Session", "New Agent Session", "Generate a title")
_TITLE_RANK = 40
_PROMPT_TITLE_RANK = 10
_TITLE_CALL = "title-"
_MICRO = 1_000_000
_CANCELLED = "canceled"
_FAILED = ("error", "content_filter")


class Row(RowLine):
    """A row of any table."""

    parent_session_id: str | None = None
    title: Any = None
    cost: Any = None
    created_at: Any = None
    updated_at: Any = None
    summary_message_id: Any = None
    todos: Any = None
    role: str | None = None
    parts: Any = None
    model: Any = None
    is_summary_message: Any = None
    path: Any = None
    content: Any = None
    version: Any = None


class _Part(NamedTuple):
    number: int
    kind: str
    data: dict[str, Any]


class _Turn(NamedTuple):
    """A message that is being read, with its parts and its place."""

    row: Row
    id: str
    parts: list[_Part]
    when: datetime | None
    offset: int
    length: int

    def of(self, *kinds: str) -> list[_Part]:
        """The parts of these kinds."""
        return [part for part in self.parts if part.kind in kinds]

    def texts(self, kind: str, name: str) -> str:
        """The texts of the parts of a kind."""
        texts = [string(part.data.get(name)) for part in self.of(kind)]
        return "\n\n".join(filter(None, texts))


_KNOWN = (
    *("text", "reasoning", "tool_call", "tool_result", "finish", "binary", "image_url"),
    "shell_command",
)


class SessionReader(RowsReader[Row]):
    """Reads a session."""

    record_type = Row

    def __init__(self, file: FileIdentity) -> None:
        super().__init__(file)
        self._session = Row()
        self._calls = OpenCalls()
        self._versions = Versions()
        self._edits: list[FileEdit] = []
        self._title = SpokenTitle()
        self._models: dict[str, None] = {}
        self._answers = 0
        self._last: datetime | None = None

    def row(self, row: Row, offset: int, length: int) -> Iterable[Piece] | None:
        """Return the pieces of a row."""
        if row.table == "sessions":
            self._session = row
            return self._session_pieces(row)
        name = string(row.id)
        if row.table == "messages" and name:
            return self._message(row, name, offset, length)
        if row.table == "files":
            when = parse_time(row.created_at)
            self._edits += self._versions.edits(self.id, row.path, row.content, when, offset)
            return ()
        return None

    def finished(self) -> Iterable[Piece]:
        """Return the calls with their results, what they changed, and what the session cost."""
        self.completeness = self._answers
        calls = self._calls.all()
        return [*calls, *with_calls(self._edits, calls), *self._cost()]

    # -- the session ---------------------------------------------------------------------------

    def _session_pieces(self, row: Row) -> Iterator[Piece]:
        todos = [
            Todo(
                content=string(item.get("content")) or "",
                status=string(item.get("status")),
                active_form=string(item.get("active_form")),
            )
            for item in items(json_column(row.todos))
        ]
        if todos:
            yield TodoList(session_id=self.id, origin="todos_json", items=tuple(todos))

    def _cost(self) -> Iterator[Usage]:
        """Yield what the session cost, unless its parent's cost has that."""
        cost = self._session.cost
        if self._session.parent_session_id or isinstance(cost, bool):
            return
        if not isinstance(cost, (int, float)) or not 0 < cost < _MICRO:
            return
        yield Usage(
            session_id=self.id,
            key=f"cost:{self.id}",
            model=next(iter(self._models), None),
            timestamp=parse_time(self._session.updated_at),
            cost_micro_usd=round(cost * _MICRO),
            requests=self._answers,
        )

    def sessions(self) -> Iterable[Session]:
        """Return the session, once something of it was read."""
        if not any(status == "mapped" for status, _, _ in self.ledger.counts):
            return
        row = self._session
        updated = parse_time(row.updated_at)
        session = Session(
            agent="crush",
            id=self.id,
            project_path=_project(self.file.path),
            models=tuple(self._models),
            started_at=parse_time(row.created_at),
            ended_at=self._last or updated,
            parent_id=string(row.parent_session_id),
            parent_call_id=self._parent_call(),
            agent_name="title" if self.id.startswith(_TITLE_CALL) else None,
        )
        title = title_of(row.title)
        if title and title not in _DEFAULT_TITLES:
            session = replace(session, title=title, title_rank=_TITLE_RANK, title_source="title")
        elif self._title.text is not None:
            session = replace(
                session,
                title=self._title.text,
                title_rank=_PROMPT_TITLE_RANK,
                title_source=self._title.source,
            )
        yield session

    def _parent_call(self) -> str | None:
        """Return the call that started a sub-agent, which is a part of its id, or all of it."""
        if not self._session.parent_session_id or self.id.startswith(_TITLE_CALL):
            return None
        return self.id.partition("$$")[2] or self.id

    # -- messages ------------------------------------------------------------------------------

    def _message(self, row: Row, name: str, offset: int, length: int) -> Iterator[Piece]:
        when = parse_time(row.created_at)
        if when is not None:
            self._last = max(self._last or when, when)
        parts = [
            _Part(number, str(item.get("type")), mapping(item.get("data")))
            for number, item in enumerate(array(json_column(row.parts)))
            if isinstance(item, dict)
        ]
        turn = _Turn(row, name, parts, when, offset, length)
        if row.role == "assistant":
            yield from self._answer(turn)
        elif row.role == "tool":
            for part in turn.of("tool_result"):
                self._result(turn, part)
        elif row.role in ("user", "system"):
            yield from self._words(turn)
        else:
            raise ValueError(f"a message of the role {str(row.role)[:40]!r}")
        yield from self._unknown_parts(turn)

    def _words(self, turn: _Turn) -> Iterator[Message]:
        """Yield what the person said, or the harness in the person's place."""
        for part in turn.of("shell_command"):
            yield self._shell_line(turn, part)
        text = turn.texts("text", "text")
        attachments = tuple(_attachment(part) for part in turn.of("binary", "image_url"))
        if not text and not attachments:
            return
        kind: MessageKind = "prompt"
        if turn.row.role == "system":
            kind = "system_prompt"
        elif self._session.parent_session_id:
            kind = "injected"  # another agent wrote it
        if kind != "system_prompt":
            self._title.note_prompt(text)
        role: Role = "user" if turn.row.role == "user" else "system"
        yield replace(self._piece(turn, role, kind), text=text, attachments=attachments)

    def _shell_line(self, turn: _Turn, part: _Part) -> Message:
        command = string(part.data.get("command")) or ""
        code = part.data.get("exit_code")
        name = f"{turn.id}:shell-{part.number}"
        call = ToolCall(
            session_id=self.id,
            id=name,
            message_id=name,
            name="shell_command",
            kind="shell",
            arguments=msgspec.json.encode({"command": command}).decode(),
            result=string(part.data.get("output")),
            status="failed" if code else "ok",
            exit_code=integer(code),
        )
        message = self._piece(turn, "user", "shell")
        return replace(message, id=name, text=command, tool_calls=(call,))

    def _answer(self, turn: _Turn) -> Iterator[Message]:
        row = turn.row
        model = string(row.model)
        if model:
            self._models.setdefault(model)
        self._answers += 1
        text = turn.texts("text", "text")
        is_summary = bool(row.is_summary_message) or turn.id == self._session.summary_message_id
        if not is_summary:
            self._title.note_answer(text)
        finish = next((part.data for part in turn.of("finish")), {})
        reason = string(finish.get("reason"))
        yield replace(
            self._piece(turn, "assistant", "compaction" if is_summary else "answer"),
            text=text,
            reasoning=turn.texts("reasoning", "thinking"),
            model=model,
            stop_reason=reason,
        )
        for part in turn.of("tool_call"):
            self._call(turn, part)
        for part in turn.of("tool_result"):  # of tools that the provider ran
            self._result(turn, part)
        if reason == _CANCELLED or reason in _FAILED:
            kind: MessageKind = "interrupt" if reason == _CANCELLED else "error"
            said = [string(finish.get(name)) for name in ("message", "details")]
            message = replace(self._piece(turn, "system", kind), id=f"{turn.id}:{reason}")
            yield replace(message, text=": ".join(filter(None, said)) or str(reason))

    def _piece(self, turn: _Turn, role: Role, kind: MessageKind) -> Message:
        return Message(
            session_id=self.id,
            id=turn.id,
            role=role,
            kind=kind,
            timestamp=turn.when,
            record_ids=(turn.id,),
            offset=turn.offset,
            length=turn.length,
        )

    def _call(self, turn: _Turn, part: _Part) -> None:
        name = string(part.data.get("name"))
        call_id = string(part.data.get("id")) or f"{turn.id}#{part.number}"
        child = None
        if tool_kind(name) == "agent":
            child = f"{turn.id}$${call_id}" if _is_of_crush(self.file.path) else call_id
        call = ToolCall(
            session_id=self.id,
            id=call_id,
            message_id=turn.id,
            name=name,
            kind=tool_kind(name),
            arguments=string(part.data.get("input")),
            started_at=turn.when,
            child_session_id=child,
            record_ids=(turn.id,),
            offset=turn.offset,
            length=turn.length,
        )
        self._calls.asked(call)

    def _result(self, turn: _Turn, part: _Part) -> None:
        text = part.data.get("content")
        if not isinstance(text, str):
            text = None
        place = (turn.offset, turn.length)
        path = ("parts", part.number, "data", "content")
        is_plain = not isinstance(turn.row.parts, str)
        result = ToolCall(
            session_id=self.id,
            id=string(part.data.get("tool_call_id")) or f"{turn.id}#{part.number}",
            result=text,
            result_at=self.quote(text, place, *path) if is_plain else None,
            status="error" if part.data.get("is_error") is True else "ok",
            ended_at=turn.when,
            record_ids=(turn.id,),
        )
        self._calls.answered(result)

    def _unknown_parts(self, turn: _Turn) -> Iterator[Event]:
        for part in turn.parts:
            if part.kind not in _KNOWN:
                self.ledger.add("unknown", f"part/{part.kind}"[:80], 0)
                raw = msgspec.json.encode(part.data).decode()
                yield Event(
                    session_id=self.id,
                    type=part.kind[:80],
                    id=f"{turn.id}#{part.number}",
                    raw=raw,
                    timestamp=turn.when,
                    offset=turn.offset,
                    length=turn.length,
                )


def _attachment(part: _Part) -> Attachment:
    if part.kind == "image_url":
        return Attachment(kind="image", path=string(part.data.get("url")))
    mime_type = string(part.data.get("MIMEType"))
    asset = decoded_asset(part.data.get("Data"), mime_type)
    path = string(part.data.get("Path"))
    return Attachment(
        kind="image" if (mime_type or "").startswith("image/") else "file",
        name=os.path.basename(path) if path else None,
        path=path,
        mime_type=mime_type,
        size=asset.size,
        sha256=asset.sha256,
    )


def _project(path: str) -> str | None:
    """Return the project that a database is in, if its folder has the usual name."""
    folder = os.path.dirname(path)
    if os.path.basename(folder) in FOLDERS:
        return os.path.dirname(folder)
    return None


def _is_of_crush(path: str) -> bool:
    return not os.path.basename(path).startswith("opencode.db")
