"""Finds single items by the words of a query: the best of all, or the best of each session."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_journal.search.known_sessions import KnownSessions
from agent_journal.search.lexical_documents import PARTS
from agent_journal.search.ranking import Scored, lexical_score

if TYPE_CHECKING:
    import tantivy

CANDIDATES = 400  # hits that are considered at first
GROWTH = 8  # when they are not enough, the next block is this many times larger
MOST_CANDIDATES = 200_000


class Block(NamedTuple):
    """Some hits of a query, each item once."""

    hits: list[Scored]
    is_all: bool  # there are no more


class MessageHits:
    """Runs queries over the items of a journal."""

    def __init__(self, searcher: tantivy.Searcher, known: KnownSessions) -> None:
        self._searcher = searcher
        self._known = known

    def best(self, query: tantivy.Query, size: int = CANDIDATES, offset: int = 0) -> Block:
        """The hits with the highest scores."""
        found = self._searcher.search(query, size, offset=offset, weight_by_field="weight").hits
        places = [place for _, place in found]
        scores = [float(score) for score, _ in found]
        times = self.values("time", places)
        rows = self._rows(places)
        facts = self._known.facts(session for _, session, _, _ in rows if session)
        now = time.time() * 1e6
        hits: dict[int, Scored] = {}
        for rank, (item_id, session, part, repeats) in enumerate(rows):
            known = session if session in facts else 0
            value = lexical_score(scores[rank], times[rank], facts.get(session), now)
            if item_id not in hits or hits[item_id].score < value:
                hits[item_id] = Scored(item_id, known, value, part, "words", repeats)
        return Block(list(hits.values()), len(found) < size)

    def by_time(self, query: tantivy.Query, order: str, size: int, offset: int) -> Block:
        """The newest or oldest hits; the score says only in which order they come."""
        import tantivy

        direction = tantivy.Order.Desc
        if order == "oldest":
            direction = tantivy.Order.Asc
        found = self._searcher.search(
            query, size, offset=offset, order_by_field="time", order=direction
        ).hits
        rows = self._rows([place for _, place in found])
        facts = self._known.facts(session for _, session, _, _ in rows if session)
        hits: dict[int, Scored] = {}
        for rank, (item_id, session, part, repeats) in enumerate(rows):
            known = session if session in facts else 0
            hit = Scored(item_id, known, -float(offset + rank), part, repeats=repeats)
            hits.setdefault(item_id, hit)
        return Block(list(hits.values()), len(found) < size)

    def exists(self, query: tantivy.Query) -> bool:
        """Whether a query finds anything."""
        return bool(self._searcher.search(query, 1).hits)

    def sessions(self, query: tantivy.Query) -> set[int]:
        """The sessions of everything that a query finds."""
        found = self._searcher.search(query, max(1, self._searcher.num_docs)).hits
        return set(self.values("session", [place for _, place in found]))

    def ids(self, query: tantivy.Query, most: int) -> set[int]:
        """The items that a query finds, up to a number."""
        found = self._searcher.search(query, most).hits
        return set(self.values("id", [place for _, place in found]))

    def values(self, field: str, places: list[Any]) -> list[int]:
        """The values of a field in some documents."""
        return [int(value or 0) for value in self._searcher.fast_field_values(field, places)]

    def _rows(self, places: list[Any]) -> list[tuple[int, int, str, bool]]:
        """The item, session, part of a message, and whether it repeats what is said elsewhere."""
        parts = [PARTS[number] for number in self.values("part", places)]
        repeats = [bool(value) for value in self.values("repeats", places)]
        columns = (self.values("id", places), self.values("session", places), parts, repeats)
        return list(zip(*columns, strict=True))
