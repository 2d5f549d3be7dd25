"""Runs a search: from a query to hits, best first, each with its session."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agent_journal.query.tree import (
    And,
    Dates,
    Field,
    Node,
    Not,
    Or,
    Parsed,
    Regex,
    Value,
    words_of,
)
from agent_journal.search.asked_dates import find_dates
from agent_journal.search.by_score import ByScore
from agent_journal.search.by_time import ByTime, Match, Wanted
from agent_journal.search.compiling import Compiler, conditions, telling_words
from agent_journal.search.families import Families
from agent_journal.search.field_queries import SessionCosts
from agent_journal.search.known_sessions import KnownSessions
from agent_journal.search.lexical import Lexical
from agent_journal.search.message_hits import MessageHits
from agent_journal.search.spelling import Checked, Spelling
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.search_rows import session_rows

if TYPE_CHECKING:
    from agent_journal.search.vectors import Vectors

# What people say beside a time when they mean everything: `what happened yesterday`
_EVERYTHING = frozenset(("happen", "happened", "work", "worked", "session", "sessions"))


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
    # all: something has every word; any: some words; similar: words that are spelt almost alike;
    # meaning: none
    how: str
    missing: tuple[str, ...] = ()  # words that nothing in the journal has
    spelled: tuple[tuple[str, str], ...] = ()  # words that were taken for others, with these

    @property
    def instead(self) -> str:
        """The words that were searched for in place of others."""
        return " ".join(taken for _, taken in self.spelled)


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
        searcher = lexical.searcher()
        self._families = Families(searcher)
        self._compiler = Compiler(db, searcher, self._families, costs)
        known = KnownSessions(db)
        self._messages = MessageHits(searcher, known)
        self._spelling = Spelling(searcher, self._families)
        near = None
        if vectors is not None:
            from agent_journal.search.near import Near

            near = Near(db, vectors, self._compiler, self._families, self._messages, known)
        self._by_time = ByTime(self._compiler, self._messages)
        self._by_score = ByScore(known, lexical, self._compiler, self._messages, near)

    def find(self, parsed: Parsed, mode: str, *, per_session: bool, limit: int) -> Found:
        """The best hits; one for each session unless `per_session` is off."""
        wanted = Wanted(limit + 1, per_session)  # one more tells whether there are more
        with self._index.reading():
            checked = self._spelling.check(parsed.tree)
            match = self._match(parsed, checked, mode, wanted)
        shown = match.hits[:limit]
        rows = session_rows(self._db, {hit.session for hit in shown})
        hits = [
            Hit(hit.item_id, hit.score, rows.get(hit.session), hit.part, hit.by) for hit in shown
        ]
        total = None
        if match.is_all or len(match.hits) <= limit:
            total = len(match.hits)
        how = match.how
        if checked.spelled and how != "meaning":
            how = "similar"
        return Found(hits, total, how, checked.missing, checked.spelled)

    def sessions(self, tree: Node) -> set[int]:
        """The rows of all sessions with something that meets a query."""
        with self._index.reading():
            query = self._compiler.strict(tree)
            return self._messages.sessions(query)

    def sessions_having(self, content: str) -> list[int]:
        """The rows of the sessions with what `has:` asks for: an error, a plan …"""
        with self._index.reading():
            return self._compiler.sessions_having(content)

    def begins_most(self, beginning: str) -> bool:
        """Whether most texts have a word that begins so, and hardly any has this word itself."""
        with self._index.reading():
            return self._families.begins_most(beginning)

    def _match(self, parsed: Parsed, checked: Checked, mode: str, wanted: Wanted) -> Match:
        words = words_of(parsed.tree)
        has_terms = any(self._families.terms(word.text) for word in words)
        if words and not has_terms and not _has_filters(parsed.tree):
            return Match([], "all")  # nothing in it can be looked up
        order = _time_order(parsed)
        if order is None:
            found = self._by_score.find(checked, mode, wanted)
            if checked.dates and not telling_words(checked.asked, checked.dates | _EVERYTHING):
                return self._with_dates_first(found, checked, wanted)
            return found
        if checked.is_hopeless:
            return Match([], "any")
        found = self._by_time.find(checked.tree, order, wanted)
        if checked.missing:
            return found._replace(how="any")
        return found

    def _with_dates_first(self, found: Match, checked: Checked, wanted: Wanted) -> Match:
        """What was asked at a time, for a question that names nothing but the time; then others."""
        tree = _prompts_of(checked)
        if tree is None:
            return found
        then = self._by_time.find(tree, "newest", wanted)
        known = {wanted.key(hit) for hit in then.hits}
        others = [hit for hit in found.hits if wanted.key(hit) not in known]
        is_all = then.is_all and found.is_all
        return Match([*then.hits, *others], "all", is_all)


def _prompts_of(checked: Checked) -> Node | None:
    """The query for what people wrote at the time that a question names."""
    asked = find_dates(" ".join(word.text for word in words_of(checked.asked)))
    spans = [span for span in (date.latest() for date in asked) if span is not None]
    if not spans:
        return None
    times: list[Node] = [Dates(first.isoformat(), last.isoformat()) for first, last in spans]
    when = times[0]
    if len(times) > 1:
        when = Or(tuple(times))
    rest = conditions(checked.asked)
    prompt = Field("is", (Value("prompt"),))
    if rest is None:
        return And((when, prompt))
    return And((when, prompt, *_parts(rest)))


def _parts(node: Node) -> tuple[Node, ...]:
    if isinstance(node, And):
        return node.nodes
    return (node,)


def _time_order(parsed: Parsed) -> str | None:
    """`newest` or `oldest`; None where the best hits come first."""
    if parsed.sort in ("newest", "oldest"):
        return parsed.sort
    if not words_of(parsed.tree):
        return "newest"  # there is nothing that could match better
    return None


def _has_filters(node: Node | None) -> bool:
    if isinstance(node, (And, Or)):
        return any(map(_has_filters, node.nodes))
    return isinstance(node, (Field, Dates, Regex, Not))
