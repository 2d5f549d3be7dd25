"""Writes the pieces of one file into the catalog, joining pieces of the same message or tool call.

Pieces are collected in memory and written in batches. If an earlier piece of the same message or
call is already in the tables, it is loaded again, and the joined row gets a new id; the old id
becomes a tombstone. So an index only has to read the ids above the last one it has seen.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec.structs import astuple, replace

from agent_journal.model import (
    DailyStat,
    Document,
    Event,
    FileEdit,
    HistoryEntry,
    LineTitle,
    Message,
    Plan,
    Session,
    TodoList,
    ToolCall,
    Usage,
    Withdrawal,
)
from agent_journal.model.merging import (
    call_under_another_id,
    is_other_call,
    is_other_message,
    join_calls,
    join_messages,
    under_another_id,
)
from agent_journal.model.origins import PROPOSED_EDIT
from agent_journal.store.catalog.bodies import BodyReader, Spot
from agent_journal.store.catalog.endings import is_question, stop_of
from agent_journal.store.catalog.line_titles import sessions_titled_by
from agent_journal.store.catalog.pruned import load_pruned
from agent_journal.store.catalog.row_writer import RowWriter, SessionCursor, addable
from agent_journal.store.catalog.rows import INSERT, MessageRow, ToolCallRow
from agent_journal.text.dates import to_micros

_BATCH = 4 * 2**20  # bytes of text held before they are written
_BODY_WEIGHT = 300  # bytes of a message or call in memory, about, beside its text
_encode = msgspec.msgpack.Encoder().encode
P = TypeVar("P", Message, ToolCall)


class _Pending(Generic[P]):
    """A message or tool call that may still get another piece."""

    __slots__ = ("pieces", "records", "replaces", "seq", "usage_key")

    def __init__(self, piece: P, seq: int) -> None:
        self.pieces: list[P] = [piece]
        self.records = set(piece.record_ids)
        self.seq = seq
        self.replaces: int | None = None  # the id of the row it was brought back from
        self.usage_key: str | None = None  # of the usage that was written with that row

    def has_records_of(self, piece: P) -> bool:
        """Whether the records of a piece were all seen before."""
        return bool(piece.record_ids) and self.records.issuperset(piece.record_ids)


class _Written(NamedTuple):
    """A row of a message or tool call that was written before."""

    id: int
    seq: int
    spot: Spot


class PieceWriter(RowWriter):
    """Writes the pieces of one file, which are added in file order."""

    def __init__(self, db: sqlite3.Connection, agent: str, file_id: int) -> None:
        super().__init__(db, agent, file_id)
        self._pruned = load_pruned(db)
        self._bodies = BodyReader(db)
        self._messages: dict[tuple[int, str], _Pending[Message]] = {}
        self._calls: dict[tuple[int, str], _Pending[ToolCall]] = {}
        self._hidden: list[tuple[int, str]] = []  # messages, by session
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
            LineTitle: self._add_title,
            Withdrawal: self._withdraw,
        }

    @property
    def touched(self) -> set[int]:
        """Return the row ids of all sessions that pieces are about."""
        touched = {session.id for session in self._sessions.values()}
        if self._has_titles:
            touched |= sessions_titled_by(self._db, self._file_id)
        return touched

    def add(self, piece: Any) -> None:
        """Add one piece, unless its session was pruned."""
        if self._pruned is not None and self._is_pruned(getattr(piece, "session_id", None)):
            return
        self._add[type(piece)](piece)
        if self._weight > _BATCH:
            self.flush()

    def add_sessions(self, sessions: list[Session]) -> None:
        """Replace what is stored of this file about its sessions."""
        self._db.executemany(
            "INSERT OR REPLACE INTO session_pieces (session_id, file_id, body) VALUES (?, ?, ?)",
            [
                (self._session(session.id).id, self._file_id, _encode(session))
                for session in sessions
                if not self._is_pruned(session.id)
            ],
        )
        # Also the sessions that the file only mentions (a todo list of a deleted session)
        self._db.executemany(
            "INSERT OR IGNORE INTO session_pieces (session_id, file_id) VALUES (?, ?)",
            [(session.id, self._file_id) for session in self._sessions.values()],
        )

    def _is_pruned(self, uid: str | None) -> bool:
        return self._pruned is not None and self._pruned.has(self._agent, uid)

    # -- messages and tool calls: joined -------------------------------------------------------

    def _add_message(self, piece: Message, is_repeated: bool = False) -> None:
        session = self._session(piece.session_id)
        key = (session.id, piece.id)
        pending = self._messages.get(key)
        if pending is None and session.has_rows:
            pending = self._reopen_message(session, piece.id)
        if pending is not None and pending.has_records_of(piece):
            is_repeated = True
            if _is_other(pending, piece):
                self._add_message(under_another_id(piece), is_repeated)
                return
        calls = piece.tool_calls
        if calls:
            piece = replace(piece, tool_calls=())
        if pending is None:
            self._messages[key] = _Pending(piece, session.take_seq())
        else:
            pending.pieces.append(piece)
            pending.records.update(piece.record_ids)
        self._weight += _BODY_WEIGHT + len(piece.text) + len(piece.reasoning)
        for call in calls:
            self._add_call(call, is_repeated)

    def _add_call(self, piece: ToolCall, is_repeated: bool = False) -> None:
        session = self._session(piece.session_id)
        key = (session.id, piece.id)
        pending = self._calls.get(key)
        if pending is None and session.has_rows:
            pending = self._reopen_call(session, piece.id)
        if pending is not None and is_other_call(pending.pieces[0], piece, is_repeated):
            self._add_call(call_under_another_id(piece))
            return
        if pending is None:
            self._calls[key] = _Pending(piece, session.take_seq())
        else:
            pending.pieces[0] = join_calls(pending.pieces[0], piece)
        self._weight += _BODY_WEIGHT + len(piece.result or "")
        self._weight += len(piece.arguments or "") + len(piece.display or "")

    def _withdraw(self, piece: Withdrawal) -> None:
        session = self._session(piece.session_id)
        if piece.is_of_edits:
            self._withdraw_edits(session, piece.message_id)
            return
        pending = self._messages.get((session.id, piece.message_id))
        if pending is None and session.has_rows:
            pending = self._reopen_message(session, piece.message_id)
        if pending is not None:
            self._remove_replaced("messages", [pending])
            del self._messages[session.id, piece.message_id]

    def _withdraw_edits(self, session: SessionCursor, message_id: str) -> None:
        """Remove the edits that a message proposed, which were written in an earlier sync.

        They were the last pieces of the file, and come again: their places are free.
        """
        rows = self._db.execute(
            "SELECT id, block, start, size FROM file_edits "
            "WHERE session_id = ? AND file_id = ? AND origin = ?",
            (session.id, self._file_id, PROPOSED_EDIT),
        ).fetchall()
        withdrawn = [
            (row_id,)
            for row_id, *spot in rows
            if self._bodies.read(Spot(*spot), FileEdit).message_id == message_id
        ]
        self._db.executemany("INSERT INTO tombstones (item_id) VALUES (?)", withdrawn)
        self._db.executemany("DELETE FROM file_edits WHERE id = ?", withdrawn)
        if not self._messages and not self._calls and not self._rows:
            session.next_seq = self._next_in_file(session.id)

    def _reopen_message(self, session: SessionCursor, uid: str) -> _Pending[Message] | None:
        """Load a message that was written before and gets another piece."""
        row = self._written("messages", session, uid)
        if row is None:
            return None
        message = self._bodies.read(row.spot, Message)
        pending = _Pending(message, row.seq)
        pending.replaces = row.id
        if message.usage:
            pending.usage_key = message.usage.key
        self._messages[session.id, uid] = pending
        return pending

    def _reopen_call(self, session: SessionCursor, uid: str) -> _Pending[ToolCall] | None:
        """Load a tool call that was written before and gets another piece."""
        row = self._written("tool_calls", session, uid)
        if row is None:
            return None
        pending = _Pending(self._bodies.read(row.spot, ToolCall), row.seq)
        pending.replaces = row.id
        self._calls[session.id, uid] = pending
        return pending

    def _written(self, table: str, session: SessionCursor, uid: str) -> _Written | None:
        row = self._db.execute(
            f"SELECT id, seq, block, start, size FROM {table} "
            "WHERE uid = ? AND session_id = ? AND file_id = ?",
            (uid, session.id, self._file_id),
        ).fetchone()
        if row is None:
            return None
        row_id, seq, block, start, size = row
        return _Written(row_id, seq, Spot(block, start, size))

    # -- writing -------------------------------------------------------------------------------

    def flush(self) -> None:
        """Write everything that was collected."""
        self._flush_messages()
        self._flush_calls()
        for session_id, message_uid in self._hidden:
            self._items.renew_calls_of(session_id, message_uid)
        self._hidden.clear()
        self._flush_rows()

    def _flush_messages(self) -> None:
        # Leave a gap of one id: the usage of a message has the id before the message's own, and
        # usage without a message must not be mistaken for that of the first message here.
        self._items.next_id()
        rows: list[MessageRow] = []
        for (session_id, uid), pending in self._messages.items():
            piece = join_messages(pending.pieces)
            if piece.usage is not None:
                self._add_usage(piece.usage)
                if pending.usage_key not in (None, piece.usage.key):
                    self._remove_usage(pending.usage_key, session_id)
            row_id = self._items.next_id()
            spot = self._blocks.add(piece)
            rows.append(
                MessageRow(
                    id=row_id,
                    session_id=session_id,
                    seq=pending.seq,
                    uid=uid,
                    role=piece.role,
                    kind=piece.kind,
                    state=piece.state,
                    model=piece.model,
                    timestamp=to_micros(piece.timestamp),
                    file_id=self._file_id,
                    offset=piece.offset,
                    length=piece.length,
                    block=spot.block,
                    start=spot.start,
                    size=spot.size,
                    stopped=stop_of(piece),
                    is_question=is_question(piece),
                )
            )
        self._remove_replaced("messages", self._messages.values())
        self._db.executemany(INSERT[MessageRow], map(astuple, rows))
        self._hidden += [(row.session_id, row.uid) for row in rows if row.state == "hidden"]
        self._messages.clear()

    def _flush_calls(self) -> None:
        rows: list[ToolCallRow] = []
        for (session_id, uid), pending in self._calls.items():
            piece = pending.pieces[0]
            if piece.result_at is not None:
                piece = replace(piece, result=None)
            row_id = self._items.next_id()
            spot = self._blocks.add(piece)
            rows.append(
                ToolCallRow(
                    id=row_id,
                    session_id=session_id,
                    seq=pending.seq,
                    uid=uid,
                    message_uid=piece.message_id,
                    name=piece.name,
                    kind=piece.kind,
                    status=piece.status,
                    exit_code=piece.exit_code,
                    started_at=to_micros(piece.started_at),
                    duration_ms=addable(piece.duration_ms),
                    child_uid=piece.child_session_id,
                    file_id=self._file_id,
                    block=spot.block,
                    start=spot.start,
                    size=spot.size,
                    spilled_to=piece.spilled_to,
                )
            )
            if piece.spilled_to is not None:
                self._items.renew_documents(piece.spilled_to)
        self._remove_replaced("tool_calls", self._calls.values())
        self._db.executemany(INSERT[ToolCallRow], map(astuple, rows))
        self._calls.clear()

    def _remove_replaced(self, table: str, written: Iterable[_Pending[Any]]) -> None:
        replaced = [(pending.replaces,) for pending in written if pending.replaces is not None]
        self._db.executemany("INSERT INTO tombstones (item_id) VALUES (?)", replaced)
        self._db.executemany(f"DELETE FROM {table} WHERE id = ?", replaced)


def _is_other(pending: _Pending[Message], piece: Message) -> bool:
    """Whether a piece is another message than the one that has its id and its records."""
    last = pending.pieces[-1]
    if last.record_ids == piece.record_ids and not is_other_message(last, piece):
        return False  # the usual repetition, at no cost
    pending.pieces = [join_messages(pending.pieces)]
    return is_other_message(pending.pieces[0], piece)
