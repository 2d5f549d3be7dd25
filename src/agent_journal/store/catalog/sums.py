"""Sums of each session's rows: `aj usage` and `aj stats` add these up and never read all rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
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

    table: str  # whose rows, `u`, are summed up
    keys: tuple[str, ...]  # by what, after the session
    values: tuple[str, ...]
    condition: str

    def query(self, condition: str, table: str | None = None) -> str:
        """The query for the sums of the rows that meet a condition on `u` or `s`.

        With `table`, of rows of the same kind that are in there.
        """
        columns = ", ".join(("u.session_id", *self.keys, *self.values))
        places = ", ".join(str(place + 1) for place in range(1 + len(self.keys)))
        return (
            f"SELECT {columns} FROM {table or self.table} u "
            "JOIN sessions s ON s.id = u.session_id "
            f"WHERE {self.condition} AND {condition} GROUP BY {places}"
        )


SUMS = {
    "usage_sums": Sum(
        "usage",
        (_QUARTER_OF_ROW, "coalesce(u.model, '')", _SIZE_CLASS),
        (
            "sum(u.requests)",
            "sum(u.input_tokens)",
            "sum(u.cache_read_tokens)",
            "sum(u.cache_write_tokens)",
            "sum(u.cache_write_1h_tokens)",
            "sum(u.output_tokens)",
            "sum(u.reasoning_tokens)",
            "sum(u.cost_micro_usd)",
            "sum(u.premium_requests)",
            "sum(u.web_searches)",
        ),
        "u.counted = 1",
    ),
    "message_sums": Sum(
        "messages",
        (_QUARTER_OF_ROW, "coalesce(u.model, '')"),
        ("sum(u.kind = 'prompt')", "sum(u.kind = 'answer')"),
        "u.kind IN ('prompt', 'answer') AND u.state IS NOT 'hidden' "
        f"AND {_is_not_copied('messages')}",
    ),
    "tool_sums": Sum(
        "tool_calls",
        ("coalesce(u.name, '')", "u.kind"),
        (
            "count(*)",
            "coalesce(sum(u.status = 'ok'), 0)",
            "coalesce(sum(u.status IN ('error', 'failed')), 0)",
            "coalesce(sum(u.status IN ('denied', 'interrupted')), 0)",
            "count(u.duration_ms)",
            "coalesce(sum(u.duration_ms), 0)",
            "max(u.duration_ms)",
        ),
        _is_not_copied("tool_calls"),
    ),
    "edit_sums": Sum(
        "file_edits",
        ("u.path",),
        ("count(*)", "sum(u.lines_added)", "sum(u.lines_removed)"),
        f"(u.origin <> '{COPIED_EDIT}' OR NOT EXISTS ({_ORIGIN})) AND u.kind <> 'backup' "
        f"AND (u.origin <> '{MENTIONED_EDIT}' OR NOT EXISTS (SELECT 1 FROM file_edits e "
        f"WHERE e.session_id = u.session_id AND e.origin = '{RECORDED_EDIT}'))",
    ),
}


def recount_sums(db: sqlite3.Connection, table: str, sessions: Iterable[int]) -> None:
    """Compute the sums of these sessions in a table again, from all of their rows."""
    ids = [(session_id,) for session_id in sessions]
    db.executemany(f"DELETE FROM {table} WHERE session_id = ?", ids)
    db.executemany(f"INSERT INTO {table} {SUMS[table].query('u.session_id = ?')}", ids)
