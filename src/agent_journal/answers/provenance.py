"""Where a session comes from: its files, their versions, and what became of every byte."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.connectors.base import TRANSCRIPTS
from agent_journal.errors import JournalDamaged
from agent_journal.journal import Journal
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.ledger import (
    FileProblem,
    LedgerLine,
    file_problems,
    ledger_of,
    problems_of,
)
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.lost_bytes import lost_paths
from agent_journal.store.catalog.versions import Version

_MOST_PROBLEMS = 50  # that are named for each file


class KeptVersion(NamedTuple):
    """A version of a file; `sha256` is None where it was not computed or cannot be."""

    version: Version
    is_shown: bool  # the session is read from it
    sha256: str | None
    is_damaged: bool


class FileProvenance(NamedTuple):
    """A file of a session, and what is kept of it."""

    file: FileRow
    versions: list[KeptVersion]
    is_lost: bool  # the archive has lost bytes of it
    ledger: list[LedgerLine]
    problems: list[FileProblem]
    problem_count: int


def provenance(journal: Journal, row: SessionRow, hashed_bytes: int) -> list[FileProvenance]:
    """Return the files of a session and its sub-agents.

    Their versions have a hash as long as no more than so many bytes have to be read for it.
    """
    from agent_journal.store.restore import files_of

    files = Files(journal.db)
    lost = lost_paths(journal.db, journal.config)
    found = []
    for file in sorted(files_of(journal.db, row), key=_is_beside):
        versions = []
        for version in files.versions(file.id):
            kept = KeptVersion(version, _is_shown(file, version), None, is_damaged=False)
            if version.size <= hashed_bytes:
                hashed_bytes -= version.size
                kept = _with_hash(journal, files, file, kept)
            versions.append(kept)
        count, _ = problems_of(journal.db, file.id)
        found.append(
            FileProvenance(
                file=file,
                versions=versions,
                is_lost=file.path in lost,
                ledger=ledger_of(journal.db, file.id),
                problems=file_problems(journal.db, file.id, _MOST_PROBLEMS),
                problem_count=count,
            )
        )
    return found


def _is_beside(file: FileRow) -> bool:
    """Whether a file is no transcript: transcripts come first."""
    return file.role not in TRANSCRIPTS


def _is_shown(file: FileRow, version: Version) -> bool:
    if file.read_version is None:
        return version.id == file.version_id
    return version.id == file.read_version


def _with_hash(journal: Journal, files: Files, file: FileRow, kept: KeptVersion) -> KeptVersion:
    import hashlib

    from agent_journal.store.content import KeptContent

    digest = hashlib.sha256()
    try:
        for chunk in KeptContent(files, journal.archive, file, kept.version).chunks():
            digest.update(chunk)
    except JournalDamaged:
        return kept._replace(is_damaged=True)
    return kept._replace(sha256=digest.hexdigest())
