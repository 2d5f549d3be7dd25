"""Running a search: from a query to hits, best first, with the session each is in."""

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
from agent_journal.search.compiling import Compiler, conditions
from agent_journal.search.lexical import Lexical
from agent_journal.search.ranking import (
    ALL_WORDS,
    SOME_WORDS,
    Scored,
    best,
    fused,
    likeness,
    raised,
    standings,
    worth,
)
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import SESSION_COLUMNS, SessionRow
from agent_journal.text.suggestions import near_words

if TYPE_CHECKING:
    import tantivy

    from agent_journal.search.vectors import Vectors

_CANDIDATES = 400  # hits looked at for the best sessions
_GROWTH = 8  # when they are not enough, so many times more are looked at
_MOST_CANDIDATES = 200_000
_FEW = 20  # hits by meaning: when fewer meet the conditions, all that do are compared


class Hit(NamedTuple):
    """One item that matches."""

    item_id: int
    score: float
    # None: a plan or a line of a prompt history whose session is not known
    session: SessionRow | None
    is_reasoning: bool = False  # found in what the agent thought, not in what it said
    by: str = "words"  # meaning: none of the words was looked for in it


class Found(NamedTuple):
    """What a search gave: hits best first, and how the query was read."""

    hits: list[Hit]
    total: int | None  # how many there are; None when nobody has counted to the end
    # All: every word matched; any: some; similar: other words, named in `instead`; meaning: none of
    # them
    how: str
    instead: str = ""


class _Match(NamedTuple):
    hits: list[Scored]  # best first
    how: str
    instead: str = ""
    is_all: bool = True  # nothing was left out


class _Wanted(NamedTuple):
    """How many hits are asked for: of all, or the best of each session."""

    limit: int
    per_session: bool

    def key(self, hit: Scored) -> int:
        """Hits with the same key are one."""
        return hit.session or -hit.item_id if self.per_session else hit.item_id


class Searcher:
    """One search over the indexes of a journal."""

    def __init__(self, db: Connection, lexical: Lexical, vectors: Vectors | None) -> None:
        self._db = db
        self._searcher = lexical.open().searcher()
        self._vectors = vectors
        self._compiler = Compiler(db, self._searcher)

    def find(self, parsed: Parsed, mode: str, *, per_session: bool, limit: int) -> Found:
        """The best hits; one for each session unless `per_session` is off."""
        match = self._match(parsed, mode, _Wanted(limit, per_session))
        hits = match.hits
        rows = _sessions(self._db, {hit.session for hit in hits[:limit]})
        shown = [
            Hit(hit.item_id, hit.score, rows.get(hit.session), hit.is_reasoning, hit.by)
            for hit in hits[:limit]
        ]
        return Found(shown, len(hits) if match.is_all else None, match.how, match.instead)

    def _match(self, parsed: Parsed, mode: str, wanted: _Wanted) -> _Match:
        asked = words_of(parsed.tree)
        if (
            asked
            and not any(self._compiler.words(one.text) for one in asked)
            and not _has_filters(parsed.tree)
        ):
            return _Match([], "all")  # nothing in it can be looked up
        is_sorted = parsed.sort in ("newest", "oldest") or not asked
        # A prefix says which letters are meant, and those have no meaning.
        has_meaning = any(isinstance(one, Phrase) or not one.is_prefix for one in asked)
        near = self._near(parsed) if mode != "lexical" and not is_sorted and has_meaning else []
        if mode == "semantic" and not is_sorted:
            return _Match(best(near, per_session=wanted.per_session), "meaning")
        found = self._lexical(parsed, wanted, near)
        return found if found.hits else self._similar(parsed, wanted) or found

    def parts(self, parsed: Parsed) -> tuple[list[Scored], list[Scored], float]:
        """What the words find and what the meaning finds, and the share of the words when both
        become one.
        """
        found = self._lexical(parsed, _Wanted(_CANDIDATES, False), [])
        return found.hits, self._near(parsed), ALL_WORDS if found.how == "all" else SOME_WORDS

    def sessions(self, tree: Node) -> set[int]:
        """The rows of all sessions with something that meets a query."""
        query = self._compiler.compile(tree, with_hidden=_asks_for_hidden(tree))
        hits = self._searcher.search(query, max(1, self._searcher.num_docs)).hits
        return {
            int(value or 0)
            for value in self._searcher.fast_field_values("session", [place for _, place in hits])
        }

    def _lexical(self, parsed: Parsed, wanted: _Wanted, near: list[Scored]) -> _Match:
        hidden = _asks_for_hidden(parsed.tree)
        for any_word in (False, True):
            query = self._compiler.compile(parsed.tree, any_word=any_word, with_hidden=hidden)
            share = SOME_WORDS if any_word else ALL_WORDS
            found = self._run(query, parsed, wanted, near, share)
            if found.hits and (found.how != "meaning" or any_word):
                break
        return found._replace(
            how="any" if any_word and found.hits and found.how == "all" else found.how
        )

    def _near(self, parsed: Parsed) -> list[Scored]:
        """What is about the same, by its vector, and meets the conditions of the query."""
        if self._vectors is None:
            return []
        text = " ".join(one.text for one in words_of(parsed.tree))
        found = self._vectors.nearest(self._db, text, _CANDIDATES)
        hard = conditions(parsed.tree)
        if hard is not None and found:
            allowed = self._allowed(hard, [item_id for _, item_id in found])
            if len(allowed) < _FEW:  # those that meet the conditions may be further away
                allowed = self._allowed(hard, None)
                found = self._vectors.nearest(self._db, text, _CANDIDATES, allowed)
            found = [(score, item_id) for score, item_id in found if item_id in allowed]
        of = _sessions_of(self._db, {item_id for _, item_id in found})
        known = standings(self._db, of.values())
        return [
            Scored(
                item_id,
                of[item_id] if of[item_id] in known else 0,
                likeness(score, known.get(of[item_id])),
                by="meaning",
            )
            for score, item_id in found
            if item_id in of
        ]

    def _allowed(self, hard: Node, ids: list[int] | None) -> set[int]:
        """The items with a vector that meet the conditions of a query; of some, or of all."""
        query = self._compiler.among(hard, ids)
        places = [
            place
            for _, place in self._searcher.search(
                query, len(ids) * 3 if ids else _MOST_CANDIDATES
            ).hits
        ]
        return {int(value or 0) for value in self._searcher.fast_field_values("id", places)}

    def _similar(self, parsed: Parsed, wanted: _Wanted) -> _Match | None:
        """The same search with words that are in the index and nearly alike."""
        near: dict[str, str] = {}
        for word in _words(parsed.tree):
            for term in self._compiler.words(word.text):
                match = _nearest(self._searcher, term)
                if match:
                    near[word.text] = match
        if parsed.tree is None or not near or all(word == match for word, match in near.items()):
            return None
        tree = _replaced(parsed.tree, near)
        found = self._lexical(parsed._replace(tree=tree), wanted, [])
        return (
            found._replace(how="similar", instead=" ".join(near.values())) if found.hits else None
        )

    def _run(
        self,
        query: tantivy.Query,
        parsed: Parsed,
        wanted: _Wanted,
        near: list[Scored],
        share: float,
    ) -> _Match:
        """The hits of a query, best first, with those that are near; block by block, so that every
        page is the same.
        """
        if parsed.sort == "oldest":  # what has no time would be the oldest of all
            dated = self._blocks(self._compiler.dated(query), parsed, wanted, near, share)
            if not dated.is_all:
                return dated
            rest = self._blocks(self._compiler.undated(query), parsed, wanted, [], share)
            return dated._replace(
                hits=[*dated.hits, *_others(rest.hits, dated.hits, wanted)], is_all=rest.is_all
            )
        return self._blocks(query, parsed, wanted, near, share)

    def _blocks(
        self,
        query: tantivy.Query,
        parsed: Parsed,
        wanted: _Wanted,
        near: list[Scored],
        share: float,
    ) -> _Match:
        hits: dict[int, Scored] = {}
        is_by_time = parsed.sort in ("newest", "oldest") or not words_of(parsed.tree)
        titles = {} if is_by_time else self._titles(parsed)
        offset, size, how = 0, _CANDIDATES, "all"
        while True:
            found = self._block(query, parsed.sort, is_by_time, offset, size)
            block = raised(found.hits, titles)
            if offset == 0:
                how = "all" if block or not near else "meaning"
                block = fused(block, near, share) if near else block
            for hit in block if is_by_time else best(block, per_session=False):
                hits.setdefault(wanted.key(hit), hit)
            offset += size
            if found.is_all or len(hits) >= wanted.limit or offset >= _MOST_CANDIDATES:
                return _Match(list(hits.values()), how, is_all=found.is_all)
            size *= _GROWTH

    def _block(
        self, query: tantivy.Query, sort: str | None, is_by_time: bool, offset: int, size: int
    ) -> _Match:
        """Some hits of a query, each item once."""
        import tantivy

        order = tantivy.Order.Asc if sort == "oldest" else tantivy.Order.Desc
        by: dict[str, Any] = (
            {"order_by_field": "time", "order": order}
            if is_by_time
            else {"weight_by_field": "weight"}
        )
        found = self._searcher.search(query, size, offset=offset, **by).hits
        places = [place for _, place in found]
        ids, sessions, times, parts = (
            [int(value or 0) for value in self._searcher.fast_field_values(name, places)]
            for name in ("id", "session", "time", "part")
        )
        known = standings(self._db, sessions)
        hits: dict[int, Scored] = {}
        now = time.time() * 1e6
        for rank, (score, _) in enumerate(found):
            item_id, session = ids[rank], sessions[rank] if sessions[rank] in known else 0
            value = (
                -float(rank)
                if is_by_time
                else worth(float(score), times[rank], known.get(session), now)
            )
            if item_id not in hits or hits[item_id].score < value:
                hits[item_id] = Scored(item_id, session, value, bool(parts[rank]))
        return _Match(list(hits.values()), "all", is_all=len(found) < size)

    def _titles(self, parsed: Parsed) -> dict[int, float]:
        """How well the titles, folders and branches of sessions match; some of the words will do."""
        query = self._compiler.titles(parsed.tree)
        found = self._searcher.search(query, _CANDIDATES).hits
        sessions = self._searcher.fast_field_values("session", [place for _, place in found])
        return {
            int(row or 0): float(score) for (score, _), row in zip(found, sessions, strict=True)
        }


def _others(hits: list[Scored], known: list[Scored], wanted: _Wanted) -> list[Scored]:
    keys = {wanted.key(hit) for hit in known}
    return [hit for hit in hits if wanted.key(hit) not in keys]


def _sessions_of(db: Connection, ids: set[int]) -> dict[int, int]:
    """The session of each item with a vector that is still there."""
    found: dict[int, int] = {}
    for query in (
        "SELECT id, session_id FROM messages WHERE id IN",
        "SELECT item_id, id FROM sessions WHERE item_id IN",
        "SELECT id, coalesce(session_id, 0) FROM plans WHERE id IN",
    ):
        rest = ids - found.keys()
        if rest:
            found |= dict(db.execute(f"{query} ({','.join(map(str, rest))})"))
    return found


def _sessions(db: Connection, ids: set[int]) -> dict[int, SessionRow]:
    query = f"SELECT {SESSION_COLUMNS} FROM sessions s WHERE s.id IN ({','.join(map(str, ids))})"
    return {row[0]: SessionRow(*row) for row in db.execute(query)}


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
    return max(close, key=lambda match: known[match]) if close else None


def _words(node: Node | None) -> list[Word]:
    if isinstance(node, Word):
        return [node]
    return (
        [word for one in node.nodes for word in _words(one)] if isinstance(node, (And, Or)) else []
    )


def _replaced(node: Node, near: dict[str, str]) -> Node:
    if isinstance(node, Word):
        return Word(near.get(node.text, node.text), node.is_prefix)
    if isinstance(node, (And, Or)):
        return type(node)(tuple(_replaced(one, near) for one in node.nodes))
    return node
