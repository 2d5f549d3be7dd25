"""Several files of one session: moved, migrated, or written in two layouts. One is read, the others
are kept.
"""

from __future__ import annotations

from agent_journal.connectors.ledger import Ledger
from agent_journal.store.catalog.files import IS_TRANSCRIPT, FileRow, Files


def rivals(files: Files, row: FileRow) -> tuple[FileRow, list[FileRow]]:
    """The transcript of the session to be read, and the others that are read now."""
    session = files.get(row.id).session
    if session is None:
        return row, []
    # A file that has not been read yet (after the catalog was lost) has its turn still to come.
    is_read = "(status = 'copy' OR (status = 'read' AND read_version IS NOT NULL))"
    condition = f"agent = ? AND session = ? AND {IS_TRANSCRIPT} AND {is_read}"
    same = files.all(condition, row.agent, session)
    if len(same) < 2:
        return row, []
    best = max(same, key=lambda one: _worth(files, one))
    return best, [other for other in same if other.id != best.id and other.status == "read"]


def mark_copy(files: Files, other: FileRow) -> None:
    """Remembers that a file is a copy whose rows were dropped."""
    # One with a newer version is read after this; which version could be read is told to those that
    # are read with it.
    files.update(
        other.id, status="copy", is_current=other.is_current, read_version=other.read_version
    )
    ledger = Ledger()
    ledger.add("skipped", "copy", _kept_size(files, other), "another file of the session is read")
    files.add_ledger(other, ledger)


def _worth(files: Files, row: FileRow) -> tuple[bool, int, int, bool, int, str]:
    version = files.version(row.version_id)
    mtime = (version and version.mtime_ns) or 0
    return (
        row.completeness > 0,
        row.rank,
        row.completeness,
        _kept_size(files, row) > 0,
        mtime,
        row.path,
    )


def _kept_size(files: Files, row: FileRow) -> int:
    version = files.version(row.version_id)
    return version.size if version else 0
