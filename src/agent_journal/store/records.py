"""The original records of a session, from the archive."""

from __future__ import annotations

from collections.abc import Iterator

from agent_journal.connectors.base import TRANSCRIPTS
from agent_journal.errors import UsageError
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import IS_TRANSCRIPT, FileRow, Files
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.content import KeptContent

_OF_SESSION = f"agent = ? AND session = ? AND {IS_TRANSCRIPT} AND status = 'read'"


def raw_records(db: Connection, archive: Archive, session: SessionRow) -> Iterator[bytes]:
    """The bytes of the session's own log; for a thread inside another's log, its records only."""
    files = Files(db)
    condition = (
        f"agent = ? AND {IS_TRANSCRIPT} AND status = 'read' "
        "AND id IN (SELECT file_id FROM session_pieces WHERE session_id = ?)"
    )
    for row in files.all(condition, session.agent, session.row_id):
        content = KeptContent(files, archive, row)
        if runs := _runs(db, row.id):
            yield from _spans(content, runs, session.row_id)
            continue
        if row.session == session.id:
            yield from content.chunks()
            continue
        yield from _records(content, _places(db, session.row_id, row.id))


def log_version(db: Connection, session: SessionRow, number: int) -> tuple[Files, FileRow]:
    """The row of a session's log, set to one of its versions."""
    files = Files(db)
    for row in files.all(_OF_SESSION, session.agent, session.id):
        versions = files.versions(row.id)
        for version in versions:
            if version.number == number:
                return files, row._replace(version_id=version.id, read_version=None)
        raise UsageError(
            f"there is no version {number} of this log", f"the newest is {versions[-1].number}"
        )
    raise UsageError("this session has no log of its own", "its records are in its parent's log")


def beside_log(files: Files, session: SessionRow, log: FileRow) -> list[FileRow]:
    """What else a session is read from: its other files, and the files those are read with; no
    other transcript.
    """
    query = "SELECT file_id FROM session_pieces WHERE session_id = ?"
    ids = {log.id, *(file_id for (file_id,) in files.db.execute(query, (session.row_id,)))}
    ids |= {found for file_id in list(ids) for found in files.read_with(file_id)}
    rows = [files.get(file_id) for file_id in sorted(ids - {log.id})]
    return [row for row in rows if row.role not in TRANSCRIPTS]


def count_versions(db: Connection, session: SessionRow) -> int:
    """How many versions of a session's log are kept."""
    files = Files(db)
    rows = files.all(_OF_SESSION, session.agent, session.id)
    return max((len(files.versions(row.id)) for row in rows), default=0)


def remarks(db: Connection, session: SessionRow) -> list[str]:
    """What a reader of the session should know about its file: gone, or damaged."""
    found = []
    for row in Files(db).all(_OF_SESSION, session.agent, session.id):
        if row.vanished_at is not None:
            found.append("its file is gone from the agent's folder; kept here")
        query = "SELECT count(*), min(reason) FROM problems WHERE file_id = ?"
        count, reason = db.execute(query, (row.id,)).fetchone()
        if count:
            found.append(
                f"read in spite of damage: {reason}"
                + (f" (and {count - 1} more)" if count > 1 else "")
            )
    return found


def document_text(db: Connection, archive: Archive, session: SessionRow, name: str) -> str | None:
    """A kept file of a session or its parent by name (spilled output, a backup), as text."""
    row = db.execute(
        "SELECT d.file_id FROM documents d JOIN sessions s ON s.id = d.session_id "
        "WHERE s.agent = ? AND s.uid IN (?, ?) AND d.name = ? LIMIT 1",
        (session.agent, session.id, session.parent_id, name),
    ).fetchone()
    if row is None:
        return None
    files = Files(db)
    return b"".join(KeptContent(files, archive, files.get(row[0])).chunks()).decode(
        "utf-8", "replace"
    )


def _runs(db: Connection, file_id: int) -> list[tuple[int, int]]:
    """Where sessions begin that stand one after the other in a log, as Aider's do."""
    from agent_journal.model import Event
    from agent_journal.store.catalog.bodies import BodyReader

    bodies = BodyReader(db)
    query = "SELECT session_id, block, start, size FROM events WHERE file_id = ? AND type = 'run' ORDER BY id"
    rows = db.execute(query, (file_id,)).fetchall()
    return [(bodies.read(spot, Event).offset or 0, session_id) for session_id, *spot in rows]


def _spans(content: KeptContent, runs: list[tuple[int, int]], session_id: int) -> Iterator[bytes]:
    """The bytes of one of these sessions; what comes before the first is one without a beginning."""
    starts = [(0, session_id), *runs] if session_id not in {owner for _, owner in runs} else runs
    ends = [*(start for start, _ in starts[1:]), content.size]
    for (start, owner), end in zip(starts, ends, strict=True):
        if owner != session_id:
            continue
        at = start
        for chunk in content.chunks(start):
            yield chunk[: end - at]
            at += len(chunk)
            if at >= end:
                break


def _places(db: Connection, session_id: int, file_id: int) -> list[tuple[int, int]]:
    from agent_journal.model import Event, Message, ToolCall
    from agent_journal.store.catalog.bodies import BodyReader

    bodies = BodyReader(db)
    places: set[tuple[int, int]] = set()
    structs: dict[str, type[Message] | type[ToolCall] | type[Event]] = {
        "messages": Message,
        "tool_calls": ToolCall,
        "events": Event,
    }
    for table, struct in structs.items():
        query = f"SELECT block, start, size FROM {table} WHERE session_id = ? AND file_id = ?"
        for spot in db.execute(query, (session_id, file_id)).fetchall():
            body = bodies.read(spot, struct)
            if body.offset is not None and body.length is not None:
                places.add((body.offset, body.length))
    return sorted(places)


def _records(content: KeptContent, places: list[tuple[int, int]]) -> Iterator[bytes]:
    """The records at these places, in one pass over the log."""
    if not places:
        return
    at = places[0][0]
    window = b""
    chunks = content.chunks(at)
    for offset, length in places:
        while at + len(window) < offset + length:
            chunk = next(chunks, b"")
            if not chunk:
                return
            drop = min(len(window), max(0, offset - at))
            window = window[drop:] + chunk
            at += drop
        yield window[offset - at : offset - at + length] + b"\n"
