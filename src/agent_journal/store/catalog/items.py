"""The ids of everything that can be found: one sequence for all tables, never given out twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

_KEY = "last item"


def last_item(db: sqlite3.Connection) -> int:
    """The highest id given out."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (_KEY,)).fetchone()
    return row[0] if row else 0


def watermark(db: sqlite3.Connection, name: str) -> int:
    """Up to which item an index has come, as recorded when it last caught up."""
    row = db.execute("SELECT item_id FROM watermarks WHERE name = ?", (name,)).fetchone()
    return row[0] if row else 0


def save_watermark(db: sqlite3.Connection, name: str, item_id: int) -> None:
    """Record up to which item an index has come."""
    db.execute("INSERT OR REPLACE INTO watermarks (name, item_id) VALUES (?, ?)", (name, item_id))


def tombstones(db: sqlite3.Connection) -> list[int]:
    """The items that are gone and that indexes may still hold, by id."""
    rows = db.execute("SELECT item_id FROM tombstones ORDER BY item_id")
    return [item_id for (item_id,) in rows]


def clear_tombstones(db: sqlite3.Connection) -> None:
    """Forget the items that are gone: all indexes have dropped them."""
    db.execute("DELETE FROM tombstones")


def find_meta(db: sqlite3.Connection, key: str) -> str | None:
    """A value that is stored beside the tables."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    if row is None:
        return None
    return str(row[0])


def set_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    """Store a value beside the tables."""
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


class Items:
    """Gives out ids inside one transaction; call `save` before anybody else gives out more."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        # Read when the first id is taken after a save: others took some in between
        self._last: int | None = None

    def next_id(self) -> int:
        """Return the next id."""
        if self._last is None:
            self._last = last_item(self._db)
        self._last += 1
        return self._last

    def add_tombstones(self, item_ids: Iterable[int]) -> None:
        """Record that items were removed."""
        self._db.executemany(
            "INSERT OR IGNORE INTO tombstones (item_id) VALUES (?)",
            [(item_id,) for item_id in item_ids],
        )

    def renew_calls(self, document: str) -> None:
        """Give new ids to the calls whose whole result is in a document of that name.

        So indexes read them again: such a call is found by the text of the document, and the
        document itself is not.
        """
        self._renew("tool_calls", "spilled_to", document)

    def renew_calls_of(self, session_id: int, message_uid: str) -> None:
        """Give new ids to the calls of a message that was hidden, so that they are hidden, too."""
        query = "SELECT id FROM tool_calls WHERE session_id = ? AND message_uid = ?"
        self._renew_rows(
            "tool_calls", self._db.execute(query, (session_id, message_uid)).fetchall()
        )

    def renew_documents(self, name: str) -> None:
        """Give new ids to the documents of that name: a call that it belongs to came or went."""
        self._renew("documents", "name", name)

    def _renew(self, table: str, column: str, value: str) -> None:
        query = f"SELECT id FROM {table} WHERE {column} = ?"
        self._renew_rows(table, self._db.execute(query, (value,)).fetchall())

    def _renew_rows(self, table: str, rows: Iterable[tuple[int]]) -> None:
        for (item_id,) in rows:
            self.add_tombstones((item_id,))
            new_id = self.next_id()
            self._db.execute(f"UPDATE {table} SET id = ? WHERE id = ?", (new_id, item_id))

    def save(self) -> None:
        """Save the last id given out."""
        if self._last is not None:
            insert = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"
            self._db.execute(insert, (_KEY, self._last))
            self._last = None
