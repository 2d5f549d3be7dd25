"""The rows that the search indexes read: every item above an id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.search_rows import TITLE_COLUMNS, TitleRow
from agent_journal.store.catalog.session_row import SESSIONS

_PAGE = 500
# The columns of each table with the time and the kind of an item
_TIME_AND_KIND = {
    "messages": ("timestamp", "kind"),
    "tool_calls": ("started_at", "kind"),
    "events": ("timestamp", "type"),
    "file_edits": ("timestamp", "kind"),
}


class StoredRow(NamedTuple):
    """An item whose body is in a block; without a time, it has that of its session's start."""

    id: int
    time: int | None
    kind: str
    session_id: int
    file_id: int
    block: int
    start: int
    size: int
    is_hidden: int  # only of calls: whether their message is hidden

    @property
    def spot(self) -> tuple[int, int, int]:
        """Where its body is."""
        return self.block, self.start, self.size


class InlineRow(NamedTuple):
    """An item with its body in the row; `session_id` is 0 when it is not known."""

    id: int
    session_id: int
    time: int
    body: bytes


class DocumentItem(NamedTuple):
    """A kept file of a session; its time is that of the file."""

    id: int
    session_id: int
    time: int
    file_id: int
    name: str


def documents_after(db: Connection, item_id: int) -> Iterator[DocumentItem]:
    """The documents with an id above one that are not the result of a call."""
    query = (
        "SELECT d.id, d.session_id, coalesce(f.mtime_ns / 1000, s.started_at, 0), d.file_id, "
        "d.name FROM documents d JOIN files f ON f.id = d.file_id "
        "JOIN sessions s ON s.id = d.session_id WHERE d.id > ? AND NOT EXISTS ("
        "SELECT 1 FROM tool_calls c JOIN sessions t ON t.id = c.session_id "
        "WHERE c.spilled_to = d.name AND t.agent = s.agent AND s.uid IN (t.uid, t.parent_uid)) "
        "ORDER BY d.id"
    )
    return map(DocumentItem._make, db.execute(query, (item_id,)))


def titles_after(db: Connection, item_id: int) -> list[TitleRow]:
    """The sessions whose titles have an id above one, in the order of the ids."""
    query = (
        f"SELECT {TITLE_COLUMNS} FROM {SESSIONS} "
        "WHERE s.item_id > ? AND s.is_known = 1 ORDER BY s.item_id"
    )
    return [TitleRow._make(row) for row in db.execute(query, (item_id,))]


def stored_rows_after(db: Connection, table: str, item_id: int) -> Iterator[StoredRow]:
    """The rows of a table with an id above one, page by page, in the order of the ids."""
    time, kind = _TIME_AND_KIND[table]
    is_hidden = "0"
    if table == "tool_calls":
        is_hidden = (
            "EXISTS (SELECT 1 FROM messages h WHERE h.uid = m.message_uid "
            "AND h.session_id = m.session_id AND h.state = 'hidden')"
        )
    query = (
        f"SELECT m.id, coalesce(m.{time}, s.started_at), m.{kind}, m.session_id, m.file_id, "
        f"m.block, m.start, m.size, {is_hidden} FROM {table} m "
        "LEFT JOIN sessions s ON s.id = m.session_id "
        f"WHERE m.id > ? ORDER BY m.id LIMIT {_PAGE}"
    )
    while True:
        rows = [StoredRow._make(row) for row in db.execute(query, (item_id,))]
        if not rows:
            return
        yield from rows
        item_id = rows[-1].id


def messages_of_session(
    db: Connection, session_id: int, first: int, last: int
) -> Iterator[StoredRow]:
    """The messages of a session from one id to another, in the order of the ids."""
    # The plus keeps SQLite from reading all messages of a long session for the few that are wanted
    query = (
        "SELECT m.id, m.timestamp, m.kind, m.session_id, m.file_id, m.block, m.start, m.size, 0 "
        "FROM messages m WHERE m.id BETWEEN ? AND ? AND +m.session_id = ? ORDER BY m.id"
    )
    return map(StoredRow._make, db.execute(query, (first, last, session_id)))


def plans_after(db: Connection, item_id: int) -> Iterator[InlineRow]:
    """The plans with an id above one; their time is the start of the session."""
    return _with_session(db, "plans", item_id)


def todo_lists_after(db: Connection, item_id: int) -> Iterator[InlineRow]:
    """The to-do lists with an id above one; their time is the start of the session."""
    return _with_session(db, "todo_lists", item_id)


def history_after(db: Connection, item_id: int) -> Iterator[InlineRow]:
    """The lines of prompt histories with an id above one."""
    query = (
        "SELECT h.id, coalesce(s.id, 0), coalesce(h.timestamp, 0), h.body FROM history h "
        "JOIN files f ON f.id = h.file_id "
        "LEFT JOIN sessions s ON s.uid = h.session AND s.agent = f.agent WHERE h.id > ?"
    )
    return map(InlineRow._make, db.execute(query, (item_id,)))


def _with_session(db: Connection, table: str, item_id: int) -> Iterator[InlineRow]:
    query = (
        "SELECT m.id, coalesce(m.session_id, 0), coalesce(s.started_at, 0), m.body "
        f"FROM {table} m LEFT JOIN sessions s ON s.id = m.session_id WHERE m.id > ? ORDER BY m.id"
    )
    return map(InlineRow._make, db.execute(query, (item_id,)))
