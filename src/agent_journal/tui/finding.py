"""Answers what the list is asked for: the newest sessions, or what a search found.

Nothing is imported at the top that the first picture does not need: searches run in a thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agent_journal.journal import Journal
from agent_journal.query.filters import Query
from agent_journal.store.catalog.listing import SessionRow, count_sessions, list_sessions
from agent_journal.tui.asked import FOLDER, PROJECT, Asked, working_folder

if TYPE_CHECKING:
    from agent_journal.answers.warm_search import WarmSearch
    from agent_journal.query.tree import Node, Parsed
    from agent_journal.search.finding import Found
    from agent_journal.search.marks import Marker

MOST = 200  # sessions of a list
_MOST_HITS = 60  # sessions that a search shows: more cost more time at every key


class Entry(NamedTuple):
    """A session of the list and, where something was found in it, which item that is."""

    row: SessionRow
    item_id: int | None = None
    part: str = ""  # of the item, as a hit names it
    by: str = "words"

    @property
    def key(self) -> tuple[str, str]:
        """What the session is known by."""
        return self.row.agent, self.row.id


class Listing(NamedTuple):
    """The sessions that were found, how many there are, and what to say about them."""

    entries: list[Entry]
    total: int | None = None  # None: not all of them were counted
    remark: str = ""
    marker: Marker | None = None
    problem: str = ""  # why the query cannot be read


def newest(journal: Journal, asked: Asked) -> Listing:
    """Return the newest sessions: one query, and nothing but SQLite."""
    if not journal.exists:
        return Listing([], 0)
    query = _filters(asked)
    rows = list_sessions(journal.db, query)
    total = len(rows)
    if total == MOST:
        total = count_sessions(journal.db, query)
    return Listing([Entry(row) for row in rows], total)


def find(journal: Journal, search: WarmSearch, asked: Asked, mode: str) -> Listing:
    """Return what was asked for; a query that cannot be read gives a problem, not an error."""
    from agent_journal.answers.session_conditions import is_about_sessions
    from agent_journal.answers.unfinished_word import find_while_typing, with_prefix
    from agent_journal.query.parser import QuerySyntaxError, parse

    if not asked.text.strip():
        return _all(journal, asked)
    try:
        parsed = parse(asked.text.encode("utf-8", "replace").decode())
    except QuerySyntaxError as error:
        return Listing([], 0, problem=f"{error.message}; {error.fix}")
    if asked.order in ("newest", "oldest"):
        parsed = parsed._replace(sort=asked.order)
    if is_about_sessions(parsed.tree) and search.is_ready(journal):
        listing = _meeting(journal, search, _narrowed(parsed, asked), asked.order)
        if listing.entries:
            return listing
    begun = with_prefix(parsed, asked.text, lambda word: search.begins_most(journal, word))
    found, parsed = find_while_typing(
        lambda wanted: search.find(journal, wanted, mode, limit=_MOST_HITS),
        _narrowed(parsed, asked),
        _narrowed(begun, asked),
    )
    entries = [
        Entry(hit.session, hit.item_id, hit.part, hit.by)
        for hit in found.hits
        if hit.session is not None
    ]
    _sort(journal, entries, asked.order)
    total = found.total
    if total is not None:
        total -= len(found.hits) - len(entries)  # lines of a prompt history have no session
    return Listing(entries, total, _remark(found), _marker(parsed, found))


def agents_in_use(journal: Journal) -> list[str]:
    """Return the agents that have sessions, by name."""
    from agent_journal.store.catalog.session_filters import values_in_use

    if not journal.exists:
        return []
    return sorted(values_in_use(journal.db, "agent"))


def _all(journal: Journal, asked: Asked) -> Listing:
    if asked.order in ("best", "newest"):
        return newest(journal, asked)
    from agent_journal.answers.session_list import find_sessions

    found = find_sessions(journal, _filters(asked), order=asked.order)
    return Listing([Entry(row) for row in found.rows], found.total)


def _meeting(journal: Journal, search: WarmSearch, parsed: Parsed, order: str) -> Listing:
    """The sessions of a list that meet conditions: not the empty ones, and no sub-agents."""
    from agent_journal.answers.session_page import held, session_page

    if order == "best":
        order = parsed.sort or "newest"
    page = session_page(
        journal,
        held(journal).keys,
        parsed.tree,
        lambda content: search.sessions_having(journal, content),
        order=order,
        limit=MOST,
        offset=0,
    )
    return Listing([Entry(row) for row in page.rows], page.total)


def _filters(asked: Asked) -> Query:
    folder = working_folder()
    query = Query(agent=asked.agents or None, limit=MOST)
    if folder is not None and asked.scope == FOLDER:
        return query._replace(folder=folder)
    if folder is not None and asked.scope == PROJECT:
        return query._replace(project=folder)
    return query


def _narrowed(parsed: Parsed, asked: Asked) -> Parsed:
    from agent_journal.answers.searching import narrowed
    from agent_journal.query.tree import Field, Value
    from agent_journal.store.catalog.session_filters import IN_FOLDER

    conditions: list[Node] = []
    folder = working_folder()
    if asked.agents:
        conditions.append(Field("agent", tuple(map(Value, asked.agents))))
    if folder is not None and asked.scope == FOLDER:
        conditions.append(Field(IN_FOLDER, (Value(folder),)))
    if folder is not None and asked.scope == PROJECT:
        conditions.append(Field("project", (Value(folder),)))
    return narrowed(parsed, conditions)


def _sort(journal: Journal, entries: list[Entry], order: str) -> None:
    """Sort what was found by a property of sessions; unknown values come last."""
    from agent_journal.answers.session_list import length_of

    if order == "messages":
        entries.sort(key=lambda entry: -entry.row.message_count)
    elif order == "longest":
        entries.sort(key=lambda entry: -(length_of(entry.row) or -1))
    elif order == "cost":
        costs = journal.session_costs()
        entries.sort(key=lambda entry: -costs.get(entry.row.row_id, -1.0))


def _remark(found: Found) -> str:
    remarks = [f"{typed} → {taken}" for typed, taken in found.spelled]
    if found.missing:
        remarks.append("not found: " + ", ".join(found.missing))
    return "; ".join(remarks)


def _marker(parsed: Parsed, found: Found) -> Marker | None:
    from agent_journal.answers.hits_page import marker_of

    if parsed.tree is None:
        return None
    return marker_of(parsed, found)
