"""Sessions with damaged or missing files, and those that an agent lists without files."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import IS_TRANSCRIPT

_SESSION = (
    "JOIN sessions s ON s.uid = f.session AND s.agent = f.agent "
    "AND s.is_known = 1 AND s.message_count > 0"
)


class RescuedRow(NamedTuple):
    """A session, the file it was read from, and what is wrong with that file."""

    session: str
    title: str | None
    path: str
    reason: str
    offset: int | None = None  # of the first byte that could not be read


class OnDisk(NamedTuple):
    """A session whose transcript is still on disk."""

    row_id: int
    session: str
    title: str | None
    path: str


class Listed(NamedTuple):
    """A session that an agent's own index names; `body` is what the index says about it."""

    session: str
    body: bytes
    path: str


def damaged_sessions(db: Connection, agent: str) -> list[RescuedRow]:
    """Return the sessions whose file has places that could not be read."""
    rows = db.execute(
        "SELECT s.uid, s.title, f.path, min(p.reason) || "
        "CASE count(*) WHEN 1 THEN '' ELSE ' (and ' || (count(*) - 1) || ' more)' END, p.offset "
        f"FROM problems p JOIN files f ON f.id = p.file_id {_SESSION} "
        f"WHERE f.agent = ? AND f.status = 'read' AND f.{IS_TRANSCRIPT} "
        "GROUP BY f.id ORDER BY f.path",
        (agent,),
    )
    return [RescuedRow(*row) for row in rows]


def replaced_sessions(db: Connection, agent: str) -> list[RescuedRow]:
    """Return the sessions that were read from an older file because the newer one is empty."""
    rows = db.execute(
        "SELECT s.uid, s.title, f.path, 'the newer file is empty: ' || c.path "
        "FROM files f JOIN files c ON c.session = f.session AND c.agent = f.agent "
        f"AND c.status = 'copy' AND c.rank > f.rank {_SESSION} "
        "WHERE f.agent = ? AND f.status = 'read' AND f.completeness > 0 AND c.completeness = 0 "
        "ORDER BY f.path",
        (agent,),
    )
    return [RescuedRow(*row) for row in rows]


def index_files(db: Connection, agent: str, pattern: str) -> dict[str, int]:
    """Return the ids of the files whose name matches a glob pattern, by path."""
    query = "SELECT path, id FROM files WHERE agent = ? AND name GLOB ?"
    return dict(db.execute(query, (agent, pattern)))


def sessions_in(db: Connection, file_id: int) -> set[int]:
    """Return the row ids of the sessions that a file says something about."""
    rows = db.execute("SELECT session_id FROM session_pieces WHERE file_id = ?", (file_id,))
    return {session_id for (session_id,) in rows}


def sessions_on_disk(db: Connection, agent: str) -> list[OnDisk]:
    """Return the sessions, sub-agents aside, whose transcript is still on disk; newest first."""
    rows = db.execute(
        f"SELECT s.id, s.uid, s.title, f.path FROM files f {_SESSION} "
        f"WHERE f.agent = ? AND f.status = 'read' AND f.{IS_TRANSCRIPT} "
        "AND f.vanished_at IS NULL AND s.parent_uid IS NULL ORDER BY s.ended_at DESC",
        (agent,),
    )
    return [OnDisk(*row) for row in rows]


def listed_without_transcript(db: Connection, agent: str, pattern: str) -> list[Listed]:
    """Return the sessions that an index names and of which the journal has no transcript."""
    rows = db.execute(
        "SELECT s.uid, p.body, f.path FROM sessions s "
        "JOIN session_pieces p ON p.session_id = s.id JOIN files f ON f.id = p.file_id "
        "WHERE s.agent = ? AND s.is_known = 0 AND p.body IS NOT NULL AND f.name GLOB ? "
        "ORDER BY s.uid",
        (agent, pattern),
    )
    return [Listed(*row) for row in rows]


def sessions_by_path(db: Connection, agent: str) -> dict[str, tuple[str, str | None]]:
    """Return the ids and titles of an agent's sessions by the paths of their transcripts."""
    rows = db.execute(
        "SELECT f.path, s.uid, s.title FROM files f "
        "JOIN sessions s ON s.uid = f.session AND s.agent = f.agent "
        f"WHERE f.agent = ? AND f.{IS_TRANSCRIPT}",
        (agent,),
    )
    return {path: (uid, title) for path, uid, title in rows}
