"""Runs a search: from a query to hits, best first, each with its session."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_journal.query.tree import (
    And,
    Dates,
    Field,
    Node,
    Not,
    Or,
    Parsed,
    Phrase,
    Regex,
    Word,
    words_of,
)
from agent_journal.search.compiling import Compiler, conditions, telling_words
from agent_journal.search.field_queries import SessionCosts
from agent_journal.search.lexical import PARTS, Lexical
from agent_journal.search.ranking import (
    ALL_WORDS,
    SOME_WORDS,
    Scored,
    best,
    boost_titles,
    lexical_score,
    merge_scores,
    semantic_score,
)
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.search_rows import (
    session_facts,
    session_rows,
    sessions_of_items,
)
from agent_journal.text.suggestions import near_words

if TYPE_CHECKING:
    import tantivy

    from agent_journal.search.vectors import Vectors

_CANDIDATES = 400  # hits considered for the best sessions
_GROWTH = 8  # when they are not enough, the next block is this many times larger
_MOST_CANDIDATES = 200_000
_FEW_WORDS = 3  # that only one file has are enough
_FEW = 20  # hits by meaning: when fewer meet the conditions, all that do are compared


class Hit(NamedTuple):
    """One item that matches."""

    item_id: int
    score: float
    # None: a plan or a line of a prompt history whose session is not known
    session: SessionRow | None
    part: str = ""  # of a message: the `reasoning` or an `attachment`, not its text
    by: str = "words"  # or "meaning"


class Found(NamedTuple):
    """The result of a search: hits, best first, and how the query was read."""

    hits: list[Hit]
    total: int | None  # None: not all of them were counted
    # all: every word matched; any: some did; similar: the words in `instead` did; meaning: none did
    how: str
    instead: str = ""


class _Match(NamedTuple):
    hits: list[Scored]  # best first
    how: str
    instead: str = ""
    is_all: bool = True  # nothing was left out


class _Wanted(NamedTuple):
    """How many hits are wanted: of all, or the best of each session."""

    limit: int
    per_session: bool

    def key(self, hit: Scored) -> int:
        """Hits with the same key count once."""
        if self.per_session and hit.session:
            return hit.session
        if self.per_session:
            return -hit.item_id
        return hit.item_id


class _Plan(NamedTuple):
    """A query to run, and how its hits are ordered."""

    query: tantivy.Query
    wanted: _Wanted
    sort: str | None
    titles: dict[int, float]  # the scores of sessions whose title matches
    near: list[Scored]  # hits by meaning
    share: float  # of the words in a score

    @property
    def is_by_time(self) -> bool:
        return self.sort is not None


class Searcher:
    """One search over the indexes of a journal."""

    def __init__(
        self,
        db: Connection,
        lexical: Lexical,
        vectors: Vectors | None,
        costs: SessionCosts | None = None,
    ) -> None:
        self._db = db
        self._index = lexical
        self._searcher = lexical.searcher()
        self._vectors = vectors
        self._compiler = Compiler(db, self._searcher, costs)

    def find(self, parsed: Parsed, mode: str, *, per_session: bool, limit: int) -> Found:
        """The best hits; one for each session unless `per_session` is off."""
        with self._index.reading():
            match = self._match(parsed, mode, _Wanted(limit, per_session))
        shown = match.hits[:limit]
        rows = session_rows(self._db, {hit.session for hit in shown})
        hits = [
            Hit(hit.item_id, hit.score, rows.get(hit.session), hit.part, hit.by) for hit in shown
        ]
        total = None
        if match.is_all:
            total = len(match.hits)
        return Found(hits, total, match.how, match.instead)

    def parts(self, parsed: Parsed) -> tuple[list[Scored], list[Scored], float]:
        """The hits by words, the hits by meaning, and the share of the words when combined."""
        with self._index.reading():
            found = self._lexical(parsed, _Wanted(_CANDIDATES, False), [])
            near = self._near(parsed)
        share = SOME_WORDS
        if found.how == "all":
            share = ALL_WORDS
        return found.hits, near, share

    def sessions(self, tree: Node) -> set[int]:
        """The rows of all sessions with something that meets a query."""
        with self._index.reading():
            query = self._compiler.compile(tree, with_hidden=_asks_for_hidden(tree))
            hits = self._searcher.search(query, max(1, self._searcher.num_docs)).hits
            return set(self._values("session", [place for _, place in hits]))

    def _match(self, parsed: Parsed, mode: str, wanted: _Wanted) -> _Match:
        words = words_of(parsed.tree)
        has_terms = any(self._compiler.words(word.text) for word in words)
        if words and not has_terms and not _has_filters(parsed.tree):
            return _Match([], "all")  # nothing in it can be looked up
        near: list[Scored] = []
        is_by_score = _time_order(parsed) is None
        if is_by_score and mode != "lexical" and any(map(_has_meaning, words)):
            near = self._near(parsed)
        if is_by_score and mode == "semantic":
            return _Match(best(near, per_session=wanted.per_session), "meaning")
        found = self._lexical(parsed, wanted, near)
        if found.hits:
            return found
        return self._similar(parsed, wanted) or found

    # -- by meaning ----------------------------------------------------------------------------

    def _near(self, parsed: Parsed) -> list[Scored]:
        """Items with a similar vector that meet the conditions of the query."""
        if self._vectors is None:
            return []
        text = " ".join(word.text for word in words_of(parsed.tree))
        found = self._vectors.nearest(self._db, text, _CANDIDATES)
        hard = conditions(parsed.tree)
        if hard is not None and found:
            allowed = self._allowed(hard, [item_id for _, item_id in found])
            if len(allowed) < _FEW:  # those that meet the conditions may be further away
                allowed = self._allowed(hard, None)
                found = self._vectors.nearest(self._db, text, _CANDIDATES, allowed)
            found = [(score, item_id) for score, item_id in found if item_id in allowed]
        return self._scored_by_meaning(found)

    def _scored_by_meaning(self, found: list[tuple[float, int]]) -> list[Scored]:
        session_of = sessions_of_items(self._db, {item_id for _, item_id in found})
        facts = session_facts(self._db, session_of.values())
        hits = []
        for score, item_id in found:
            session = session_of.get(item_id)
            if session is None:
                continue  # the item is gone
            if session not in facts:
                session = 0
            value = semantic_score(score, facts.get(session))
            hits.append(Scored(item_id, session, value, by="meaning"))
        return hits

    def _allowed(self, hard: Node, ids: list[int] | None) -> set[int]:
        """The items with a vector that meet conditions; of some, or of all."""
        query = self._compiler.among(hard, ids)
        limit = _MOST_CANDIDATES
        if ids:
            limit = len(ids) * 3
        places = [place for _, place in self._searcher.search(query, limit).hits]
        return set(self._values("id", places))

    # -- by words ------------------------------------------------------------------------------

    def _lexical(self, parsed: Parsed, wanted: _Wanted, near: list[Scored]) -> _Match:
        """Hits with all of the words; where there are none, with any of them."""
        if self._may_need_all_words(parsed.tree):
            found = self._run(parsed, wanted, near, any_word=False)
            if found.hits and found.how != "meaning":
                return found
        found = self._run(parsed, wanted, near, any_word=True)
        if found.hits and found.how == "all":
            return found._replace(how="any")
        return found

    def _may_need_all_words(self, tree: Node | None) -> bool:
        """Whether hits with all of the words would be what was meant.

        A kept file is so long that it has all the words of many questions: where only files have
        them, messages with some of the words say more.
        """
        if len(telling_words(tree)) <= _FEW_WORDS:
            return True
        query = self._compiler.compile(tree, with_hidden=_asks_for_hidden(tree))
        return bool(self._searcher.search(self._compiler.without_documents(query), 1).hits)

    def _similar(self, parsed: Parsed, wanted: _Wanted) -> _Match | None:
        """The same search with words from the index that are spelt almost alike."""
        near: dict[str, str] = {}
        words = [word for word in words_of(parsed.tree) if isinstance(word, Word)]
        for word in words:
            for term in self._compiler.words(word.text):
                match = _nearest(self._searcher, term)
                if match:
                    near[word.text] = match
        if parsed.tree is None or all(word == match for word, match in near.items()):
            return None
        tree = _replaced(parsed.tree, near)
        found = self._lexical(parsed._replace(tree=tree), wanted, [])
        if not found.hits:
            return None
        return found._replace(how="similar", instead=" ".join(near.values()))

    def _run(
        self, parsed: Parsed, wanted: _Wanted, near: list[Scored], *, any_word: bool
    ) -> _Match:
        """The hits of a query and those by meaning, in order."""
        query = self._compiler.compile(
            parsed.tree, any_word=any_word, with_hidden=_asks_for_hidden(parsed.tree)
        )
        sort = _time_order(parsed)
        titles: dict[int, float] = {}
        if sort is None:
            titles = self._titles(parsed)
        share = ALL_WORDS
        if any_word:
            share = SOME_WORDS
        plan = _Plan(query, wanted, sort, titles, near, share)
        if sort != "oldest":
            return self._blocks(plan)
        # What has no time would be the oldest of all: it comes last.
        dated = self._blocks(plan._replace(query=self._compiler.dated(query)))
        if not dated.is_all:
            return dated
        rest = self._blocks(plan._replace(query=self._compiler.undated(query), near=[]))
        hits = [*dated.hits, *_others(rest.hits, dated.hits, wanted)]
        return dated._replace(hits=hits, is_all=rest.is_all)

    def _blocks(self, plan: _Plan) -> _Match:
        """The hits of a query, read block by block so that every page has the same order."""
        hits: dict[int, Scored] = {}
        how = "all"
        offset = 0
        size = _CANDIDATES
        while True:
            found = self._block(plan, offset, size)
            block = boost_titles(found.hits, plan.titles)
            if offset == 0 and plan.near:
                if not block:
                    how = "meaning"
                block = merge_scores(block, plan.near, plan.share)
            if not plan.is_by_time:
                block = best(block, per_session=False)
            for hit in block:
                hits.setdefault(plan.wanted.key(hit), hit)
            offset += size
            is_enough = len(hits) >= plan.wanted.limit or offset >= _MOST_CANDIDATES
            if found.is_all or is_enough:
                return _Match(list(hits.values()), how, is_all=found.is_all)
            size *= _GROWTH

    def _block(self, plan: _Plan, offset: int, size: int) -> _Match:
        """Some hits of a query, each item once."""
        options = _search_options(plan.sort)
        found = self._searcher.search(plan.query, size, offset=offset, **options).hits
        places = [place for _, place in found]
        ids = self._values("id", places)
        sessions = self._values("session", places)
        times = self._values("time", places)
        parts = self._values("part", places)
        facts = session_facts(self._db, filter(None, sessions))
        hits: dict[int, Scored] = {}
        now = time.time() * 1e6
        for rank, (score, _) in enumerate(found):
            item_id = ids[rank]
            session = sessions[rank]
            if session not in facts:
                session = 0
            if plan.is_by_time:
                value = -float(rank)
            else:
                value = lexical_score(float(score), times[rank], facts.get(session), now)
            if item_id not in hits or hits[item_id].score < value:
                hits[item_id] = Scored(item_id, session, value, PARTS[parts[rank]])
        return _Match(list(hits.values()), "all", is_all=len(found) < size)

    def _titles(self, parsed: Parsed) -> dict[int, float]:
        """The scores of sessions by title, folder and branch; some of the words are enough."""
        query = self._compiler.titles(parsed.tree)
        found = self._searcher.search(query, _CANDIDATES).hits
        sessions = self._values("session", [place for _, place in found])
        scores = [float(score) for score, _ in found]
        return dict(zip(sessions, scores, strict=True))

    def _values(self, field: str, places: list[Any]) -> list[int]:
        """The values of a field in some documents."""
        return [int(value or 0) for value in self._searcher.fast_field_values(field, places)]


def _search_options(sort: str | None) -> dict[str, Any]:
    import tantivy

    if sort is None:
        return {"weight_by_field": "weight"}
    if sort == "oldest":
        return {"order_by_field": "time", "order": tantivy.Order.Asc}
    return {"order_by_field": "time", "order": tantivy.Order.Desc}


def _time_order(parsed: Parsed) -> str | None:
    """`newest` or `oldest`; None where the best hits come first."""
    if parsed.sort in ("newest", "oldest"):
        return parsed.sort
    if not words_of(parsed.tree):
        return "newest"  # there is nothing that could match better
    return None


def _has_meaning(word: Word | Phrase) -> bool:
    """Whether a word can be compared by meaning; a prefix says only which letters are meant."""
    return isinstance(word, Phrase) or not word.is_prefix


def _others(hits: list[Scored], known: list[Scored], wanted: _Wanted) -> list[Scored]:
    keys = {wanted.key(hit) for hit in known}
    return [hit for hit in hits if wanted.key(hit) not in keys]


def _asks_for_hidden(node: Node | None) -> bool:
    if isinstance(node, Field):
        return node.name == "is" and any(value.text == "hidden" for value in node.values)
    if isinstance(node, (And, Or)):
        return any(map(_asks_for_hidden, node.nodes))
    return isinstance(node, Not) and _asks_for_hidden(node.node)


def _has_filters(node: Node | None) -> bool:
    if isinstance(node, (And, Or)):
        return any(map(_has_filters, node.nodes))
    return isinstance(node, (Field, Dates, Regex, Not))


def _nearest(searcher: tantivy.Searcher, term: str) -> str | None:
    known = dict(searcher.terms_with_prefix("body", term[:2], limit=5_000))
    if term in known:
        return term
    close = near_words(term, known, limit=3, cutoff=0.75)
    return max(close, key=lambda match: known[match], default=None)


def _replaced(node: Node, near: dict[str, str]) -> Node:
    if isinstance(node, Word):
        return Word(near.get(node.text, node.text), node.is_prefix)
    if isinstance(node, (And, Or)):
        return type(node)(tuple(_replaced(inner, near) for inner in node.nodes))
    return node
