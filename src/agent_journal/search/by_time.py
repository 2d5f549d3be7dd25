"""The newest or the oldest hits: those that meet the whole query, else those with some words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agent_journal.query.tree import Node
from agent_journal.search.compiling import Compiler
from agent_journal.search.message_hits import CANDIDATES, GROWTH, MOST_CANDIDATES, MessageHits
from agent_journal.search.ranking import Scored

if TYPE_CHECKING:
    import tantivy


class Match(NamedTuple):
    """What a query finds."""

    hits: list[Scored]  # best first
    how: str  # `all`, `any` or `meaning`
    is_all: bool = True  # nothing was left out


class Wanted(NamedTuple):
    """How many hits are wanted: of all, or the best of each session."""

    limit: int
    per_session: bool

    def key(self, hit: Scored) -> int:
        """Hits with the same key count once."""
        if self.per_session:
            return hit.key
        return hit.item_id


class ByTime:
    """Finds hits in the order of their time."""

    def __init__(self, compiler: Compiler, messages: MessageHits) -> None:
        self._compiler = compiler
        self._messages = messages

    def find(self, tree: Node | None, order: str, wanted: Wanted) -> Match:
        """The hits with all of the words; where there are none, with any of them."""
        found = self._in_order(self._compiler.strict(tree), order, wanted)
        if found.hits:
            return found
        return self._in_order(self._compiler.any_word(tree), order, wanted)._replace(how="any")

    def _in_order(self, query: tantivy.Query, order: str, wanted: Wanted) -> Match:
        if order != "oldest":
            return self._blocks(query, order, wanted)
        # What has no time would be the oldest of all: it comes last.
        dated = self._blocks(self._compiler.dated(query), order, wanted)
        if not dated.is_all:
            return dated
        rest = self._blocks(self._compiler.undated(query), order, wanted)
        known = {wanted.key(hit) for hit in dated.hits}
        others = [hit for hit in rest.hits if wanted.key(hit) not in known]
        return Match([*dated.hits, *others], "all", rest.is_all)

    def _blocks(self, query: tantivy.Query, order: str, wanted: Wanted) -> Match:
        """The hits, read block by block so that every page has the same order."""
        hits: dict[int, Scored] = {}
        offset = 0
        size = CANDIDATES
        while True:
            block = self._messages.by_time(query, order, size, offset)
            for hit in block.hits:
                hits.setdefault(wanted.key(hit), hit)
            offset += size
            is_enough = len(hits) >= wanted.limit or offset >= MOST_CANDIDATES
            if block.is_all or is_enough:
                return Match(list(hits.values()), "all", block.is_all)
            size *= GROWTH
