"""Several files of one session: moved, migrated, or written in two layouts.

One is read, the others are kept.
"""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.connectors.ledger import Ledger
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.ledger import add_ledger


class _Priority(NamedTuple):
    """Why one transcript is preferred over another, most important reason first."""

    is_complete: bool
    rank: int
    completeness: int
    has_bytes: bool
    mtime_ns: int
    path: str


def candidates(files: Files, agent: str, session: str) -> tuple[FileRow | None, list[FileRow]]:
    """The transcript of a session to be read, and the others that are read now."""
    same = files.transcripts_of(agent, session)
    if not same:
        return None, []
    best = max(same, key=lambda transcript: _priority(files, transcript))
    others = [other for other in same if other.id != best.id and other.status == "read"]
    return best, others


def mark_copy(files: Files, copy: FileRow) -> None:
    """Record that a file whose rows were dropped is a copy."""
    # A copy with a newer version is read after this. The version that could be read stays recorded
    # for the files that are read with it.
    files.update(copy.id, status="copy", is_current=copy.is_current, read_version=copy.read_version)
    ledger = Ledger()
    ledger.add("skipped", "copy", _kept_size(files, copy), "another file of the session is read")
    add_ledger(files.db, copy, ledger)


def _priority(files: Files, row: FileRow) -> _Priority:
    version = files.version(row.version_id)
    mtime_ns = version.mtime_ns if version else None
    return _Priority(
        is_complete=row.completeness > 0,
        rank=row.rank,
        completeness=row.completeness,
        has_bytes=_kept_size(files, row) > 0,
        mtime_ns=mtime_ns or 0,
        path=row.path,
    )


def _kept_size(files: Files, row: FileRow) -> int:
    version = files.version(row.version_id)
    return version.size if version else 0
