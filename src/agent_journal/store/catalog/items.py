"""The ids of everything that can be found: one sequence for all tables, never given out twice."""

from __future__ import annotations

import sqlite3
from typing import Any

_KEY = "last item"


def last_item(db: sqlite3.Connection) -> int:
    """The highest id given out."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (_KEY,)).fetchone()
    return row[0] if row else 0


def watermark(db: sqlite3.Connection, name: str) -> int:
    """Up to which item an index has come, as it was written down after its last bringing up."""
    row = db.execute("SELECT item_id FROM watermarks WHERE name = ?", (name,)).fetchone()
    return row[0] if row else 0


class Items:
    """Gives out ids inside one transaction; `save` before anybody else does, who may give out more."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        # Read when the first id is taken after a save: others took some in between
        self._last: int | None = None

    def take(self) -> int:
        """The next id."""
        self._last = (last_item(self._db) if self._last is None else self._last) + 1
        return self._last

    def bury(self, query: str, values: tuple[Any, ...]) -> None:
        """Remembers that the items a query finds are gone."""
        self._db.execute(f"INSERT OR IGNORE INTO tombstones {query}", values)

    def save(self) -> None:
        """Writes down how far the sequence has come."""
        if self._last is not None:
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KEY, self._last))
            self._last = None
