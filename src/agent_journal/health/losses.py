"""What only the catalog still has: the texts of files whose bytes are lost everywhere else."""

from __future__ import annotations

from agent_journal.errors import JournalDamaged
from agent_journal.health.cures import is_whole
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.text.human import plural


def refuse_losses(db: Connection, archive: Archive, database: str) -> None:
    """Raise JournalDamaged when rebuilding the catalog would lose what was read from files.

    A full sync has kept again what is still on disk.
    """
    if is_whole(db, archive):
        return
    files = Files(db)
    lost = [row.path for row in files.all() if _is_lost(files, archive, row)]
    if not lost:
        return
    others = ""
    if len(lost) > 1:
        others = f" and of {plural(len(lost) - 1, 'other file')}"
    message = f"the archive has lost bytes of {lost[0]}{others}: only the catalog has the text"
    hint = (
        "copy the archive from a backup, or write the sessions out with 'aj export ID -f json'; "
        f"to give them up, delete {database} and run 'aj sync'"
    )
    raise JournalDamaged(message, hint)


def _is_lost(files: Files, archive: Archive, row: FileRow) -> bool:
    """Whether what was read from a file can never be read again."""
    version = files.version(row.read_version)
    if version is None:
        return False  # nothing was read
    if files.holes(version):
        return True
    frames = files.frames(version.id)
    return not all(archive.holds(frame.place, frame.sha256) for frame in frames)
