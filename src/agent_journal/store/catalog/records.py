"""Where the records of a session are in its log."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.model import Event, Message, ToolCall
from agent_journal.store.catalog.bodies import BodyReader, Spot
from agent_journal.store.catalog.connection import Connection

_STRUCTS: dict[str, type[Message] | type[ToolCall] | type[Event]] = {
    "messages": Message,
    "tool_calls": ToolCall,
    "events": Event,
}


class RunStart(NamedTuple):
    """Where a session begins in a log that holds several, one after the other."""

    offset: int
    session_id: int


class RecordPlace(NamedTuple):
    """Where a record is in a log."""

    offset: int
    length: int


def run_starts(db: Connection, file_id: int) -> list[RunStart]:
    """Where sessions begin in a log; none when it holds one session."""
    bodies = BodyReader(db)
    query = (
        "SELECT session_id, block, start, size FROM events "
        "WHERE file_id = ?1 AND type = 'run' AND session_id NOT IN ("
        "SELECT s.id FROM earlier_sessions e JOIN files f ON f.id = e.file_id "
        "JOIN sessions s ON s.uid = e.uid AND s.agent = f.agent "
        "WHERE e.file_id = ?1 AND e.is_read) ORDER BY id"
    )
    starts = []
    for session_id, block, start, size in db.execute(query, (file_id,)).fetchall():
        event = bodies.read(Spot(block, start, size), Event)
        starts.append(RunStart(event.offset or 0, session_id))
    return starts


def record_places(db: Connection, session_id: int, file_id: int) -> list[RecordPlace]:
    """Where the records of a session are in a log that it shares, in order."""
    bodies = BodyReader(db)
    places: set[RecordPlace] = set()
    for table, struct in _STRUCTS.items():
        query = f"SELECT block, start, size FROM {table} WHERE session_id = ? AND file_id = ?"
        for block, start, size in db.execute(query, (session_id, file_id)).fetchall():
            body = bodies.read(Spot(block, start, size), struct)
            if body.offset is not None and body.length is not None:
                places.add(RecordPlace(body.offset, body.length))
    return sorted(places)


def find_document(db: Connection, session_id: int, name: str) -> int | None:
    """The file of a session or its parent that has a name."""
    row = db.execute(
        "SELECT d.file_id FROM documents d JOIN sessions s ON s.id = d.session_id "
        "JOIN sessions c ON c.agent = s.agent AND s.uid IN (c.uid, c.parent_uid) "
        "WHERE c.id = ? AND d.name = ? LIMIT 1",
        (session_id, name),
    ).fetchone()
    return row[0] if row else None
