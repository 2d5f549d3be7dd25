"""Writes the pieces of one file into the catalog, joining pieces of the same message or tool call.

Pieces gather in memory and go to the tables in batches; a piece whose other half is already in the
tables brings it back, and the joined row gets a new id (the old one is a tombstone), so that
indexes can follow ids upwards.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec
from msgspec.structs import replace

from agent_journal.model import (
    DailyStat,
    Document,
    Event,
    FileEdit,
    HistoryEntry,
    Message,
    Plan,
    Session,
    TodoList,
    ToolCall,
    Usage,
)
from agent_journal.model.merging import join_calls, join_messages
from agent_journal.store.catalog.bodies import BlockWriter, BodyReader
from agent_journal.store.catalog.items import Items
from agent_journal.text.dates import to_micros

_BATCH = 4 * 2**20  # bytes of text held before they are written
N = TypeVar("N", int, float)
_MOST = 2**36  # tokens of a response, micro-dollars: sums of millions of them fit into 64 bits
_BURY_USAGE = "INSERT OR IGNORE INTO tombstones SELECT id FROM usage WHERE key = ? AND session_id = ? AND file_id = ?"
_encode = msgspec.msgpack.Encoder().encode
P = TypeVar("P", Message, ToolCall)


class _Open(Generic[P]):
    """A message or tool call that may still get another piece."""

    __slots__ = ("old_usage", "pieces", "row_id", "seq")

    def __init__(self, piece: P, seq: int, row_id: int | None = None) -> None:
        self.pieces: list[P] = [piece]
        self.old_usage = (
            piece.usage.key
            if isinstance(piece, Message) and piece.usage and row_id is not None
            else None
        )
        self.seq = seq
        self.row_id = row_id  # of the row it was brought back from


class _SessionRow:
    __slots__ = ("has_rows", "id", "next_seq")

    def __init__(self, row_id: int, next_seq: int) -> None:
        self.id = row_id
        self.next_seq = next_seq
        self.has_rows = next_seq > 0

    def take_seq(self) -> int:
        self.next_seq += 1
        return self.next_seq - 1


class PieceWriter:
    """Takes the pieces of one file, in file order."""

    def __init__(self, db: sqlite3.Connection, agent: str, file_id: int) -> None:
        self._db = db
        self._agent = agent
        self._file_id = file_id
        self._blocks = BlockWriter(db, file_id)
        self._bodies = BodyReader(db)
        self._sessions: dict[str, _SessionRow] = {}
        self._messages: dict[tuple[int, str], _Open[Message]] = {}
        self._calls: dict[tuple[int, str], _Open[ToolCall]] = {}
        self._rows: dict[str, list[tuple[Any, ...]]] = {}
        self._weight = 0
        self._items = Items(db)
        self._add: dict[type, Callable[[Any], None]] = {
            Message: self._add_message,
            ToolCall: self._add_call,
            Event: self._add_event,
            FileEdit: self._add_edit,
            Usage: self._add_usage,
            Plan: self._add_plan,
            TodoList: self._add_todos,
            HistoryEntry: self._add_history,
            DailyStat: self._add_stat,
            Document: self._add_document,
        }

    @property
    def touched(self) -> set[int]:
        """The rows of all sessions this file has pieces of, as far as seen by this fold."""
        return {session.id for session in self._sessions.values()}

    def add(self, piece: Any) -> None:
        """Takes one piece."""
        self._add[type(piece)](piece)
        if self._weight > _BATCH:
            self.flush()

    def add_sessions(self, sessions: list[Session]) -> None:
        """Replaces what this file says about its sessions."""
        rows = [(self._session(s.id).id, self._file_id, _encode(s)) for s in sessions]
        self._db.executemany("INSERT OR REPLACE INTO session_pieces VALUES (?, ?, ?)", rows)
        # Sessions that the file only mentions (a todo list of a deleted session) are remembered as
        # touched.
        mentioned = [(session.id, self._file_id) for session in self._sessions.values()]
        self._db.executemany("INSERT OR IGNORE INTO session_pieces VALUES (?, ?, NULL)", mentioned)

    # -- messages and tool calls: joined -------------------------------------------------------

    def _add_message(self, piece: Message) -> None:
        session = self._session(piece.session_id)
        key = (session.id, piece.id)
        calls = piece.tool_calls
        if calls:
            piece = replace(piece, tool_calls=())
        entry = self._messages.get(key)
        if entry is None and session.has_rows:
            entry = self._reopen(session, piece.id, "messages", Message, self._messages)
        if entry is None:
            self._messages[key] = _Open(piece, session.take_seq())
        else:
            entry.pieces.append(piece)
        self._weight += 300 + len(piece.text) + len(piece.reasoning)
        for call in calls:
            self._add_call(call)

    def _add_call(self, piece: ToolCall) -> None:
        session = self._session(piece.session_id)
        key = (session.id, piece.id)
        entry = self._calls.get(key)
        if entry is None and session.has_rows:
            entry = self._reopen(session, piece.id, "tool_calls", ToolCall, self._calls)
        if entry is None:
            self._calls[key] = _Open(piece, session.take_seq())
        else:
            entry.pieces[0] = join_calls(entry.pieces[0], piece)
        self._weight += (
            300 + len(piece.result or "") + len(piece.arguments or "") + len(piece.display or "")
        )

    def _reopen(
        self,
        session: _SessionRow,
        uid: str,
        table: str,
        struct: type[P],
        opened: dict[tuple[int, str], _Open[P]],
    ) -> _Open[P] | None:
        row = self._db.execute(
            f"SELECT id, seq, block, start, size FROM {table} WHERE uid = ? AND session_id = ? AND file_id = ?",
            (uid, session.id, self._file_id),
        ).fetchone()
        if row is None:
            return None
        entry = _Open(self._bodies.read(row[2:], struct), row[1], row[0])
        opened[session.id, uid] = entry
        return entry

    # -- everything else: one row each ---------------------------------------------------------

    def _add_event(self, piece: Event) -> None:
        session = self._session(piece.session_id)
        spot = self._blocks.add(piece)
        when = to_micros(piece.timestamp)
        row = (
            self._items.take(),
            session.id,
            session.take_seq(),
            piece.type,
            when,
            self._file_id,
            *spot,
        )
        self._put("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def _add_edit(self, piece: FileEdit) -> None:
        session = self._session(piece.session_id)
        self._weight += len(piece.diff or "") + len(piece.before or "") + len(piece.after or "")
        row = (
            self._items.take(),
            session.id,
            session.take_seq(),
            piece.path,
            piece.kind,
            piece.origin,
            to_micros(piece.timestamp),
            _addable(piece.lines_added),
            _addable(piece.lines_removed),
            self._file_id,
            *self._blocks.add(piece),
        )
        self._put(f"INSERT INTO file_edits VALUES (?{', ?' * 12})", row)

    def _add_usage(self, piece: Usage) -> None:
        session = self._session(piece.session_id)
        if session.has_rows:
            self._put(_BURY_USAGE, (piece.key, session.id, self._file_id))
        row = (
            self._items.take(),
            session.id,
            piece.key,
            piece.message_id,
            piece.model,
            to_micros(piece.timestamp),
            *map(
                _addable,
                (
                    piece.input_tokens,
                    piece.cache_read_tokens,
                    piece.cache_write_tokens,
                    piece.cache_write_1h_tokens,
                    piece.output_tokens,
                    piece.reasoning_tokens,
                    piece.cost_micro_usd,
                    piece.premium_requests,
                ),
            ),
            _addable(piece.requests) or 1,
            piece.origin,
            piece.rank,
            piece.segment,
            piece.is_sidechain,
            self._file_id,
        )
        self._put(f"INSERT OR REPLACE INTO usage VALUES (?{', ?' * 19}, 1)", row)

    def _add_plan(self, piece: Plan) -> None:
        session_id = None if piece.session_id is None else self._session(piece.session_id).id
        self._put(
            "INSERT INTO plans VALUES (?, ?, ?, ?, ?, ?)",
            (self._items.take(), session_id, self._file_id, piece.name, piece.kind, _encode(piece)),
        )

    def _add_todos(self, piece: TodoList) -> None:
        place = (self._session(piece.session_id).id, self._file_id, piece.origin)
        self._items.bury(
            "SELECT id FROM todo_lists WHERE session_id = ? AND file_id = ? AND origin = ?", place
        )
        row = (*place, piece.rank, _encode(piece), self._items.take())
        self._db.execute("INSERT OR REPLACE INTO todo_lists VALUES (?, ?, ?, ?, ?, ?)", row)

    def _add_history(self, piece: HistoryEntry) -> None:
        place = (self._file_id, piece.position)
        self._items.bury("SELECT id FROM history WHERE file_id = ? AND position = ?", place)
        row = (
            *place,
            to_micros(piece.timestamp),
            piece.session_id,
            _encode(piece),
            self._items.take(),
        )
        self._db.execute("INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?, ?, ?)", row)

    def _add_stat(self, piece: DailyStat) -> None:
        self._put(
            "INSERT OR REPLACE INTO daily_stats VALUES (?, ?, ?)",
            (self._file_id, piece.date, _encode(piece)),
        )

    def _add_document(self, piece: Document) -> None:
        row = (self._session(piece.session_id).id, self._file_id, piece.name, piece.kind)
        self._put("INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?)", row)

    # -- writing -------------------------------------------------------------------------------

    def flush(self) -> None:
        """Writes everything that was gathered."""
        self._flush_messages()
        self._flush_calls()
        for statement, rows in self._rows.items():
            self._db.executemany(statement, rows)
        self._rows.clear()
        self._blocks.flush()
        self._items.save()
        self._weight = 0
        self._db.executemany(
            "UPDATE sessions SET next_seq = ? WHERE id = ?",
            [(s.next_seq, s.id) for s in self._sessions.values()],
        )
        for session in self._sessions.values():
            session.has_rows = session.next_seq > 0

    def _flush_messages(self) -> None:
        rows, replaced = [], []
        self._items.take()  # nobody's: usage that came by itself must not be taken for that of the first message
        for (session_id, uid), entry in self._messages.items():
            piece = join_messages(entry.pieces)
            if entry.row_id is not None:
                replaced.append((entry.row_id,))
            if piece.usage is not None:
                self._add_usage(piece.usage)
                if entry.old_usage not in (None, piece.usage.key):
                    old = (entry.old_usage, session_id, self._file_id)
                    self._db.execute(_BURY_USAGE, old)
                    self._db.execute(
                        "DELETE FROM usage WHERE key = ? AND session_id = ? AND file_id = ?", old
                    )
            rows.append(
                (
                    self._items.take(),
                    session_id,
                    entry.seq,
                    uid,
                    piece.role,
                    piece.kind,
                    piece.state,
                    piece.model,
                    to_micros(piece.timestamp),
                    self._file_id,
                    piece.offset,
                    piece.length,
                    *self._blocks.add(piece),
                )
            )
        self._db.executemany("INSERT INTO tombstones VALUES (?)", replaced)
        self._db.executemany("DELETE FROM messages WHERE id = ?", replaced)
        self._db.executemany(f"INSERT INTO messages VALUES (?{', ?' * 14})", rows)
        self._messages.clear()

    def _flush_calls(self) -> None:
        rows, replaced = [], []
        for (session_id, uid), entry in self._calls.items():
            piece = entry.pieces[0]
            if entry.row_id is not None:
                replaced.append((entry.row_id,))
            if piece.result_at is not None:
                piece = replace(piece, result=None)
            rows.append(
                (
                    self._items.take(),
                    session_id,
                    entry.seq,
                    uid,
                    piece.message_id,
                    piece.name,
                    piece.kind,
                    piece.status,
                    piece.exit_code,
                    to_micros(piece.started_at),
                    call_duration(piece),
                    piece.child_session_id,
                    self._file_id,
                    *self._blocks.add(piece),
                )
            )
        self._db.executemany("INSERT INTO tombstones VALUES (?)", replaced)
        self._db.executemany("DELETE FROM tool_calls WHERE id = ?", replaced)
        self._db.executemany(f"INSERT INTO tool_calls VALUES (?{', ?' * 15})", rows)
        self._calls.clear()

    def _put(self, statement: str, row: tuple[Any, ...]) -> None:
        self._rows.setdefault(statement, []).append(row)
        self._weight += 200

    def _session(self, uid: str) -> _SessionRow:
        session = self._sessions.get(uid)
        if session is None:
            query = "SELECT id, next_seq FROM sessions WHERE uid = ? AND agent = ?"
            row = self._db.execute(query, (uid, self._agent)).fetchone()
            if row is None:
                insert = "INSERT INTO sessions (agent, uid) VALUES (?, ?)"
                row = (self._db.execute(insert, (self._agent, uid)).lastrowid, 0)
            session = self._sessions[uid] = _SessionRow(*row)
        return session


def call_duration(call: ToolCall) -> int | None:
    """How long a call took: as recorded, or from its start to its end."""
    if call.duration_ms is None and call.started_at and call.ended_at:
        return max(0, round((call.ended_at - call.started_at).total_seconds() * 1000))
    return _addable(call.duration_ms)


def _addable(value: N | None) -> N | None:
    """A number that can be added up; None for one that no response can have, like a negative count."""
    return value if value is not None and 0 <= value <= _MOST else None
