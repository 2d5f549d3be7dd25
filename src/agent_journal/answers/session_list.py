"""Finds the sessions that a list shows.

Apart from the shape of their answer: `aj ls` prints a list without it, and starts faster.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from agent_journal.errors import CannotWrite, JournalDamaged
from agent_journal.journal import Journal
from agent_journal.query.tree import Node, Query
from agent_journal.store.catalog.listing import (
    SessionRow,
    child_counts,
    count_sessions,
    list_everything,
    list_sessions,
)

ORDERS = ("newest", "oldest", "cost", "messages", "longest")


class SessionList(NamedTuple):
    """Some of the sessions that a query finds, and how many it finds in all."""

    rows: list[SessionRow]
    total: int
    children: dict[tuple[str, str], int]  # (agent, id) -> number of sub-agents


def find_sessions(
    journal: Journal, query: Query, text: str = "", order: str = "newest"
) -> SessionList:
    """Find the sessions that meet a query and, where given, one in the language of searches."""
    if not journal.exists:
        return SessionList([], 0, {})
    if text or order != "newest":
        rows = _search_sessions(journal, query, text)
        _sort(journal, rows, order)
        found = SessionList(rows[: query.limit], len(rows), {})
    elif query.include_all:
        rows = list_everything(journal.db, query)
        found = SessionList(rows[: query.limit], len(rows), {})
    else:
        rows = list_sessions(journal.db, query)
        found = SessionList(rows, count_sessions(journal.db, query), {})
    return found._replace(children=child_counts(journal.db))


def length_of(row: SessionRow) -> int | None:
    """Return the microseconds from the beginning to the end of a session."""
    if row.started_at is None or row.ended_at is None:
        return None
    return row.ended_at - row.started_at


def _sort(journal: Journal, rows: list[SessionRow], order: str) -> None:
    """Sort sessions that are in the order of a list; those whose value is not known come last."""
    if order == "oldest":
        rows.sort(key=_last_activity)
    elif order == "messages":
        rows.sort(key=lambda row: -row.message_count)
    elif order == "longest":
        rows.sort(key=lambda row: -_or_least(length_of(row)))
    elif order == "cost":
        from agent_journal.usage.listed_costs import listed_costs

        costs = listed_costs(journal.db, journal.prices(), [row.row_id for row in rows])
        known = {row_id: cost.micro_usd for row_id, cost in costs.items()}
        rows.sort(key=lambda row: -_or_least(known.get(row.row_id)))


def _last_activity(row: SessionRow) -> float:
    """Return when a session was last active; one without a time comes after all others."""
    when = row.ended_at
    if when is None:
        when = row.started_at
    if when is None:
        return math.inf
    return when


def _or_least(number: int | None) -> int:
    if number is None:
        return -1
    return number


def _search_sessions(journal: Journal, query: Query, text: str) -> list[SessionRow]:
    from agent_journal.query.parser import parse

    parsed = parse(text)
    rows = _all_rows(journal, query)
    if parsed.tree is not None and rows:
        tree = parsed.tree
        rows = journal.with_indexes(lambda: _matching_rows(journal, query, tree))
    if parsed.sort == "oldest":
        rows.sort(key=_last_activity)
    return rows


def _all_rows(journal: Journal, query: Query) -> list[SessionRow]:
    everything = query._replace(limit=None)
    if query.include_all:
        return list_everything(journal.db, everything)
    return list_sessions(journal.db, everything)


def _matching_rows(journal: Journal, query: Query, tree: Node) -> list[SessionRow]:
    from agent_journal.search.finding import Searcher
    from agent_journal.sync.indexes import lexical

    index = lexical(journal.config)
    if not index.is_of(journal.db):
        try:
            journal.sync()
        except CannotWrite:
            index = journal.temporary_index()
    try:
        matching = Searcher(journal.db, index, None, journal.session_costs).sessions(tree)
    except JournalDamaged as error:
        from agent_journal.sync.temporary_index import is_needed

        if not is_needed(journal.config, error):
            raise
        index = journal.temporary_index()
        matching = Searcher(journal.db, index, None, journal.session_costs).sessions(tree)
    return [row for row in _all_rows(journal, query) if row.row_id in matching]
