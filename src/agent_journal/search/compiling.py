"""Turns a query tree into a tantivy query; fields and dates are those of field_queries.py."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent_journal.query.tree import (
    And,
    Dates,
    Field,
    Node,
    Not,
    Or,
    Phrase,
    Regex,
    Word,
    words_of,
)
from agent_journal.search.field_queries import FieldQueries, SessionCosts
from agent_journal.search.lexical import analyzers
from agent_journal.search.query_parts import QueryParts
from agent_journal.search.terms import humps, prepared
from agent_journal.store.catalog.connection import Connection

if TYPE_CHECKING:
    import tantivy

_SHORTEST = 4  # letters of a word that has other forms
_SIMILAR_TERMS = 300  # that are checked for other forms of a word
_MOST_FORMS = 12
_LONGEST_ENDING = 5  # letters; longer ones mostly make other words
# How much a match counts that is not the word itself
_PART_OF_NAME = 0.8
_ALL_PARTS = 0.7
_OTHER_FORM = 0.6
# They are in every text: where one word is enough they would only hide the others.
_SMALL = """
a about an and are as at be been but by can did do does for from had has have how i if in into is it
its me my no not of on or our such that the their then there these they this to us was we were what
when where which who why will with you"""
_SMALL_WORDS = frozenset(_SMALL.split())
# The reasoning and the attachments of a message have its id, but no part in its vector.
_WITHOUT_VECTOR = ("reasoning", "attachment", "tool", "event", "edit", "document")
# Terms are in lower case, and always matched to the end; an escape such as \S keeps its letter.
_ESCAPE_CAPITAL_OR_END = re.compile(r"\\.|[A-Z]|\$\Z", re.DOTALL)


class Compiler(QueryParts):
    """Makes queries for one search."""

    def __init__(
        self, db: Connection, searcher: tantivy.Searcher, costs: SessionCosts | None = None
    ) -> None:
        super().__init__()
        self._fields = FieldQueries(db, searcher, costs)
        self._searcher = searcher
        self._forms_of: dict[str, list[str]] = {}  # each word is compiled more than once
        self._analyzers = analyzers()

    def compile(
        self, tree: Node | None, *, any_word: bool = False, with_hidden: bool = False
    ) -> tantivy.Query:
        """The query for a tree.

        With `any_word`, one of its words is enough, and all other conditions must hold.
        """
        if any_word:
            wanted = self._all_of([self._any_word(tree), self._node(conditions(tree))])
        else:
            wanted = self._node(tree)
        if wanted is None:
            wanted = self._query.all_query()
        if with_hidden:
            return wanted
        return self._but_not(wanted, self._term("flag", "hidden"))

    def dated(self, query: tantivy.Query) -> tantivy.Query:
        """A query for what has a time."""
        must = self._occur.Must
        return self._query.boolean_query([(must, query), (must, self._fields.has_time())])

    def undated(self, query: tantivy.Query) -> tantivy.Query:
        """A query for what has no time."""
        return self._but_not(query, self._fields.has_time())

    def without_documents(self, query: tantivy.Query) -> tantivy.Query:
        """A query for everything but kept files."""
        return self._but_not(query, self._term("kind", "document"))

    def titles(self, tree: Node | None) -> tantivy.Query:
        """The query for sessions by title, folder and branch; each word that matches counts."""
        words = [self._loose(word) for word in words_of(tree) if isinstance(word, Word)]
        matches = self._any_of(words)
        if matches is None:
            return self._query.empty_query()
        is_title = self._unscored(self._term("kind", "session"))
        must = self._occur.Must
        return self._query.boolean_query([(must, is_title), (must, matches)])

    def among(self, tree: Node, ids: list[int] | None) -> tantivy.Query:
        """The query for items with a vector that meet conditions; of some items, or of all."""
        items = self._query.all_query()
        if ids is not None:
            items = self._query.term_set_query(self._schema, "id", ids)
        parts = [(self._occur.Must, items)]
        parts += [(self._occur.MustNot, self._term("kind", kind)) for kind in _WITHOUT_VECTOR]
        inner = self._node(tree)
        if inner is not None:
            parts.append((self._occur.Must, inner))
        return self._query.boolean_query(parts)

    def words(self, text: str) -> list[str]:
        """The terms that a text is indexed under."""
        return list(self._analyzers["words"].analyze(prepared(text)))

    # -- the tree ------------------------------------------------------------------------------

    def _node(self, node: Node | None) -> tantivy.Query | None:
        """The query for a node; None when it sets no condition."""
        match node:
            case None:
                return None
            case Word():
                return self._word(node)
            case Phrase():
                return self._phrase(node.text)
            case Regex():
                return self._regex(node)
            case Field():
                return self._fields.field(node)
            case Dates():
                return self._fields.dates(node)
            case Not():
                return self._not(node)
            case Or():
                return self._any_of([self._node(inner) for inner in node.nodes])
            case And():
                return self._all_of([self._node(inner) for inner in node.nodes])

    def _not(self, node: Not) -> tantivy.Query | None:
        inner = self._node(node.node)
        if inner is None:
            return None
        return self._but_not(self._query.all_query(), inner)

    def _any_word(self, tree: Node | None) -> tantivy.Query | None:
        """One of the words; small ones only where there are no others."""
        words = [word for word in words_of(tree) if isinstance(word, Word)]
        return self._any_of([self._loose(word) for word in telling_words(tree) or words])

    # -- words ---------------------------------------------------------------------------------

    def _word(self, word: Word) -> tantivy.Query | None:
        terms = self.words(word.text)
        if not terms:
            return None  # nothing in it can be looked up: `-`, `?`
        if word.is_prefix:
            return self._prefix(terms, word.text)
        if len(terms) > 1:
            return self._phrase(word.text)
        return self._any_form(terms[0], humps(word.text).split())

    def _prefix(self, terms: list[str], text: str) -> tantivy.Query:
        *whole, beginning = terms
        parts = [(self._occur.Must, self._term("body", term)) for term in whole]
        last = self._pattern("body", f"{re.escape(beginning)}.*", text)
        return self._query.boolean_query([*parts, (self._occur.Must, last)])

    def _any_form(self, term: str, name_parts: list[str]) -> tantivy.Query:
        """A term, other forms of it, names that contain it, or all parts of a name."""
        boost = self._query.boost_query
        ways = [self._term("body", term), boost(self._term("parts", term), _PART_OF_NAME)]
        ways += [boost(self._term("body", form), _OTHER_FORM) for form in self._forms(term)]
        if name_parts:
            parts = [(self._occur.Must, self._term("parts", part.lower())) for part in name_parts]
            ways.append(boost(self._query.boolean_query(parts), _ALL_PARTS))
        return self._query.disjunction_max_query(ways)

    def _forms(self, term: str) -> list[str]:
        """Other forms of an English word that occur: for `limit` also `limits` and `limiting`."""
        if term not in self._forms_of:
            self._forms_of[term] = self._find_forms(term)
        return self._forms_of[term]

    def _find_forms(self, term: str) -> list[str]:
        if len(term) < _SHORTEST or not (term.isascii() and term.isalpha()):
            return []
        stem = self._stem(term)
        # The end of a stem may differ from the word: `retri` is the stem of retry and retries.
        beginning = stem[: max(3, len(stem) - 1)]
        similar = self._searcher.terms_with_prefix("body", beginning, limit=_SIMILAR_TERMS)
        longest = len(term) + _LONGEST_ENDING
        forms = []
        for form, _ in similar:
            is_candidate = form != term and len(form) <= longest and form.isalpha()
            if is_candidate and self._analyzers["stems"].analyze(form) == [stem]:
                forms.append(form)
        return forms[:_MOST_FORMS]

    def _stem(self, term: str) -> str:
        [stem] = self._analyzers["stems"].analyze(term) or [term]
        return stem

    def _loose(self, word: Word) -> tantivy.Query | None:
        """A word of which parts are enough: `op.create_table()` also finds `create` alone."""
        if word.is_prefix:
            return self._word(word)
        terms = self.words(word.text)
        if len(terms) < 2:
            return self._word(word)
        parts = [self._word(Word(term)) for term in dict.fromkeys(terms)]
        return self._any_of([self._phrase(word.text), *parts])

    def _phrase(self, text: str) -> tantivy.Query | None:
        terms = self.words(text)
        if not terms:
            return None
        if len(terms) == 1:
            return self._term("body", terms[0])
        return self._query.phrase_query(self._schema, "body", terms)  # type: ignore[arg-type]

    def _regex(self, regex: Regex) -> tantivy.Query:
        pattern = _ESCAPE_CAPITAL_OR_END.sub(_for_terms, regex.pattern)
        return self._pattern("body", pattern.removeprefix("^"), f"/{regex.pattern}/")


def _for_terms(found: re.Match[str]) -> str:
    text = found[0]
    if text.startswith("\\"):
        return text
    return text.lower().strip("$")


def telling_words(tree: Node | None) -> list[Word]:
    """The words of a query, without those that are in every text."""
    words = [word for word in words_of(tree) if isinstance(word, Word)]
    return [word for word in words if word.text.lower() not in _SMALL_WORDS]


def conditions(node: Node | None) -> Node | None:
    """The part of a query that always has to hold: everything but its plain words."""
    if isinstance(node, And):
        parts = _known_conditions(node.nodes)
        if len(parts) > 1:
            return And(parts)
        return next(iter(parts), None)
    if isinstance(node, Or):
        ways = _known_conditions(node.nodes)
        if len(ways) < len(node.nodes):
            return None  # one of the alternatives is a word
        return Or(ways)
    if isinstance(node, Word):
        return None
    return node


def _known_conditions(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    found = [conditions(node) for node in nodes]
    return tuple(node for node in found if node is not None)
