"""Queries that score texts by the words of a question; none of the words has to occur.

Each word is a family (`families.py`). A text gets for each the BM25 score of its best form, and a
constant for having it at all: tantivy's fixed length normalisation (b = 0.75) favours short texts
too much without it (this is BM25+). Having all words gives a bonus. `ranking.py` has the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.query.tree import Phrase, Word
from agent_journal.search.families import HELPER_WORDS, Families, Family
from agent_journal.search.ranking import (
    ALL_WORDS_BONUS,
    FEW_WORDS_BONUS,
    HAS_WORD,
    NEAR_BONUS,
    ROW_BONUS,
)

if TYPE_CHECKING:
    import tantivy

FEW_WORDS = 3  # all of which are meant: more words are a question
# Words as people write them: `Sam's`, `rate-limit`. What has other signs in it is a name or code.
_PROSE = re.compile("[^\\W_]+(?:['’-][^\\W_]+)*")
_SIGNS = ".,;:!?\"'()…"
_LONGEST_ROW = 6  # words that may be a command, a name or an error message
_LONGEST_COMMAND = 12  # words of which some have signs; without signs, so many are a question
_SHORTEST_LITERAL = 3  # two words in a row are in many texts by chance
_LEAST_TELLING = 2  # of them that are no helper words
_NEAR = 2  # places that words may be moved by
_ALL_PARTS = 0.7  # how much a name in other words counts: `user name` for `userName`
_PREFIX_VALUE = 3.0  # of a word of which only the beginning is known


class Unit(NamedTuple):
    """Something to look for that is scored on its own: a family, or terms in a row."""

    terms: tuple[str, ...]  # in a row; of a family only its word
    value: float  # how much it counts to have it
    family: Family | None = None
    is_prefix: bool = False

    @property
    def is_helper(self) -> bool:
        """Whether it is a word that says little alone."""
        return self.family is not None and self.family.word in HELPER_WORDS


class Relevance:
    """Makes scoring queries for one index."""

    def __init__(self, schema: tantivy.Schema, families: Families) -> None:
        import tantivy

        self._schema = schema
        self._families = families
        self._query = tantivy.Query
        self._occur = tantivy.Occur

    def units(self, words: Iterable[Word | Phrase]) -> list[Unit]:
        """What is looked for, each thing once."""
        found: dict[tuple[str, ...], Unit] = {}
        for word in words:
            for unit in self._units_of(word):
                found.setdefault(unit.terms, unit)
        return list(found.values())

    def are_single_terms(self, units: list[Unit]) -> bool:
        """Whether each of some things is a word that occurs, and is looked for as it is spelt."""
        families = [unit.family for unit in units]
        return bool(families) and all(family and family.is_as_spelt for family in families)

    def scores(self, units: list[Unit]) -> list[tantivy.Query]:
        """The score of each thing, by its best form."""
        return [self._score(unit) for unit in units if self._can_occur(unit)]

    def constants(self, units: list[Unit]) -> list[tantivy.Query]:
        """What a text gets for having each thing at all."""
        return [
            self._query.const_score_query(self._has(unit), HAS_WORD * unit.value)
            for unit in units
            if self._can_occur(unit) and unit.value > 0
        ]

    def constant(self, units: list[Unit]) -> float:
        """The sum of these constants, for a text that has everything."""
        return HAS_WORD * sum(unit.value for unit in units)

    def bonus(self, strict: tantivy.Query, units: list[Unit]) -> tantivy.Query:
        """What a text gets for meeting a query that asks for all words."""
        return self._query.const_score_query(strict, self.bonus_value(units))

    def bonus_value(self, units: list[Unit]) -> float:
        """How much that is."""
        share = ALL_WORDS_BONUS
        if sum(not unit.is_helper for unit in units) <= FEW_WORDS:
            share = FEW_WORDS_BONUS
        return share * sum(unit.value for unit in units)

    def rows(self, words: list[Word], units: list[Unit]) -> list[tantivy.Query]:
        """What a text gets for having a few words in a row, and for having them near each other."""
        terms = self._terms(words)
        if len(terms) < 2 or not _may_be_row(words, terms) or HELPER_WORDS.issuperset(terms):
            return []
        value = sum(unit.value for unit in units)
        places: list[str | tuple[int, str]] = [*terms]
        const = self._query.const_score_query
        in_a_row = self._query.phrase_query(self._schema, "body", places)
        if len(terms) > _LONGEST_ROW:
            return [const(in_a_row, (ROW_BONUS + NEAR_BONUS) * value)]
        near = self._query.phrase_query(self._schema, "body", places, slop=_NEAR)
        return [const(in_a_row, ROW_BONUS * value), const(near, NEAR_BONUS * value)]

    def literal(self, words: list[Word]) -> tantivy.Query | None:
        """What has a few words in a row that may be a command, a name or an error message.

        None where the words say too little for that, and for a single path or name.
        """
        terms = self._terms(words)
        if len(words) == 1 or len(terms) < _SHORTEST_LITERAL or not _may_be_row(words, terms):
            return None
        # A character of Chinese is a term, and several of them are a single word
        long_terms = [term for term in terms if len(term) > 1 or term.isascii()]
        if len(set(long_terms) - HELPER_WORDS) < _LEAST_TELLING:
            return None
        return self._query.phrase_query(self._schema, "body", [*terms])

    def any_of(self, queries: list[tantivy.Query]) -> tantivy.Query:
        """One of several queries; the scores are added."""
        return self._query.boolean_query([(self._occur.Should, query) for query in queries])

    def _terms(self, words: Iterable[Word]) -> list[str]:
        return [term for word in words for term in self._families.terms(word.text)]

    # -- what is looked for --------------------------------------------------------------------

    def _units_of(self, word: Word | Phrase) -> list[Unit]:
        terms = self._families.terms(word.text)
        if not terms:
            return []
        if isinstance(word, Word) and word.is_prefix:
            return [Unit(tuple(terms), _PREFIX_VALUE, is_prefix=True)]
        if len(terms) == 1:
            return [self._unit(terms[0], word.text)]
        whole = self._row(terms)
        if _is_code(word) and self._families.has_row(terms):
            return [whole]  # `foo::bar()` is not foo or bar
        if not any(map(str.isascii, terms)):  # a run of characters, each of which is in many texts
            pairs = [terms[at : at + 2] for at in range(len(terms) - 1)]
            return [self._row(pair) for pair in pairs]
        return [whole, *(self._unit(term, term) for term in terms)]

    def _unit(self, term: str, typed: str) -> Unit:
        family = self._families.family(term, typed)
        return Unit((term,), family.value, family)

    def _row(self, terms: list[str]) -> Unit:
        values = [self._families.family(term, term).value for term in terms]
        return Unit(tuple(terms), max(values))

    def _can_occur(self, unit: Unit) -> bool:
        return unit.family is None or bool(unit.family.ways or unit.family.parts)

    # -- queries -------------------------------------------------------------------------------

    def _score(self, unit: Unit) -> tantivy.Query:
        if unit.is_prefix:
            return self._query.const_score_query(self._has(unit), unit.value)
        if unit.family is None:
            return self._has(unit)
        return self._best_form(unit.family)

    def _best_form(self, family: Family) -> tantivy.Query:
        boost = self._query.boost_query
        ways = []
        for way in family.ways:
            own = self._families.idf(self._families.count(way.field, way.term))
            gain = family.weight * way.gain * family.idf / max(own, 1e-6)
            ways.append(boost(self._term(way.field, way.term), gain))
        if family.parts:
            ways.append(boost(self._all_parts(family), family.weight * _ALL_PARTS))
        return self._query.disjunction_max_query(ways)

    def _has(self, unit: Unit) -> tantivy.Query:
        if unit.is_prefix:
            return self._beginning(unit)
        if unit.family is None:
            return self._query.phrase_query(self._schema, "body", list(unit.terms))
        ways = [self._term(way.field, way.term) for way in unit.family.ways]
        if unit.family.parts:
            ways.append(self._all_parts(unit.family))
        return self.any_of(ways)

    def _beginning(self, unit: Unit) -> tantivy.Query:
        must = self._occur.Must
        *whole, beginning = unit.terms
        last = self._query.regex_query(self._schema, "body", f"{re.escape(beginning)}.*")
        parts = [(must, self._term("body", term)) for term in whole]
        return self._query.boolean_query([*parts, (must, last)])

    def _all_parts(self, family: Family) -> tantivy.Query:
        must = self._occur.Must
        return self._query.boolean_query(
            [(must, self._term("parts", part)) for part in family.parts]
        )

    def _term(self, field: str, term: str) -> tantivy.Query:
        return self._query.term_query(self._schema, field, term)


def _is_code(word: Word | Phrase) -> bool:
    """Whether a word has signs that those of prose do not have: `--fix`, `src/app`."""
    return not _PROSE.fullmatch(word.text.strip(_SIGNS))


def _may_be_row(words: list[Word], terms: list[str]) -> bool:
    """Whether words may be meant in a row: a few, or more where they are a command."""
    if len(terms) <= _LONGEST_ROW:
        return True
    return len(terms) <= _LONGEST_COMMAND and any(map(_is_code, words))
