"""Running a search: from a query to hits, best first, with the session each is in."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_journal.catalog.listing import SESSION_COLUMNS, SessionRow
from agent_journal.query import And, Dates, Field, Node, Not, Or, Parsed, Phrase, Regex, Word, words_of
from agent_journal.search.lexical import Lexical

if TYPE_CHECKING:
    import tantivy

    from agent_journal.search.vectors import Vectors

_CANDIDATES = 400  # hits looked at for the best sessions
_MOST_CANDIDATES = 200_000
_RECENT = 0.15  # how much more a hit of today counts than an old one
_HALF_LIFE = 30 * 86400 * 1e6  # microseconds until that has halved
_LEXICAL = 0.6  # the share of the words in a score, the rest is meaning
_UNLIKE = 0.25  # texts with a smaller cosine have nothing to do with each other
_SUB_AGENT = 0.7  # people's own sessions come first


class Hit(NamedTuple):
    """One item that matches."""

    item_id: int
    score: float
    session: SessionRow | None  # None: a line of a prompt history whose session is not known


class Found(NamedTuple):
    """What a search gave: hits best first, and how the query was read."""

    hits: list[Hit]
    total: int
    how: str  # all: every word matched; any: some; similar: other words, named in `instead`; meaning: none of them
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
        asked = words_of(parsed.tree)
        if asked and not any(self._compiler.words(one.text) for one in asked):
            return Found([], 0, "all")  # nothing in it can be looked up
        is_sorted = parsed.sort in ("newest", "oldest") or not words_of(parsed.tree)
        near = [] if mode == "lexical" or is_sorted else self._near(parsed)
        if mode == "semantic" and not is_sorted:
            return _best([hit for hit in near if hit.score > 0], "meaning", per_session, limit)
        found = self._lexical(parsed, limit)
        if near:
            found = found._replace(hits=_fused(found.hits, near), how=found.how if found.hits else "meaning")
        if not found.hits:
            found = self._similar(parsed, limit) or found
        return _best(found.hits, found.how, per_session, limit, found.instead)

    def sessions(self, tree: Node) -> set[int]:
        """The rows of all sessions with something that meets a query."""
        query = self._compiler.compile(tree, with_hidden=_asks_for_hidden(tree))
        hits = self._searcher.search(query, max(1, self._searcher.num_docs)).hits
        return {int(value or 0) for value in self._searcher.fast_field_values("session", [place for _, place in hits])}

    def _lexical(self, parsed: Parsed, limit: int) -> Found:
        hidden = _asks_for_hidden(parsed.tree)
        for any_word in (False, True):
            query = self._compiler.compile(parsed.tree, any_word=any_word, with_hidden=hidden)
            hits = _run(self._db, self._searcher, query, parsed, limit)
            if hits or not isinstance(parsed.tree, And):
                break
        return Found(hits, len(hits), "any" if any_word and hits else "all")

    def _near(self, parsed: Parsed) -> list[Hit]:
        """What is about the same, by its vector, and meets the conditions of the query."""
        text = " ".join(one.text for one in words_of(parsed.tree))
        found = self._vectors.nearest(self._db, text, _CANDIDATES) if self._vectors is not None else []
        found = [(like, item_id) for like, item_id in found if like > _UNLIKE]
        allowed = self._allowed(parsed.tree, [item_id for _, item_id in found])
        rows = {item_id: _session_of(self._db, item_id) for _, item_id in found if item_id in allowed}
        known = _sessions(self._db, {session for session in rows.values() if session})
        return [
            Hit(item_id, (like - _UNLIKE) / (1 - _UNLIKE) * (_SUB_AGENT if row.parent_id else 1), row)
            for like, item_id in found
            if (row := known.get(rows.get(item_id) or 0)) is not None
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

    def _similar(self, parsed: Parsed, limit: int) -> Found | None:
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
        query = self._compiler.compile(tree, any_word=True)
        hits = _run(self._db, self._searcher, query, parsed._replace(tree=tree), limit)
        return Found(hits, len(hits), "similar", " ".join(near.values())) if hits else None


def _fused(lexical: list[Hit], near: list[Hit]) -> list[Hit]:
    """Both lists in one: each hit has its share of the best score of either."""
    best = max((hit.score for hit in lexical), default=0.0) or 1.0
    scores = {hit.item_id: _LEXICAL * hit.score / best for hit in lexical}
    known = {hit.item_id: hit for hit in (*near, *lexical)}
    for hit in near:
        scores[hit.item_id] = scores.get(hit.item_id, 0.0) + (1 - _LEXICAL) * hit.score
    return [hit._replace(score=scores[item_id]) for item_id, hit in known.items()]


def _best(hits: list[Hit], how: str, per_session: bool, limit: int, instead: str = "") -> Found:
    best = sorted(hits, key=lambda hit: -hit.score)
    if per_session:
        best = list({_group(hit): hit for hit in reversed(best)}.values())
        best.sort(key=lambda hit: -hit.score)
    return Found(best[:limit], len(best), how, instead)


def _conditions(node: Node | None) -> list[Node]:
    """The parts of a query that must hold as they are; only plain words may be told in others."""
    if isinstance(node, And):
        return [part for one in node.nodes for part in _conditions(one)]
    return [node] if isinstance(node, (Field, Dates, Not, Phrase, Regex)) else []


def _session_of(db: sqlite3.Connection, item_id: int) -> int | None:
    """The session an item is in; None when the item is gone."""
    for query in (
        "SELECT session_id FROM messages WHERE id = ?",
        "SELECT id FROM sessions WHERE item_id = ?",
        "SELECT session_id FROM plans WHERE id = ?",
    ):
        row = db.execute(query, (item_id,)).fetchone()
        if row is not None:
            return row[0] and int(row[0])
    return None


def _run(
    db: sqlite3.Connection, searcher: tantivy.Searcher, query: tantivy.Query, parsed: Parsed, limit: int
) -> list[Hit]:
    """The hits of a query, each item once."""
    import tantivy

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
    ids, times = ([int(value or 0) for value in searcher.fast_field_values(name, places)] for name in ("id", "time"))
    known = _sessions(db, {session for session in sessions if session})
    hits: dict[int, Hit] = {}
    now = time.time() * 1e6
    for rank, ((score, _), item_id, session, when) in enumerate(zip(result.hits, ids, sessions, times, strict=True)):
        row = known.get(session)
        if row is None and session:
            continue  # the catalog does not know the session any more
        worth = -float(rank) if by_time else _worth(float(score), when, row, now)
        if item_id not in hits or hits[item_id].score < worth:
            hits[item_id] = Hit(item_id, worth, row)
    return list(hits.values())


def _group(hit: Hit) -> int:
    return hit.session.row_id if hit.session is not None else -hit.item_id


def _worth(score: float, when: int, row: SessionRow | None, now: float) -> float:
    newest = when or (row.ended_at if row is not None else 0) or 0
    recent: float = 1 + _RECENT * 0.5 ** (max(0.0, now - newest) / _HALF_LIFE)
    return score * recent * (_SUB_AGENT if row is not None and row.parent_id else 1)


def _sessions(db: sqlite3.Connection, ids: set[int]) -> dict[int, SessionRow]:
    found = {}
    for session_id in ids:
        query = f"SELECT {SESSION_COLUMNS} FROM sessions s WHERE s.id = ? AND s.is_known = 1"
        row = db.execute(query, (session_id,)).fetchone()
        if row is not None:
            found[session_id] = SessionRow(*row)
    return found


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
