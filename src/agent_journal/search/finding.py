"""Running a search: from a query to hits, best first, with the session each is in."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_journal.catalog.listing import SESSION_COLUMNS, SessionRow
from agent_journal.query import And, Dates, Field, Node, Not, Or, Parsed, Phrase, Regex, Word, words_of
from agent_journal.search.lexical import Lexical
from agent_journal.search.ranking import Scored, best, fused, likeness, raised, standings, worth

if TYPE_CHECKING:
    import tantivy

    from agent_journal.search.vectors import Vectors

_CANDIDATES = 400  # hits looked at for the best sessions
_MOST_CANDIDATES = 200_000


class Hit(NamedTuple):
    """One item that matches."""

    item_id: int
    score: float
    session: SessionRow | None  # None: a line of a prompt history whose session is not known


class Found(NamedTuple):
    """What a search gave: hits best first, and how the query was read."""

    hits: list[Hit]
    total: int  # how many there are at least
    how: str  # all: every word matched; any: some; similar: other words, named in `instead`; meaning: none of them
    instead: str = ""


class _Match(NamedTuple):
    hits: list[Scored]
    how: str
    instead: str = ""


class Searcher:
    """One search over the indexes of a journal."""

    def __init__(self, db: sqlite3.Connection, lexical: Lexical, vectors: Vectors | None) -> None:
        from agent_journal.search.compiling import Compiler

        self._db = db
        self._searcher = lexical.open().searcher()
        self._vectors = vectors
        self._compiler = Compiler(db)

    def find(self, parsed: Parsed, mode: str, *, per_session: bool, limit: int) -> Found:
        """The best hits; one for each session unless `per_session` is off."""
        match = self._match(parsed, mode, limit)
        hits = best(match.hits, per_session=per_session)
        rows = _sessions(self._db, {hit.session for hit in hits[:limit]})
        shown = [Hit(hit.item_id, hit.score, rows.get(hit.session)) for hit in hits[:limit]]
        return Found(shown, len(hits), match.how, match.instead)

    def _match(self, parsed: Parsed, mode: str, limit: int) -> _Match:
        asked = words_of(parsed.tree)
        if asked and not any(self._compiler.words(one.text) for one in asked):
            return _Match([], "all")  # nothing in it can be looked up
        is_sorted = parsed.sort in ("newest", "oldest") or not asked
        near = [] if mode == "lexical" or is_sorted else self._near(parsed)
        if mode == "semantic" and not is_sorted:
            return _Match(near, "meaning")
        found = self._lexical(parsed, limit)
        if near:
            found = found._replace(hits=fused(found.hits, near), how=found.how if found.hits else "meaning")
        return found if found.hits else self._similar(parsed, limit) or found

    def parts(self, parsed: Parsed) -> tuple[list[Scored], list[Scored]]:
        """What the words find and what the meaning finds, before both become one."""
        return self._lexical(parsed, _CANDIDATES).hits, self._near(parsed)

    def sessions(self, tree: Node) -> set[int]:
        """The rows of all sessions with something that meets a query."""
        query = self._compiler.compile(tree, with_hidden=_asks_for_hidden(tree))
        hits = self._searcher.search(query, max(1, self._searcher.num_docs)).hits
        return {int(value or 0) for value in self._searcher.fast_field_values("session", [place for _, place in hits])}

    def _lexical(self, parsed: Parsed, limit: int) -> _Match:
        hidden = _asks_for_hidden(parsed.tree)
        for any_word in (False, True):
            query = self._compiler.compile(parsed.tree, any_word=any_word, with_hidden=hidden)
            hits = self._run(query, parsed, limit)
            if hits:
                break
        return _Match(hits, "any" if any_word and hits else "all")

    def _near(self, parsed: Parsed) -> list[Scored]:
        """What is about the same, by its vector, and meets the conditions of the query."""
        text = " ".join(one.text for one in words_of(parsed.tree))
        found = self._vectors.nearest(self._db, text, _CANDIDATES) if self._vectors is not None else []
        allowed = self._allowed(parsed.tree, [item_id for _, item_id in found])
        of = _sessions_of(self._db, allowed)
        known = standings(self._db, of.values())
        return [
            Scored(item_id, of[item_id], likeness(score, known[of[item_id]]))
            for score, item_id in found
            if of.get(item_id) in known
        ]

    def _allowed(self, tree: Node | None, ids: list[int]) -> set[int]:
        """Of some items, those that meet the fields, dates and exclusions of a query."""
        conditions = _conditions(tree)
        if not conditions or not ids:
            return set(ids)
        wanted = conditions[0] if len(conditions) == 1 else And(tuple(conditions))
        query = self._compiler.among(wanted, ids)
        places = [place for _, place in self._searcher.search(query, len(ids) * 3).hits]
        return {int(value or 0) for value in self._searcher.fast_field_values("id", places)}

    def _similar(self, parsed: Parsed, limit: int) -> _Match | None:
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
        hits = self._run(self._compiler.compile(tree, any_word=True), parsed._replace(tree=tree), limit)
        return _Match(hits, "similar", " ".join(near.values())) if hits else None

    def _run(self, query: tantivy.Query, parsed: Parsed, limit: int) -> list[Scored]:
        """The hits of a query, each item once."""
        import tantivy

        searcher = self._searcher
        by_time = parsed.sort in ("newest", "oldest") or (parsed.sort is None and not words_of(parsed.tree))
        order = tantivy.Order.Asc if parsed.sort == "oldest" else tantivy.Order.Desc
        by: dict[str, Any] = {"order_by_field": "time", "order": order} if by_time else {"weight_by_field": "weight"}
        wanted = max(_CANDIDATES, limit * 4)
        while True:
            result = searcher.search(query, wanted, **by)
            places = [place for _, place in result.hits]
            sessions = [int(value or 0) for value in searcher.fast_field_values("session", places)]
            # One session may have more hits than all others together: then more of them are looked at.
            if len(places) < wanted or len(set(sessions)) >= limit or wanted >= _MOST_CANDIDATES:
                break
            wanted *= 8
        ids = [int(value or 0) for value in searcher.fast_field_values("id", places)]
        times = [int(value or 0) for value in searcher.fast_field_values("time", places)]
        known = standings(self._db, sessions)
        hits: dict[int, Scored] = {}
        now = time.time() * 1e6
        rows = zip(result.hits, ids, sessions, times, strict=True)
        for rank, ((score, _), item_id, session, when) in enumerate(rows):
            if session and session not in known:
                continue  # the catalog does not know the session any more
            value = -float(rank) if by_time else worth(float(score), when, known.get(session), now)
            if item_id not in hits or hits[item_id].score < value:
                hits[item_id] = Scored(item_id, session, value)
        return list(hits.values()) if by_time else raised(list(hits.values()), self._titles(parsed))

    def _titles(self, parsed: Parsed) -> dict[int, float]:
        """How well the titles, folders and branches of sessions match; some of the words will do."""
        query = self._compiler.titles(parsed.tree)
        found = self._searcher.search(query, _CANDIDATES).hits
        sessions = self._searcher.fast_field_values("session", [place for _, place in found])
        return {int(row or 0): float(score) for (score, _), row in zip(found, sessions, strict=True)}


def _conditions(node: Node | None) -> list[Node]:
    """The parts of a query that must hold as they are; only plain words may be told in others."""
    if isinstance(node, And):
        return [part for one in node.nodes for part in _conditions(one)]
    return [node] if isinstance(node, (Field, Dates, Not, Phrase, Regex)) else []


def _sessions_of(db: sqlite3.Connection, ids: set[int]) -> dict[int, int]:
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


def _sessions(db: sqlite3.Connection, ids: set[int]) -> dict[int, SessionRow]:
    query = f"SELECT {SESSION_COLUMNS} FROM sessions s WHERE s.id IN ({','.join(map(str, ids))})"
    return {row[0]: SessionRow(*row) for row in db.execute(query)}


def _asks_for_hidden(node: Node | None) -> bool:
    if isinstance(node, Field):
        return node.name == "is" and any(value.text == "hidden" for value in node.values)
    if isinstance(node, (And, Or)):
        return any(map(_asks_for_hidden, node.nodes))
    return isinstance(node, Not) and _asks_for_hidden(node.node)


def _nearest(searcher: tantivy.Searcher, term: str) -> str | None:
    from difflib import get_close_matches

    known = dict(searcher.terms_with_prefix("body", term[:2], limit=5_000))
    if term in known:
        return term
    close = get_close_matches(term, known, n=3, cutoff=0.75)
    return max(close, key=lambda match: known[match]) if close else None


def _words(node: Node | None) -> list[Word]:
    if isinstance(node, Word):
        return [node]
    return [word for one in node.nodes for word in _words(one)] if isinstance(node, (And, Or)) else []


def _replaced(node: Node, near: dict[str, str]) -> Node:
    if isinstance(node, Word):
        return Word(near.get(node.text, node.text), node.is_prefix)
    if isinstance(node, (And, Or)):
        return type(node)(tuple(_replaced(one, near) for one in node.nodes))
    return node
