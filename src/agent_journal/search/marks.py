"""Finds the words of a query in a text, to mark them and to choose what is shown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import NamedTuple

_MOST_MARKS = 2_000
_SHORTEST = 4  # letters of a word that has other forms
# Endings of English words; the first that leaves enough letters is left out.
_ENDINGS = ("ing", "ies", "ed", "es", "s", "y", "e")


class Mark(NamedTuple):
    """Where a term is: `term` is its number."""

    start: int
    end: int
    term: int


class Marker:
    """Finds terms in texts: words in any form, and phrases, whose words are in a row."""

    def __init__(self, terms: Iterable[str]) -> None:
        wanted = dict.fromkeys(folded(term) for term in terms if term)
        self.terms = sorted(wanted, key=len, reverse=True)
        self.words = [term for term in wanted if " " not in term]  # in the order of the query

    def marks(self, text: str) -> list[Mark]:
        """Return where the terms are; those that are nowhere a word also as parts of names."""
        if not self.terms:
            return []
        plain = folded(text)
        found = _found(self._as_words, plain)
        seen = {mark.term for mark in found}
        if len(seen) < len(self.terms):
            parts = [mark for mark in _found(self._anywhere, plain) if mark.term not in seen]
            parts = [mark for mark in parts if self._can_begin(text, mark)]
            found = _without_overlaps([*found, *parts])
        return found

    def terms_in(self, text: str) -> frozenset[int]:
        """Return the numbers of the terms that a text has."""
        return frozenset(mark.term for mark in self.marks(text))

    def weight(self, terms: Collection[int]) -> float:
        """Return how much it says that a text has these terms: each word counts, phrases more."""
        return sum(1.0 + 2 * self.terms[term].count(" ") for term in terms)

    def _can_begin(self, text: str, mark: Mark) -> bool:
        """Whether a word or a part of a name begins at a mark: `Name` in userName, not `me`."""
        if not mark.start or not self.terms[mark.term].isascii():
            return True
        before = text[mark.start - 1]
        first = text[mark.start]
        is_part_of_name = before.islower() and first.isupper()
        return not before.isalnum() or is_part_of_name

    @cached_property
    def _as_words(self) -> re.Pattern[str]:
        return re.compile("|".join(f"({_word_pattern(term)})" for term in self.terms))

    @cached_property
    def _anywhere(self) -> re.Pattern[str]:
        return re.compile("|".join(f"({_pattern(term)})" for term in self.terms))


def folded(text: str) -> str:
    """The text in lower case and without accents, with every letter at the same place."""
    if text.isascii():
        return text.lower()
    return text.translate({ord(letter): _folded_letter(letter) for letter in set(text)})


def _folded_letter(letter: str) -> str:
    return unicodedata.normalize("NFD", letter)[:1].lower()[:1] or letter


def _found(pattern: re.Pattern[str], plain: str) -> list[Mark]:
    marks = []
    for match in pattern.finditer(plain):
        marks.append(Mark(match.start(), match.end(), (match.lastindex or 1) - 1))
        if len(marks) == _MOST_MARKS:
            break
    return marks


def _without_overlaps(marks: list[Mark]) -> list[Mark]:
    kept: list[Mark] = []
    for mark in sorted(marks):
        if not kept or mark.start >= kept[-1].end:
            kept.append(mark)
    return kept


def _word_pattern(term: str) -> str:
    """A term as a whole word, or as its other forms; one of few letters has none."""
    pattern = _pattern(term)
    if not term.isascii():
        return pattern
    if len(term) < _SHORTEST or " " in term:
        return rf"(?<![a-z0-9]){pattern}(?![a-z0-9])"
    return rf"(?<![a-z0-9]){re.escape(_stem(term))}[a-z]{{0,5}}(?![a-z0-9])"


def _pattern(term: str) -> str:
    return r"[\W_]+".join(map(re.escape, term.split()))


def _stem(term: str) -> str:
    """A word without its ending."""
    if not term.isalpha():
        return term
    for ending in _ENDINGS:
        stem = term.removesuffix(ending)
        if stem != term and len(stem) >= _SHORTEST:
            return stem
    return term
