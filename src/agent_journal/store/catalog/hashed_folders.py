"""Sessions whose folder is known only by its SHA-256: another session may name the folder."""

from __future__ import annotations

import hashlib
import sqlite3

from agent_journal.model import Session
from agent_journal.model.light_msgspec import msgspec
from agent_journal.store.catalog.items import Items

_DIGITS = 64
_decode = msgspec.msgpack.Decoder(Session).decode


def folders_of(db: sqlite3.Connection, sessions: set[int]) -> dict[int, str]:
    """Return the folders of the sessions that have one."""
    query = "SELECT project_path FROM sessions WHERE id = ?"
    rows = {session_id: db.execute(query, (session_id,)).fetchone()[0] for session_id in sessions}
    return {session_id: folder for session_id, folder in rows.items() if folder is not None}


def take_back_folders(db: sqlite3.Connection, before: dict[int, str]) -> set[int]:
    """Take folders that no session names any more from those that have only the hash.

    `before` has the folders that sessions had before they changed; returns the others that changed.
    """
    now = folders_of(db, set(before))
    lost = {folder for session_id, folder in before.items() if now.get(session_id) != folder}
    if not lost:
        return set()
    changed = set()
    for folder, sessions in _with_hash_of(db, lost).items():
        if not _is_named(db, folder):
            for session_id, item_id in sessions:
                _set_folder(db, session_id, item_id, None)
                changed.add(session_id)
    return changed


def _with_hash_of(db: sqlite3.Connection, folders: set[str]) -> dict[str, list[tuple[int, int]]]:
    """The sessions, with their items, that have one of some folders and its hash."""
    found: dict[str, list[tuple[int, int]]] = {}
    rows = db.execute(
        "SELECT id, project_dir, project_path, item_id FROM sessions "
        f"WHERE project_path IS NOT NULL AND length(project_dir) = {_DIGITS}"
    )
    for session_id, digits, folder, item_id in rows:
        if folder in folders and _hash_of(folder) == digits:
            found.setdefault(folder, []).append((session_id, item_id))
    return found


def _is_named(db: sqlite3.Connection, folder: str) -> bool:
    """Whether a file names a folder; the row of a session may have it from another one."""
    bodies = db.execute(
        "SELECT p.body FROM sessions s JOIN session_pieces p ON p.session_id = s.id "
        "WHERE s.project_path = ? AND p.body IS NOT NULL "
        f"ORDER BY length(s.project_dir) IS {_DIGITS}",  # these are the ones that may not name it
        (folder,),
    )
    return any(_decode(body).project_path == folder for (body,) in bodies)


def name_hashed_folders(db: sqlite3.Connection) -> set[int]:
    """Give the folder to all sessions that have only its hash; returns these sessions."""
    hashed = db.execute(
        "SELECT id, project_dir, item_id FROM sessions "
        f"WHERE project_path IS NULL AND length(project_dir) = {_DIGITS} AND is_known = 1"
    ).fetchall()
    if not hashed:
        return set()
    folders = _known_folders(db)
    named = set()
    for session_id, digits, item_id in hashed:
        folder = folders.get(digits)
        if folder is not None:
            _set_folder(db, session_id, item_id, folder)
            named.add(session_id)
    return named


def _set_folder(db: sqlite3.Connection, session_id: int, item_id: int, folder: str | None) -> None:
    """Set the folder of a session, which makes it a new item for the search index."""
    items = Items(db)
    items.add_tombstones([item_id])
    db.execute(
        "UPDATE sessions SET project_path = ?, item_id = ? WHERE id = ?",
        (folder, items.next_id(), session_id),
    )
    items.save()


def _known_folders(db: sqlite3.Connection) -> dict[str, str]:
    rows = db.execute("SELECT DISTINCT project_path FROM sessions WHERE project_path IS NOT NULL")
    return {_hash_of(path): path for (path,) in rows}


def _hash_of(folder: str) -> str:
    return hashlib.sha256(folder.encode()).hexdigest()
