"""Turns a query tree into a tantivy query; fields and dates are those of field_queries.py."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
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
from agent_journal.search.families import HELPER_WORDS, Families
from agent_journal.search.field_queries import FieldQueries, SessionCosts
from agent_journal.search.query_parts import QueryParts
from agent_journal.search.ranking import Scored
from agent_journal.search.relevance import FEW_WORDS, Relevance
from agent_journal.search.terms import bare_word, humps
from agent_journal.store.catalog.connection import Connection

if TYPE_CHECKING:
    import tantivy

# How much a match counts that is not the word itself
_PART_OF_NAME = 0.8
_ALL_PARTS = 0.7
_OTHER_FORM = 0.6
# The reasoning and the attachments of a message have its id, but no part in its vector.
_WITHOUT_VECTOR = ("reasoning", "attachment", "tool", "event", "edit", "document")
# An option of a command: `-f` is also `--force`, and the letter is in every long text
_FLAG = re.compile("-[A-Za-z]")
# Terms are in lower case, and always matched to the end; an escape such as \S keeps its letter.
_ESCAPE_CAPITAL_OR_END = re.compile(r"\\.|[A-Z]|\$\Z", re.DOTALL)


class Compiler(QueryParts):
    """Makes queries for one search."""

    def __init__(
        self,
        db: Connection,
        searcher: tantivy.Searcher,
        families: Families,
        costs: SessionCosts | None = None,
    ) -> None:
        super().__init__()
        self._fields = FieldQueries(db, searcher, costs)
        self._families = families
        self._relevance = Relevance(self._schema, families)

    def strict(self, tree: Node | None) -> tantivy.Query:
        """The query for what meets a tree in every respect."""
        return self._shown(self._node(tree), tree)

    def any_word(self, tree: Node | None) -> tantivy.Query:
        """The query for what has one of the words of a tree, and meets everything else."""
        words = [self._loose(word) for word in telling_words(tree) or plain_words(tree)]
        wanted = self._all_of([self._any_of(words), self._node(conditions(tree))])
        return self._shown(wanted, tree)

    def scored(self, tree: Node | None) -> tantivy.Query:
        """The query that scores what has some of the words of a tree, and meets everything else.

        What has only helper words is not found.
        """
        units = self._relevance.units(words_of(tree))
        telling = [unit for unit in units if not unit.is_helper] or units
        helpers = [unit for unit in units if unit not in telling]
        scores = self._relevance.scores(telling)
        if not scores:
            return self._query.empty_query()
        strict = self._node(tree)
        if strict is not None and has_alternatives(tree):
            scores.append(self._unscored(strict))  # it may be met without any of the words
        parts = [(self._occur.Must, self._relevance.any_of(scores))]
        extra = [*self._relevance.scores(helpers), *self._relevance.constants(units)]
        extra += self._relevance.rows(plain_words(tree), units)
        if strict is not None:
            if len(telling) > FEW_WORDS:
                # A kept file is so long that it has all the words of many questions.
                strict = self._but_not(strict, self._term("kind", "document"))
            extra.append(self._relevance.bonus(strict, units))
        parts += [(self._occur.Should, query) for query in extra]
        hard = self._node(conditions(tree))
        if hard is not None:
            parts.append((self._occur.Must, self._unscored(hard)))
        return self._shown(self._query.boolean_query(parts), tree)

    def scored_with_all(self, tree: Node | None, dates: frozenset[str]) -> tantivy.Query:
        """The same for what meets `strict_telling`."""
        wanted = _telling(tree, dates) or tree
        words = self._relevance.units(words_of(wanted))
        if has_alternatives(tree) or not self._relevance.are_single_terms(words):
            return self.both(self.scored(tree), self.strict(wanted))
        units = self._relevance.units(words_of(tree))
        others = [unit for unit in units if unit not in words]
        # Whatever is found has all these words, so what it gets for having them is one number: the
        # postings of a common word are read only once.
        value = self._relevance.constant(words)
        extra = self._relevance.rows(plain_words(tree), units)
        if others:
            extra += [*self._relevance.scores(others), *self._relevance.constants(others)]
            extra.append(self._relevance.bonus(self.strict(tree), units))
        else:
            value += self._relevance.bonus_value(units)
        parts = [(self._occur.Must, score) for score in self._relevance.scores(words)]
        if not all(unit.is_helper for unit in words):  # these are in most texts
            everything = self._query.const_score_query(self._query.all_query(), value)
            parts.append((self._occur.Must, everything))
        parts += [(self._occur.Should, query) for query in extra]
        hard = self._node(conditions(tree))
        if hard is not None:
            parts.append((self._occur.Must, self._unscored(hard)))
        return self._shown(self._query.boolean_query(parts), tree)

    def literal(self, tree: Node | None) -> tantivy.Query | None:
        """The query for what has the words of a tree as they were typed, where they are text."""
        if has_alternatives(tree):
            return None
        row = self._relevance.literal(plain_words(tree))
        if row is None:
            return None
        return self._shown(self._all_of([row, self._node(conditions(tree))]), tree)

    def sessions_having(self, content: str) -> list[int]:
        """The rows of the sessions with what `has:` asks for."""
        return self._fields.sessions_having(content)

    def value(self, tree: Node | None) -> float:
        """How much the words of a tree say together, without helper words."""
        units = self._relevance.units(words_of(tree))
        return sum(unit.value for unit in units if not unit.is_helper)

    def strict_telling(self, tree: Node | None, dates: frozenset[str]) -> tantivy.Query:
        """The query for what meets a tree but for its helper words and those of dates."""
        return self.strict(_telling(tree, dates) or tree)

    def whole_sessions(self, tree: Node | None, searcher: tantivy.Searcher) -> tantivy.Query | None:
        """The query that scores whole sessions by words; None where it could find nothing."""
        from agent_journal.search.session_words import schema

        families = Families(searcher, self._families)
        relevance = Relevance(schema(), families)
        words = [word for word in plain_words(tree) if not word.is_prefix]
        units = [unit for unit in relevance.units(words) if unit.family is not None]
        scores = relevance.scores(units)
        if not scores:
            return None
        return relevance.any_of(scores)

    def both(self, query: tantivy.Query, condition: tantivy.Query) -> tantivy.Query:
        """A query for what also meets another one, which gives no scores."""
        must = self._occur.Must
        return self._query.boolean_query([(must, query), (must, self._unscored(condition))])

    def titles(self, query: tantivy.Query) -> tantivy.Query:
        """A query for sessions by title, folder and branch."""
        return self.both(query, self._term("kind", "session"))

    def within(self, query: tantivy.Query, sessions: Iterable[int]) -> tantivy.Query:
        """A query for what is in some sessions."""
        return self.both(query, self._fields.in_sessions(list(sessions)))

    def beside(self, query: tantivy.Query, hits: Iterable[Scored]) -> tantivy.Query:
        """A query for what is neither a hit of some, nor in the session of one."""
        sessions = {hit.session for hit in hits if hit.session}
        alone = [hit.item_id for hit in hits if not hit.session]
        others = self._but_not(query, self._fields.in_sessions(list(sessions)))
        return self._but_not(others, self._query.term_set_query(self._schema, "id", alone))

    def _shown(self, wanted: tantivy.Query | None, tree: Node | None) -> tantivy.Query:
        """A query without what agents hide, unless the tree asks for it."""
        if wanted is None:
            wanted = self._query.all_query()
        if asks_for_hidden(tree):
            return wanted
        return self._but_not(wanted, self._term("flag", "hidden"))

    def dated(self, query: tantivy.Query) -> tantivy.Query:
        """A query for what has a time."""
        must = self._occur.Must
        return self._query.boolean_query([(must, query), (must, self._fields.has_time())])

    def undated(self, query: tantivy.Query) -> tantivy.Query:
        """A query for what has no time."""
        return self._but_not(query, self._fields.has_time())

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

    # -- words ---------------------------------------------------------------------------------

    def _word(self, word: Word) -> tantivy.Query | None:
        terms = self._families.terms(word.text)
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
        ways += [
            boost(self._term("body", form), _OTHER_FORM) for form in self._families.forms(term)
        ]
        if name_parts:
            parts = [(self._occur.Must, self._term("parts", part.lower())) for part in name_parts]
            ways.append(boost(self._query.boolean_query(parts), _ALL_PARTS))
        return self._query.disjunction_max_query(ways)

    def _loose(self, word: Word) -> tantivy.Query | None:
        """A word of which parts are enough: `op.create_table()` also finds `create` alone."""
        if word.is_prefix:
            return self._word(word)
        terms = self._families.terms(word.text)
        if len(terms) < 2:
            return self._word(word)
        parts = [self._word(Word(term)) for term in dict.fromkeys(terms)]
        return self._any_of([self._phrase(word.text), *parts])

    def _phrase(self, text: str) -> tantivy.Query | None:
        terms = self._families.terms(text)
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


def asks_for_hidden(node: Node | None) -> bool:
    """Whether a query asks for what agents hide."""
    if isinstance(node, Field):
        return node.name == "is" and any(value.text == "hidden" for value in node.values)
    if isinstance(node, (And, Or)):
        return any(map(asks_for_hidden, node.nodes))
    return isinstance(node, Not) and asks_for_hidden(node.node)


def _telling(tree: Node | None, dates: frozenset[str]) -> Node | None:
    """A query without its helper words, those of dates, and options of one letter."""
    flags = {word.text.lower() for word in plain_words(tree) if _FLAG.fullmatch(word.text)}
    return without_words(tree, HELPER_WORDS | dates | flags)


def plain_words(tree: Node | None) -> list[Word]:
    """The words of a query that are not in a phrase."""
    return [word for word in words_of(tree) if isinstance(word, Word)]


def telling_words(tree: Node | None, dates: frozenset[str] = frozenset()) -> list[Word]:
    """The same without those that say little alone, or name a date."""
    vague = HELPER_WORDS | dates
    words = [word for word in plain_words(tree) if bare_word(word.text).lower() not in vague]
    return [word for word in words if any(map(str.isalnum, word.text))]


def without_words(tree: Node | None, words: Container[str]) -> Node | None:
    """A query without some of the words that it asks for; those of alternatives stay."""
    if not isinstance(tree, And):
        return tree
    nodes = tuple(node for node in tree.nodes if not _is_word_among(node, words))
    if len(nodes) > 1:
        return And(nodes)
    return next(iter(nodes), None)


def _is_word_among(node: Node, words: Container[str]) -> bool:
    if not isinstance(node, Word) or node.is_prefix:
        return False
    return bare_word(node.text).lower() in words


def has_alternatives(tree: Node | None) -> bool:
    """Whether a query has an OR at its top, or in one of the parts that must all hold."""
    if isinstance(tree, And):
        return any(map(has_alternatives, tree.nodes))
    return isinstance(tree, Or)


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
