"""Removing the rows that were read from a file, when it is read again from the beginning."""

from __future__ import annotations

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.items import Items
from agent_journal.store.catalog.schema import NUMBERED

# By session where a table has that index. Indexes and the mirror may hold the rows of all of these:
# their ids become tombstones.
_BY_SESSION = ("messages", "tool_calls", "events", "file_edits", "usage", "todo_lists", "documents")
_BY_FILE = (
    "plans",
    "history",
    "daily_stats",
    "blocks",
    "ledger",
    "problems",
    "session_pieces",
    "dependencies",
    "line_titles",
    "earlier_sessions",
)
# Likewise of these
_ITEMS_BY_FILE = ("plans", "history")
_LAST_SEQ = " UNION ALL ".join(
    f"SELECT max(seq) AS seq FROM {table} WHERE session_id = :session" for table in NUMBERED
)
_RESET_SEQ = (
    f"UPDATE sessions SET next_seq = (SELECT coalesce(max(seq) + 1, 0) FROM ({_LAST_SEQ})) "
    "WHERE id = :session"
)


def drop_rows(files: Files, file_id: int) -> set[str]:
    """Remove everything that was read from a file, but not its bytes.

    Returns the usage keys that were removed.
    """
    db = files.db
    keys: set[str] = set()
    for session_id in files.sessions_of(file_id):
        keys |= drop_session_rows(db, session_id, file_id)
    for table in _ITEMS_BY_FILE:
        db.execute(
            f"INSERT OR IGNORE INTO tombstones (item_id) SELECT id FROM {table} WHERE file_id = ?",
            (file_id,),
        )
    for table in _BY_FILE:
        db.execute(f"DELETE FROM {table} WHERE file_id = ?", (file_id,))
    files.update(file_id, read_version=None, read_offset=0, state=None, is_current=0)
    return keys


def drop_session_rows(db: Connection, session_id: int, file_id: int) -> set[str]:
    """Remove what was read of one session from a file; return the usage keys that were removed."""
    place = (session_id, file_id)
    query = "SELECT key FROM usage WHERE session_id = ? AND file_id = ?"
    keys = {key for (key,) in db.execute(query, place)}
    _renew_documents(db, session_id, file_id)
    for table in _BY_SESSION:
        db.execute(
            "INSERT OR IGNORE INTO tombstones (item_id) "
            f"SELECT id FROM {table} WHERE session_id = ? AND file_id = ?",
            place,
        )
        db.execute(f"DELETE FROM {table} WHERE session_id = ? AND file_id = ?", place)
    db.execute("DELETE FROM session_pieces WHERE session_id = ? AND file_id = ?", place)
    db.execute(_RESET_SEQ, {"session": session_id})
    return keys


def _renew_documents(db: Connection, session_id: int, file_id: int) -> None:
    items = Items(db)
    query = (
        "SELECT spilled_to FROM tool_calls "
        "WHERE session_id = ? AND file_id = ? AND spilled_to IS NOT NULL"
    )
    for (name,) in db.execute(query, (session_id, file_id)).fetchall():
        items.renew_documents(name)
    items.save()
