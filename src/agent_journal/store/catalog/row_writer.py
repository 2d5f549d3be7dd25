"""Writes the pieces of one file that become one row each: events, edits, usage, plans and so on.

Rows gather in memory and go to the tables in batches.
"""

from __future__ import annotations

import sqlite3
from typing import Any, TypeVar

import msgspec
from msgspec.structs import astuple

from agent_journal.model import (
    DailyStat,
    Document,
    Event,
    FileEdit,
    HistoryEntry,
    LineTitle,
    Plan,
    TodoList,
    Usage,
)
from agent_journal.store.catalog.bodies import BlockWriter
from agent_journal.store.catalog.items import Items
from agent_journal.store.catalog.line_titles import add_title
from agent_journal.store.catalog.rows import (
    INSERT,
    DailyStatRow,
    DocumentRow,
    EventRow,
    FileEditRow,
    HistoryRow,
    PlanRow,
    Row,
    TodoListRow,
    UsageRow,
)
from agent_journal.store.catalog.schema import NUMBERED
from agent_journal.text.dates import to_micros

N = TypeVar("N", int, float)
_MOST = 2**36  # tokens of a response, micro-dollars: sums of millions of them fit into 64 bits
_ROW_WEIGHT = 200  # bytes in memory, about, beside the text
_BURY_USAGE = (
    "INSERT OR IGNORE INTO tombstones (item_id) "
    "SELECT id FROM usage WHERE key = ? AND session_id = ? AND file_id = ?"
)
# Over the index of places: the last row of a session is mostly one of the file that grows
_LAST_IN_FILE = " UNION ALL ".join(
    f"SELECT * FROM (SELECT seq FROM {table} "
    "WHERE session_id = :session AND file_id = :file ORDER BY seq DESC LIMIT 1)"
    for table in NUMBERED
)
_encode = msgspec.msgpack.Encoder().encode


class SessionCursor:
    """A session that pieces are added to: its row, and the place of the next piece in the file."""

    __slots__ = ("has_rows", "id", "next_seq")

    def __init__(self, row_id: int, next_seq: int, has_rows: bool) -> None:
        self.id = row_id
        self.next_seq = next_seq
        self.has_rows = has_rows  # of any file

    def take_seq(self) -> int:
        """The place of the next piece."""
        seq = self.next_seq
        self.next_seq += 1
        return seq


class RowWriter:
    """Takes the pieces of one file, in file order."""

    def __init__(self, db: sqlite3.Connection, agent: str, file_id: int) -> None:
        self._db = db
        self._agent = agent
        self._file_id = file_id
        self._blocks = BlockWriter(db, file_id)
        self._items = Items(db)
        self._sessions: dict[str, SessionCursor] = {}
        self._rows: dict[str, list[tuple[Any, ...]]] = {}  # by the statement that writes them
        self._has_titles = False  # of sessions of other files
        self._weight = 0  # of what is held in memory

    def _add_event(self, piece: Event) -> None:
        session = self._session(piece.session_id)
        spot = self._blocks.add(piece)
        self._put(
            EventRow(
                id=self._items.next_id(),
                session_id=session.id,
                seq=session.take_seq(),
                type=piece.type,
                timestamp=to_micros(piece.timestamp),
                file_id=self._file_id,
                block=spot.block,
                start=spot.start,
                size=spot.size,
            )
        )

    def _add_edit(self, piece: FileEdit) -> None:
        session = self._session(piece.session_id)
        self._weight += len(piece.diff or "") + len(piece.before or "") + len(piece.after or "")
        spot = self._blocks.add(piece)
        self._put(
            FileEditRow(
                id=self._items.next_id(),
                session_id=session.id,
                seq=session.take_seq(),
                path=piece.path,
                kind=piece.kind,
                origin=piece.origin,
                timestamp=to_micros(piece.timestamp),
                lines_added=addable(piece.lines_added),
                lines_removed=addable(piece.lines_removed),
                file_id=self._file_id,
                block=spot.block,
                start=spot.start,
                size=spot.size,
            )
        )

    def _add_usage(self, piece: Usage) -> None:
        session = self._session(piece.session_id)
        if session.has_rows:
            self._gather(_BURY_USAGE, (piece.key, session.id, self._file_id))
        self._put(
            UsageRow(
                id=self._items.next_id(),
                session_id=session.id,
                key=piece.key,
                message_uid=piece.message_id,
                model=piece.model,
                timestamp=to_micros(piece.timestamp),
                input_tokens=addable(piece.input_tokens),
                cache_read_tokens=addable(piece.cache_read_tokens),
                cache_write_tokens=addable(piece.cache_write_tokens),
                cache_write_1h_tokens=addable(piece.cache_write_1h_tokens),
                output_tokens=addable(piece.output_tokens),
                reasoning_tokens=addable(piece.reasoning_tokens),
                cost_micro_usd=addable(piece.cost_micro_usd),
                premium_requests=addable(piece.premium_requests),
                web_searches=addable(piece.web_searches),
                requests=addable(piece.requests) or 1,
                origin=piece.origin,
                rank=piece.rank,
                segment=piece.segment,
                is_sidechain=piece.is_sidechain,
                file_id=self._file_id,
            )
        )

    def _add_plan(self, piece: Plan) -> None:
        session_id = None
        if piece.session_id is not None:
            session_id = self._session(piece.session_id).id
        self._put(
            PlanRow(
                id=self._items.next_id(),
                session_id=session_id,
                file_id=self._file_id,
                name=piece.name,
                kind=piece.kind,
                body=_encode(piece),
            )
        )

    def _add_todos(self, piece: TodoList) -> None:
        session_id = self._session(piece.session_id).id
        self._db.execute(
            "INSERT OR IGNORE INTO tombstones (item_id) SELECT id FROM todo_lists "
            "WHERE session_id = ? AND file_id = ? AND origin = ?",
            (session_id, self._file_id, piece.origin),
        )
        row = TodoListRow(
            session_id=session_id,
            file_id=self._file_id,
            origin=piece.origin,
            rank=piece.rank,
            body=_encode(piece),
            id=self._items.next_id(),
        )
        self._db.execute(INSERT[TodoListRow], astuple(row))

    def _add_history(self, piece: HistoryEntry) -> None:
        self._db.execute(
            "INSERT OR IGNORE INTO tombstones (item_id) SELECT id FROM history "
            "WHERE file_id = ? AND position = ?",
            (self._file_id, piece.position),
        )
        row = HistoryRow(
            file_id=self._file_id,
            position=piece.position,
            timestamp=to_micros(piece.timestamp),
            session=piece.session_id,
            body=_encode(piece),
            id=self._items.next_id(),
        )
        self._db.execute(INSERT[HistoryRow], astuple(row))

    def _add_stat(self, piece: DailyStat) -> None:
        self._put(DailyStatRow(file_id=self._file_id, date=piece.date, body=_encode(piece)))

    def _add_document(self, piece: Document) -> None:
        session = self._session(piece.session_id)
        self._db.execute(
            "INSERT OR IGNORE INTO tombstones (item_id) SELECT id FROM documents "
            "WHERE name = ? AND session_id = ? AND file_id = ?",
            (piece.name, session.id, self._file_id),
        )
        row = DocumentRow(
            id=self._items.next_id(),
            session_id=session.id,
            file_id=self._file_id,
            name=piece.name,
            kind=piece.kind,
        )
        self._db.execute(INSERT[DocumentRow], astuple(row))
        self._items.renew_calls(piece.name)

    def _add_title(self, piece: LineTitle) -> None:
        self._has_titles = True
        add_title(self._db, self._agent, self._file_id, piece)

    # -- writing -------------------------------------------------------------------------------

    def _flush_rows(self) -> None:
        for statement, rows in self._rows.items():
            self._db.executemany(statement, rows)
        self._rows.clear()
        self._blocks.flush()
        self._items.save()
        self._weight = 0
        self._db.executemany(
            "UPDATE sessions SET next_seq = max(next_seq, ?) WHERE id = ?",
            [(session.next_seq, session.id) for session in self._sessions.values()],
        )
        for session in self._sessions.values():
            session.has_rows = session.has_rows or session.next_seq > 0

    def _remove_usage(self, key: str | None, session_id: int) -> None:
        place = (key, session_id, self._file_id)
        self._db.execute(_BURY_USAGE, place)
        self._db.execute(
            "DELETE FROM usage WHERE key = ? AND session_id = ? AND file_id = ?", place
        )

    def _put(self, row: Row) -> None:
        self._gather(INSERT[type(row)], astuple(row))

    def _gather(self, statement: str, values: tuple[Any, ...]) -> None:
        self._rows.setdefault(statement, []).append(values)
        self._weight += _ROW_WEIGHT

    def _session(self, uid: str) -> SessionCursor:
        session = self._sessions.get(uid)
        if session is None:
            session = self._find_session(uid) or self._new_session(uid)
            self._sessions[uid] = session
        return session

    def _find_session(self, uid: str) -> SessionCursor | None:
        query = "SELECT id, next_seq FROM sessions WHERE uid = ? AND agent = ?"
        row = self._db.execute(query, (uid, self._agent)).fetchone()
        if row is None:
            return None
        row_id, any_next_seq = row
        if any_next_seq == 0:
            return SessionCursor(row_id, 0, has_rows=False)
        return SessionCursor(row_id, self._next_in_file(row_id), has_rows=True)

    def _next_in_file(self, session_id: int) -> int:
        """The place after the last piece of this file.

        Each file of a session counts for itself: so a place does not depend on which of them was
        read first.
        """
        rows = self._db.execute(_LAST_IN_FILE, {"session": session_id, "file": self._file_id})
        return max((seq + 1 for (seq,) in rows), default=0)

    def _new_session(self, uid: str) -> SessionCursor:
        insert = "INSERT INTO sessions (agent, uid) VALUES (?, ?)"
        row_id = self._db.execute(insert, (self._agent, uid)).lastrowid
        assert row_id is not None
        return SessionCursor(row_id, 0, has_rows=False)


def addable(value: N | None) -> N | None:
    """A number that can be added up; None for one that nothing can have, like a negative count."""
    if value is None or not 0 <= value <= _MOST:
        return None
    return value
