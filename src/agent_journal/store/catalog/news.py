"""What came into the catalog since somebody last looked: sessions with items above an id."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from agent_journal.store.catalog.items import last_item
from agent_journal.store.catalog.session_row import SESSION_COLUMNS, SESSIONS, SessionRow

_TABLES = ("messages", "tool_calls", "events", "file_edits", "documents")
_MOST_ITEMS = 100_000  # with more, everything counts as new
_MOST_SESSIONS = 200
_LIVE_FILES = (
    "SELECT p.session_id, max(f.mtime_ns) AS written FROM files f "
    "JOIN session_pieces p ON p.file_id = f.id "
    "WHERE f.mtime_ns > ? AND f.vanished_at IS NULL GROUP BY p.session_id"
)


class ChangedSession(NamedTuple):
    """A session with items that somebody has not seen."""

    row: SessionRow
    items: int
    is_new: bool  # it has no others


class News(NamedTuple):
    """The sessions that changed, the last one last, and the id up to which that is all."""

    sessions: list[ChangedSession]
    reached: int
    is_whole: bool = True  # false: too much came to be listed


class LiveSession(NamedTuple):
    """A session whose file was written a short while ago, and when (microseconds)."""

    row: SessionRow
    written_at: int


def data_version(db: sqlite3.Connection) -> int:
    """A number that changes when another connection writes to the catalog."""
    version: int = db.execute("PRAGMA data_version").fetchone()[0]
    return version


def news_since(db: sqlite3.Connection, item_id: int) -> News:
    """What has an id above one."""
    reached = last_item(db)
    if reached <= item_id:
        return News([], reached)
    if reached - item_id > _MOST_ITEMS:
        return News([], reached, is_whole=False)
    counts = _counts(db, item_id)
    if len(counts) > _MOST_SESSIONS:
        return News([], reached, is_whole=False)
    found = []
    for session_id, (items, _) in sorted(counts.items(), key=lambda one: one[1][1]):
        query = f"SELECT {SESSION_COLUMNS} FROM {SESSIONS} WHERE s.id = ? AND s.is_known = 1"
        row = db.execute(query, (session_id,)).fetchone()
        if row is not None:
            found.append(ChangedSession(SessionRow(*row), items, _is_new(db, session_id, item_id)))
    return News(found, reached)


def _counts(db: sqlite3.Connection, item_id: int) -> dict[int, tuple[int, int]]:
    """How many new items each session has, and the last of them."""
    counts: dict[int, tuple[int, int]] = {}
    parts = [f"SELECT session_id, id FROM {table} WHERE id > :item" for table in _TABLES]
    parts.append("SELECT id, item_id FROM sessions WHERE item_id > :item")
    query = (
        f"SELECT session_id, count(*), max(id) FROM ({' UNION ALL '.join(parts)}) "
        "WHERE session_id IS NOT NULL GROUP BY session_id"
    )
    for session_id, count, last in db.execute(query, {"item": item_id}):
        counts[session_id] = (count, last)
    return counts


def _is_new(db: sqlite3.Connection, session_id: int, item_id: int) -> bool:
    query = "SELECT 1 FROM messages WHERE session_id = ? AND id <= ? LIMIT 1"
    return db.execute(query, (session_id, item_id)).fetchone() is None


def live_sessions(db: sqlite3.Connection, since_ns: int) -> list[LiveSession]:
    """The sessions whose files were written after a time, the last one first."""
    query = (
        f"SELECT w.written / 1000, {SESSION_COLUMNS} FROM {SESSIONS} "
        f"JOIN ({_LIVE_FILES}) w ON w.session_id = s.id "
        "WHERE s.is_known = 1 AND s.message_count > 0 ORDER BY w.written DESC, s.uid"
    )
    return [LiveSession(SessionRow(*row), when) for when, *row in db.execute(query, (since_ns,))]
