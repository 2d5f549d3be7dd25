"""The best hits: by words, by what whole sessions are about, by meaning and by date."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.query.tree import Node, words_of
from agent_journal.search.asked_dates import find_dates, nearness
from agent_journal.search.by_time import Match, Wanted
from agent_journal.search.compiling import Compiler, telling_words
from agent_journal.search.known_sessions import KnownSessions
from agent_journal.search.lexical import Lexical
from agent_journal.search.message_hits import (
    CANDIDATES,
    GROWTH,
    MOST_CANDIDATES,
    Block,
    MessageHits,
)
from agent_journal.search.ranking import (
    Evidence,
    Scored,
    rank_factor,
    rank_items,
    rank_sessions,
)
from agent_journal.search.relevance import FEW_WORDS
from agent_journal.search.spelling import Checked
from agent_journal.store.catalog.search_rows import SessionFacts
from agent_journal.text.dates import from_micros, local

if TYPE_CHECKING:
    import tantivy

    from agent_journal.search.near import Near

_WHOLE_SESSIONS = 200  # that are found by the words of whole sessions
_MORE_SESSIONS = 30  # of them that are looked into when none of their messages was found


class _First(NamedTuple):
    """A query by words and its first hits."""

    query: tantivy.Query
    block: Block
    has_all_words: bool  # something has them
    needs_words: bool = False  # only what has them is found


class ByScore:
    """Finds hits in the order of how well they match."""

    def __init__(
        self,
        known: KnownSessions,
        lexical: Lexical,
        compiler: Compiler,
        messages: MessageHits,
        near: Near | None,
    ) -> None:
        self._known = known
        self._lexical = lexical
        self._compiler = compiler
        self._messages = messages
        self._near = near
        self._sessions_index: tantivy.Searcher | None = None  # opened when it is needed

    def find(self, checked: Checked, mode: str, wanted: Wanted) -> Match:
        """The best hits of a query that has words."""
        self._compiler.strict(checked.tree)  # what cannot be searched for is an error in any mode
        near: list[Scored] = []
        if mode != "lexical" and self._near is not None:
            near = self._near.find(checked.asked)
        evidence = Evidence([], near, {}, {}, self._compiler.value(checked.asked))
        if mode == "semantic" or checked.is_hopeless:
            if wanted.per_session:
                return Match(self._ranked(checked, evidence), "meaning")
            return Match(rank_items([], near), "meaning")
        first = self._first_hits(checked)
        if wanted.per_session:
            match = self._sessions(checked, first, evidence, wanted.limit)
        else:
            match = self._items(first, near, wanted.limit)
        if not any(hit.by == "words" for hit in match.hits):
            return match._replace(how="meaning")
        if checked.missing or not first.has_all_words:
            return match._replace(how="any")
        return match

    def _first_hits(self, checked: Checked) -> _First:
        """The best hits with all of a few words; where nothing has them, with some of them."""
        has_all_words = False
        if _are_all_meant(checked):
            query = self._compiler.scored_with_all(checked.tree, checked.dates)
            block = self._messages.best(query)
            if block.hits:
                return _First(query, block, has_all_words=True, needs_words=True)
        else:
            strict = self._compiler.strict_telling(checked.tree, checked.dates)
            has_all_words = self._messages.exists(strict)
        query = self._compiler.scored(checked.tree)
        return _First(query, self._messages.best(query), has_all_words)

    # -- single items --------------------------------------------------------------------------

    def _items(self, first: _First, near: list[Scored], limit: int) -> Match:
        """The best items, read block by block so that every page has the same order."""
        block = first.block
        hits = {hit.item_id: hit for hit in rank_items(block.hits, near)}
        offset = size = CANDIDATES
        while not block.is_all and len(hits) < limit and offset < MOST_CANDIDATES:
            size *= GROWTH
            block = self._messages.best(first.query, size, offset)
            for hit in rank_items(block.hits, []):
                hits.setdefault(hit.item_id, hit)
            offset += size
        return Match(list(hits.values()), "all", block.is_all)

    # -- sessions ------------------------------------------------------------------------------

    def _sessions(
        self,
        checked: Checked,
        first: _First,
        evidence: Evidence,
        limit: int,
    ) -> Match:
        """The best sessions.

        When they are not enough, what is in them is left out of the next round: a session in which
        every message has the word hides the others only once. What a later round finds comes last,
        so that every page has the same order.
        """
        whole = self._whole_sessions(checked.tree)
        query, block = first.query, first.block
        found = [*block.hits, *self._hits_in(query, whole, block.hits)]
        if first.needs_words:
            # Titles with some of the words speak for sessions that have all of them
            titles = self._compiler.titles(self._compiler.scored(checked.tree))
            found += _titles_of(found, self._messages.best(titles).hits)
        evidence = evidence._replace(
            messages=found,
            whole=whole,
            needs_words=first.needs_words,
            is_literal=self._is_literal(checked.tree),
        )
        hits = {hit.key: hit for hit in self._ranked(checked, evidence)}
        while not block.is_all and len(hits) < limit:
            block = self._messages.best(self._compiler.beside(query, found))
            found += block.hits
            for hit in self._ranked(checked, evidence):
                hits.setdefault(hit.key, hit)
        return Match(list(hits.values()), "all", block.is_all)

    def _is_literal(self, tree: Node | None) -> bool:
        """Whether something has the words as they were typed, like a command."""
        literal = self._compiler.literal(tree)
        return literal is not None and self._messages.exists(literal)

    def _whole_sessions(self, tree: Node | None) -> dict[int, float]:
        """The scores of whole sessions by the words of everything that was said in them."""
        from agent_journal.search.session_words import scores

        if self._sessions_index is None:
            self._sessions_index = self._lexical.session_searcher()
        query = self._compiler.whole_sessions(tree, self._sessions_index)
        if query is None:
            return {}
        found = scores(self._sessions_index, query, _WHOLE_SESSIONS)
        facts = self._known.facts(found)
        return {
            session: score * rank_factor(facts.get(session)) for session, score in found.items()
        }

    def _hits_in(
        self, query: tantivy.Query, whole: dict[int, float], hits: list[Scored]
    ) -> list[Scored]:
        """The hits in sessions that match as a whole, but with no message that matches well."""
        known = {hit.session for hit in hits}
        others = [session for session in whole if session not in known]
        if not others:
            return []
        others.sort(key=lambda session: -whole[session])
        return self._messages.best(self._compiler.within(query, others[:_MORE_SESSIONS])).hits

    # -- order ---------------------------------------------------------------------------------

    def _ranked(self, checked: Checked, evidence: Evidence) -> list[Scored]:
        hits = (*evidence.messages, *evidence.near)
        sessions = {hit.session for hit in hits if hit.session}
        return rank_sessions(evidence._replace(dates=self._dates(checked.asked, sessions)))

    def _dates(self, tree: Node | None, sessions: set[int]) -> dict[int, float]:
        """How near sessions are to the date that a question names; empty if it names none."""
        asked = find_dates(" ".join(word.text for word in words_of(tree)))
        if not asked:
            return {}
        found = {}
        known = self._known.facts(sessions)
        for session in sessions & known.keys():
            days = _days(known[session])
            if days is not None:
                found[session] = nearness(asked, *days)
        return found


def _are_all_meant(checked: Checked) -> bool:
    """Whether a query has so few words that all are meant; one with a date is a question."""
    return not checked.dates and len(telling_words(checked.tree)) <= FEW_WORDS


def _titles_of(found: list[Scored], titles: list[Scored]) -> list[Scored]:
    """The titles of sessions that were found, without those that were found themselves."""
    sessions = {hit.session for hit in found}
    items = {hit.item_id for hit in found}
    return [hit for hit in titles if hit.session in sessions and hit.item_id not in items]


def _days(facts: SessionFacts) -> tuple[date, date] | None:
    """The first and last day of a session, in the zone of the user."""
    first = from_micros(facts.started_at)
    last = from_micros(facts.ended_at)
    if first is None or last is None:
        return None
    return local(first).date(), local(last).date()
