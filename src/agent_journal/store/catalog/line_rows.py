"""The rows that the index of lines reads, and what its answers need to know of edits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agent_journal.store.catalog.bodies import Spot
from agent_journal.store.catalog.connection import Connection

_AFTER = "WHERE t.id > ? AND t.id <= ?"
_SPOT = "t.file_id, t.block, t.start, t.size"
# What writes lines: edits, commands of a shell, and events about commits
_SOURCES = {
    "edit": f"SELECT t.id, 'edit', {_SPOT} FROM file_edits t {_AFTER} AND t.kind <> 'backup'",
    "call": f"SELECT t.id, 'call', {_SPOT} FROM tool_calls t {_AFTER} AND t.kind = 'shell'",
    "event": f"SELECT t.id, 'event', {_SPOT} FROM events t {_AFTER} AND t.type = 'commit'",
}


class WritingRow(NamedTuple):
    """An edit, a call or an event: an item that may have written lines."""

    id: int
    source: str
    file_id: int
    block: int
    start: int
    size: int

    @property
    def spot(self) -> Spot:
        """Where its body is."""
        return Spot(self.block, self.start, self.size)


class Writing(NamedTuple):
    """The same with what decides whether it can have written a line; `path` only of edits."""

    id: int
    source: str
    session: int
    path: str | None
    time: int | None
    seq: int
    origin: str
    file_id: int
    block: int
    start: int
    size: int

    @property
    def spot(self) -> Spot:
        """Where its body is."""
        return Spot(self.block, self.start, self.size)


class WritingSession(NamedTuple):
    """The session of such an item, with the project of its folder."""

    row_id: int
    agent: str
    uid: str
    parent_uid: str | None
    parent_call_uid: str | None
    fork_of: str | None
    started_at: int | None
    project_path: str | None
    project: str | None
    title: str | None
    models: str | None


def writing_rows(db: Connection, after: int, upto: int) -> Iterator[WritingRow]:
    """The items in a range of ids that may have written lines, in the order of the ids."""
    query = " UNION ALL ".join(_SOURCES.values()) + " ORDER BY 1"
    return map(WritingRow._make, db.execute(query, (after, upto) * len(_SOURCES)))


_TIME_BEFORE = (
    "(SELECT m.timestamp FROM messages m WHERE m.session_id = t.session_id "
    "AND m.file_id = t.file_id AND m.seq <= t.seq AND m.timestamp IS NOT NULL "
    "ORDER BY m.seq DESC LIMIT 1)"
)
_EDITS = (
    "SELECT t.id, 'edit', t.session_id, t.path, "
    f"coalesce(t.timestamp, {_TIME_BEFORE}, s.started_at), t.seq, t.origin, {_SPOT} "
    "FROM file_edits t JOIN sessions s ON s.id = t.session_id "
)
_CALLS = (
    "SELECT t.id, 'call', t.session_id, NULL, "
    f"coalesce(t.started_at, {_TIME_BEFORE}, s.started_at), t.seq, '', {_SPOT} "
    "FROM tool_calls t JOIN sessions s ON s.id = t.session_id "
)
_EVENTS = (
    "SELECT t.id, 'event', t.session_id, NULL, "
    f"coalesce(t.timestamp, {_TIME_BEFORE}, s.started_at), t.seq, '', {_SPOT} "
    "FROM events t JOIN sessions s ON s.id = t.session_id "
)


def writings_by_id(db: Connection, ids: Iterable[int]) -> dict[int, Writing]:
    """The items with these ids that still exist."""
    wanted = json.dumps(sorted(set(ids)))
    found: dict[int, Writing] = {}
    for query in (_EDITS, _CALLS, _EVENTS):
        rows = db.execute(f"{query} WHERE t.id IN (SELECT value FROM json_each(?))", (wanted,))
        found.update((row[0], Writing._make(row)) for row in rows)
    return found


_HAS_NAME = "(t.path = ?1 OR substr(t.path, -length(?1) - 1) IN ('/' || ?1, '\\' || ?1))"


def edits_of_sessions(db: Connection, sessions: Iterable[int], name: str) -> list[Writing]:
    """The edits of some sessions in files with a name, backups excepted, in their order."""
    rows = db.execute(
        f"{_EDITS} WHERE t.session_id IN (SELECT value FROM json_each(?2)) AND {_HAS_NAME} "
        "AND t.kind <> 'backup' ORDER BY t.session_id, t.seq, t.id",
        (name, json.dumps(sorted(set(sessions)))),
    )
    return [Writing._make(row) for row in rows]


def sessions_with_file(db: Connection, name: str) -> list[int]:
    """The rows of the sessions that changed files with a name, in whatever folder."""
    rows = db.execute(f"SELECT DISTINCT t.session_id FROM edit_sums t WHERE {_HAS_NAME}", (name,))
    return [row_id for (row_id,) in rows]


_SESSIONS = (
    "SELECT s.id, s.agent, s.uid, s.parent_uid, s.parent_call_uid, s.fork_of, s.started_at, "
    "s.project_path, (SELECT p.project FROM projects p "
    "WHERE p.path = coalesce(s.project_path, s.repository)), coalesce(k.title, s.title), "
    "s.models FROM sessions s LEFT JOIN marks k ON k.agent = s.agent AND k.uid = s.uid "
)


def writing_sessions(db: Connection, ids: Iterable[int]) -> dict[int, WritingSession]:
    """Sessions by their rows."""
    wanted = json.dumps(sorted(set(ids)))
    rows = db.execute(f"{_SESSIONS} WHERE s.id IN (SELECT value FROM json_each(?))", (wanted,))
    return {row[0]: WritingSession._make(row) for row in rows}


def session_named(db: Connection, agent: str, uid: str) -> WritingSession | None:
    """A session by its agent and its id there."""
    row = db.execute(f"{_SESSIONS} WHERE s.agent = ? AND s.uid = ?", (agent, uid)).fetchone()
    if row is None:
        return None
    return WritingSession._make(row)


def sessions_with_id(db: Connection, uids: Iterable[str]) -> list[int]:
    """The rows of the sessions that have one of these ids."""
    rows = db.execute(
        "SELECT id FROM sessions WHERE is_known = 1 AND uid IN (SELECT value FROM json_each(?))",
        (json.dumps(list(uids)),),
    )
    return [row_id for (row_id,) in rows]


def sub_agents_of(db: Connection, agent: str, uid: str) -> list[int]:
    """The rows of the sessions that a session has started."""
    rows = db.execute("SELECT id FROM sessions WHERE parent_uid = ? AND agent = ?", (uid, agent))
    return [row_id for (row_id,) in rows]


def folders_of_sessions(db: Connection) -> list[tuple[str | None, str | None, int]]:
    """The folders that sessions were held in, their projects, and when the first one began."""
    rows = db.execute(
        "SELECT s.project_path, (SELECT p.project FROM projects p "
        "WHERE p.path = coalesce(s.project_path, s.repository)), min(s.started_at) "
        "FROM sessions s WHERE s.is_known = 1 AND s.started_at IS NOT NULL GROUP BY 1, 2"
    )
    return [(folder, project, start) for folder, project, start in rows]
