"""The original records of a session, from the archive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.connectors.base import TRANSCRIPTS
from agent_journal.errors import UsageError
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.earlier_sessions import Stretch, place_of
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.ledger import problems_of
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.lost_bytes import lost_paths
from agent_journal.store.catalog.records import (
    RunStart,
    find_document,
    record_places,
    run_starts,
)
from agent_journal.store.content import KeptContent

if TYPE_CHECKING:
    from agent_journal.config.loading import Config


class RecordSource(NamedTuple):
    """A kept file with records of a session, and where they are in it."""

    content: KeptContent
    stretches: list[Stretch]
    is_shared: bool = False  # each stretch is one record, without the end of its line


def raw_records(db: Connection, archive: Archive, session: SessionRow) -> Iterator[bytes]:
    """The bytes of the session's own log; for a thread inside another's log, its records only."""
    for source in record_sources(db, archive, session):
        if source.is_shared:
            yield from _records(source.content, source.stretches)
        else:
            yield from _stretches(source.content, source.stretches)


def record_sources(db: Connection, archive: Archive, session: SessionRow) -> Iterator[RecordSource]:
    """Where the records of a session are, file by file."""
    files = Files(db)
    earlier = place_of(db, session.agent, session.id)
    if earlier is not None:
        row = files.get(earlier.file_id)
        content = KeptContent(files, archive, row, files.version(earlier.version_id))
        yield RecordSource(content, earlier.stretches)
        return
    for row in files.transcripts_with(session.row_id):
        content = KeptContent(files, archive, row)
        starts = run_starts(db, row.id)
        if starts:
            yield RecordSource(content, _runs(content, starts, session.row_id))
        elif row.session == session.id:
            yield RecordSource(content, [Stretch(0, content.size)])
        else:
            places = record_places(db, session.row_id, row.id)
            own = [Stretch(place.offset, place.offset + place.length) for place in places]
            yield RecordSource(content, own, is_shared=True)


def log_version(db: Connection, session: SessionRow, number: int) -> tuple[Files, FileRow]:
    """The row of a session's log, set to one of its versions."""
    files = Files(db)
    earlier = place_of(db, session.agent, session.id)
    if earlier is not None:
        shown = files.version(earlier.version_id)
        assert shown is not None
        what = f"only version {shown.number} of its file has this session"
        raise UsageError(what, "'aj show' without --version shows it")
    for row in files.logs_of(session.agent, session.id):
        versions = files.versions(row.id)
        for version in versions:
            if version.number == number:
                return files, row._replace(version_id=version.id, read_version=None)
        raise UsageError(
            f"there is no version {number} of this log", f"the newest is {versions[-1].number}"
        )
    raise UsageError("this session has no log of its own", "its records are in its parent's log")


def beside_log(files: Files, session: SessionRow, log: FileRow) -> list[FileRow]:
    """What else a session is read from: its other files, and the files those are read with.

    Other transcripts are left out.
    """
    ids = {log.id, *files.ids_of(session.row_id)}
    for file_id in list(ids):
        ids.update(files.read_with(file_id))
    rows = [files.get(file_id) for file_id in sorted(ids - {log.id})]
    return [row for row in rows if row.role not in TRANSCRIPTS]


def count_versions(db: Connection, session: SessionRow) -> int:
    """How many versions of a session's log are kept."""
    files = Files(db)
    rows = files.logs_of(session.agent, session.id)
    return max((len(files.versions(row.id)) for row in rows), default=0)


def remarks(db: Connection, session: SessionRow, config: Config) -> list[str]:
    """What a reader of the session should know about its file: gone, or damaged."""
    if place_of(db, session.agent, session.id) is not None:
        return ["its file no longer has it; kept here, in an earlier version of the file"]
    lost = lost_paths(db, config)
    found = []
    for row in Files(db).logs_of(session.agent, session.id):
        if row.vanished_at is not None:
            found.append(_where_gone(row.path in lost))
        count, reason = problems_of(db, row.id)
        if count:
            remark = f"read in spite of damage: {reason}"
            if count > 1:
                remark += f" (and {count - 1} more)"
            found.append(remark)
    return found


def _where_gone(is_lost: bool) -> str:
    gone = "its file is gone from the agent's folder"
    if is_lost:
        return f"{gone}, and the archive has lost bytes of it; what was read from it is shown"
    return f"{gone}; kept here"


def document(
    db: Connection, archive: Archive, session: SessionRow, name: str
) -> Iterator[bytes] | None:
    """The bytes of a kept file of a session or its parent (spilled output, a backup), by name."""
    file_id = find_document(db, session.row_id, name)
    if file_id is None:
        return None
    files = Files(db)
    return KeptContent(files, archive, files.get(file_id)).chunks()


def _runs(content: KeptContent, starts: list[RunStart], session_id: int) -> list[Stretch]:
    """Where one of several sessions of a log is; the first may have no recorded start."""
    if all(start.session_id != session_id for start in starts):
        starts = [RunStart(0, session_id), *starts]
    ends = [*(start.offset for start in starts[1:]), content.size]
    return [
        Stretch(start.offset, end)
        for start, end in zip(starts, ends, strict=True)
        if start.session_id == session_id
    ]


def _stretches(content: KeptContent, stretches: list[Stretch]) -> Iterator[bytes]:
    for at, end in stretches:
        for chunk in content.chunks(at):
            yield chunk[: end - at]
            at += len(chunk)
            if at >= end:
                break


def _records(content: KeptContent, places: list[Stretch]) -> Iterator[bytes]:
    """The records at these places, in one pass over the log."""
    if not places:
        return
    at = places[0].start
    window = b""
    chunks = content.chunks(at)
    for start, end in places:
        while at + len(window) < end:
            chunk = next(chunks, b"")
            if not chunk:
                return
            drop = min(len(window), max(0, start - at))
            window = window[drop:] + chunk
            at += drop
        yield window[start - at : end - at] + b"\n"
