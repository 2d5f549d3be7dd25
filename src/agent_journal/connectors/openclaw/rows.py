"""The sessions in OpenClaw's database, as JSON lines: the session's own row, then its entries.

{"type":"openclaw.window","window":{"session_id":"80b34e78-…","session_key":"agent:main:main"}}
{"type":"session","version":4,"id":"80b34e78-…","cwd":"/home/sam/garden",…}

The entries are as in the database, where some are compressed. Nothing else in it is read: other
tables hold credentials.
"""

from __future__ import annotations

import base64
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from agent_journal.connectors.base import Extract
from agent_journal.connectors.openclaw import RANK_ROWS, SESSION
from agent_journal.connectors.row_lines import stamp_number
from agent_journal.connectors.sqlite import MAX_VALUE, opened, tables
from agent_journal.connectors.values import file_name

if sys.version_info >= (3, 14):  # pragma: no cover
    from compression import zstd
else:
    from backports import zstd

_Stamp = tuple[int, int, int]
_EVENTS = "transcript_events"
_WINDOWS = "session_windows"
_NODES = "session_nodes"
_COUNTS = "SELECT session_id, count(*), max(seq) FROM transcript_events GROUP BY session_id"
# What changes with every message is left out: the beginning of an extract stays as it was kept
_WINDOW_COLUMNS = (
    "session_id session_key previous_session_id reason created_at chat_type channel model "
    "parent_session_key spawned_by display_name"
)
_NODE_COLUMNS = "created_via fork_source_session_id label"
# The window of the parent that was open when this one began
_PARENT = (
    "SELECT session_id FROM session_windows WHERE session_key = ? AND created_at <= ? "
    "ORDER BY created_at DESC LIMIT 1"
)


def extracts(path: str, kept: Mapping[str, _Stamp]) -> Iterator[Extract | str]:
    """Each session of a database; one that was kept with the same stamp has no data."""
    try:
        with opened(path) as database:
            names = tables(database)
            if _EVENTS not in names:
                return
            changes = _changes(database, names)
            for session_id, count, last in database.execute(_COUNTS).fetchall():
                text = _text(session_id)
                name = f"{SESSION}{file_name(text)}.jsonl"
                stamp = (count, stamp_number(last), changes.get(text, 0))
                data = None
                if kept.get(name) != stamp:
                    data = _lines(database, names, text)
                yield Extract(name, "log", text, RANK_ROWS, data, stamp)
    except sqlite3.Error as error:
        raise ValueError(f"not a readable SQLite database: {error}") from error


def _changes(database: sqlite3.Connection, names: set[str]) -> dict[str, int]:
    """When each session changed last, as far as the database says so."""
    if _WINDOWS not in names:
        return {}
    rows = database.execute("SELECT session_id, updated_at FROM session_windows").fetchall()
    return {_text(name): when for name, when in rows if isinstance(when, int) and when > 0}


def _lines(database: sqlite3.Connection, names: set[str], session_id: str) -> Iterator[bytes]:
    if _WINDOWS in names:
        window = _row(database, _WINDOWS, "session_id", session_id, _WINDOW_COLUMNS)
        if _NODES in names and window:
            key = window.get("session_key")
            node = _row(database, _NODES, "session_key", key, _NODE_COLUMNS)
            window = {**node, **window}
        parent = _parent(database, window)
        if parent is not None:
            window["parent_session_id"] = parent
        yield msgspec.json.encode({"type": "openclaw.window", "window": window}) + b"\n"
    columns = "event_json"
    if "event_zstd" in _columns(database, _EVENTS):
        columns += ", event_zstd"
    query = f"SELECT rowid, {columns} FROM {_EVENTS} WHERE session_id = ? ORDER BY seq"
    for _, *values in database.execute(query, (session_id,)):
        yield _line(*values) + b"\n"


def _line(event: Any, compressed: Any = None) -> bytes:
    """An entry on one line; one that cannot be decompressed as it is."""
    if isinstance(event, bytes):
        return event.replace(b"\r", b" ").replace(b"\n", b" ")
    if not isinstance(compressed, bytes):
        return msgspec.json.encode({"type": "openclaw.empty"})
    decompressor = zstd.ZstdDecompressor()
    text = b""
    with suppress(zstd.ZstdError, EOFError):
        text = decompressor.decompress(compressed, max_length=MAX_VALUE)
    if not decompressor.eof:  # damaged, cut off or too large
        damaged = base64.b64encode(compressed).decode()
        return msgspec.json.encode({"type": "openclaw.damaged", "base64": damaged})
    return text.replace(b"\r", b" ").replace(b"\n", b" ")


def _parent(database: sqlite3.Connection, window: dict[str, Any]) -> str | None:
    key = window.get("spawned_by") or window.get("parent_session_key")
    if not isinstance(key, str) or "created_at" not in window:
        return None
    row = database.execute(_PARENT, (key, window["created_at"])).fetchone()
    if row is None:
        return None
    return _text(row[0])


def _row(
    database: sqlite3.Connection, table: str, key: str, value: Any, columns: str
) -> dict[str, Any]:
    """The named columns of a row, as far as this version of the table has them."""
    existing = _columns(database, table)
    names = [name for name in columns.split() if name in existing]
    if key not in existing or not names:
        return {}
    query = f"SELECT {', '.join(names)} FROM {table} WHERE {key} = ?"
    row = database.execute(query, (value,)).fetchone()
    if row is None:
        return {}
    found = {}
    for name, column in zip(names, row, strict=True):
        if column is not None:
            found[name] = _text(column) if isinstance(column, bytes) else column
    return found


def _columns(database: sqlite3.Connection, table: str) -> set[str]:
    rows = database.execute(f"PRAGMA table_info({table})").fetchall()
    return {_text(row[1]) for row in rows}


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)
