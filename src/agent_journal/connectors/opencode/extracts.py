"""The sessions in a database of OpenCode, as JSON lines.

{"table":"session","id":"ses_1","directory":"/app","title":"A small title",…}
{"table":"message","id":"msg_1","time_created":…,"data":{…},"parts":[{"table":"part","id":…}]}
{"table":"todo","content":"First thing","status":"pending"}

The database also has tables of accounts and credentials: none of them is read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from agent_journal.connectors.base import Extract
from agent_journal.connectors.opencode import RANK_DATABASE
from agent_journal.connectors.row_lines import Stamp, Table, select, session_extracts, stamps
from agent_journal.connectors.sqlite import opened, tables

_SESSION = Table(
    "session",
    (
        *("id", "project_id", "parent_id", "slug", "directory", "path", "title", "version"),
        *("share_url", "summary_additions", "summary_deletions", "summary_files", "cost"),
        *("tokens_input", "tokens_output", "tokens_reasoning"),
        *("tokens_cache_read", "tokens_cache_write", "revert", "permission", "agent", "model"),
        *("time_created", "time_updated", "time_compacting", "time_archived"),
    ),
    json=("revert", "permission", "model"),
)
_MESSAGE = Table("message", ("id", "time_created", "time_updated", "data"), json=("data",))
_PART = Table("part", ("id", "time_created", "time_updated", "data"), json=("data",))
_TODO = Table("todo", ("content", "status", "priority", "position", "time_updated"))
# The shape that is to replace messages and parts: read when a version that uses it is known
_COMING = Table("session_message", ("id", "type", "seq", "time_created", "data"), json=("data",))
_CHANGING = ("message", "part", "todo", "session_message")


def database_extracts(path: str, kept: Mapping[str, Stamp]) -> Iterator[Extract | str]:
    """Yield each session; one that is unchanged since it was `kept` has only a name."""
    with opened(path) as database:
        names = tables(database)
        if not {"session", "message", "part"} <= names:
            return
        found = stamps(database, _stamp_query(names))
        lines = partial(_lines, database, names)
        yield from session_extracts(found, kept, RANK_DATABASE, lines)


def _stamp_query(names: set[str]) -> str:
    """A query for the number of rows of each session, their newest time and a sum of the times."""
    parts = ["SELECT id, time_updated AS time FROM session"]
    parts += [f"SELECT session_id, time_updated FROM {name}" for name in _CHANGING if name in names]
    return (
        f"SELECT id, count(*), max(time), sum(time % 1000000007) FROM ({' UNION ALL '.join(parts)})"
        " WHERE id IN (SELECT id FROM session) GROUP BY id ORDER BY id"
    )


def _lines(database: sqlite3.Connection, names: set[str], session_id: str) -> Iterator[bytes]:
    of_session = ("session_id = ?", (session_id,))
    for row in select(database, _SESSION, "id = ?", (session_id,)):
        yield row + b"\n"
    found = "SELECT rowid, id FROM message WHERE session_id = ? ORDER BY time_created, id"
    messages = database.execute(found, (session_id,)).fetchall()
    for rowid, message_id in messages:
        of_message = ("message_id = ?", (_key(message_id),))
        parts = b",".join(select(database, _PART, *of_message, "id"))
        for row in select(database, _MESSAGE, "rowid = ?", (rowid,)):
            yield row[:-1] + b',"parts":[' + parts + b"]}\n"
    if "session_message" in names and not messages:
        for row in select(database, _COMING, *of_session, "seq"):
            yield row + b"\n"
    if "todo" in names:
        for row in select(database, _TODO, *of_session, "position"):
            yield row + b"\n"


def _key(value: Any) -> Any:
    """A value to compare with: texts come as bytes, which SQLite never finds equal to a text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value
