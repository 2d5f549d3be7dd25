"""What lists of sessions are narrowed, counted and ordered by, without the rest of their rows."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.query.filters import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import conditions
from agent_journal.store.catalog.project_filters import PROJECT
from agent_journal.store.catalog.session_row import SESSIONS


class SessionKey(NamedTuple):
    """A session that lists show, sub-agents aside."""

    row_id: int
    agent: str
    project: str | None
    started_at: int | None
    ended_at: int | None
    message_count: int
    is_starred: bool

    @property
    def length(self) -> int | None:
        """The microseconds from its beginning to its end."""
        if self.started_at is None or self.ended_at is None:
            return None
        return self.ended_at - self.started_at


def session_keys(db: Connection) -> list[SessionKey]:
    """The sessions of a list: people's first, newest first."""
    where, values = conditions(Query())
    rows = db.execute(
        f"SELECT s.id, s.agent, {PROJECT}, s.started_at, s.ended_at, s.message_count, "
        f"k.starred_at IS NOT NULL FROM {SESSIONS} WHERE {where} "
        "ORDER BY s.is_automated, coalesce(s.ended_at, s.started_at, 0) DESC, s.uid",
        values,
    )
    return [SessionKey._make(row) for row in rows]
