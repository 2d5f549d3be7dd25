"""Finds what a page of the list shows: sessions, or hits of a search."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.answers.hits_page import marker_of, snippet_of
from agent_journal.answers.session_conditions import is_about_sessions
from agent_journal.answers.session_page import Held, held, session_page
from agent_journal.answers.unfinished_word import find_while_typing, with_prefix
from agent_journal.health.fates import Fate, fates_of
from agent_journal.journal import Journal
from agent_journal.query.tree import Node, Parsed
from agent_journal.search.finding import Found, Hit
from agent_journal.search.snippets import Snippet
from agent_journal.search.texts import Passage, Passages
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.store import last_sync
from agent_journal.text.human import human_time
from agent_journal.usage.listed_costs import SessionCost, listed_costs
from agent_journal.web.context import Context
from agent_journal.web.listing.asked import PAGE, Asked

_SNIPPET = 240  # columns of a hit
_NOT_READY = "there is no search index yet: 'aj sync' builds it"


class Entry(NamedTuple):
    """A session in the list, and what was found in it."""

    row: SessionRow | None
    cost: SessionCost | None
    fate: Fate | None = None
    passage: Passage | None = None
    snippet: Snippet | None = None
    by: str = ""


class Listing(NamedTuple):
    """One page of the list."""

    entries: list[Entry]
    total: int | None
    has_more: bool
    remarks: list[str]
    synced: str  # when
    held: Held  # empty where a search did not need it


def find_listing(context: Context, asked: Asked) -> Listing:
    """The sessions or hits that an address asks for."""
    if asked.is_search:
        return context.search.run(lambda journal, _: _hits(journal, context, asked))
    tree = asked.parsed.tree
    if _needs_index(tree):
        return context.search.run(lambda journal, _: _sessions(journal, context, asked))
    with context.journal() as journal:
        return _sessions(journal, context, asked)


def _needs_index(tree: Node | None) -> bool:
    from agent_journal.query.tree import fields_of

    if not is_about_sessions(tree):
        return True
    return any(field.name == "has" for field in fields_of(tree))


def _sessions(journal: Journal, context: Context, asked: Asked) -> Listing:
    parsed = asked.parsed
    everything = held(journal)
    keys = everything.keys
    tree = parsed.tree
    remarks = []
    if keys and _needs_index(tree) and not context.search.is_ready(journal):
        keys = []
        remarks.append(_NOT_READY)
    if keys and tree is not None and not is_about_sessions(tree):
        meant = context.search.sessions(journal, tree)
        keys = [key for key in keys if key.row_id in meant]
        tree = None
    found = session_page(
        journal,
        keys,
        tree,
        lambda content: context.search.sessions_having(journal, content),
        order=asked.sort or parsed.sort or "newest",
        limit=PAGE,
        offset=asked.offset,
    )
    fates = _fates(journal, found.rows)
    entries = [Entry(row, found.costs.get(row.row_id), fates.get(row.row_id)) for row in found.rows]
    has_more = asked.offset + len(entries) < found.total
    return Listing(entries, found.total, has_more, remarks, _synced(journal), everything)


def _hits(journal: Journal, context: Context, asked: Asked) -> Listing:
    parsed = asked.parsed
    if asked.sort:
        parsed = parsed._replace(sort=asked.sort)
    found, parsed = _search(journal, context, asked, parsed)
    hits = found.hits[asked.offset :]
    entries = _entries(journal, hits, parsed, found)
    remarks = [
        f"{typed} was not found; showing results for {taken}" for typed, taken in found.spelled
    ]
    if found.missing:
        remarks.append("not found: " + ", ".join(found.missing))
    if journal.exists and not context.search.is_ready(journal):
        remarks.append(_NOT_READY)
    has_more = len(hits) == PAGE and found.total is None
    if found.total is not None:
        has_more = asked.offset + len(hits) < found.total
    return Listing(entries, found.total, has_more, remarks, _synced(journal), Held([]))


def _search(
    journal: Journal, context: Context, asked: Asked, parsed: Parsed
) -> tuple[Found, Parsed]:
    """Search; while somebody types, the last word is the beginning of one.

    By meaning, only where nothing has the word as it is: a beginning has no meaning.
    """
    limit = asked.offset + PAGE
    begun = parsed
    if asked.is_typing:
        search = context.search
        begun = with_prefix(parsed, asked.words, lambda word: search.begins_most(journal, word))
    if asked.mode == "lexical":
        parsed = begun
    return find_while_typing(
        lambda wanted: context.search.find(journal, wanted, asked.mode, limit=limit), parsed, begun
    )


def _entries(journal: Journal, hits: list[Hit], parsed: Parsed, found: Found) -> list[Entry]:
    if not hits:
        return []
    passages = Passages(journal.db, journal.quotes)
    marker = marker_of(parsed, found)
    rows = [hit.session for hit in hits if hit.session is not None]
    costs = listed_costs(journal.db, journal.prices(), {row.row_id for row in rows})
    fates = _fates(journal, rows)
    entries = []
    for hit in hits:
        passage = passages.get(hit)
        if passage is None:
            continue
        snippet = snippet_of(passage, marker, _SNIPPET)
        entry = Entry(hit.session, None, None, passage, snippet, hit.by)
        if hit.session is not None:
            row_id = hit.session.row_id
            entry = entry._replace(cost=costs.get(row_id), fate=fates.get(row_id))
        entries.append(entry)
    return entries


def _fates(journal: Journal, rows: list[SessionRow]) -> dict[int, Fate]:
    if not rows:
        return {}
    return fates_of(journal.db, journal.config, journal.env, [row.row_id for row in rows])


def _synced(journal: Journal) -> str:
    return human_time(last_sync(journal.config.index_path))
