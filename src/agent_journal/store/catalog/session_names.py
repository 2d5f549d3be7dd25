"""What sessions are called and where they are held: small look-ups for lists and searches."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.session_row import SESSIONS

_LAST = "\U0010ffff"
_LENGTHS = (8, 13, 18, 24)  # letters; the groups of a UUID end there


class SessionName(NamedTuple):
    """Enough of a session to name it in a list."""

    agent: str
    id: str
    title: str | None = None
    parent_id: str | None = None
    agent_name: str | None = None


class ActiveSession(NamedTuple):
    """A session that somebody is working in, and its folder."""

    agent: str
    id: str
    project_path: str


def session_names(db: Connection) -> dict[int, SessionName]:
    """Return the names of all sessions, by their row id."""
    rows = db.execute(
        "SELECT s.id, s.agent, s.uid, coalesce(k.title, s.title), s.parent_uid, s.agent_name "
        f"FROM {SESSIONS}"
    )
    return {row_id: SessionName(*columns) for row_id, *columns in rows}


def beginning_of_id(db: Connection, agent: str, uid: str) -> str:
    """The shortest beginning of an id that no other session of its agent has, in a few steps."""
    query = (
        "SELECT uid FROM sessions "
        "WHERE uid >= ?1 AND uid < ?1 || ?2 AND agent = ?3 AND is_known = 1 LIMIT 2"
    )
    for length in _LENGTHS:
        beginning = uid[:length]
        if len(db.execute(query, (beginning, _LAST, agent)).fetchall()) == 1:
            return beginning
    return uid


def active_sessions(db: Connection, since_micros: int) -> list[ActiveSession]:
    """Return the sessions, sub-agents aside, in which something was said since then."""
    rows = db.execute(
        "SELECT agent, uid, project_path FROM sessions "
        "WHERE is_known = 1 AND parent_uid IS NULL AND ended_at > ? AND project_path IS NOT NULL",
        (since_micros,),
    )
    return [ActiveSession(*row) for row in rows]
