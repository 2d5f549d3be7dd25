"""Sessions that only an earlier version of a transcript with many sessions has."""

from __future__ import annotations

import os
from typing import NamedTuple

import msgspec

from agent_journal.model import Session
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import IS_TRANSCRIPT
from agent_journal.text.dates import to_micros

Start = tuple[str, int]  # the name of a session's folder, and when it began


class Stretch(NamedTuple):
    """Bytes of a version."""

    start: int
    end: int


class EarlierSession(NamedTuple):
    """A session of an earlier version of a file."""

    file_id: int
    version_id: int
    uid: str
    folder: str  # the name of the folder of the file
    started_at: int | None
    is_read: bool  # its rows are those of this version

    @property
    def start(self) -> Start | None:
        """What tells it from others, whatever its id is: a history that was cut has other ids."""
        if self.started_at is None:
            return None
        return self.folder, self.started_at


class Shown(NamedTuple):
    """The sessions that are read from newest versions."""

    uids: set[str]
    starts: set[Start]


def earlier_sessions(db: Connection, agent: str) -> list[EarlierSession]:
    """The sessions of all earlier versions: by path, and the newest version first."""
    rows = db.execute(
        "SELECT e.file_id, e.version_id, e.uid, f.path, e.started_at, e.is_read "
        "FROM earlier_sessions e JOIN files f ON f.id = e.file_id "
        "JOIN versions v ON v.id = e.version_id "
        "WHERE f.agent = ? AND e.uid <> '' ORDER BY f.path, v.number DESC, e.uid",
        (agent,),
    )
    return [
        EarlierSession(file_id, version_id, uid, _folder(os.path.dirname(path)), start, bool(read))
        for file_id, version_id, uid, path, start, read in rows
    ]


def shown_sessions(db: Connection, agent: str, earlier: list[EarlierSession]) -> Shown:
    """The sessions that the newest versions of an agent's own transcripts have."""
    are_earlier = {(session.file_id, session.uid) for session in earlier if session.is_read}
    rows = db.execute(
        "SELECT p.file_id, s.uid, p.body FROM session_pieces p JOIN files f ON f.id = p.file_id "
        "JOIN sessions s ON s.id = p.session_id "
        f"WHERE f.agent = ? AND f.{IS_TRANSCRIPT} AND f.role <> 'export' AND f.status = 'read' "
        "AND p.body IS NOT NULL",
        (agent,),
    )
    shown = Shown(set(), set())
    for file_id, uid, body in rows:
        if (file_id, uid) in are_earlier:
            continue
        session = msgspec.msgpack.decode(body, type=Session)
        shown.uids.add(session.id)
        started_at = to_micros(session.started_at)
        if started_at is not None:
            shown.starts.add((_folder(session.project_path or ""), started_at))
    return shown


def _folder(path: str) -> str:
    return os.path.basename(path.rstrip("/\\"))


def is_looked_at(db: Connection, version_id: int) -> bool:
    """Whether it is known which sessions a version has."""
    query = (
        "SELECT 1 FROM versions v JOIN earlier_sessions e ON e.file_id = v.file_id "
        "AND e.version_id = v.id AND e.uid = '' WHERE v.id = ?"
    )
    return db.execute(query, (version_id,)).fetchone() is not None


def save_sessions(
    db: Connection, file_id: int, version_id: int, found: list[tuple[Session, list[Stretch]]]
) -> None:
    """Record which sessions a version has, and where."""
    rows: list[tuple[str, int | None, str]] = [("", None, "")]
    for session, stretches in found:
        ranges = " ".join(f"{stretch.start}-{stretch.end}" for stretch in stretches)
        rows.append((session.id, to_micros(session.started_at), ranges))
    db.executemany(
        "INSERT OR REPLACE INTO earlier_sessions (file_id, version_id, uid, started_at, ranges) "
        "VALUES (?, ?, ?, ?, ?)",
        [(file_id, version_id, *row) for row in rows],
    )


def mark_read(db: Connection, file_id: int, version_id: int, uid: str) -> None:
    """Record that the rows of a session are those of this version."""
    place = (file_id, version_id, uid)
    update = "UPDATE earlier_sessions SET is_read = 1"
    db.execute(f"{update} WHERE file_id = ? AND version_id = ? AND uid = ?", place)


def mark_unread(db: Connection, file_id: int, uid: str) -> None:
    """Record that the rows of a session are not those of an earlier version."""
    update = "UPDATE earlier_sessions SET is_read = 0 WHERE file_id = ? AND uid = ?"
    db.execute(update, (file_id, uid))


def read_from_earlier(db: Connection, file_id: int) -> set[str]:
    """The sessions whose rows are of an earlier version of a file."""
    query = "SELECT uid FROM earlier_sessions WHERE file_id = ? AND is_read"
    return {uid for (uid,) in db.execute(query, (file_id,))}


class Place(NamedTuple):
    """Where the bytes of a session are, of which no newest version has any."""

    file_id: int
    version_id: int
    stretches: list[Stretch]


def place_of(db: Connection, agent: str, uid: str) -> Place | None:
    """Where a session is that was read from an earlier version; None for any other."""
    row = db.execute(
        "SELECT e.file_id, e.version_id, e.ranges FROM earlier_sessions e "
        "JOIN files f ON f.id = e.file_id WHERE e.uid = ? AND e.is_read AND f.agent = ?",
        (uid, agent),
    ).fetchone()
    if row is None:
        return None
    file_id, version_id, ranges = row
    stretches = [Stretch(*map(int, part.split("-"))) for part in ranges.split()]
    return Place(file_id, version_id, stretches)


def row_id_of(db: Connection, agent: str, uid: str) -> int | None:
    """The id of the row of a session."""
    query = "SELECT id FROM sessions WHERE agent = ? AND uid = ?"
    row = db.execute(query, (agent, uid)).fetchone()
    return row[0] if row else None
