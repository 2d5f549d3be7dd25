"""The sessions of edits, and the main session of each: sub-agents work for it."""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.line_rows import (
    WritingSession,
    session_named,
    sub_agents_of,
    writing_sessions,
)

_DEEPEST = 20  # sub-agents of sub-agents


class Sessions:
    """Sessions by their rows in the catalog."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._rows: dict[int, WritingSession] = {}
        self._main: dict[int, int] = {}
        self._clocks: dict[str, bool] = {}

    def load(self, ids: Iterable[int]) -> None:
        """Read the rows of sessions that are not known yet."""
        missing = set(ids) - self._rows.keys()
        if missing:
            self._rows.update(writing_sessions(self._db, missing))

    def row(self, row_id: int) -> WritingSession:
        """A session."""
        if row_id not in self._rows:
            self.load([row_id])
        return self._rows[row_id]

    def main_of(self, row_id: int) -> int:
        """The session that a person began, from that of a sub-agent."""
        if row_id not in self._main:
            session = self.row(row_id)
            for _ in range(_DEEPEST):
                if session.parent_uid is None:
                    break
                parent = session_named(self._db, session.agent, session.parent_uid)
                if parent is None:
                    break
                session = parent
            self._rows[session.row_id] = session
            self._main[row_id] = session.row_id
        return self._main[row_id]

    def with_sub_agents(self, row_id: int) -> list[int]:
        """The rows of a session and of its sub-agents."""
        found = [row_id]
        for place in range(_DEEPEST * _DEEPEST):
            if place == len(found):
                break
            session = self.row(found[place])
            own = sub_agents_of(self._db, session.agent, session.uid)
            found += [row for row in own if row not in found]
        return found

    def is_fork(self, row_id: int) -> bool:
        """Whether a session continues another one, and may have a copy of what it wrote."""
        return self.row(row_id).fork_of is not None

    def has_local_clock(self, row_id: int) -> bool:
        """Whether the times of a session have no zone: they may be off by hours."""
        agent = self.row(row_id).agent
        if agent not in self._clocks:
            self._clocks[agent] = _has_local_clock(agent)
        return self._clocks[agent]


def _has_local_clock(agent: str) -> bool:
    from agent_journal import connectors
    from agent_journal.errors import JournalError

    try:
        return connectors.get_connector(agent).has_local_clock
    except (KeyError, JournalError):  # its connector is not installed any more
        return False
