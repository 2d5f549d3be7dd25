"""Sums of each session's rows, kept with them: `aj usage` and `aj stats` add these up and never
read all rows.
"""

from __future__ import annotations

import sqlite3

from agent_journal.model.origins import MENTIONED_EDIT, RECORDED_EDIT
from agent_journal.store.catalog.sum_classes import INCOMPLETE, QUARTER, RECORDED, SIZES

_PROMPT = (
    "((coalesce(u.input_tokens, 0) + coalesce(u.cache_read_tokens, 0) + coalesce(u.cache_write_tokens, 0)) "
    "/ max(1, u.requests))"
)
_CLASS = (
    f"CASE WHEN u.cost_micro_usd IS NOT NULL THEN {RECORDED} "
    f"WHEN u.input_tokens IS NULL OR u.output_tokens IS NULL THEN {INCOMPLETE} ELSE "
    + " + ".join(f"({_PROMPT} > {size})" for size in SIZES)
    + " END"
)


def _quarter(time: str) -> str:
    return f"coalesce(max(-1, {time} / {QUARTER}), -1)"


# A fork carries the messages, calls and edits of the session it goes on from: they are told there.
# It is known by equal ids; Codex writes copies without ids, and perhaps shorter: then the id names
# the session and the place in it.
_ORIGIN = (
    "SELECT 1 FROM sessions o WHERE o.uid = s.fork_of AND o.agent = s.agent AND o.is_known = 1"
)
_NOT_COPIED = (
    "(s.fork_of IS NULL OR NOT EXISTS (SELECT 1 FROM sessions o JOIN {0} w ON w.session_id = o.id AND w.uid = u.uid "
    "WHERE o.uid = s.fork_of AND o.agent = s.agent) "
    f"AND NOT (substr(u.uid, 1, length(s.fork_of) + 1) = s.fork_of || '@' AND EXISTS ({_ORIGIN})))"
)
# table -> the query that makes its rows; {which} is the condition on a session
SUMS = {
    "usage_sums": (
        f"SELECT u.session_id, {_quarter('coalesce(u.timestamp, s.started_at)')}, coalesce(u.model, ''), {_CLASS}, "
        "sum(u.requests), sum(u.input_tokens), sum(u.cache_read_tokens), sum(u.cache_write_tokens), "
        "sum(u.cache_write_1h_tokens), sum(u.output_tokens), sum(u.reasoning_tokens), sum(u.cost_micro_usd), "
        "sum(u.premium_requests) FROM usage u JOIN sessions s ON s.id = u.session_id "
        "WHERE u.counted = 1 AND {which} GROUP BY 1, 2, 3, 4"
    ),
    "message_sums": (
        f"SELECT u.session_id, {_quarter('coalesce(u.timestamp, s.started_at)')}, coalesce(u.model, ''), "
        "sum(u.kind = 'prompt'), sum(u.kind = 'answer') "
        "FROM messages u JOIN sessions s ON s.id = u.session_id WHERE u.kind IN ('prompt', 'answer') "
        f"AND u.state IS NOT 'hidden' AND {_NOT_COPIED.format('messages')} AND {{which}} GROUP BY 1, 2, 3"
    ),
    "tool_sums": (
        "SELECT u.session_id, coalesce(u.name, ''), u.kind, count(*), coalesce(sum(u.status = 'ok'), 0), "
        "coalesce(sum(u.status IN ('error', 'failed')), 0), coalesce(sum(u.status IN ('denied', 'interrupted')), 0), "
        "count(u.duration_ms), coalesce(sum(u.duration_ms), 0), max(u.duration_ms) "
        f"FROM tool_calls u JOIN sessions s ON s.id = u.session_id WHERE {_NOT_COPIED.format('tool_calls')} "
        "AND {which} GROUP BY 1, 2, 3"
    ),
    "edit_sums": (
        "SELECT u.session_id, u.path, count(*), sum(u.lines_added), sum(u.lines_removed) FROM file_edits u "
        f"JOIN sessions s ON s.id = u.session_id WHERE (u.origin <> 'copied' OR NOT EXISTS ({_ORIGIN})) "
        f"AND u.kind <> 'backup' AND (u.origin <> '{MENTIONED_EDIT}' OR NOT EXISTS (SELECT 1 FROM file_edits e "
        f"WHERE e.session_id = u.session_id AND e.origin = '{RECORDED_EDIT}')) AND {{which}} GROUP BY 1, 2"
    ),
}
FILL = "\n".join(f"INSERT INTO {table} {query.format(which='1')};" for table, query in SUMS.items())


def sum_up(db: sqlite3.Connection, sessions: set[int]) -> None:
    """Makes the sums of these sessions anew."""
    ids = [(session_id,) for session_id in sessions]
    for table, query in SUMS.items():
        db.executemany(f"DELETE FROM {table} WHERE session_id = ?", ids)
        db.executemany(f"INSERT INTO {table} {query.format(which='u.session_id = ?')}", ids)
