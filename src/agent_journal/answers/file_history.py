"""Files and the sessions that changed them, for front doors that show both."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.journal import Journal
from agent_journal.model import FileEdit
from agent_journal.query.filters import Query
from agent_journal.store.catalog.edited_files import (
    EditedFile,
    count_edited_files,
    edited_files,
    edits_of_file,
    sessions_of_file,
)
from agent_journal.store.catalog.search_rows import session_rows
from agent_journal.store.catalog.session_row import SessionRow


class FileList(NamedTuple):
    """Some files, and how many there are in all."""

    files: list[EditedFile]
    total: int


class FileChange(NamedTuple):
    """A session that changed a file, and what it did: its edits, and how many count."""

    row: SessionRow
    edits: list[FileEdit]
    total: int


class FileHistory(NamedTuple):
    """Some of the sessions that changed a file, newest first, and how many did."""

    changes: list[FileChange]
    total: int


def find_files(journal: Journal, query: Query, text: str) -> FileList:
    """The files that sessions changed, those of the most sessions first."""
    if not journal.exists:
        return FileList([], 0)
    files = edited_files(journal.db, query, text)
    return FileList(files, count_edited_files(journal.db, query, text))


def history_of_file(journal: Journal, path: str, query: Query) -> FileHistory:
    """What was done to a file, session by session."""
    if not journal.exists:
        return FileHistory([], 0)
    found = sessions_of_file(journal.db, path, query)
    end = None
    if query.limit is not None:
        end = query.offset + query.limit
    wanted = found[query.offset : end]
    rows = session_rows(journal.db, [session.row_id for session in wanted])
    changes = [
        FileChange(
            rows[session.row_id],
            edits_of_file(journal.db, session.row_id, path),
            session.edits,
        )
        for session in wanted
        if session.row_id in rows
    ]
    return FileHistory(changes, len(found))
