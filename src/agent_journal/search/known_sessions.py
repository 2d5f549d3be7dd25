"""What the rank of hits depends on, of the sessions that searches come across."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.search_rows import SessionFacts, session_facts


class KnownSessions:
    """Reads the facts of each session once: several parts of a search ask for them.

    They stay right, since a connection of a reader sees the catalog at one moment.
    """

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._asked: set[int] = set()
        self._facts: dict[int, SessionFacts] = {}

    def facts(self, sessions: Iterable[int]) -> Mapping[int, SessionFacts]:
        """The facts of these sessions, and of others; without those that the catalog lacks."""
        new = set(sessions) - self._asked
        if new:
            self._asked |= new
            self._facts.update(session_facts(self._db, new))
        return self._facts
