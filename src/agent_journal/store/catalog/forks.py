"""Which sessions continue others: forks carry no pointer back, but begin with the same message."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

# Two agents may name messages `m1`; an id of this length is the same only if the message is, as in
# a chat and its export.
_UNIQUE_LENGTH = 20
_SAME_ID = f"(o.agent = s.agent OR length(m.uid) >= {_UNIQUE_LENGTH})"
_STARTING = (
    "SELECT s.id FROM messages m JOIN sessions s ON s.first_uid = m.uid "
    f"JOIN sessions o ON o.id = m.session_id AND {_SAME_ID}"
)


class Place(NamedTuple):
    """What decides, besides its messages, whether others continue a session."""

    started_at: int | None
    parent_uid: str | None
    first_uid: str | None


def places(db: sqlite3.Connection, sessions: set[int]) -> dict[int, Place]:
    """Return the places of sessions."""
    query = "SELECT started_at, parent_uid, first_uid FROM sessions WHERE id = ?"
    rows = {session_id: db.execute(query, (session_id,)).fetchone() for session_id in sessions}
    return {session_id: Place(*row) for session_id, row in rows.items()}


def find_forks(
    db: sqlite3.Connection, touched: set[int], moved: set[int], new_from: int
) -> set[int]:
    """Set `fork_of` where it may have changed; return the sessions that count otherwise now.

    `moved`: those of the touched sessions whose place is another one now, or that began when
    another one did. Sessions that begin with an older message of theirs may now continue them.
    """
    affected = touched | _starting_in(db, new_from) | _forks_of(db, touched)
    doubtful: set[int] = set()
    for session_id in moved:
        doubtful |= _starting_in_older(db, session_id, new_from)
    for session_id in affected | doubtful:
        has_changed = _set_origin(db, session_id)
        if has_changed:
            affected.add(session_id)
    return affected


def _set_origin(db: sqlite3.Connection, session_id: int) -> bool:
    """Set `fork_of` of a session; return whether it was another one before."""
    done = db.execute(
        "UPDATE sessions SET fork_of = coalesce(recorded_fork_of, ?1) WHERE id = ?2 "
        "AND parent_uid IS NULL AND fork_of IS NOT coalesce(recorded_fork_of, ?1)",
        (_origin(db, session_id), session_id),
    )
    return done.rowcount > 0


def _starting_in(db: sqlite3.Connection, new_from: int) -> set[int]:
    """The sessions that begin with a new message of another one."""
    query = f"{_STARTING} WHERE m.id >= ? AND s.id <> m.session_id"
    return {session_id for (session_id,) in db.execute(query, (new_from,))}


def _starting_in_older(db: sqlite3.Connection, session_id: int, new_from: int) -> set[int]:
    """The sessions that begin with a message that another one had before."""
    query = f"{_STARTING} WHERE m.session_id = ? AND m.id < ? AND s.id <> m.session_id"
    return {fork for (fork,) in db.execute(query, (session_id, new_from))}


def _forks_of(db: sqlite3.Connection, touched: set[int]) -> set[int]:
    query = "SELECT f.id FROM sessions s JOIN sessions f ON f.fork_of = s.uid WHERE s.id = ?"
    found: set[int] = set()
    for session_id in touched:
        found.update(fork for (fork,) in db.execute(query, (session_id,)))
    return found


def _origin(db: sqlite3.Connection, session_id: int) -> str | None:
    """The session that this one continues."""
    others = db.execute(
        "SELECT o.uid, EXISTS (SELECT 1 FROM messages b WHERE b.uid = o.first_uid "
        "AND b.session_id = s.id), "
        "(o.started_at, o.ended_at, o.uid) < (s.started_at, s.ended_at, s.uid) "
        "FROM sessions s JOIN messages m ON m.uid = s.first_uid "
        f"JOIN sessions o ON o.id = m.session_id AND {_SAME_ID} "
        "WHERE s.id = ? AND o.id <> s.id AND o.parent_uid IS NULL "
        "ORDER BY o.started_at, o.ended_at, o.uid LIMIT 50",
        (session_id,),
    )
    for uid, begins_here_too, is_earlier in others:
        if not begins_here_too or is_earlier:  # of two that begin alike, the earlier one
            return str(uid)
    return None
