"""Copies of a session that went on differently: what only the copy says is kept and not shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.connectors import get_connector
from agent_journal.errors import JournalDamaged
from agent_journal.query.tree import Query
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.listing import SessionRow, find_session_row, list_sessions
from agent_journal.store.catalog.loading import said_in
from agent_journal.store.content import KeptContent
from agent_journal.sync.copies import begins_with, holds_many_sessions
from agent_journal.sync.rederive import derived, without_connector

_MOST_COMPARED = 50  # copies of sessions in a sync; 'aj doctor' compares all of them


class OtherCopy(NamedTuple):
    """A session, the file it is read from, and one with messages that are not shown."""

    session: str
    title: str | None
    path: str
    other_path: str
    messages: int  # prompts and answers that only the other file has


def other_copies(files: Files, archive_path: str, rows: list[FileRow]) -> list[OtherCopy]:
    """Return what files that are not read, or not read whole, say of sessions that are."""
    archive = Archive(archive_path)
    try:
        return list(_other_copies(files, archive, rows))
    finally:
        archive.close()


def count_other_copies(files: Files, archive_path: str, compared: set[int]) -> int:
    """How many of these files say something that is not shown; a few of them are looked at."""
    rows = [files.get(file_id) for file_id in sorted(compared)[:_MOST_COMPARED]]
    return len({copy.other_path for copy in other_copies(files, archive_path, rows)})


def _other_copies(files: Files, archive: Archive, rows: list[FileRow]) -> Iterator[OtherCopy]:
    absent = without_connector(rows)
    for row in rows:
        if row.agent in absent or row.session is None:
            continue
        if row.status != "copy" and not holds_many_sessions(get_connector(row.agent)):
            continue  # it is the one that is shown
        try:
            yield from _differences(files, archive, row)
        except JournalDamaged:
            continue  # that is reported elsewhere


def _differences(files: Files, archive: Archive, row: FileRow) -> Iterator[OtherCopy]:
    if _is_beginning_of_another(files, archive, row):
        return
    with derived(files, archive, [row]) as scratch:
        for copied in list_sessions(scratch, Query(agent=row.agent)):
            session = find_session_row(files.db, row.agent, copied.id)
            if session is None:
                continue
            shown = _shown_file(files, session, row)
            missing = said_in(scratch, copied.row_id) - said_in(files.db, session.row_id)
            if shown is not None and missing:
                yield OtherCopy(session.id, session.title, shown.path, row.path, len(missing))


def _is_beginning_of_another(files: Files, archive: Archive, row: FileRow) -> bool:
    """Whether a file has only what the one that is read has, too: the usual case, found quickly."""
    assert row.session is not None
    content = KeptContent(files, archive, row)
    return any(
        begins_with(KeptContent(files, archive, other), content)
        for other in files.logs_of(row.agent, row.session)
        if other.id != row.id
    )


def _shown_file(files: Files, session: SessionRow, row: FileRow) -> FileRow | None:
    """The file that a session is read from, if that is another one."""
    shown = files.transcripts_with(session.row_id)
    if not shown or row.id in {file.id for file in shown}:
        return None
    return shown[0]
