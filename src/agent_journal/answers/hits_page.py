"""A page of hits, and the part of each that is shown.

Apart from the shape of their answer: `aj search` prints hits without it, and starts faster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agent_journal.query.tree import Parsed
    from agent_journal.search.finding import Found
    from agent_journal.search.marks import Marker
    from agent_journal.search.snippets import Snippet
    from agent_journal.search.texts import Passage


class HitsPage(NamedTuple):
    """Which hits are shown, and how many messages around each."""

    limit: int
    offset: int
    context: int

    def has_more(self, found: Found) -> bool:
        """Whether there are hits after this page."""
        if len(found.hits) < self.limit:
            return False
        return found.total is None or found.total > self.offset + self.limit


def marker_of(parsed: Parsed, found: Found) -> Marker:
    """Return what finds the words of a query, without those that are in every text."""
    import re

    from agent_journal.query.tree import Phrase, words_of
    from agent_journal.search.compiling import telling_words
    from agent_journal.search.marks import Marker
    from agent_journal.search.terms import bare_word

    asked = [word.text for word in words_of(parsed.tree) if isinstance(word, Phrase)]
    asked += [word.text for word in telling_words(parsed.tree)]
    if not asked:
        asked = [word.text for word in words_of(parsed.tree)]
    nowhere = {*found.missing, *dict(found.spelled)}
    asked = [text for text in asked if bare_word(text) not in nowhere]
    terms = found.instead.split()
    for text in asked:
        words = re.findall(r"[^\W_]+", text)
        terms += [" ".join(words), *words]
    return Marker(terms)


def snippet_of(passage: Passage, marker: Marker, width: int | None = None) -> Snippet:
    """Return the part of a passage that has the words of the query, in so many columns."""
    from agent_journal.search.snippets import WIDTH, snippet

    return snippet(passage.name, passage.parts, marker, width or WIDTH)
