"""Removing what the catalog knows of files and sessions, so that no trace of them is left."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_journal.store.catalog.connection import Connection, transaction
from agent_journal.store.catalog.derived import drop_rows
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.packs import forget_pack, note_loss, save_lengths

if TYPE_CHECKING:
    from agent_journal.store.rewriting import Rewritten

_OF_FILE = ("parts", "ledger", "problems", "dependencies", "earlier_sessions")


def forget_files(
    db: Connection,
    rows: Iterable[FileRow],
    sessions: Iterable[tuple[str, str]],
    rewritten: Rewritten | None,
) -> None:
    """Remove files with their versions, and sessions that have no rows any more.

    In the same transaction the catalog is pointed at the packs that are without them.
    """
    files = Files(db)
    with transaction(db):
        for row in rows:
            drop_rows(files, row.id)
            for table in _OF_FILE:
                db.execute(f"DELETE FROM {table} WHERE file_id = ?", (row.id,))
            db.execute(
                "DELETE FROM dependencies WHERE path = ? AND agent = ?", (row.path, row.agent)
            )
            for version in files.versions(row.id):
                db.execute("DELETE FROM version_frames WHERE version_id = ?", (version.id,))
                db.execute("DELETE FROM growth WHERE version_id = ?", (version.id,))
            db.execute("DELETE FROM versions WHERE file_id = ?", (row.id,))
            db.execute("DELETE FROM files WHERE id = ?", (row.id,))
        db.execute("DELETE FROM frames WHERE id NOT IN (SELECT frame_id FROM version_frames)")
        if rewritten is not None:
            _move(files, rewritten)
        for agent, uid in sessions:
            _forget_session(db, agent, uid)
        db.execute(
            "DELETE FROM projects WHERE path NOT IN "
            "(SELECT coalesce(project_path, repository, '') FROM sessions)"
        )
        db.execute("DELETE FROM tombstones")  # the indexes are rebuilt
        db.execute("DELETE FROM watermarks")
        db.execute("DELETE FROM meta WHERE key = 'seen'")


def _move(files: Files, rewritten: Rewritten) -> None:
    files.move_frames(rewritten.places)
    save_lengths(files.db, rewritten.packs)
    for number in rewritten.old:
        # What was damaged beyond repair is in no new pack
        files.mark_lost_frames(number, 0)
        forget_pack(files.db, number)
    if files.has_holes():
        note_loss(files.db)


def _forget_session(db: Connection, agent: str, uid: str) -> None:
    query = (
        "SELECT id FROM sessions s WHERE agent = ? AND uid = ? "
        "AND NOT EXISTS (SELECT 1 FROM session_pieces p WHERE p.session_id = s.id)"
    )
    for (row_id,) in db.execute(query, (agent, uid)).fetchall():
        for table in ("usage_sums", "message_sums", "tool_sums", "edit_sums"):
            db.execute(f"DELETE FROM {table} WHERE session_id = ?", (row_id,))
        db.execute("DELETE FROM meta WHERE key = ?", (f"branches of {row_id}",))
        db.execute("DELETE FROM sessions WHERE id = ?", (row_id,))


def compact(db: Connection) -> None:
    """Write the database again, so that nothing of what was deleted is left in free space."""
    db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
