"""Sums and counts of sessions, changed by what a transaction added and what it removed.

Rows that a transaction writes have ids from `new_from` on; those that it removed are noted in
gone_rows.py. The result is what all rows add up to, which `aj verify` checks. Where the difference
does not tell it, the rows of the session are added up again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any

from agent_journal.model.origins import MENTIONED_EDIT, RECORDED_EDIT
from agent_journal.store.catalog.sums import SUMS, Sum, recount_sums

_IS_ASKED_FOR = "+u.session_id IN (SELECT value FROM json_each(?))"  # not by an index: by id
_IS_COUNTED_EDIT = (
    f"u.kind <> 'backup' AND (u.origin <> '{MENTIONED_EDIT}' OR NOT EXISTS (SELECT 1 "
    f"FROM file_edits e WHERE e.session_id = u.session_id AND e.origin = '{RECORDED_EDIT}'))"
)
# Columns of sessions, what they count, and which rows of a table
_COUNTS: tuple[tuple[str, dict[str, str], str], ...] = (
    (
        "messages",
        {
            "message_count": "coalesce(sum(u.kind IN ('prompt', 'answer')), 0)",
            "prompt_count": "coalesce(sum(u.kind = 'prompt'), 0)",
        },
        "u.state IS NOT 'hidden'",
    ),
    ("tool_calls", {"tool_count": "count(*)"}, "1"),
    ("file_edits", {"edit_count": "count(*)"}, _IS_COUNTED_EDIT),
)
_Rule = Callable[[Any, Any, Any], Any]


class _CannotTell(Exception):
    """The difference is not enough to know a sum."""


def update_sums(
    db: sqlite3.Connection, sessions: set[int], recounted: set[int], new_from: int
) -> None:
    """Bring the sums of sessions up to date; those of `recounted` from all of their rows."""
    for table in SUMS:
        doubtful = _change_sums(db, table, sessions - recounted, new_from)
        recount_sums(db, table, recounted | doubtful)


def update_counts(
    db: sqlite3.Connection, sessions: set[int], recounted: set[int], new_from: int
) -> None:
    """Likewise how many messages, calls and edits sessions have."""
    for table, columns, condition in _COUNTS:
        doubtful = recounted
        if table == "file_edits":
            doubtful = recounted | _newly_recorded(db, new_from) & sessions
        _change_counts(db, table, columns, condition, sessions - doubtful, new_from)
        values = ", ".join(columns.values())
        db.executemany(
            f"UPDATE sessions SET ({', '.join(columns)}) = (SELECT {values} FROM {table} u "
            f"WHERE u.session_id = ?1 AND {condition}) WHERE id = ?1",
            [(session_id,) for session_id in doubtful],
        )


def _change_counts(
    db: sqlite3.Connection,
    table: str,
    columns: dict[str, str],
    condition: str,
    sessions: set[int],
    new_from: int,
) -> None:
    asked = json.dumps(sorted(sessions))
    where = f"{_IS_ASKED_FOR} AND {condition} GROUP BY +u.session_id"
    values = ", ".join(columns.values())
    for sign, source, is_meant in (("+", table, "u.id >= ?"), ("-", f"gone_{table}", "u.id < ?")):
        query = f"SELECT {values}, u.session_id FROM {source} u WHERE {is_meant} AND {where}"
        rows = db.execute(query, (new_from, asked)).fetchall()
        changes = ", ".join(f"{column} = {column} {sign} ?" for column in columns)
        db.executemany(f"UPDATE sessions SET {changes} WHERE id = ?", rows)


def _change_sums(db: sqlite3.Connection, table: str, sessions: set[int], new_from: int) -> set[int]:
    """Change the sums in a table; return the sessions whose rows have to be added up."""
    how = SUMS[table]
    asked = json.dumps(sorted(sessions))
    added = _sums_of(db, how, how.query(f"u.id >= ? AND {_IS_ASKED_FOR}"), (new_from, asked))
    is_gone = how.query(f"u.id < ? AND {_IS_ASKED_FOR}", f"gone_{how.table}")
    gone = _sums_of(db, how, is_gone, (new_from, asked))
    doubtful: set[int] = set()
    if table == "edit_sums":
        doubtful = _newly_recorded(db, new_from) & sessions
    kept = _Kept(db, table, how)
    for key in added.keys() | gone.keys():
        try:
            kept.change(key, added.get(key), gone.get(key))
        except _CannotTell:
            doubtful.add(key[0])
    return doubtful


def _sums_of(
    db: sqlite3.Connection, how: Sum, query: str, values: tuple[Any, ...]
) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """The sums of some rows by their keys, of which the first is the session."""
    size = 1 + len(how.keys)
    return {tuple(row[:size]): tuple(row[size:]) for row in db.execute(query, values)}


def _newly_recorded(db: sqlite3.Connection, new_from: int) -> set[int]:
    """The sessions with other recorded edits than before: they decide which others count."""
    rows = db.execute(
        "SELECT session_id FROM file_edits WHERE id >= ?1 AND origin = ?2 UNION "
        "SELECT session_id FROM gone_file_edits WHERE id < ?1 AND origin = ?2",
        (new_from, RECORDED_EDIT),
    )
    return {session_id for (session_id,) in rows}


class _Kept:
    """The sums that a table holds."""

    def __init__(self, db: sqlite3.Connection, table: str, how: Sum) -> None:
        self._db = db
        self._table = table
        self._rules = _RULES[table]
        columns = [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]
        keys = columns[: 1 + len(how.keys)]
        self._columns = ", ".join(columns[len(keys) :])
        self._where = " AND ".join(f"{column} = ?" for column in keys)
        self._insert = f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(columns))})"

    def change(
        self,
        key: tuple[Any, ...],
        added: tuple[Any, ...] | None,
        gone: tuple[Any, ...] | None,
    ) -> None:
        """Add and subtract; _CannotTell when that is not enough."""
        nothing = (None,) * len(self._rules)
        query = f"SELECT {self._columns} FROM {self._table} WHERE {self._where}"
        before = self._db.execute(query, key).fetchone() or nothing
        changes = list(zip(self._rules, before, added or nothing, gone or nothing, strict=True))
        counts = [rule(*values) for rule, *values in changes if rule is _number]
        if any(counts):
            values = [rule(*values) for rule, *values in changes]
            self._db.execute(self._insert, (*key, *values))
        else:
            self._db.execute(f"DELETE FROM {self._table} WHERE {self._where}", key)


def _number(before: int | None, added: int | None, gone: int | None) -> int:
    number = (before or 0) + (added or 0) - (gone or 0)
    if number < 0:
        raise _CannotTell
    return number


def _sum(before: int | None, added: int | None, gone: int | None) -> int | None:
    """A sum of what is known; None where nothing is."""
    if before is None and added is None and gone is None:
        return None
    total = _number(before, added, gone)
    if gone is not None and added is None and total == 0:
        raise _CannotTell  # is anything of what is left known?
    return total


def _inexact(before: float | None, added: float | None, gone: float | None) -> float | None:
    """A sum of fractions, which depends on the order in which they are added."""
    if added is not None or gone is not None:
        raise _CannotTell
    return before


def _largest(before: int | None, added: int | None, gone: int | None) -> int | None:
    left = [value for value in (before, added) if value is not None]
    largest = max(left, default=None)
    is_left = gone is None or largest is None or largest != before or gone < largest
    if added is not None and added == largest:
        is_left = True
    if not is_left:
        raise _CannotTell
    return largest


_RULES: dict[str, tuple[_Rule, ...]] = {
    "usage_sums": (_number, *(_sum,) * 7, _inexact, _sum),
    "message_sums": (_number, _number),
    "tool_sums": (*(_number,) * 6, _largest),
    "edit_sums": (_number, _sum, _sum),
}
