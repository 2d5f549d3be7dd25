"""The sessions beside one: those before and after it in the list, its parent, and its forks."""

from __future__ import annotations

import sqlite3

from agent_journal.store.catalog.listing import HAS_CONTENT, IS_MAIN
from agent_journal.store.catalog.session_row import SESSION_COLUMNS, SESSIONS, SessionRow

_TIME = "coalesce(s.ended_at, s.started_at, 0)"
# The order of lists: people's sessions first, newest first
_PLACE = f"(s.is_automated, -{_TIME}, s.uid)"


def neighbours_of(
    db: sqlite3.Connection, row: SessionRow
) -> tuple[SessionRow | None, SessionRow | None]:
    """The sessions before and after one in the list; None where the list ends."""
    place = (row.is_automated, -(row.ended_at or row.started_at or 0), row.id)
    before = _first(db, f"{_PLACE} < (?, ?, ?)", place, is_backwards=True)
    after = _first(db, f"{_PLACE} > (?, ?, ?)", place, is_backwards=False)
    return before, after


def _first(
    db: sqlite3.Connection, condition: str, values: tuple[object, ...], *, is_backwards: bool
) -> SessionRow | None:
    way = "DESC" if is_backwards else "ASC"
    order = f"s.is_automated {way}, -{_TIME} {way}, s.uid {way}"
    row = db.execute(
        f"SELECT {SESSION_COLUMNS} FROM {SESSIONS} WHERE {IS_MAIN} AND {HAS_CONTENT} "
        f"AND {condition} ORDER BY {order} LIMIT 1",
        values,
    ).fetchone()
    return SessionRow(*row) if row else None


def forks_of(db: sqlite3.Connection, row: SessionRow) -> list[SessionRow]:
    """The sessions that continue one, oldest first."""
    rows = db.execute(
        f"SELECT {SESSION_COLUMNS} FROM {SESSIONS} WHERE s.agent = ? AND s.fork_of = ? "
        "AND s.is_known = 1 ORDER BY s.started_at, s.uid",
        (row.agent, row.id),
    )
    return [SessionRow(*found) for found in rows]
