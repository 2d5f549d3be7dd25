"""What a tool works with: the journal at one moment, and which sessions of it may be shown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from agent_journal.answers.recall.cleaning import Cleaning
from agent_journal.answers.warm_search import WarmSearch
from agent_journal.errors import NoSuchSession, UsageError
from agent_journal.journal import Journal
from agent_journal.query.filters import Query
from agent_journal.store.catalog.listing import SessionRow, list_sessions
from agent_journal.store.catalog.session_families import with_copies, with_sub_agents
from agent_journal.store.catalog.session_filters import (
    SESSION_ROWS,
    agents_in_use,
    sessions_with_value,
)
from agent_journal.store.catalog.session_names import beginning_of_id
from agent_journal.store.catalog.store import last_sync

if TYPE_CHECKING:
    from datetime import datetime

    from agent_journal.query.tree import Node, Parsed
    from agent_journal.search.finding import Found
    from agent_journal.usage.prices import Book


class Moment:
    """The journal at one moment, for the calls of one client."""

    def __init__(
        self,
        journal: Journal,
        search: WarmSearch,
        cleaning: Cleaning,
        folder: str,
        asking: set[int],
    ) -> None:
        self.journal = journal
        self.cleaning = cleaning
        self._search = search
        self.folder = folder
        self._asking = asking
        self._db = journal.db

    @cached_property
    def hidden(self) -> frozenset[int]:
        """The rows of the sessions that are not shown: excluded projects, and who asks."""
        asking = with_sub_agents(self.journal.db, self._asking)
        return self.excluded.union(asking)

    @cached_property
    def excluded(self) -> frozenset[int]:
        """The rows of the sessions of projects that the settings exclude, and of their forks."""
        return frozenset(with_copies(self.journal.db, self.of_excluded_projects))

    @cached_property
    def of_excluded_projects(self) -> frozenset[int]:
        """The same without sub-agents that worked elsewhere."""
        rows: set[int] = set()
        for project in excluded_projects(self.journal):
            rows.update(sessions_with_value(self.journal.db, "project", project, is_prefix=False))
        return frozenset(rows)

    @cached_property
    def prices(self) -> Book:
        """What tokens cost; looked up once."""
        return self.journal.prices()

    def is_of(self, journal: Journal) -> bool:
        """Whether the connection is still the one that this was made with."""
        return journal.find_db() is self._db

    @cached_property
    def own(self) -> frozenset[int]:
        """The rows of the sessions of the project in whose folder the question is asked."""
        folder = self.folder
        if not folder or folder in (os.path.expanduser("~"), os.path.dirname(folder)):
            return frozenset()
        found = sessions_with_value(self.journal.db, "project", folder, is_prefix=False)
        return frozenset(found)

    @property
    def has_exclusions(self) -> bool:
        """Whether the settings exclude projects."""
        return bool(excluded_projects(self.journal))

    def is_shown(self, row: SessionRow) -> bool:
        """Whether a session may be shown."""
        return row.row_id not in self.hidden

    def query(
        self,
        agent: str | None = None,
        project: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
    ) -> Query:
        """Filters for sessions that may be shown."""
        return Query(self.agents(agent), project, since, until, limit=limit, without=self._without)

    @cached_property
    def _without(self) -> tuple[int, ...]:
        return tuple(sorted(self.hidden))

    def agents(self, beginning: str | None) -> tuple[str, ...] | None:
        """The agents whose names begin like this; UsageError when there is none."""
        if beginning is None:
            return None
        known = agents_in_use(self.journal.db, self.hidden)
        found = [name for name in known if name.startswith(beginning.lower())]
        if not found:
            raise UsageError("no such agent has a session", f"there are {', '.join(known)}")
        return tuple(found)

    def row(self, text: str) -> SessionRow:
        """The session that a text means; those that may not be shown are as if they were not."""
        agent, _, name = text.rpartition(":")
        if name.lower() == "last":
            found = list_sessions(self.journal.db, self.query(agent=agent or None, limit=1))
            if found:
                return found[0]
            raise NoSuchSession("there is no session yet")
        try:
            return self.journal.row(text, self.hidden)
        except NoSuchSession:
            raise NoSuchSession(
                "no session has that id", "search and list_sessions name some"
            ) from None
        except UsageError:  # the titles of the candidates are not for everyone
            raise UsageError("several sessions begin like that", "write more of the id") from None

    def find(self, parsed: Parsed, mode: str, limit: int, *, per_session: bool) -> Found:
        """Search in what may be shown."""
        from agent_journal.answers.searching import narrowed
        from agent_journal.query.tree import Field, Not, Value

        conditions: list[Node] = []
        if self.hidden:
            rows = tuple(Value(str(row_id)) for row_id in sorted(self.hidden))
            conditions.append(Not(Field(SESSION_ROWS, rows)))
        if self.has_exclusions:  # whose project a line of a prompt history is of is not certain
            conditions.append(Not(Field("kind", (Value("history"),))))
        tree = narrowed(parsed, conditions)
        found = self._search.find(self.journal, tree, mode, limit=limit, per_session=per_session)
        shown = [hit for hit in found.hits if hit.session is None or self.is_shown(hit.session)]
        return found._replace(hits=shown)

    def session_name(self, row: SessionRow) -> str:
        """The name by which `read` finds a session."""
        return f"{row.agent}:{beginning_of_id(self.journal.db, row.agent, row.id)}"

    def synced(self) -> str:
        """When the journal was last synced, in our own words."""
        import time

        last = last_sync(self.journal.config.index_path)
        if last is None:
            return "Never synced."
        return f"Synced {_ago(time.time() - last / 1e6)} ago."


def excluded_projects(journal: Journal) -> Sequence[str]:
    """The projects that the settings keep from agents."""
    value = journal.config.get("mcp.exclude")
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        return []
    return [os.path.expandvars(project) for project in value]


def bound(text: str | None, *, is_end: bool = False) -> datetime | None:
    """A time as people say it; UsageError when it is none."""
    from agent_journal.text.dates import parse_bound

    if text is None:
        return None
    try:
        return parse_bound(text, end=is_end)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _ago(seconds: float) -> str:
    if seconds < 120:
        return f"{max(0, seconds):.0f} s"
    if seconds < 7_200:
        return f"{seconds / 60:.0f} min"
    if seconds < 172_800:
        return f"{seconds / 3_600:.0f} h"
    return f"{seconds / 86_400:.0f} days"
