"""Which part of a session each transcript is, where an agent begins several files with one id."""

from __future__ import annotations

from sqlite3 import Connection

from agent_journal.connectors.base import Part

_COLUMNS = "file_id, agent, session, name"


class Parts:
    """The parts of an agent's sessions. The name of the first one sorts before the others."""

    def __init__(self, db: Connection, agent: str) -> None:
        self._db = db
        self._agent = agent

    def of(self, file_id: int) -> Part | None:
        """The part that a file is."""
        query = "SELECT session, name FROM parts WHERE file_id = ?"
        row = self._db.execute(query, (file_id,)).fetchone()
        return Part(*row) if row else None

    def first(self, session_id: str, but: int | None = None) -> str | None:
        """The name of the first known part of a session, one file left aside."""
        query = "SELECT min(name) FROM parts WHERE agent = ? AND session = ? AND file_id IS NOT ?"
        name: str | None = self._db.execute(query, (self._agent, session_id, but)).fetchone()[0]
        return name

    def files(self, part: Part) -> list[int]:
        """The files that are copies of a part."""
        query = "SELECT file_id FROM parts WHERE agent = ? AND session = ? AND name = ?"
        return [file_id for (file_id,) in self._db.execute(query, (self._agent, *part))]

    def save(self, file_id: int, part: Part | None) -> None:
        """Record the part that a file is."""
        self._db.execute("DELETE FROM parts WHERE file_id = ?", (file_id,))
        if part is not None:
            insert = f"INSERT INTO parts ({_COLUMNS}) VALUES (?, ?, ?, ?)"
            self._db.execute(insert, (file_id, self._agent, *part))


def copy_parts(db: Connection, other: Connection) -> None:
    """Copy all parts to another catalog."""
    rows = db.execute(f"SELECT {_COLUMNS} FROM parts")
    other.executemany(f"INSERT INTO parts ({_COLUMNS}) VALUES (?, ?, ?, ?)", rows)
