"""Versions that grew by appends: how much of each is proven to have been in the file at one time.

An append is recognised by the ends of a file, so that it costs only what was appended. The whole is
compared once the file rests; if its middle was changed before the append, the version is mixed.
"""

from __future__ import annotations

from sqlite3 import Connection
from typing import NamedTuple

from agent_journal.store.catalog.pruned import STATUS as PRUNED
from agent_journal.store.catalog.versions import Version


class Unproven(NamedTuple):
    """A file whose newest version grew since it was compared with the whole file."""

    path: str
    size: int
    mtime_ns: int


def add_growth(db: Connection, version: Version) -> None:
    """Record that a version is about to grow; what it has now was in the file at one time."""
    db.execute(
        "INSERT OR IGNORE INTO growth (version_id, proven) VALUES (?, ?)",
        (version.id, version.size),
    )


def add_unproven(db: Connection, version_id: int) -> None:
    """Record that nothing is known of how a version grew: its catalog was lost."""
    db.execute("INSERT OR IGNORE INTO growth (version_id, proven) VALUES (?, 0)", (version_id,))


def mark_proven(db: Connection, version_id: int) -> None:
    """Record that the whole file has the bytes of a version."""
    db.execute("DELETE FROM growth WHERE version_id = ? AND NOT is_mixed", (version_id,))


def mark_mixed(db: Connection, version_id: int, real_size: int) -> None:
    """Record that a version is of different times behind its first `real_size` bytes."""
    db.execute(
        "INSERT OR REPLACE INTO growth (version_id, proven, is_mixed) VALUES (?, ?, 1)",
        (version_id, real_size),
    )


def proven_size(db: Connection, version_id: int) -> int | None:
    """How many bytes of a version are proven, when it grew since."""
    query = "SELECT proven FROM growth WHERE version_id = ? AND NOT is_mixed"
    row = db.execute(query, (version_id,)).fetchone()
    return row[0] if row else None


def real_size(db: Connection, version: Version) -> int:
    """How many bytes of a version were in the file at one time: all, unless it is mixed."""
    query = "SELECT proven FROM growth WHERE version_id = ? AND is_mixed"
    row = db.execute(query, (version.id,)).fetchone()
    return row[0] if row else version.size


def mixed_sizes(db: Connection) -> dict[int, int]:
    """How many bytes of each mixed version were in the file at one time, by its id."""
    return dict(db.execute("SELECT version_id, proven FROM growth WHERE is_mixed"))


def unproven_files(db: Connection, agent: str) -> list[Unproven]:
    """The files of an agent that are to be compared as a whole, small ones first.

    Not those of pruned sessions: nobody looks at them, and a new catalog has no size of theirs.
    """
    query = (
        "SELECT f.path, f.size, f.mtime_ns FROM growth g "
        "CROSS JOIN versions v ON v.id = g.version_id "
        "CROSS JOIN files f ON f.id = v.file_id AND f.version_id = v.id "
        "WHERE NOT g.is_mixed AND f.agent = ? AND f.is_current = 1 AND f.vanished_at IS NULL "
        "AND f.status <> ? ORDER BY f.size"
    )
    return [Unproven(*row) for row in db.execute(query, (agent, PRUNED))]
