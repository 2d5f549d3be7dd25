"""Sessions whose folder is known only by its SHA-256: another session may name the folder."""

from __future__ import annotations

import hashlib
import sqlite3

from agent_journal.store.catalog.items import Items

_DIGITS = 64


def name_hashed_folders(db: sqlite3.Connection) -> set[int]:
    """Give the folder to all sessions that have only its hash; returns these sessions."""
    hashed = db.execute(
        "SELECT id, project_dir, item_id FROM sessions "
        f"WHERE project_path IS NULL AND length(project_dir) = {_DIGITS} AND is_known = 1"
    ).fetchall()
    if not hashed:
        return set()
    folders = _known_folders(db)
    items = Items(db)
    named = set()
    for session_id, digits, item_id in hashed:
        folder = folders.get(digits)
        if folder is not None:
            items.add_tombstones([item_id])
            db.execute(
                "UPDATE sessions SET project_path = ?, item_id = ? WHERE id = ?",
                (folder, items.next_id(), session_id),
            )
            named.add(session_id)
    items.save()
    return named


def _known_folders(db: sqlite3.Connection) -> dict[str, str]:
    rows = db.execute("SELECT DISTINCT project_path FROM sessions WHERE project_path IS NOT NULL")
    return {hashlib.sha256(path.encode()).hexdigest(): path for (path,) in rows}
