"""The rows that a transaction removes: sums are changed by what was added and what is gone.

Triggers of the connection that writes note them, so that no removal is forgotten, whichever code
does it. What they note is undone with the transaction, or with the part of it, that removed them.
"""

from __future__ import annotations

import sqlite3

# What sums and counts are made of
_COLUMNS = {
    "messages": ("uid", "kind", "state", "model", "timestamp"),
    "tool_calls": ("uid", "name", "kind", "status", "duration_ms"),
    "file_edits": ("path", "kind", "origin", "lines_added", "lines_removed"),
    "usage": (
        "counted",
        "model",
        "timestamp",
        "requests",
        "input_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "cache_write_1h_tokens",
        "output_tokens",
        "reasoning_tokens",
        "cost_micro_usd",
        "premium_requests",
        "web_searches",
    ),
}


def watch_removals(db: sqlite3.Connection) -> None:
    """Note every row that is removed from now on; forget what was noted before."""
    # Else a row that another one replaces goes without notice
    db.execute("PRAGMA recursive_triggers = ON")
    for table, columns in _COLUMNS.items():
        names = ", ".join(("session_id", "id", *columns))
        values = ", ".join(f"old.{name}" for name in ("session_id", "id", *columns))
        db.execute(
            f"CREATE TEMP TABLE IF NOT EXISTS gone_{table} "
            f"({names}, PRIMARY KEY (session_id, id)) WITHOUT ROWID"
        )
        for event in ("DELETE", "UPDATE"):
            db.execute(
                f"CREATE TEMP TRIGGER IF NOT EXISTS gone_{table}_after_{event} "
                f"AFTER {event} ON main.{table} "
                f"BEGIN INSERT OR REPLACE INTO gone_{table} VALUES ({values}); END"
            )
        db.execute(f"DELETE FROM gone_{table}")
