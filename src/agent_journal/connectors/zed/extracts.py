"""The threads in the database of Zed, each as one line with its document decompressed.

{"table":"threads","id":"5a…","summary":"Prune the tree","updated_at":"2026-11-06T21:20:00+00:00",
 "folder_paths":"/app","data":{"version":"0.3.0","messages":[…]}}
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from agent_journal.connectors.base import Extract
from agent_journal.connectors.row_lines import (
    Stamp,
    columns_of,
    json_object,
    session_extract,
    stamps,
    text_of,
)
from agent_journal.connectors.sqlite import MAX_VALUE, TOO_LARGE, opened, tables

if sys.version_info >= (3, 14):  # pragma: no cover
    from compression import zstd
else:
    from backports import zstd

_COLUMNS = (
    *("id", "summary", "updated_at", "data_type", "parent_id", "folder_paths"),
    *("folder_paths_order", "created_at", "data"),
)


def extracts(path: str, kept: Mapping[str, Stamp]) -> Iterator[Extract | str]:
    """Yield each thread; one that is unchanged since it was `kept` has only a name."""
    with opened(path) as database:
        if "threads" not in tables(database):
            return
        known = columns_of(database, "threads")
        columns = [name for name in _COLUMNS if name in known]
        query = (
            "SELECT id, length(data), strftime('%s', updated_at), length(summary) "
            "FROM threads ORDER BY rowid"
        )
        for thread_id, stamp in stamps(database, query).items():
            name = session_extract(thread_id)
            data = None
            if kept.get(name) != stamp:
                try:
                    data = _line(database, columns, thread_id)
                except (ValueError, sqlite3.DataError) as error:
                    yield f"{name}: {error}"
                    continue
            yield Extract(name, "session", thread_id, 0, data, stamp)


def _line(database: sqlite3.Connection, columns: list[str], thread_id: str) -> bytes:
    query = f"SELECT {', '.join(columns)} FROM threads WHERE id = ?"
    values = database.execute(query, (thread_id,)).fetchone()
    if values is None:
        raise ValueError("its id is not a text")
    row: dict[str, Any] = {"table": "threads", **dict(zip(columns, values, strict=True))}
    if text_of(row.get("data_type")) == "zstd" and isinstance(row.get("data"), bytes):
        row["data"] = _decompressed(row["data"])
        row["data_type"] = b"json"
    return json_object(row, json=("data",)) + b"\n"


def _decompressed(data: bytes) -> bytes:
    """Return a document; ValueError when it cannot be decompressed, or is too large."""
    decompressor = zstd.ZstdDecompressor()
    try:
        text = decompressor.decompress(data, MAX_VALUE + 1)
    except zstd.ZstdError as error:
        raise ValueError(f"cannot be decompressed: {error}") from error
    if len(text) > MAX_VALUE:
        raise ValueError(TOO_LARGE)
    if not decompressor.eof:
        raise ValueError("cannot be decompressed: it is cut off")
    return text
