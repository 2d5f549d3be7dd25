"""What `aj verify` asks the catalog: totals, what is kept, and the rows that are derived."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.session_row import SESSION_COLUMNS, SESSIONS, SessionRow
from agent_journal.store.catalog.sums import SUMS

# What was read from files other than sessions, each with a query that is ordered by path.
_DERIVED = {
    "ledger": (
        "SELECT f.path, l.status, l.kind, l.reason, l.count, l.bytes "
        "FROM ledger l JOIN files f ON f.id = l.file_id "
        "WHERE f.role <> 'companion' ORDER BY 1, 2, 3, 4"
    ),
    "history": (
        "SELECT f.path, h.position, h.body "
        "FROM history h JOIN files f ON f.id = h.file_id ORDER BY 1, 2"
    ),
    "daily statistics": (
        "SELECT f.path, d.date, d.body "
        "FROM daily_stats d JOIN files f ON f.id = d.file_id ORDER BY 1, 2"
    ),
    "problems": (
        "SELECT f.path, p.kind, p.reason FROM problems p JOIN files f ON f.id = p.file_id "
        # What is wrong with a database is not in what was extracted from it.
        "WHERE p.kind NOT IN ('file', 'reader') AND f.role <> 'rows' ORDER BY 1, 2, 3"
    ),
}


class KeptVersion(NamedTuple):
    """A version of a file that the catalog knows."""

    agent: str
    path: str
    number: int


class Totals(NamedTuple):
    """How much the journal holds."""

    versions: int
    bytes: int
    records: int
    unknown: int
    malformed: int
    sessions: int
    pending_bytes: int


class DerivedRows(NamedTuple):
    """The rows of one table that were read from one file."""

    table: str
    path: str
    rows: list[tuple[object, ...]]


def totals(db: Connection) -> Totals:
    """Count everything that is kept."""
    versions, size = db.execute("SELECT count(*), coalesce(sum(size), 0) FROM versions").fetchone()
    by_status = dict(db.execute("SELECT status, sum(count) FROM ledger GROUP BY status"))
    (sessions,) = db.execute("SELECT count(*) FROM sessions WHERE is_known = 1").fetchone()
    return Totals(
        versions=versions,
        bytes=size,
        records=sum(by_status.values()),
        unknown=by_status.get("unknown", 0),
        malformed=by_status.get("malformed", 0),
        sessions=sessions,
        pending_bytes=pending_bytes(db),
    )


def kept_bytes(db: Connection) -> int:
    """Return the size of all versions together."""
    (size,) = db.execute("SELECT coalesce(sum(size), 0) FROM versions").fetchone()
    return int(size)


def pending_bytes(db: Connection, agent: str | None = None) -> int:
    """Return how many kept bytes are the beginning of a record; of one agent, or of all."""
    (size,) = db.execute(
        "SELECT coalesce(sum(v.size - f.read_offset), 0) "
        # Where the newest version could not be read, an earlier one was
        "FROM files f JOIN versions v ON v.id = f.read_version "
        "WHERE f.status = 'read' AND f.role IN ('log', 'replay') AND (?1 IS NULL OR f.agent = ?1)",
        (agent,),
    ).fetchone()
    return int(size)


def kept_versions(db: Connection) -> set[KeptVersion]:
    """Return every version of every file."""
    rows = db.execute(
        "SELECT f.agent, f.path, v.number FROM versions v JOIN files f ON f.id = v.file_id"
    )
    return {KeptVersion(agent, path, number) for agent, path, number in rows}


def ledger_bytes(db: Connection) -> dict[int, int]:
    """Return how many bytes of each file its ledger accounts for, by the id of the file."""
    return dict(db.execute("SELECT file_id, sum(bytes) FROM ledger GROUP BY file_id"))


def unreadable_files(db: Connection) -> set[int]:
    """Return the ids of the files that could not be opened, or whose reader failed."""
    rows = db.execute("SELECT file_id FROM problems WHERE kind IN ('file', 'reader')")
    return {file_id for (file_id,) in rows}


def find_watermark(db: Connection, name: str) -> int | None:
    """Return the item up to which an index has caught up; None when it never has."""
    row = db.execute("SELECT item_id FROM watermarks WHERE name = ?", (name,)).fetchone()
    return None if row is None else row[0]


def wrong_sums(db: Connection) -> dict[str, int]:
    """Return how many rows of each table of sums differ from what the rows add up to."""
    wrong: dict[str, int] = {}
    for table, query in SUMS.items():
        rows = query.query("1")
        (count,) = db.execute(
            f"SELECT (SELECT count(*) FROM (SELECT * FROM {table} EXCEPT {rows})) "
            f"+ (SELECT count(*) FROM ({rows} EXCEPT SELECT * FROM {table}))"
        ).fetchone()
        if count:
            wrong[table] = count
    return wrong


def known_sessions(db: Connection) -> list[SessionRow]:
    """Return every session that has a transcript, also sub-agents and empty ones."""
    rows = db.execute(f"SELECT {SESSION_COLUMNS} FROM {SESSIONS} WHERE is_known = 1")
    return [SessionRow(*row) for row in rows]


def usage_keys(db: Connection, session_row_id: int) -> list[tuple[str, str, int]]:
    """Return which API responses a session reports, and which of them count."""
    return db.execute(
        "SELECT key, origin, counted FROM usage WHERE session_id = ? ORDER BY 1, 2, 3",
        (session_row_id,),
    ).fetchall()


def derived_rows(db: Connection) -> Iterator[DerivedRows]:
    """Return what was read from each file besides its sessions, table by table."""
    for table, query in _DERIVED.items():
        for path, rows in groupby(db.execute(query), key=lambda row: row[0]):
            yield DerivedRows(table, path, [row[1:] for row in rows])
