"""Words of a query with their other forms in the index, and how much each word says.

A family is a word and its other forms (`limit`, `limits`, `limiting`): a text with one of them has
the word. What a family says depends on how many texts have any of its forms, not on how rare one
form is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.search.lexical_documents import analyzers, schema
from agent_journal.search.terms import humps, prepared

if TYPE_CHECKING:
    import tantivy

_SHORTEST = 3  # letters of a word that has other forms
_SIMILAR_TERMS = 300  # that are checked for other forms of a word
_MOST_FORMS = 12
_LONGER_TERMS = 1000  # the most common ones of those that begin like a word
_MOST = 0.5  # of all texts, as a sum over these terms
_HARDLY_ANY = 0.01
_LONGEST_ENDING = 5  # letters; longer ones mostly make other words
_HELPER_WEIGHT = 0.2
# Words that say little by themselves. They are not dropped: `it` and `who` may be all that two
# sessions differ in.
_HELPERS = """
a about after again all also am an and any are as at be because been before being both but by can
could did do does doing done down during each else ever few for from get gets getting going got had
has have having he her here hers him his how i if in into is it its just lot many may me might mine
more most much must my no nor not now of off on once one only or other our ours out over own she
should so some such than that the their theirs them then there these they thing things this those
though through to too under until up us use used using very was way we were what when where which
while who whom whose why will with would yet you your yours"""
HELPER_WORDS = frozenset(_HELPERS.split())


class Way(NamedTuple):
    """A term that a word is found by, and how much it counts against the word itself."""

    field: str
    term: str
    gain: float


class Family(NamedTuple):
    """A word with everything it is found by."""

    word: str
    ways: tuple[Way, ...]
    parts: tuple[str, ...]  # of a name in camelCase, all of which are enough
    texts: int  # that have one of its forms, as a sum over the forms
    idf: float
    weight: float

    @property
    def value(self) -> float:
        """How much it counts that a text has the word."""
        return self.weight * self.idf

    @property
    def is_as_spelt(self) -> bool:
        """Whether it occurs, and is not also looked for as another word."""
        return bool(self.ways) and self.ways[-1].gain != _OTHER_SPELLING


_PART_OF_NAME = 0.8
_OTHER_FORM = 0.9
_OTHER_SPELLING = 0.5


class Families:
    """Looks up words in one index."""

    def __init__(self, searcher: tantivy.Searcher, items: Families | None = None) -> None:
        """`items`: the families of single items, where this is the index of whole sessions."""
        self._searcher = searcher
        self._items = items
        self._analyzers = analyzers()
        self._total = searcher.num_docs
        self._known: dict[tuple[str, str], Family] = {}
        self._forms_of: dict[str, list[str]] = {}

    @property
    def total(self) -> int:
        """How many texts there are."""
        return self._total

    def terms(self, text: str) -> list[str]:
        """The terms that a text is indexed under."""
        return list(self._analyzers["words"].analyze(prepared(text)))

    def family(self, term: str, typed: str) -> Family:
        """The family of a term; `typed` is the word as it was typed, with its capitals."""
        key = (term, typed)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._find_family(term, typed)
        return found

    def add_spelling(self, term: str, typed: str, spelling: str) -> None:
        """Have a word also be found by another spelling."""
        family = self.family(term, typed)
        way = Way("body", spelling, _OTHER_SPELLING)
        if way not in family.ways:  # of an earlier query
            self._known[term, typed] = family._replace(ways=(*family.ways, way))

    def count(self, field: str, term: str) -> int:
        """How many texts have a term."""
        return int(self._searcher.doc_freq(field, term))

    def has_row(self, terms: list[str]) -> bool:
        """Whether a text has these terms in a row; not known in the index of whole sessions."""
        import tantivy

        if self._items is not None:
            return False
        row = tantivy.Query.phrase_query(schema(), "body", terms)  # type: ignore[arg-type]
        return bool(self._searcher.search(row, 1).hits)

    def begins_most(self, beginning: str) -> bool:
        """Whether most texts have a word that begins so, and hardly any has this word itself."""
        terms = self.terms(beginning)
        if len(terms) != 1:
            return False
        found = self._searcher.terms_with_prefix("body", terms[0], limit=_LONGER_TERMS)
        begin_so = sum(count for _, count in found)
        is_rare = self.count("body", terms[0]) < begin_so * _HARDLY_ANY
        return is_rare and begin_so > self._total * _MOST

    def idf(self, count: int) -> float:
        """What a term says that so many texts have; as tantivy computes it."""
        return math.log(1 + max(0.0, self._total - count + 0.5) / (count + 0.5))

    def vector_weight(self, word: str) -> float:
        """How much a word counts in the vector of a query; nothing where it says nothing."""
        if word in HELPER_WORDS:
            return 0.0
        share = self.idf(self.count("body", word)) / math.log(1 + max(1, self._total))
        return math.sqrt(max(0.0, share))

    def _find_family(self, term: str, typed: str) -> Family:
        ways = [Way("body", term, 1.0)]
        parts: tuple[str, ...] = ()
        if self._items is None:
            ways.append(Way("parts", term, _PART_OF_NAME))
            parts = tuple(part.lower() for part in humps(typed).split())
        ways += [Way("body", form, _OTHER_FORM) for form in self.forms(term)]
        counted = [(way, self.count(way.field, way.term)) for way in ways]
        count = sum(number for _, number in counted)
        weight = 1.0
        if term in HELPER_WORDS:
            weight = _HELPER_WEIGHT
        return Family(
            word=term,
            ways=tuple(way for way, number in counted if number),
            parts=parts,
            texts=count,
            idf=self.idf(count),
            weight=weight,
        )

    # -- other forms ---------------------------------------------------------------------------

    def forms(self, term: str) -> list[str]:
        """Other forms of an English word that occur: for `limit` also `limits` and `limiting`."""
        if self._items is not None:
            return self._items.forms(term)
        if term not in self._forms_of:
            self._forms_of[term] = self._find_forms(term)
        return self._forms_of[term]

    def _find_forms(self, term: str) -> list[str]:
        if len(term) < _SHORTEST or not (term.isascii() and term.isalpha()):
            return []
        stem = self._stem(term)
        if len(term) == _SHORTEST and stem != term:
            return []  # `ios` is no form of `io`
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
