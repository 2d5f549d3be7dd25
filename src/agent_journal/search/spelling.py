"""The words of a query as the journal spells them.

A word that nothing has may be misspelt: then it is taken for the word that is one slip away and
occurs most often. If there is none, the search says that nothing has it. A word that hardly
anything has is looked for as it is, and also as the common word it may have been meant for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.query.tree import And, Node, Or, Phrase, Word, words_of
from agent_journal.search.asked_dates import date_words
from agent_journal.search.compiling import plain_words, without_words
from agent_journal.search.families import HELPER_WORDS, Families
from agent_journal.search.terms import bare_word, humps

if TYPE_CHECKING:
    import tantivy

_SIGNS = ".,;:!?()"  # around a word
_SHORTEST = 4  # letters of a word that can be misspelt
_LONG = 6  # letters from which one of them may be another one
_VERY_LONG = 9  # letters from which two slips are possible
_SIMILAR_TERMS = 5_000  # that are compared, the most frequent ones
_RARE = 2  # texts
_COMMON = 50  # times as many texts as the rare word


class Checked(NamedTuple):
    """A query with its words as they are spelt in the journal."""

    tree: Node | None  # without the words that nothing has
    asked: Node | None  # with them
    missing: tuple[str, ...] = ()  # words that nothing has
    spelled: tuple[tuple[str, str], ...] = ()  # words that were taken for others, with these
    is_hopeless: bool = False  # nothing has any of the words
    dates: frozenset[str] = frozenset()  # words that name a date; whether they occur says little


class Spelling:
    """Looks up the words of queries."""

    def __init__(self, searcher: tantivy.Searcher, families: Families) -> None:
        self._searcher = searcher
        self._families = families

    def check(self, tree: Node | None) -> Checked:
        """Return the query with misspelt words replaced, without the words that nothing has."""
        missing: list[str] = []
        spelled: dict[str, str] = {}
        words = plain_words(tree)
        dates = date_words(" ".join(word.text for word in words))
        absent = {word.text for word in words if not self._is_there(word)}
        for word in words:
            if word.text not in absent:
                self._add_common_spelling(word.text)
            elif bare_word(word.text).lower() not in dates:
                meant = self._meant(word.text)
                if meant is None:
                    missing.append(bare_word(word.text))
                else:
                    spelled[word.text] = meant
        missing += self._missing_in_phrases(tree)
        asked = _respelled(tree, spelled)
        absent -= spelled.keys()
        return Checked(
            tree=without_words(asked, {bare_word(text).lower() for text in absent}),
            asked=asked,
            missing=tuple(dict.fromkeys(missing)),
            spelled=tuple((bare_word(typed), meant) for typed, meant in spelled.items()),
            is_hopeless=_needs_one_of(tree, words) and all(word.text in absent for word in words),
            dates=dates,
        )

    def _missing_in_phrases(self, tree: Node | None) -> list[str]:
        """Return the words of phrases that nothing has; these are never taken for others."""
        phrases = [phrase.text for phrase in words_of(tree) if isinstance(phrase, Phrase)]
        words = dict.fromkeys(word.strip(_SIGNS) for text in phrases for word in text.split())
        return [word for word in words if not self._has_every_term(word)]

    def _has_every_term(self, word: str) -> bool:
        return all(self._families.count("body", term) for term in self._families.terms(word))

    def _is_there(self, word: Word) -> bool:
        return word.is_prefix or self._occurs(word.text)

    def _occurs(self, text: str) -> bool:
        """Whether it makes sense to look for a word: it occurs, or parts of it that are words."""
        from agent_journal.search.meaning import is_word

        missing = [term for term in self._families.terms(text) if not self._has(term, text)]
        if not missing:
            return True
        if len(missing) == len(self._families.terms(text)):
            return False
        # `create` is worth finding for op.create_table(), but `handler` not for xkq_handler_7f3a
        return all(map(is_word, missing))

    def _has(self, term: str, typed: str) -> bool:
        if term in HELPER_WORDS:
            return True
        family = self._families.family(term, typed)
        if family.texts:
            return True
        return bool(family.parts) and all(
            self._families.count("parts", part) for part in family.parts
        )

    def _meant(self, text: str) -> str | None:
        """The word that a misspelt one was meant for."""
        terms = self._families.terms(text)
        from agent_journal.search.meaning import is_word

        if not _can_be_misspelt(terms, text) or is_word(terms[0]):
            return None
        near = self._similar(terms[0])
        return min(near, key=lambda term: (slips(terms[0], term), -near[term]), default=None)

    def _add_common_spelling(self, text: str) -> None:
        terms = self._families.terms(text)
        if not _can_be_misspelt(terms, text):
            return
        texts = self._families.family(terms[0], text).texts
        if texts > _RARE or self._families.total < _COMMON:
            return
        near = self._similar(terms[0], _COMMON * max(1, texts))
        common = max(near, key=lambda term: near[term], default=None)
        if common is not None:
            self._families.add_spelling(terms[0], text, common)

    def _similar(self, term: str, least: int = 1) -> dict[str, int]:
        """The terms that are a slip away, with the number of texts that have each.

        Only those that so many texts have: to compare the letters of all others would take long.
        """
        most = _most_slips(term)
        found: dict[str, int] = {}
        for beginning in _beginnings(term):
            known = self._searcher.terms_with_prefix("body", beginning, limit=_SIMILAR_TERMS)
            for other, count in known:
                if count >= least and other != term and _is_slip_of(other, term, most):
                    found[other] = count
        return found


def _needs_one_of(tree: Node | None, words: list[Word]) -> bool:
    """Whether nothing can meet a query without having one of its words."""
    if isinstance(tree, And):
        return any(word in tree.nodes for word in words)
    return isinstance(tree, Word)


def _can_be_misspelt(terms: list[str], typed: str) -> bool:
    """Whether something is a word that people misspell, not a name or code."""
    if len(terms) != 1 or humps(typed):
        return False
    [term] = terms
    is_word = term.isascii() and term.isalpha()
    return is_word and len(term) >= _SHORTEST and term not in HELPER_WORDS


def _beginnings(term: str) -> Iterable[str]:
    """How the word that was meant may begin: slips are also made in the first letters."""
    swapped = term[1] + term[0]
    without_second = term[0] + term[2]
    return dict.fromkeys((term[:2], swapped, without_second))


def _most_slips(typed: str) -> int:
    if len(typed) >= _VERY_LONG:
        return 2
    return 1


def _is_slip_of(meant: str, typed: str, most: int) -> bool:
    if not meant.isalpha() or _differ_in_more(meant, typed, most):
        return False
    if len(typed) < _LONG and len(meant) == len(typed):
        return sorted(meant) == sorted(typed) and slips(typed, meant) == 1
    return slips(typed, meant) <= most


def _differ_in_more(meant: str, typed: str, most: int) -> bool:
    """Whether the length or the letters alone show that there are more slips: most words differ so
    much, and comparing them letter by letter takes long.
    """
    if abs(len(meant) - len(typed)) > most:
        return True
    letters, others = set(meant), set(typed)
    return len(letters - others) > most or len(others - letters) > most


def slips(typed: str, meant: str) -> int:
    """How many letters were left out, added, replaced, or swapped with the next one."""
    before: list[int] = []
    row = list(range(len(meant) + 1))
    for at, letter in enumerate(typed, 1):
        older, before = before, row
        row = [at]
        for place, wanted in enumerate(meant, 1):
            cost = min(row[-1] + 1, before[place] + 1, before[place - 1] + (letter != wanted))
            if at > 1 and place > 1 and typed[at - 2 : at] == wanted + meant[place - 2]:
                cost = min(cost, older[place - 2] + 1)
            row.append(cost)
    return row[-1]


def _respelled(node: Node | None, spelled: dict[str, str]) -> Node | None:
    """A query with some words replaced."""
    if isinstance(node, Word):
        return Word(spelled.get(node.text, node.text), node.is_prefix)
    if isinstance(node, (And, Or)):
        nodes = [_respelled(inner, spelled) for inner in node.nodes]
        return type(node)(tuple(inner for inner in nodes if inner is not None))
    return node
