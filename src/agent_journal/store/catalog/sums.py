"""Sums of each session's rows: `aj usage` and `aj stats` add these up and never read all rows."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from agent_journal.model.origins import COPIED_EDIT, MENTIONED_EDIT, RECORDED_EDIT
from agent_journal.store.catalog.sum_classes import INCOMPLETE, QUARTER, RECORDED, SIZES

_PROMPT = (
    "((coalesce(u.input_tokens, 0) + coalesce(u.cache_read_tokens, 0) "
    "+ coalesce(u.cache_write_tokens, 0)) / max(1, u.requests))"
)
_EXCEEDED = " + ".join(f"({_PROMPT} > {size})" for size in SIZES)
_SIZE_CLASS = (
    f"CASE WHEN u.cost_micro_usd IS NOT NULL THEN {RECORDED} "
    f"WHEN u.input_tokens IS NULL OR u.output_tokens IS NULL THEN {INCOMPLETE} "
    f"ELSE {_EXCEEDED} END"
)
_QUARTER_OF_ROW = f"coalesce(max(-1, coalesce(u.timestamp, s.started_at) / {QUARTER}), -1)"
# The session that a fork continues, when the journal has it
_ORIGIN = (
    "SELECT 1 FROM sessions o WHERE o.uid = s.fork_of AND o.agent = s.agent AND o.is_known = 1"
)


def _is_not_copied(table: str) -> str:
    """The condition on rows that a fork did not copy from the session it continues.

    Copies are counted there. They have the ids of the originals; Codex writes copies without ids,
    and perhaps shorter: then the id names the session and the place in it.
    """
    return (
        f"(s.fork_of IS NULL OR NOT EXISTS (SELECT 1 FROM sessions o JOIN {table} w "
        "ON w.session_id = o.id AND w.uid = u.uid "
        "WHERE o.uid = s.fork_of AND o.agent = s.agent) "
        "AND NOT (substr(u.uid, 1, length(s.fork_of) + 1) = s.fork_of || '@' "
        f"AND EXISTS ({_ORIGIN})))"
    )


class Sum(NamedTuple):
    """How the rows of a table of sums are made."""

    select: str
    group_by: str

    def query(self, condition: str) -> str:
        """The query for the sums of the sessions that meet a condition on `u` or `s`."""
        return f"{self.select} AND {condition} GROUP BY {self.group_by}"


SUMS = {
    "usage_sums": Sum(
        f"SELECT u.session_id, {_QUARTER_OF_ROW}, coalesce(u.model, ''), {_SIZE_CLASS}, "
        "sum(u.requests), sum(u.input_tokens), sum(u.cache_read_tokens), "
        "sum(u.cache_write_tokens), sum(u.cache_write_1h_tokens), sum(u.output_tokens), "
        "sum(u.reasoning_tokens), sum(u.cost_micro_usd), sum(u.premium_requests), "
        "sum(u.web_searches) "
        "FROM usage u JOIN sessions s ON s.id = u.session_id WHERE u.counted = 1",
        "1, 2, 3, 4",
    ),
    "message_sums": Sum(
        f"SELECT u.session_id, {_QUARTER_OF_ROW}, coalesce(u.model, ''), "
        "sum(u.kind = 'prompt'), sum(u.kind = 'answer') "
        "FROM messages u JOIN sessions s ON s.id = u.session_id "
        "WHERE u.kind IN ('prompt', 'answer') AND u.state IS NOT 'hidden' "
        f"AND {_is_not_copied('messages')}",
        "1, 2, 3",
    ),
    "tool_sums": Sum(
        "SELECT u.session_id, coalesce(u.name, ''), u.kind, count(*), "
        "coalesce(sum(u.status = 'ok'), 0), "
        "coalesce(sum(u.status IN ('error', 'failed')), 0), "
        "coalesce(sum(u.status IN ('denied', 'interrupted')), 0), "
        "count(u.duration_ms), coalesce(sum(u.duration_ms), 0), max(u.duration_ms) "
        "FROM tool_calls u JOIN sessions s ON s.id = u.session_id "
        f"WHERE {_is_not_copied('tool_calls')}",
        "1, 2, 3",
    ),
    "edit_sums": Sum(
        "SELECT u.session_id, u.path, count(*), sum(u.lines_added), sum(u.lines_removed) "
        "FROM file_edits u JOIN sessions s ON s.id = u.session_id "
        f"WHERE (u.origin <> '{COPIED_EDIT}' OR NOT EXISTS ({_ORIGIN})) AND u.kind <> 'backup' "
        f"AND (u.origin <> '{MENTIONED_EDIT}' OR NOT EXISTS (SELECT 1 FROM file_edits e "
        f"WHERE e.session_id = u.session_id AND e.origin = '{RECORDED_EDIT}'))",
        "1, 2",
    ),
}


def update_sums(db: sqlite3.Connection, sessions: set[int]) -> None:
    """Compute the sums of these sessions again."""
    ids = [(session_id,) for session_id in sessions]
    for table, rows in SUMS.items():
        db.executemany(f"DELETE FROM {table} WHERE session_id = ?", ids)
        db.executemany(f"INSERT INTO {table} {rows.query('u.session_id = ?')}", ids)
