"""The files of agents, what was read from them and what could not be, as `aj sql` shows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection


class SourceRow(NamedTuple):
    """A file of an agent; times are microseconds."""

    agent: str
    root: str
    path: str
    role: str
    session_id: str | None
    size: int | None
    versions: int
    status: str
    modified_at: int | None
    first_seen: int | None
    vanished_at: int | None


class LedgerRow(NamedTuple):
    """How many records of a kind a file has, and what became of them."""

    agent: str
    path: str
    status: str
    kind: str
    reason: str
    records: int
    bytes: int


class ProblemRow(NamedTuple):
    """Something that could not be read."""

    agent: str
    path: str
    byte_offset: int | None
    kind: str
    reason: str


class DailyStatRow(NamedTuple):
    """The statistics of an agent for one day, as a msgpack body."""

    agent: str
    body: bytes


def source_rows(db: Connection) -> Iterator[SourceRow]:
    """All files."""
    query = (
        "SELECT f.agent, f.root, f.path, f.role, f.session, v.size, "
        "(SELECT count(*) FROM versions w WHERE w.file_id = f.id), f.status, f.mtime_ns / 1000, "
        "f.first_seen, f.vanished_at "
        "FROM files f LEFT JOIN versions v ON v.id = f.version_id ORDER BY f.id"
    )
    return map(SourceRow._make, db.execute(query))


def ledger_rows(db: Connection) -> Iterator[LedgerRow]:
    """The ledgers of all files."""
    query = (
        "SELECT f.agent, f.path, l.status, l.kind, l.reason, l.count, l.bytes "
        "FROM ledger l JOIN files f ON f.id = l.file_id"
    )
    return map(LedgerRow._make, db.execute(query))


def problem_rows(db: Connection) -> Iterator[ProblemRow]:
    """All problems, in the order they were found."""
    query = "SELECT agent, path, offset, kind, reason FROM problems ORDER BY id"
    return map(ProblemRow._make, db.execute(query))


def daily_stat_rows(db: Connection) -> Iterator[DailyStatRow]:
    """The statistics that agents keep themselves."""
    query = "SELECT f.agent, d.body FROM daily_stats d JOIN files f ON f.id = d.file_id"
    return map(DailyStatRow._make, db.execute(query))
