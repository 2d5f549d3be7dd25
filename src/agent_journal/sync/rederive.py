"""A scratch catalog made from kept bytes alone: to verify a journal, and for earlier versions."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from agent_journal.connectors import get_connector
from agent_journal.errors import JournalError
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files, copy_files
from agent_journal.store.catalog.parts import copy_parts
from agent_journal.store.catalog.pruned import copy_pruned
from agent_journal.store.catalog.store import open_writer
from agent_journal.store.catalog.versions import copy_versions
from agent_journal.sync.intake import Intake
from agent_journal.sync.work import from_archive


@contextmanager
def derived(
    files: Files, archive: Archive, rows: Iterable[FileRow], unread: Collection[int] = ()
) -> Iterator[Connection]:
    """A scratch catalog that holds what the kept bytes of these files say, and nothing else.

    They are read in the order in which they are given. Those in `unread` are there only for
    others that are read with them.
    """
    with tempfile.TemporaryDirectory(prefix="aj-derive-") as folder:
        scratch = open_writer(folder, is_scratch=True)
        try:
            copies = [_unread(row) for row in rows]
            _copy(files.db, scratch, copies)
            absent = without_connector(copies)
            readable = [
                row
                for row in copies
                if row.agent not in absent and row.id not in unread and _is_readable(row)
            ]
            Intake(scratch, archive, False).run(
                [from_archive(get_connector(row.agent), row) for row in readable]
            )
            yield scratch
        finally:
            scratch.close()


def _unread(row: FileRow) -> FileRow:
    return row._replace(
        read_version=None, read_offset=0, reader_version=None, status="read", is_current=0
    )


def without_connector(rows: Iterable[FileRow]) -> set[str]:
    """The agents whose files nobody can read now: their package was removed, or is broken."""
    absent = set()
    for agent in {row.agent for row in rows}:
        try:
            get_connector(agent)
        except (KeyError, JournalError):
            absent.add(agent)
    return absent


def read_by_older_version(rows: Iterable[FileRow]) -> set[str]:
    """The agents with files that an older version of their reader has read; a sync reads them."""
    outdated = set()
    for row in rows:
        if row.reader_version is None or row.agent in outdated:
            continue
        try:
            version = get_connector(row.agent).version
        except (KeyError, JournalError):
            continue
        if row.reader_version != version:
            outdated.add(row.agent)
    return outdated


def _is_readable(row: FileRow) -> bool:
    return row.role not in ("companion", "rows") and row.version_id is not None


def _copy(db: Connection, scratch: Connection, rows: list[FileRow]) -> None:
    """Copy the files, the versions they are to be read in, and the places of their frames."""
    copy_files(scratch, rows)
    copy_pruned(db, scratch)
    copy_parts(db, scratch, but={row.id for row in rows})
    for row in rows:
        # Older versions, too: where the newest cannot be read, an older one is.
        if row.version_id is not None:
            copy_versions(db, scratch, row.id, row.version_id)
