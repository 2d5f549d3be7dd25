"""Rows of an agent's database as JSON lines, a file for each session, and the reader of such files.

{"table":"message","id":"msg_1","time_created":1794831465929,"data":{"role":"user"}}

A row has those of the wanted columns that the table has and that are not NULL. A column of JSON is
byte for byte as it was, or a text where it is not JSON on one line.
"""

from __future__ import annotations

import math
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.base import Content, Extract, FileIdentity, Pause, Recognition
from agent_journal.connectors.json_repair import UNREADABLE, decode_any
from agent_journal.connectors.jsonl import LogReader, decode_document
from agent_journal.connectors.restored_rows import extract_name
from agent_journal.connectors.sqlite import TOO_LARGE
from agent_journal.connectors.values import file_name, mapping, string
from agent_journal.model import Event, Piece, ToolCall

PREFIX = "session-"
SUFFIX = ".jsonl"
_NAME = re.compile(rf"{PREFIX}(.+){re.escape(SUFFIX)}")
_check_json = msgspec.json.Decoder(msgspec.Raw).decode

_OF_RESULTS = ("result", "result_at", "status", "exit_code", "ended_at", "attachments")

R = TypeVar("R", bound="RowLine")
Stamp = tuple[int, int, int]


# -- from a database to lines --------------------------------------------------------------------


class Table(NamedTuple):
    """A table, the columns that are kept where it has them, and those that are JSON."""

    name: str
    columns: tuple[str, ...]
    json: tuple[str, ...] = ()


def select(
    database: sqlite3.Connection,
    table: Table,
    where: str = "1",
    values: tuple[Any, ...] = (),
    order: str = "rowid",
) -> Iterator[bytes]:
    """Yield rows as JSON objects; one with a value that is too large says only that."""
    known = columns_of(database, table.name)
    columns = [name for name in table.columns if name in known]
    found = f"SELECT rowid FROM {table.name} WHERE {where} ORDER BY {order}"
    one = f"SELECT {', '.join(columns)} FROM {table.name} WHERE rowid = ?"
    for rowid in database.execute(found, values).fetchall():
        row: dict[str, Any] = {"table": table.name}
        try:
            row.update(zip(columns, database.execute(one, rowid).fetchone(), strict=True))
        except sqlite3.DataError:
            row["too_large"] = True
        yield json_object(row, table.json)


def columns_of(database: sqlite3.Connection, table: str) -> set[str]:
    """Return the names of the columns of a table."""
    cursor = database.execute(f"SELECT * FROM {table} LIMIT 0")
    return {column[0] for column in cursor.description}


def json_object(row: Mapping[str, Any], json: tuple[str, ...] = ()) -> bytes:
    """Return a row as a JSON object on one line, without NULL."""
    fields = []
    for name, value in row.items():
        if value is not None:
            fields.append(msgspec.json.encode(name) + b":" + _json_value(value, name in json))
    return b"{" + b",".join(fields) + b"}"


def _json_value(value: Any, is_json: bool) -> bytes:
    if isinstance(value, bytes):
        if is_json and is_json_line(value):
            return value
        return msgspec.json.encode(value.decode("utf-8", "replace"))
    if isinstance(value, float) and not math.isfinite(value):
        return b"null"
    return msgspec.json.encode(value)


def is_json_line(value: bytes) -> bool:
    """Whether a value is JSON on one line."""
    if b"\n" in value or b"\r" in value:
        return False
    try:
        value.decode()  # the check does not look into strings
        _check_json(value)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    return True


def stamps(database: sqlite3.Connection, query: str) -> dict[str, Stamp]:
    """Return the stamps of sessions, by a query for an id and three numbers."""
    found = {}
    for name, *numbers in database.execute(query):
        one, two, three = map(stamp_number, numbers)
        found[text_of(name)] = (one, two, three)
    return found


def session_extracts(
    found: Mapping[str, Stamp],
    kept: Mapping[str, Stamp],
    rank: int,
    lines: Callable[[str], Iterator[bytes]],
) -> Iterator[Extract]:
    """Yield sessions; one that is unchanged since it was `kept` has no lines."""
    for session_id, stamp in found.items():
        name = session_extract(session_id)
        data = None
        if kept.get(name) != stamp:
            data = lines(session_id)
        yield Extract(name, "session", session_id, rank, data, stamp)


def stamp_number(value: Any) -> int:
    """Return a number that changes with a value of a database, of whatever type that is."""
    if isinstance(value, bytes) and not value.isdigit():
        value = zlib.crc32(value)
    if isinstance(value, float) and not math.isfinite(value):
        value = 0
    return int(value or 0) & (2**62 - 1)


def text_of(value: Any) -> str:
    """Return a value of a database as text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


# -- names of such files -------------------------------------------------------------------------


def session_extract(session_id: str) -> str:
    """Return the name of the extract with a session."""
    return f"{PREFIX}{file_name(session_id)}{SUFFIX}"


def recognise_session(path: str, rank: int) -> Recognition | None:
    """Recognise the rows of a session that were restored, by the name of the extract."""
    found = _NAME.fullmatch(extract_name(path) or "")
    if found is None:
        return None
    session_id: str | None = found[1]
    if "~" in found[1]:  # the id has letters that names cannot have
        session_id = _id_in_first_line(path)
    return Recognition("session", session_id, rank)


def _id_in_first_line(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return string(mapping(decode_any(file.readline())).get("id"))
    except (OSError, *UNREADABLE):
        return None


# -- from lines to pieces ------------------------------------------------------------------------


class RowLine(msgspec.Struct):
    """What every row may have; the rows of an agent have more."""

    table: str = ""
    id: Any = None
    too_large: bool = False


class NoState(msgspec.Struct):
    """The rows of a session are always read whole."""


class RowsReader(LogReader[R, NoState]):
    """Reads the rows of a session. A subclass writes `row`, and `finished` where it needs that."""

    state_type = NoState
    record_starts: ClassVar[tuple[str, ...]] = ('{"table":',)
    is_cut_line_damage = True  # the rows of a session are written as a whole

    def __init__(self, file: FileIdentity) -> None:
        super().__init__(file, None)
        self.id = file.session_id or file.name
        self._is_named = file.session_id is not None

    def row(self, row: R, offset: int, length: int) -> Iterable[Piece] | None:
        """The pieces of one row; None for a row of an unknown table."""
        raise NotImplementedError

    def finished(self) -> Iterable[Piece]:
        """What is known only after the last row."""
        return ()

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """Yield the pieces of all rows."""
        for piece in super().read(content):
            if not isinstance(piece, Pause):  # what is known so far is not saved
                yield piece
        if self.offset < content.size and self.is_cut_line_damage:
            self._malformed(content.size - self.offset, "the last line is truncated")
            self.offset = content.size
        yield from self.finished()

    def record(self, record: R, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one line."""
        self.mapped(record.table)
        if not self._is_named:
            self._is_named = True
            if isinstance(record.id, str):
                self.id = record.id  # the first row is that of the session
        if record.too_large:
            raise ValueError(f"a value of this row is {TOO_LARGE}")
        pieces = self.row(record, offset, length)
        if pieces is not None:
            return list(pieces)
        self.unknown(f"row/{record.table}"[:80])
        raw = line.decode("utf-8", "replace")
        return (Event(session_id=self.id, type="row", raw=raw, offset=offset, length=length),)


def json_column(value: Any) -> Any:
    """Return a column of JSON, decoded; ValueError when it is not JSON."""
    if isinstance(value, str) and value:
        return decode_document(value.encode("utf-8", "replace"))
    return value


class OpenCalls:
    """Tool calls and their results, which are in different rows: joined when all are read.

    Some models begin to count their calls again with each answer: an id may be there many times.
    """

    def __init__(self) -> None:
        self._calls: dict[str, ToolCall] = {}
        self._asked: dict[str, int] = {}  # how often
        self._waiting: dict[str, list[str]] = {}  # calls of an id that have no result, oldest first
        self._newest: dict[str, str] = {}

    def asked(self, call: ToolCall) -> ToolCall:
        """Note a call and return it with an id of its own; it runs until its result comes."""
        number = self._asked.get(call.id, 0) + 1
        self._asked[call.id] = number
        if number == 1 and call.id in self._calls:  # the result came first
            self._calls[call.id] = _with_result(call, self._calls[call.id])
            return self._calls[call.id]
        name = call.id
        if number > 1:
            name = self._free_name(f"{call.id}@{call.message_id}", number)
        self._calls[name] = replace(call, id=name)
        self._waiting.setdefault(call.id, []).append(name)
        self._newest[call.id] = name
        return self._calls[name]

    def answered(self, result: ToolCall) -> None:
        """Note the result of a call: what is set of the fields of results."""
        waiting = self._waiting.get(result.id)
        name = self._newest.get(result.id, result.id)
        if waiting:
            name = waiting.pop(0)
        known = self._calls.get(name, result)
        self._calls[name] = _with_result(known, result)

    def all(self) -> list[ToolCall]:
        """Return all calls."""
        return [
            call if call.status is not None else replace(call, status="running")
            for call in self._calls.values()
        ]

    def _free_name(self, name: str, number: int) -> str:
        """A name that no other call has: an answer may ask twice with the same id."""
        if name in self._calls:
            return f"{name}#{number}"
        return name


def _with_result(call: ToolCall, result: ToolCall) -> ToolCall:
    answer = {name: getattr(result, name) for name in _OF_RESULTS}
    return replace(call, **answer)
