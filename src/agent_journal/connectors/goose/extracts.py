"""The sessions in the database of Goose, as JSON lines.

{"table":"sessions","id":"20261106_1","name":"Prune the tree","working_dir":"/app"}
{"table":"messages","id":7,"message_id":"msg_…","role":"user","content_json":[{"type":"text",…}]}
{"table":"usage_ledger","id":3,"model":"pear-1","input_tokens":700,"output_tokens":45}
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from functools import partial

from agent_journal.connectors.base import Extract
from agent_journal.connectors.goose import RANK_DATABASE
from agent_journal.connectors.row_lines import (
    Stamp,
    Table,
    columns_of,
    select,
    session_extracts,
    stamps,
)
from agent_journal.connectors.sqlite import opened, tables

_TOKENS = ("total_tokens", "input_tokens", "output_tokens")
_SESSIONS = Table(
    "sessions",
    (
        *("id", "name", "description", "user_set_name", "session_type", "working_dir"),
        *("created_at", "updated_at", "extension_data", *_TOKENS),
        *(f"accumulated_{name}" for name in _TOKENS),
        *("accumulated_cost", "schedule_id", "provider_name", "model_config_json", "goose_mode"),
        *("archived_at", "project_id", "parent_session_id"),
    ),
    json=("extension_data", "model_config_json"),
)
_MESSAGES = Table(
    "messages",
    ("id", "message_id", "role", "content_json", "created_timestamp", "tokens", "metadata_json"),
    json=("content_json", "metadata_json"),
)
_LEDGER = Table(
    "usage_ledger",
    (
        *("id", "created_timestamp", "model", *_TOKENS),
        *("cache_read_tokens", "cache_write_tokens", "cost", "cost_source", "is_compaction"),
    ),
)


def extracts(path: str, kept: Mapping[str, Stamp]) -> Iterator[Extract | str]:
    """Yield each session; one that is unchanged since it was `kept` has only a name."""
    with opened(path) as database:
        names = tables(database)
        if not {"sessions", "messages"} <= names:
            return
        found = stamps(database, _stamp_query(database))
        lines = partial(_lines, database, names)
        yield from session_extracts(found, kept, RANK_DATABASE, lines)


def _stamp_query(database: sqlite3.Connection) -> str:
    """A query for the number of messages, the newest one, and what changes in a session's row.

    The newest message may still grow without a word in the session's row.
    """
    known = columns_of(database, "sessions")
    changing = [f"coalesce(length(s.{name}), 0)" for name in _SESSIONS.columns if name in known]
    if "accumulated_total_tokens" in known:
        changing.append("coalesce(s.accumulated_total_tokens, 0) * 1000")
    if "updated_at" in known:
        changing.append("coalesce(strftime('%s', s.updated_at), 0) * 100000")
    if "content_json" in columns_of(database, "messages"):
        last = "SELECT length(content_json) FROM messages WHERE id = m.newest"
        changing.append(f"coalesce(({last}), 0)")
    messages = "SELECT session_id, count(*) AS number, max(id) AS newest FROM messages GROUP BY 1"
    return (
        f"SELECT s.id, m.number, m.newest, {' + '.join(changing)} FROM sessions s "
        f"LEFT JOIN ({messages}) m ON m.session_id = s.id ORDER BY s.rowid"
    )


def _lines(database: sqlite3.Connection, names: set[str], session_id: str) -> Iterator[bytes]:
    for row in select(database, _SESSIONS, "id = ?", (session_id,)):
        yield row + b"\n"
    for table in (_MESSAGES, _LEDGER):
        if table.name in names:
            for row in select(database, table, "session_id = ?", (session_id,), "id"):
                yield row + b"\n"
