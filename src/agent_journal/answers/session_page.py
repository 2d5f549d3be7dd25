"""One page of the list of sessions: those that meet a query about whole sessions, in an order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from agent_journal.answers.session_conditions import Having, SessionConditions
from agent_journal.journal import Journal
from agent_journal.query.tree import Node
from agent_journal.store.catalog.search_rows import session_rows
from agent_journal.store.catalog.session_order import SessionKey, session_keys
from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.usage.listed_costs import SessionCost, listed_costs


class SessionPage(NamedTuple):
    """Some sessions with their costs, and how many there are in all."""

    rows: list[SessionRow]
    costs: dict[int, SessionCost]  # by row; one whose cost is not known is missing
    total: int


class Held(NamedTuple):
    """What the journal holds: its sessions, and how many each agent and project has."""

    keys: list[SessionKey]

    @property
    def agents(self) -> list[tuple[str, int]]:
        """The agents, the one with the most sessions first."""
        return Counter(key.agent for key in self.keys).most_common()

    @property
    def projects(self) -> list[tuple[str, int]]:
        """The projects, the one with the most sessions first."""
        return Counter(key.project for key in self.keys if key.project).most_common()

    @property
    def stars(self) -> int:
        """How many sessions are starred."""
        return sum(key.is_starred for key in self.keys)


def held(journal: Journal) -> Held:
    """The sessions of the journal; none before the first sync."""
    if not journal.exists:
        return Held([])
    return Held(session_keys(journal.db))


def session_page(
    journal: Journal,
    keys: Sequence[SessionKey],
    tree: Node | None,
    having: Having,
    *,
    order: str,
    limit: int,
    offset: int,
) -> SessionPage:
    """Some of the sessions that meet a query; `keys` are in the order of a list."""
    if not keys:
        return SessionPage([], {}, 0)
    found = SessionConditions(journal, keys, having).matching(tree)
    in_order = _sorted(journal, found, order)
    wanted = [key.row_id for key in in_order[offset : offset + limit]]
    known = session_rows(journal.db, wanted)
    rows = [known[row_id] for row_id in wanted if row_id in known]
    costs = listed_costs(journal.db, journal.prices(), wanted)
    return SessionPage(rows, costs, len(found))


def _sorted(journal: Journal, keys: list[SessionKey], order: str) -> list[SessionKey]:
    """Sort sessions that are newest first; those whose value is not known come last."""
    if order == "oldest":
        return sorted(keys, key=_last_activity)
    if order == "messages":
        return sorted(keys, key=lambda key: -key.message_count)
    if order == "longest":
        return sorted(keys, key=lambda key: _largest_first(key.length))
    if order == "cost":
        costs = journal.session_costs()
        return sorted(keys, key=lambda key: _largest_first(costs.get(key.row_id)))
    return keys


def _last_activity(key: SessionKey) -> float:
    """When a session was last active; one without a time comes after all others."""
    for when in (key.ended_at, key.started_at):
        if when is not None:
            return when
    return math.inf


def _largest_first(number: float | None) -> tuple[bool, float]:
    if number is None:
        return True, 0
    return False, -number
