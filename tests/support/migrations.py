"""Undoing migrations, to see how a journal of an earlier version is read and upgraded."""

from __future__ import annotations

import sqlite3

_UNDO_8 = ("DROP TABLE marks",)
_UNDO_7 = (
    "DROP TABLE earlier_sessions",
    "DROP INDEX usage_ranked",
    "DROP INDEX usage_totals",
    "DROP INDEX files_by_agent",
    "DROP INDEX files_gone",
    "DROP INDEX sessions_by_project",
    "DROP INDEX sessions_listed",
)
_UNDO_6 = ("DROP TABLE growth",)
_UNDO_5 = (
    "ALTER TABLE dependencies DROP COLUMN on_existence",
    "ALTER TABLE sessions DROP COLUMN ended_as",
    "ALTER TABLE messages DROP COLUMN stopped",
    "ALTER TABLE messages DROP COLUMN is_question",
    "ALTER TABLE usage DROP COLUMN web_searches",
    "ALTER TABLE usage_sums DROP COLUMN web_searches",
    "DROP INDEX sessions_by_last_line",
    "ALTER TABLE sessions DROP COLUMN last_line",
    "DROP TABLE line_titles",
    "DROP TABLE parts",
    "DROP INDEX documents_by_name",
    "DROP INDEX documents_by_session",
    "DROP INDEX tool_calls_by_spill",
    "ALTER TABLE tool_calls DROP COLUMN spilled_to",
)
_UNDO_4 = (
    "ALTER TABLE files RENAME COLUMN is_current TO settled",
    "ALTER TABLE files RENAME COLUMN completeness TO standing",
)


def make_version_3(db: sqlite3.Connection) -> None:
    """Turns a catalog into one of version 3, in which documents keep their ids."""
    for statement in (*_UNDO_8, *_UNDO_7, *_UNDO_6, *_UNDO_5, *_UNDO_4):
        db.execute(statement)
    db.execute("PRAGMA user_version = 3")
