"""The catalog's tables, as numbered migrations: files of SQL whose text never changes.

`PRAGMA user_version` is the number of the last migration that was applied.
"""

from __future__ import annotations

import os
import zlib
from sqlite3 import Connection

VERSION = 8
# Of all tables and columns after the last migration: see shape_of
SHAPE = 4247309300
EMPTY_SHAPE = zlib.crc32(b"[]")  # of a database without tables
ENDINGS_VERSION = 5  # the first one that says how sessions ended
# The tables whose rows have a place (`seq`) in their session, counted in each file for itself
NUMBERED = ("messages", "tool_calls", "events", "file_edits")
# What a reader has in place of the table `marks`, with the same columns
TEMPORARY_MARKS = (
    "CREATE TEMP TABLE IF NOT EXISTS marks (agent TEXT NOT NULL, uid TEXT NOT NULL, "
    "starred_at INTEGER, title TEXT, titled_at INTEGER, tags TEXT, PRIMARY KEY (agent, uid)) "
    "WITHOUT ROWID"
)
_FOLDER = os.path.join(os.path.dirname(__file__), "migrations")


def migration(number: int) -> str:
    """The SQL that takes a catalog from the version before to this one."""
    with open(os.path.join(_FOLDER, f"{number:04d}.sql"), encoding="utf-8") as file:
        return file.read()


def shape_of(db: Connection) -> int:
    """A checksum of the names and types of all columns.

    Before they were frozen, the text of some migrations changed. A catalog made by such an early
    version has the right number and other tables.
    """
    rows = db.execute(
        "SELECT m.name, c.name, c.type FROM sqlite_master m, pragma_table_info(m.name) c "
        "WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' ORDER BY m.name, c.cid"
    ).fetchall()
    return zlib.crc32(repr(rows).encode())
