"""Usage that is only in a total: requests that an agent counts and records nowhere else.

Claude Code does not write down the requests that compact a conversation. What its total of a
session has beyond the responses of the session and its sub-agents is counted as one more row. If
any number is smaller than that of the responses, the total leaves something out itself and nothing
is added.
"""

from __future__ import annotations

import sqlite3
from typing import Any, NamedTuple

from agent_journal.model.origins import RECORDED_TOTAL, UNLISTED_USAGE
from agent_journal.store.catalog.items import Items

_TOKENS = (
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cache_write_1h_tokens",
    "output_tokens",
)
_COLUMNS = ", ".join(_TOKENS)
_SUMS = ", ".join(f"coalesce(sum({column}), 0)" for column in _TOKENS)
_FAMILY = (
    "WITH RECURSIVE family (id, uid, agent) AS ("
    "SELECT id, uid, agent FROM sessions WHERE id = ? UNION "
    "SELECT s.id, s.uid, s.agent FROM sessions s "
    "JOIN family f ON s.parent_uid = f.uid AND s.agent = f.agent) "
)
_Counts = tuple[int, ...]
_LATEST = 1 << 62
_NOTHING: _Counts = (0,) * len(_TOKENS)


class _Total(NamedTuple):
    """What an agent counted for a session and a model."""

    key: str
    file_id: int
    timestamp: int | None
    model: str
    counts: tuple[int | None, ...]


def count_unlisted(db: sqlite3.Connection, sessions: set[int]) -> set[int]:
    """Update what is only in the totals of these sessions' families; those that have totals."""
    mains = {_main(db, session_id) for session_id in sessions}
    with_totals = {main for main in mains if _totals(db, main)}
    for main in with_totals:
        _update(db, main)
    return with_totals


class DifferingTotal(NamedTuple):
    """Output tokens of a session and its sub-agents: as the agent and as the journal counts."""

    own_tokens: int
    counted_tokens: int


def differing_totals(db: sqlite3.Connection, agent: str) -> list[DifferingTotal]:
    """The sessions whose responses have more tokens than the agent counted."""
    query = (
        "SELECT DISTINCT u.session_id FROM usage u JOIN sessions s ON s.id = u.session_id "
        "WHERE s.agent = ? AND u.origin = ?"
    )
    found = []
    for (main,) in db.execute(query, (agent, RECORDED_TOTAL)).fetchall():
        inherited = _inherited(db, main)
        if inherited is None:
            continue
        totals = _totals(db, main)
        listed = _listed(db, main, totals, is_fork=inherited != {})
        own = sum(total.counts[-1] or 0 for total in totals)
        own -= sum(counts[-1] for counts in inherited.values())
        journal = sum(counts[-1] for counts in listed.values())
        if journal > own:
            found.append(DifferingTotal(own, journal))
    return found


def _main(db: sqlite3.Connection, session_id: int) -> int:
    """The outermost session that a sub-agent belongs to."""
    query = (
        "SELECT p.id FROM sessions s JOIN sessions p ON p.uid = s.parent_uid "
        "AND p.agent = s.agent WHERE s.id = ?"
    )
    seen: set[int] = set()
    while session_id not in seen:
        seen.add(session_id)
        row = db.execute(query, (session_id,)).fetchone()
        if row is not None:
            (session_id,) = row
    return session_id


def _totals(db: sqlite3.Connection, main: int) -> list[_Total]:
    query = (
        f"SELECT key, file_id, timestamp, coalesce(model, ''), {_COLUMNS} FROM usage "
        f"WHERE session_id = ? AND origin = '{RECORDED_TOTAL}' ORDER BY key"  # as its index says
    )
    rows = db.execute(query, (main,))
    return [
        _Total(key, file_id, timestamp, model, tuple(counts))
        for key, file_id, timestamp, model, *counts in rows
    ]


def _update(db: sqlite3.Connection, main: int) -> None:
    totals = _totals(db, main)
    inherited = _inherited(db, main)
    listed = _listed(db, main, totals, is_fork=inherited != {})
    for total in totals:
        rest: _Counts = _NOTHING
        if inherited is not None:
            before = inherited.get(total.model, _NOTHING)
            rest = _beyond(total.counts, listed.get(total.model, _NOTHING), before)
        _set_rest(db, main, total, rest)


def _listed(
    db: sqlite3.Connection, main: int, totals: list[_Total], is_fork: bool
) -> dict[str, _Counts]:
    """The responses of a session and its sub-agents when the totals were made, by model.

    Of a fork only those of its own.
    """
    until = max((total.timestamp or _LATEST for total in totals), default=_LATEST)
    query = (
        f"{_FAMILY} SELECT coalesce(model, ''), {_SUMS} FROM usage "
        "WHERE session_id IN (SELECT id FROM family) AND counted >= ? "
        "AND coalesce(timestamp, 0) <= ? AND origin NOT IN (?, ?) GROUP BY 1"
    )
    rows = db.execute(query, (main, is_fork, until, RECORDED_TOTAL, UNLISTED_USAGE))
    return {model: tuple(counts) for model, *counts in rows}


def _inherited(db: sqlite3.Connection, main: int) -> dict[str, _Counts] | None:
    """What a fork has from its origin; None if that is not known."""
    query = (
        "SELECT s.fork_of, o.id FROM sessions s "
        "LEFT JOIN sessions o ON o.uid = s.fork_of AND o.agent = s.agent WHERE s.id = ?"
    )
    fork_of, origin = db.execute(query, (main,)).fetchone()
    if fork_of is None:
        return {}
    totals = []
    if origin is not None:
        totals = _totals(db, origin)
    if not totals:
        return None
    return {total.model: tuple(count or 0 for count in total.counts) for total in totals}


def _beyond(total: tuple[int | None, ...], listed: _Counts, inherited: _Counts) -> _Counts:
    """What a total has beyond other counts; nothing if it has less of anything.

    A total need not say which part of the cache was written for an hour: then it adds none.
    """
    rest = []
    for name, count, known, before in zip(_TOKENS, total, listed, inherited, strict=True):
        if count is None and name == "cache_write_1h_tokens":
            rest.append(0)
        elif count is None or count < known + before:
            return _NOTHING
        else:
            rest.append(count - known - before)
    return tuple(rest)


def _set_rest(db: sqlite3.Connection, main: int, total: _Total, rest: _Counts) -> None:
    """Replace the row of what is only in a total; nothing has no row."""
    key = f"{UNLISTED_USAGE}:{total.key}"
    place = (key, main, total.file_id)
    where = "WHERE key = ? AND session_id = ? AND file_id = ?"
    old = db.execute(f"SELECT id, timestamp, {_COLUMNS} FROM usage {where}", place).fetchone()
    wanted: tuple[Any, ...] | None = None
    if any(rest):
        wanted = (total.timestamp, *rest)
    if wanted == (old and tuple(old[1:])):
        return
    items = Items(db)
    if old is not None:
        items.add_tombstones([old[0]])
        db.execute(f"DELETE FROM usage {where}", place)
    if wanted is not None:
        db.execute(
            f"INSERT INTO usage (id, session_id, key, model, timestamp, {_COLUMNS}, requests, "
            "origin, rank, is_sidechain, file_id) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, 0, 0, ?)",
            (items.next_id(), main, key, total.model, *wanted, UNLISTED_USAGE, total.file_id),
        )
    items.save()
