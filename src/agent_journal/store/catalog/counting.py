"""Which rows of usage count, so that a sum over all of them is right.

Two rules. The same API response is written several times (forks and resumed copies carry it to
other sessions): it counts once, for the earliest session, and a sub-agent's copy gives way to the
main thread's. And some agents report the same calls in several places (`rank`): within a segment of
a session only the best place counts. What a converted session carries of the one it was made of
never counts: nobody used those tokens again.
"""

from __future__ import annotations

import sqlite3
from itertools import groupby
from typing import NamedTuple

from agent_journal.model.origins import ADDED_USAGE, CARRIED_USAGE, SEGMENT_END
from agent_journal.store.catalog.items import Items


class _Row(NamedTuple):
    id: int
    session_id: int
    key: str
    is_sidechain: int
    started_at: int
    ended_at: int
    uid: str


def count_usage(
    db: sqlite3.Connection, touched: set[int], new_from: int, freed_keys: set[str]
) -> set[int]:
    """Sets `counted` where it may have changed; the sessions whose totals changed with it."""
    changed: set[int] = set()
    for message_id in _contested(db, new_from, freed_keys):
        changed |= _count_response(db, message_id)
    for session_id in _ranked(db, touched):
        changed |= _count_segments(db, session_id)
    for session_id in touched | changed:
        rows = db.execute(
            "SELECT id FROM usage WHERE session_id = ? AND origin = ?", (session_id, CARRIED_USAGE)
        )
        _mark(db, [(False, row_id) for (row_id,) in rows.fetchall()])
    return changed


def _contested(db: sqlite3.Connection, new_from: int, freed_keys: set[str]) -> set[str]:
    """The message ids (the first part of a key) that several sessions or requests claim."""
    claimed = db.execute(
        "SELECT DISTINCT n.message_uid FROM usage n WHERE n.id >= ? AND n.rank = 0 AND n.message_uid IS NOT NULL "
        "AND EXISTS (SELECT 1 FROM usage o WHERE o.key >= n.message_uid || ':' AND o.key < n.message_uid || ';' "
        "AND o.id <> n.id)",
        (new_from,),
    )
    return {row[0] for row in claimed} | {key.partition(":")[0] for key in freed_keys}


def _count_response(db: sqlite3.Connection, message_id: str) -> set[int]:
    rows = [
        _Row(*row)
        for row in db.execute(
            "SELECT u.id, u.session_id, u.key, u.is_sidechain, coalesce(s.started_at, 1 << 62), "
            "coalesce(s.ended_at, 1 << 62), s.uid FROM usage u JOIN sessions s ON s.id = u.session_id "
            "WHERE u.key >= ? AND u.key < ? AND u.rank = 0",
            (f"{message_id}:", f"{message_id};"),
        )
    ]
    if not all(row.is_sidechain for row in rows):
        losers = {row.id for row in rows if row.is_sidechain}
    else:
        losers = set()
    rivals = sorted(
        (row for row in rows if row.id not in losers),
        key=lambda r: (r.key, r.started_at, r.ended_at, r.uid),
    )
    for _, same in groupby(rivals, key=lambda row: row.key):
        losers.update(row.id for row in list(same)[1:])
    _mark(db, [(row.id not in losers, row.id) for row in rows])
    return {row.session_id for row in rows}


def _ranked(db: sqlite3.Connection, touched: set[int]) -> set[int]:
    """The main sessions among (or above) the touched ones that have usage of several ranks."""
    mains = set()
    for session_id in touched:
        row = db.execute(
            "SELECT coalesce((SELECT id FROM sessions WHERE uid = s.parent_uid AND agent = s.agent), s.id) "
            "FROM sessions s WHERE s.id = ? AND EXISTS (SELECT 1 FROM usage WHERE session_id = s.id AND rank > 0)",
            (session_id,),
        ).fetchone()
        if row:
            mains.add(row[0])
    return mains


def _count_segments(db: sqlite3.Connection, main: int) -> set[int]:
    family = (
        "SELECT id FROM sessions WHERE id = ?1 "
        "OR (parent_uid, agent) = (SELECT uid, agent FROM sessions WHERE id = ?1)"
    )
    ends = [
        row[0]
        for row in db.execute(
            "SELECT timestamp FROM events WHERE session_id = ? AND type = ? ORDER BY seq",
            (main, SEGMENT_END),
        )
    ]
    rows = db.execute(
        f"SELECT id, rank, segment, timestamp, origin FROM usage WHERE session_id IN ({family}) AND rank > 0",
        (main,),
    ).fetchall()
    placed = [
        (row_id, rank, _segment(segment, time, ends), origin)
        for row_id, rank, segment, time, origin in rows
    ]
    best: dict[int, int] = {}
    for _, rank, segment, origin in placed:
        if origin != ADDED_USAGE:
            best[segment] = max(rank, best.get(segment, 0))
    counted = [
        (rank >= best.get(segment, 0) if origin == ADDED_USAGE else rank == best[segment], row_id)
        for row_id, rank, segment, origin in placed
    ]
    _mark(db, counted)
    return {row[0] for row in db.execute(family, (main,))}


def _mark(db: sqlite3.Connection, verdicts: list[tuple[bool, int]]) -> None:
    """Sets `counted`. A row that changes gets a new id, as everything that a mirror holds; so does
    its message, whose id is the next one.
    """
    items = Items(db)
    for is_counted, row_id in verdicts:
        if not db.execute(
            "SELECT 1 FROM usage WHERE id = ? AND counted <> ?", (row_id, is_counted)
        ).fetchone():
            continue
        message = db.execute(
            "SELECT m.id FROM usage u JOIN messages m ON m.id = u.id + 1 AND m.uid = u.message_uid "
            "AND m.session_id = u.session_id WHERE u.id = ?",
            (row_id,),
        ).fetchone()
        items.bury("SELECT ?", (row_id,))
        db.execute(
            "UPDATE usage SET counted = ?, id = ? WHERE id = ?", (is_counted, items.take(), row_id)
        )
        if message:
            items.bury("SELECT ?", message)
            db.execute("UPDATE messages SET id = ? WHERE id = ?", (items.take(), *message))
    items.save()


def _segment(segment: int | None, timestamp: int | None, ends: list[int | None]) -> int:
    """The segment of a call: as recorded, or by the time of the shutdowns that end segments."""
    if segment is not None:
        return segment
    if timestamp is None:
        return len(ends)
    return sum(1 for end in ends if end is not None and end < timestamp)
