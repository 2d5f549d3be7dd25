"""A page of hits, and the part of each that is shown.

Apart from the shape of their answer: `aj search` prints hits without it, and starts faster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agent_journal.query.tree import Parsed
    from agent_journal.search.finding import Found
    from agent_journal.search.texts import Passage, Snippet


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


def snippet_of(passage: Passage, parsed: Parsed, found: Found) -> Snippet:
    """Return the part of a passage that has the words of the query."""
    import re

    from agent_journal.query.tree import words_of
    from agent_journal.search.texts import snippet

    asked = " ".join((*(word.text for word in words_of(parsed.tree)), found.instead))
    return snippet(passage.text, re.findall(r"[^\W_]+", asked))
