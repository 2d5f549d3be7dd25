"""Decides which rows of usage are counted, so that totals count each token once.

- The same API response may be recorded several times: forks and resumed sessions copy it. It is
  counted once, for the earliest session, and for the main thread rather than for a sub-agent.
- Some agents report the same calls in several places (`rank`). Within a segment of a session, only
  the best place is counted.
- Usage that a converted session has from its original is never counted, and neither is what an
  agent counted for a whole session (totals.py).
"""

from __future__ import annotations

import sqlite3
from itertools import groupby
from typing import NamedTuple

from agent_journal.model.origins import ADDED_USAGE, CARRIED_USAGE, RECORDED_TOTAL, SEGMENT_END
from agent_journal.store.catalog.items import Items

# The tokens `u` that a message `m` was written with: PieceWriter gives the two consecutive ids, so
# that each is found from the other without an index.
USAGE_OF_MESSAGE = "u.id = m.id - 1 AND u.message_uid = m.uid AND u.session_id = m.session_id"


class _Claim(NamedTuple):
    """A row of usage for a response, with the fields that decide between several such rows."""

    id: int
    session_id: int
    key: str
    is_sidechain: int
    started_at: int
    ended_at: int
    session_uid: str
    tokens: int
    path: str


class _RankedUsage(NamedTuple):
    """A row of usage of an agent that reports the same calls in several places."""

    id: int
    rank: int
    segment: int | None
    timestamp: int | None
    origin: str


def began_together(db: sqlite3.Connection, touched: set[int]) -> set[int]:
    """Return those of the touched sessions that began when another one did.

    Of these, the one that ended first comes first: that may be another one now.
    """
    times: dict[int | None, list[int]] = {}
    for session_id, started_at in db.execute("SELECT id, started_at FROM sessions"):
        times.setdefault(started_at, []).append(session_id)
    together = {session_id for ids in times.values() if len(ids) > 1 for session_id in ids}
    return together & touched


def count_usage(
    db: sqlite3.Connection,
    touched: set[int],
    moved: set[int],
    new_from: int,
    freed_keys: set[str],
) -> set[int]:
    """Set `counted` where it may have changed; return the sessions whose totals changed.

    `moved`: those of the touched sessions that are new, began at another time than before, or
    began when another one did.
    """
    changed: set[int] = set()
    for message_uid in _contested(db, new_from, freed_keys) | _shared(db, moved, new_from):
        changed |= _count_claims(
            db, "u.key >= ? AND u.key < ?", f"{message_uid}:", f"{message_uid};"
        )
    for key in _repeated(db, moved, new_from):
        changed |= _count_claims(db, "u.key = ?", key)
    for session_id in _ranked(db, touched):
        changed |= _count_segments(db, session_id)
    for session_id in touched | changed:
        query = "SELECT id FROM usage WHERE session_id = ? AND id >= ? AND origin IN (?, ?)"
        place = (session_id, new_from, CARRIED_USAGE, RECORDED_TOTAL)
        rows = db.execute(query, place).fetchall()
        _set_counted(db, {row_id: False for (row_id,) in rows})
    return changed


def _contested(db: sqlite3.Connection, new_from: int, freed_keys: set[str]) -> set[str]:
    """Return the message ids (first part of a key) that several sessions or requests have."""
    claimed = db.execute(
        "SELECT DISTINCT n.message_uid FROM usage n "
        "WHERE n.id >= ? AND n.rank = 0 AND n.message_uid IS NOT NULL "
        "AND EXISTS (SELECT 1 FROM usage o WHERE o.key >= n.message_uid || ':' "
        "AND o.key < n.message_uid || ';' AND o.id <> n.id)",
        (new_from,),
    )
    freed = {key.partition(":")[0] for key in freed_keys}
    return freed | {message_uid for (message_uid,) in claimed}


def _shared(db: sqlite3.Connection, touched: set[int], new_from: int) -> set[str]:
    """Return the older message ids of sessions that others have, too."""
    query = (
        "SELECT DISTINCT n.message_uid FROM usage n "
        "WHERE n.session_id = ? AND n.id < ? AND n.rank = 0 AND n.message_uid IS NOT NULL "
        "AND EXISTS (SELECT 1 FROM usage o WHERE o.key >= n.message_uid || ':' "
        "AND o.key < n.message_uid || ';' AND o.session_id <> n.session_id)"
    )
    found: set[str] = set()
    for session_id in touched:
        rows = db.execute(query, (session_id, new_from))
        found.update(message_uid for (message_uid,) in rows)
    return found


def _repeated(db: sqlite3.Connection, touched: set[int], new_from: int) -> set[str]:
    """Return the keys that begin with no message id and that several rows have.

    OpenCode gives the messages of a fork new ids: what is the same is in the key. Requests that
    only statistics tell (of sub-agents of Qwen Code) belong to no message.
    """
    # Without DISTINCT, for which SQLite would look through all of the table in the order of keys
    query = (
        "SELECT n.key FROM usage n WHERE {} AND n.rank = 0 "
        "AND (n.message_uid IS NULL "
        "OR substr(n.key, 1, length(n.message_uid) + 1) <> n.message_uid || ':') "
        "AND EXISTS (SELECT 1 FROM usage o WHERE o.key = n.key AND o.id <> n.id)"
    )
    found = {key for (key,) in db.execute(query.format("n.id >= ?"), (new_from,))}
    for session_id in touched:
        rows = db.execute(query.format("n.session_id = ?"), (session_id,))
        found.update(key for (key,) in rows)
    return found


def _count_claims(db: sqlite3.Connection, condition: str, *keys: str) -> set[int]:
    """Count each of the keys once; return the sessions that have them."""
    rows = db.execute(
        "SELECT u.id, u.session_id, u.key, u.is_sidechain, coalesce(s.started_at, 1 << 62), "
        "coalesce(s.ended_at, 1 << 62), s.uid, "
        "coalesce(u.input_tokens, 0) + coalesce(u.output_tokens, 0), coalesce(f.path, '') "
        "FROM usage u JOIN sessions s ON s.id = u.session_id LEFT JOIN files f ON f.id = u.file_id "
        f"WHERE {condition} AND u.rank = 0",
        keys,
    )
    claims = [_Claim(*row) for row in rows]
    winners = _winners(claims)
    _set_counted(db, {claim.id: claim.id in winners for claim in claims})
    return {claim.session_id for claim in claims}


def _winners(claims: list[_Claim]) -> set[int]:
    """Return the earliest row of a main thread for each key, or else that of a sub-agent.

    Of copies of one file, the one that goes further.
    """
    candidates = sorted(
        [claim for claim in claims if not claim.is_sidechain] or claims,
        key=lambda c: (c.key, c.started_at, c.ended_at, c.session_uid, -c.tokens, c.path),
    )
    return {next(same).id for _, same in groupby(candidates, key=lambda claim: claim.key)}


def _ranked(db: sqlite3.Connection, touched: set[int]) -> set[int]:
    """Return the main sessions of the touched ones that have usage of several ranks."""
    mains = set()
    for session_id in touched:
        row = db.execute(
            "SELECT coalesce((SELECT id FROM sessions WHERE uid = s.parent_uid "
            "AND agent = s.agent), s.id) FROM sessions s WHERE s.id = ? "
            "AND EXISTS (SELECT 1 FROM usage WHERE session_id = s.id AND rank > 0)",
            (session_id,),
        ).fetchone()
        if row:
            mains.add(row[0])
    return mains


def _count_segments(db: sqlite3.Connection, main: int) -> set[int]:
    """Count the best place of each segment of a session and its sub-agents."""
    ends = _segment_ends(db, main)
    family = _family(db, main)
    marks = ", ".join("?" * len(family))
    query = (
        "SELECT id, rank, segment, timestamp, origin FROM usage "
        f"WHERE session_id IN ({marks}) AND rank > 0"
    )
    rows = [_RankedUsage(*row) for row in db.execute(query, family)]
    rows = [row._replace(segment=_segment(row, ends)) for row in rows]
    best: dict[int | None, int] = {}
    for row in rows:
        if row.origin != ADDED_USAGE:
            best[row.segment] = max(row.rank, best.get(row.segment, 0))
    counted = {}
    for row in rows:
        if row.origin == ADDED_USAGE:
            counted[row.id] = row.rank >= best.get(row.segment, 0)
        else:
            counted[row.id] = row.rank == best[row.segment]
    _set_counted(db, counted)
    return set(family)


def _family(db: sqlite3.Connection, main: int) -> list[int]:
    rows = db.execute(
        "SELECT id FROM sessions WHERE id = ?1 "
        "OR (parent_uid, agent) = (SELECT uid, agent FROM sessions WHERE id = ?1)",
        (main,),
    )
    return [session_id for (session_id,) in rows]


def _segment_ends(db: sqlite3.Connection, main: int) -> list[int | None]:
    rows = db.execute(
        "SELECT timestamp FROM events WHERE session_id = ? AND type = ? ORDER BY seq",
        (main, SEGMENT_END),
    )
    return [timestamp for (timestamp,) in rows]


def _segment(row: _RankedUsage, ends: list[int | None]) -> int:
    """Return the segment of a call: as recorded, or by the times of the shutdowns."""
    if row.segment is not None:
        return row.segment
    if row.timestamp is None:
        return len(ends)
    return sum(1 for end in ends if end is not None and end < row.timestamp)


def _set_counted(db: sqlite3.Connection, counted: dict[int, bool]) -> None:
    """Set `counted` of rows of usage.

    A row that changes gets a new id, like everything that a mirror holds, and so does the message
    it was written with: first the usage, then the message, so that their ids stay consecutive.
    """
    items = Items(db)
    for row_id, is_counted in counted.items():
        query = "SELECT 1 FROM usage WHERE id = ? AND counted <> ?"
        if db.execute(query, (row_id, is_counted)).fetchone() is None:
            continue
        message = db.execute(
            f"SELECT m.id FROM usage u JOIN messages m ON {USAGE_OF_MESSAGE} WHERE u.id = ?",
            (row_id,),
        ).fetchone()
        items.add_tombstones([row_id])
        update = "UPDATE usage SET counted = ?, id = ? WHERE id = ?"
        db.execute(update, (is_counted, items.next_id(), row_id))
        if message is not None:
            (message_id,) = message
            items.add_tombstones([message_id])
            db.execute("UPDATE messages SET id = ? WHERE id = ?", (items.next_id(), message_id))
    items.save()
