"""Sessions of any agent that agent-journal exported as json or jsonl, for `aj import`.

Places in the files they were once read from mean nothing here and are left out. An export names
kept files (spilled output) but does not contain them, so their names are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.base import PAUSE, Content, FileIdentity, Pause, Reader
from agent_journal.connectors.jsonl import DocumentReader, LogReader, decode_document
from agent_journal.model import (
    Event,
    FileEdit,
    Message,
    Piece,
    Plan,
    Session,
    Todo,
    TodoList,
    ToolCall,
    Usage,
)
from agent_journal.model.exchange import FORMAT, LISTS, VERSION, plain_parts

_MAX_SIZE = 512 * 2**20
_LARGEST = 2**53  # sums of larger numbers would not fit into the database
S = TypeVar("S", bound=msgspec.Struct)
_NOT_IN_IT = "a kept file is not in an export"
_NO_PLACE: dict[str, Any] = {"file": None, "offset": None, "length": None, "seq": None}


class ExportReader:
    """Reads an export of either kind."""

    completeness = 0  # if the journal also has the agent's own file, that one is read

    def __init__(self, file: FileIdentity) -> None:
        self._file = file
        self._reader: Reader = _Document(file)
        self.offset = 0
        self.ledger = self._reader.ledger

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """Everything in the export."""
        first = next(iter(content.chunks()), b"").partition(b"\n")[0]
        if _is_head_of_lines(first):
            self._reader = _Lines(self._file)
            self.ledger = self._reader.ledger
        yield from self._reader.read(content)
        self.offset = self._reader.offset

    def sessions(self) -> Iterable[Session]:
        """The sessions in it."""
        return self._reader.sessions()

    def save(self) -> bytes:
        """Exports are never continued."""
        return b""


def check_head(document: dict[str, Any]) -> None:
    """ValueError when the head of an export is of a version that cannot be read."""
    if document.get("format") != FORMAT:
        raise ValueError("not an export of agent-journal")
    version = document.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise ValueError("an export of a newer agent-journal: update to read it")


def _is_head_of_lines(line: bytes) -> bool:
    try:
        head = decode_document(line)
    except ValueError:
        return False
    return isinstance(head, dict) and "sessions" not in head


class _PieceMaker:
    """Makes pieces of the parts of sessions, which come one after the other."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []

    def begin(self, value: Any) -> None:
        """Begin a session, to which everything that follows belongs; its lists are ignored."""
        if not isinstance(value, dict):
            # Stored in the ledger: a new wording would need a new version of every connector.
            raise ValueError("a session that is no object")
        alone = {name: part for name, part in value.items() if name not in LISTS}
        self.sessions.append(_converted(alone, Session))

    def pieces(self, kind: str, value: Any) -> Iterable[Piece]:
        """The pieces of one part of the current session; ValueError if it cannot be one."""
        if not self.sessions:
            raise ValueError(f"a {kind} before any session")
        session_id = self.sessions[-1].id
        if kind == "message":
            return _message(_converted(value, Message), session_id)
        if kind == "event":
            event = _converted(value, Event)
            return (replace(event, session_id=session_id, **_NO_PLACE),)
        if kind == "file_edit":
            edit = _converted(value, FileEdit)
            return (replace(edit, session_id=session_id, offset=None, seq=None),)
        if kind == "usage":
            return (replace(_converted(value, Usage), session_id=session_id),)
        if kind == "plan":
            plan = _converted(value, Plan)
            if plan.session_id is not None:  # other plans belong to the session by their slug only
                plan = replace(plan, session_id=session_id)
            return (plan,)
        todos = msgspec.convert(value, tuple[Todo, ...])
        items = tuple(_checked(todo) for todo in todos)
        return (TodoList(session_id=session_id, origin="todos_json", items=items),)


def _converted(value: Any, kind: type[S]) -> S:
    return _checked(msgspec.convert(value, kind))


def _checked(struct: S) -> S:
    """The struct with every time in UTC; ValueError for a number that no catalog can hold."""
    changed: dict[str, Any] = {}
    for name in struct.__struct_fields__:
        value = getattr(struct, name)
        if isinstance(value, datetime) and value.tzinfo is None:
            changed[name] = value.replace(tzinfo=UTC)
        elif type(value) is int and abs(value) > _LARGEST:
            raise ValueError(f"'{name}' is too large a number")
    if not changed:
        return struct
    return replace(struct, **changed)


def _message(message: Message, session_id: str) -> list[Piece]:
    calls = [
        replace(_checked(call), session_id=session_id, result_at=None, offset=None, length=None)
        for call in message.tool_calls
    ]
    if _is_stand_in(message):
        return list(calls)
    usage = message.usage
    if usage is not None:
        usage = replace(_checked(usage), session_id=session_id)
    calls = [replace(call, message_id=message.id) for call in calls]
    message = replace(message, usage=usage, tool_calls=tuple(calls))
    return [replace(message, session_id=session_id, **_NO_PLACE)]


def _is_stand_in(message: Message) -> bool:
    """Whether the journal made the message to show a result whose call it does not have."""
    calls: tuple[ToolCall, ...] = message.tool_calls
    return (
        len(calls) == 1
        and message.id == f"call-{calls[0].id}"
        and calls[0].message_id != message.id
    )


class _Document(DocumentReader):
    """Reads a .json export; a part that cannot be read costs that part."""

    kind = "export"
    max_size = _MAX_SIZE

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Everything in the sessions."""
        document = decode_document(data)
        if not isinstance(document, dict):
            raise ValueError("not an export of agent-journal")
        check_head(document)
        sessions = document.get("sessions")
        if not isinstance(sessions, list) or not sessions:
            raise ValueError("an export without a session")
        maker = _PieceMaker()
        for session in sessions:
            maker.begin(session)
            yield from self._parts(maker, session)
        self.found_sessions = maker.sessions

    def _parts(self, maker: _PieceMaker, session: dict[str, Any]) -> Iterator[Piece]:
        for kind, value in plain_parts(session):
            if kind == "document":
                self.ledger.add("skipped", "document", 0, _NOT_IN_IT)
                continue
            try:
                yield from maker.pieces(kind, value)
            except (ValueError, TypeError) as error:
                self.ledger.trouble(0, kind, f"cannot be read: {error}")


class _ExportLine(msgspec.Struct):
    """A line. Values are checked when they are used, so that an odd one costs only this line."""

    format: Any = None
    version: Any = None
    session: Any = None
    message: Any = None
    event: Any = None
    file_edit: Any = None
    plan: Any = None
    todos: Any = None
    usage: Any = None
    document: Any = None
    mark: Any = None


class _NoState(msgspec.Struct):
    """An export is always read from its start."""


class _Lines(LogReader[_ExportLine, _NoState]):
    """Reads a .jsonl export."""

    record_type = _ExportLine
    state_type = _NoState
    record_starts = ('{"session":', '{"message":', '{"event":')

    def __init__(self, file: FileIdentity) -> None:
        super().__init__(file, None)
        self._maker = _PieceMaker()

    def sessions(self) -> Iterable[Session]:
        """The sessions that were read."""
        return self._maker.sessions

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """Everything in the lines; half a line at the end is damage: an export does not grow."""
        yield from (piece for piece in super().read(content) if piece is not PAUSE)
        if self.offset < content.size:
            self._malformed(content.size - self.offset, "the last line is cut off")
            self.offset = content.size

    def record(self, record: _ExportLine, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one line."""
        if record.format is not None:
            check_head({"format": record.format, "version": record.version})
            self.mapped("head")
            return ()
        if record.session is not None:
            self._maker.begin(record.session)
            self.mapped("session")
            return ()
        if record.document is not None:
            self.skipped("document", _NOT_IN_IT)
            return ()
        if record.mark is not None:
            self.skipped("mark", "it is kept with the marks of the journal")
            return ()
        for kind in ("message", "event", "file_edit", "plan", "todos", "usage"):
            value = getattr(record, kind)
            if value is not None:
                pieces = self._maker.pieces(kind, value)
                self.mapped(kind)
                return pieces
        self.unknown("line")
        session_id = self.file.session_id or self.file.name
        if self._maker.sessions:
            session_id = self._maker.sessions[-1].id
        raw = line.decode("utf-8", "replace")
        return (Event(session_id=session_id, type="line", raw=raw),)
