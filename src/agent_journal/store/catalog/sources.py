"""What the catalog knows about each agent: its files, its records, its problems."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection


class KeptFile(NamedTuple):
    """A file of an agent, and what is kept of it; times are microseconds."""

    path: str
    role: str
    session: str | None
    status: str
    size: int
    vanished_at: int | None
    versions: int
    captured_at: int | None
    is_lost: bool = False  # whether the archive has lost bytes of it


class Stamp(NamedTuple):
    """What a file looked like when it was read; another stamp means that it changed since."""

    size: int | None
    mtime_ns: int | None


class Problem(NamedTuple):
    """A place in an agent's files that could not be read."""

    path: str
    offset: int | None
    reason: str
    kind: str


class UnknownKind(NamedTuple):
    """A kind of record that the reader does not know, and the agent versions that wrote it."""

    kind: str
    records: int
    versions: list[str]


def agents_with_files(db: Connection) -> set[str]:
    """Return the agents of which the journal holds a file."""
    return {agent for (agent,) in db.execute("SELECT DISTINCT agent FROM files")}


def kept_files(db: Connection, agent: str) -> list[KeptFile]:
    """Return every file of an agent, by path."""
    rows = db.execute(
        "SELECT f.path, f.role, f.session, f.status, coalesce(v.size, 0) AS size, f.vanished_at, "
        "(SELECT count(*) FROM versions x WHERE x.file_id = f.id) AS versions, v.captured_at "
        "FROM files f LEFT JOIN versions v ON v.id = f.version_id "
        "WHERE f.agent = ? AND f.role <> 'rows' ORDER BY f.path",
        (agent,),
    )
    return [KeptFile(*row) for row in rows]


def current_stamps(db: Connection, agent: str) -> dict[str, Stamp]:
    """Return the stamps of an agent's files that are completely read, by path."""
    rows = db.execute(
        "SELECT path, size, mtime_ns FROM files WHERE agent = ? AND is_current = 1", (agent,)
    )
    return {path: Stamp(size, mtime_ns) for path, size, mtime_ns in rows}


def refused_stamps(db: Connection) -> dict[str, Stamp]:
    """Return the files that could not be read, by path, as they were when they last could be.

    Another sync would not help.
    """
    rows = db.execute(
        "SELECT p.path, f.size, f.mtime_ns FROM problems p LEFT JOIN files f ON f.id = p.file_id "
        "WHERE p.kind = 'file'"
    )
    return {path: Stamp(size, mtime_ns) for path, size, mtime_ns in rows}


def count_vanished(db: Connection, agent: str) -> int:
    """Return how many files of an agent are gone from disk and still kept."""
    (count,) = db.execute(
        "SELECT count(*) FROM files WHERE agent = ? AND vanished_at IS NOT NULL "
        "AND role NOT IN ('rows', 'companion')",
        (agent,),
    ).fetchone()
    return int(count)


def record_counts(db: Connection, agent: str) -> dict[str, int]:
    """Return how many records of an agent were mapped, skipped, unknown and malformed."""
    rows = db.execute(
        "SELECT l.status, sum(l.count) FROM ledger l JOIN files f ON f.id = l.file_id "
        "WHERE f.agent = ? GROUP BY 1",
        (agent,),
    )
    return dict(rows)


def unknown_kinds(db: Connection, agent: str) -> list[UnknownKind]:
    """Return the kinds of records that an agent's reader does not know, the commonest first."""
    rows = db.execute(
        "SELECT l.kind, sum(l.count), group_concat(DISTINCT s.agent_version) FROM ledger l "
        "JOIN files f ON f.id = l.file_id "
        "LEFT JOIN sessions s ON s.uid = f.session AND s.agent = f.agent "
        "WHERE f.agent = ? AND l.status = 'unknown' GROUP BY l.kind ORDER BY 2 DESC",
        (agent,),
    )
    found = []
    for kind, records, versions in rows:
        names = sorted(versions.split(",")) if versions else []
        found.append(UnknownKind(kind, records, names))
    return found


def problems_of(db: Connection, agent: str) -> list[Problem]:
    """Return the places in an agent's files that could not be read."""
    rows = db.execute(
        "SELECT path, offset, reason, kind FROM problems WHERE agent = ? ORDER BY path, offset",
        (agent,),
    )
    return [Problem(*row) for row in rows]


def count_problems(db: Connection) -> int:
    """Return how many places in the agents' files could not be read."""
    (count,) = db.execute("SELECT count(*) FROM problems").fetchone()
    return int(count)


def find_last_start(db: Connection, agent: str) -> int | None:
    """Return when an agent's newest session began, for agents that do not record when one ended."""
    query = "SELECT max(started_at) FROM sessions WHERE agent = ? AND message_count > 0"
    (when,) = db.execute(query, (agent,)).fetchone()
    return None if when is None else int(when)
