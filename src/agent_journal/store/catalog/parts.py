"""Which part of a session each transcript is, where an agent begins several files with one id."""

from __future__ import annotations

from collections.abc import Iterable
from sqlite3 import Connection
from typing import NamedTuple

from agent_journal.connectors.base import Part
from agent_journal.store.catalog.items import find_meta, set_meta

_COLUMNS = "file_id, agent, session, name"
_PRUNED = "pruned parts"
_SEPARATOR = "\n"  # between name and conversation in the column; sorts before all that names have


KeptPart = tuple[str, str]  # the session, and the name with the conversation


class Firsts(NamedTuple):
    """The first part of a session, and the first one of a name that tells its conversation."""

    of_session: Part | None
    of_name: Part | None


class Parts:
    """The parts of an agent's sessions, sorted by name and conversation."""

    def __init__(self, db: Connection, agent: str) -> None:
        self._db = db
        self._agent = agent

    def of(self, file_id: int) -> Part | None:
        """The part that a file is."""
        query = "SELECT session, name FROM parts WHERE file_id = ?"
        row = self._db.execute(query, (file_id,)).fetchone()
        return _part(*row) if row else None

    def of_session(self, session_id: str, but: int | None = None) -> list[Part]:
        """The known parts of a session in their order, one file left aside."""
        query = (
            "SELECT DISTINCT name FROM parts WHERE agent = ? AND session = ? AND file_id IS NOT ?"
        )
        rows = self._db.execute(query, (self._agent, session_id, but))
        names = {name for (name,) in rows} | self._pruned(session_id)
        return sorted(_part(session_id, name) for name in names)

    def _pruned(self, session_id: str) -> set[str]:
        """The names of parts that are not read, since their sessions were pruned."""
        text = find_meta(self._db, _PRUNED)
        if not text:
            return set()
        from agent_journal.model.light_msgspec import msgspec

        try:
            found = msgspec.json.decode(text, type=list[tuple[str, str, str]])
        except ValueError:  # damaged
            return set()
        return {
            name for agent, session, name in found if (agent, session) == (self._agent, session_id)
        }

    def firsts(self, part: Part) -> Firsts:
        """The first part of the session of a part, and the first one of its name."""
        known = self.of_session(part.session_id)
        of_name = [other for other in known if other.name == part.name and other.conversation]
        return Firsts(next(iter(known), None), next(iter(of_name), None))

    def files(self, session_id: str, name: str | None = None) -> list[int]:
        """The files of the parts of a session; only of those with a name when it is given."""
        query = "SELECT file_id, name FROM parts WHERE agent = ? AND session = ?"
        rows = self._db.execute(query, (self._agent, session_id)).fetchall()
        return [
            file_id
            for file_id, kept in rows
            if name is None or _part(session_id, kept).name == name
        ]

    def as_kept(self, file_ids: Iterable[int]) -> set[KeptPart]:
        """The parts that files are, as rows have them."""
        query = "SELECT session, name FROM parts WHERE file_id = ?"
        return {part for file_id in file_ids for part in self._db.execute(query, (file_id,))}

    def save(self, file_id: int, part: Part | None) -> None:
        """Record the part that a file is."""
        self._db.execute("DELETE FROM parts WHERE file_id = ?", (file_id,))
        if part is not None:
            name = part.name
            if part.conversation:
                name += _SEPARATOR + part.conversation
            insert = f"INSERT INTO parts ({_COLUMNS}) VALUES (?, ?, ?, ?)"
            self._db.execute(insert, (file_id, self._agent, part.session_id, name))


def set_pruned_parts(db: Connection, pruned: Iterable[tuple[str, KeptPart]]) -> None:
    """Record the parts of agents' sessions that are not read, since their sessions were pruned."""
    import json

    set_meta(db, _PRUNED, json.dumps([(agent, *part) for agent, part in pruned]))


def copy_parts(db: Connection, other: Connection, but: set[int]) -> None:
    """Copy the parts to another catalog, except those of files that will be read there."""
    rows = [row for row in db.execute(f"SELECT {_COLUMNS} FROM parts") if row[0] not in but]
    other.executemany(f"INSERT INTO parts ({_COLUMNS}) VALUES (?, ?, ?, ?)", rows)
    set_meta(other, _PRUNED, find_meta(db, _PRUNED) or "[]")


def _part(session_id: str, kept: str) -> Part:
    name, _, conversation = kept.partition(_SEPARATOR)
    return Part(session_id, name, conversation)
