"""What became of every byte of a file, and the problems that were met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from sqlite3 import Connection
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.store.catalog.files import FileRow

if TYPE_CHECKING:
    from agent_journal.connectors.ledger import Ledger


UNREAD = "unread"  # the kind of problem of a file that the next sync goes on with
ARCHIVE_DAMAGED = "cannot be read from the archive: "  # begins the reason of a problem


class PlaceProblem(NamedTuple):
    """Something wrong with a folder or a connector, not with one file."""

    path: str
    agent: str
    kind: str
    reason: str


class LedgerLine(NamedTuple):
    """How many records of a file, and bytes of them, met one fate for one reason."""

    status: str  # mapped, skipped, unknown or malformed
    kind: str
    reason: str
    records: int
    bytes: int


class FileProblem(NamedTuple):
    """A place in a file that could not be read; without an offset, the file itself."""

    offset: int | None
    kind: str
    reason: str


def ledger_of(db: Connection, file_id: int) -> list[LedgerLine]:
    """What became of the records of a file, the commonest first."""
    rows = db.execute(
        "SELECT status, kind, reason, count, bytes FROM ledger WHERE file_id = ? "
        "ORDER BY count DESC, status, kind, reason",
        (file_id,),
    )
    return [LedgerLine._make(row) for row in rows]


def file_problems(db: Connection, file_id: int, most: int) -> list[FileProblem]:
    """The first problems of a file."""
    rows = db.execute(
        "SELECT offset, kind, reason FROM problems WHERE file_id = ? ORDER BY offset LIMIT ?",
        (file_id, most),
    )
    return [FileProblem._make(row) for row in rows]


def sound_bytes(db: Connection, file_id: int) -> int:
    """How many bytes of a file could be read."""
    query = "SELECT coalesce(sum(bytes), 0) FROM ledger WHERE file_id = ? AND status <> 'malformed'"
    (size,) = db.execute(query, (file_id,)).fetchone()
    return int(size)


def add_ledger(db: Connection, row: FileRow, ledger: Ledger) -> None:
    """Add what was counted since the last time, and empty the ledger."""
    db.executemany(
        "INSERT INTO ledger (file_id, status, kind, reason, count, bytes) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
        "count = count + excluded.count, bytes = bytes + excluded.bytes",
        [(row.id, *entry, count, size) for entry, (count, size) in ledger.counts.items()],
    )
    add_problems(db, row, ledger.troubles)
    ledger.counts.clear()
    ledger.troubles.clear()


def has_content(db: Connection, file_id: int) -> bool:
    """Whether anything was ever read from a file."""
    query = (
        "SELECT 1 FROM ledger WHERE file_id = ? AND status IN ('mapped', 'unknown') "
        "AND count > 0 LIMIT 1"
    )
    return db.execute(query, (file_id,)).fetchone() is not None


def is_unfinished(db: Connection, file_id: int) -> bool:
    """Whether the last sync left a part of a file for the next one."""
    query = "SELECT 1 FROM problems WHERE file_id = ? AND kind = ? LIMIT 1"
    return db.execute(query, (file_id, UNREAD)).fetchone() is not None


def unfinished_files(db: Connection) -> set[int]:
    """The files of which the last sync left a part for the next one."""
    query = "SELECT file_id FROM problems WHERE kind = ? AND file_id IS NOT NULL"
    return {file_id for (file_id,) in db.execute(query, (UNREAD,))}


# -- problems ----------------------------------------------------------------------------------


def count_problems(db: Connection) -> int:
    """How many problems there are in all files and folders."""
    count: int = db.execute("SELECT count(*) FROM problems").fetchone()[0]
    return count


def problems_of(db: Connection, file_id: int) -> tuple[int, str | None]:
    """How many problems a file has, and the reason of one of them."""
    query = "SELECT count(*), min(reason) FROM problems WHERE file_id = ?"
    count, reason = db.execute(query, (file_id,)).fetchone()
    return count, reason


def add_problems(
    db: Connection, row: FileRow, troubles: Iterable[tuple[int | None, str, str]]
) -> None:
    """Record problems of a file (offset, kind, reason), up to a number per file."""
    from agent_journal.connectors.ledger import Ledger

    known, _ = problems_of(db, row.id)
    room = max(0, Ledger.MAX_TROUBLES - known)
    db.executemany(
        "INSERT INTO problems (file_id, path, agent, offset, kind, reason) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        [(row.id, row.path, row.agent, *trouble) for trouble in list(troubles)[:room]],
    )


def clear_problems(db: Connection, file_id: int, kind: str | None = None) -> None:
    """Remove the problems of a file, all or those of one kind."""
    query = "DELETE FROM problems WHERE file_id = ?1 AND (?2 IS NULL OR kind = ?2)"
    db.execute(query, (file_id, kind))


def replace_problem(db: Connection, row: FileRow, kind: str, reason: str) -> None:
    """Record the one problem of a kind that a file has now."""
    clear_problems(db, row.id, kind)
    add_problems(db, row, [(None, kind, reason)])


def is_damaged_in_archive(db: Connection, file_id: int) -> bool:
    """Whether the last sync could not read a file from the archive."""
    query = "SELECT 1 FROM problems WHERE file_id = ? AND substr(reason, 1, ?) = ? LIMIT 1"
    values = (file_id, len(ARCHIVE_DAMAGED), ARCHIVE_DAMAGED)
    return db.execute(query, values).fetchone() is not None


def has_place_problems(db: Connection, agents: Sequence[str]) -> bool:
    """Whether problems of folders or connectors of these agents are recorded."""
    query = f"SELECT 1 FROM problems WHERE {_is_place_of(agents)} LIMIT 1"
    return db.execute(query, agents).fetchone() is not None


def replace_place_problems(
    db: Connection, agents: Sequence[str], problems: Iterable[PlaceProblem]
) -> None:
    """Record the problems that folders and connectors of these agents have now."""
    db.execute(f"DELETE FROM problems WHERE {_is_place_of(agents)}", agents)
    db.executemany(
        "INSERT INTO problems (path, agent, kind, reason) VALUES (:path, :agent, :kind, :reason)",
        [problem._asdict() for problem in problems],
    )


def _is_place_of(agents: Sequence[str]) -> str:
    return f"file_id IS NULL AND agent IN ({', '.join('?' * len(agents))})"
