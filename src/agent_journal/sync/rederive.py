"""Deriving a catalog from kept bytes alone, in a scratch database: for proof, and to look at
earlier versions.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import FoundFile
from agent_journal.errors import JournalError
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.store import open_writer
from agent_journal.sync.intake import Intake
from agent_journal.sync.work import GONE, Work


@contextmanager
def derived(files: Files, archive: Archive, rows: Iterable[FileRow]) -> Iterator[Connection]:
    """A scratch catalog that holds what the kept bytes of these files say, and nothing else."""
    with tempfile.TemporaryDirectory(prefix="aj-derive-") as folder:
        scratch = open_writer(folder)
        try:
            fresh = [_unread(row) for row in rows]
            _copy(files.db, scratch, fresh)
            absent = without_connector(fresh)
            readable = [row for row in fresh if row.agent not in absent and _is_readable(row)]
            Intake(scratch, archive, False, None).run([_work(row) for row in readable])
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


def _is_readable(row: FileRow) -> bool:
    return row.role not in ("companion", "rows") and row.version_id is not None


def _work(row: FileRow) -> Work:
    found = FoundFile(row.path, row.name, row.role, GONE, 0, 0, row.session, row.rank)
    return Work(get_connector(row.agent), row.root, found)


def _copy(db: Connection, scratch: Connection, rows: list[FileRow]) -> None:
    """The files, the versions they are to be read in, and the places of their frames."""
    marks = ", ".join("?" * len(FileRow._fields))
    scratch.executemany(f"INSERT INTO files ({', '.join(FileRow._fields)}) VALUES ({marks})", rows)
    for row in rows:
        # Older versions, too: where the newest cannot be read, an older one is.
        query = "SELECT * FROM versions WHERE file_id = ? AND number <= (SELECT number FROM versions WHERE id = ?)"
        for version in db.execute(query, (row.id, row.version_id)).fetchall():
            scratch.execute("INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?)", version)
            one = (version[0],)
            frames = "SELECT f.* FROM frames f JOIN version_frames v ON v.frame_id = f.id WHERE v.version_id = ?"
            scratch.executemany(
                "INSERT OR IGNORE INTO frames VALUES (?, ?, ?, ?, ?, ?)", db.execute(frames, one)
            )
            parts = db.execute("SELECT * FROM version_frames WHERE version_id = ?", one)
            scratch.executemany("INSERT INTO version_frames VALUES (?, ?, ?)", parts)
