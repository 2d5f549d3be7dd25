"""Which sessions continue others: forks carry no pointer back, but begin with the same message."""

from __future__ import annotations

import sqlite3

# Two agents may name messages `m1`; an id of this length is the same only if the message is, as in
# a chat and its export.
_UNIQUE_LENGTH = 20
_SAME_ID = f"(o.agent = s.agent OR length(m.uid) >= {_UNIQUE_LENGTH})"


def find_forks(db: sqlite3.Connection, touched: set[int], new_from: int) -> set[int]:
    """Set `fork_of` where it may have changed; the sessions that were looked at."""
    suspects = touched | _starting_in(db, new_from) | _forks_of(db, touched)
    for session_id in suspects:
        db.execute(
            "UPDATE sessions SET fork_of = coalesce(recorded_fork_of, ?) "
            "WHERE id = ? AND parent_uid IS NULL",
            (_origin(db, session_id), session_id),
        )
    return suspects


def _starting_in(db: sqlite3.Connection, new_from: int) -> set[int]:
    """The sessions that begin with a new message of another one."""
    query = (
        "SELECT s.id FROM messages m JOIN sessions s ON s.first_uid = m.uid "
        f"JOIN sessions o ON o.id = m.session_id AND {_SAME_ID} "
        "WHERE m.id >= ? AND s.id <> m.session_id"
    )
    return {session_id for (session_id,) in db.execute(query, (new_from,))}


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
