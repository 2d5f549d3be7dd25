"""Snippets: the part of a text with the most words of the query."""

from __future__ import annotations

from agent_journal.search.texts import folded, snippet


def test_snippets_mark_words_and_keep_their_places() -> None:
    found = snippet("x" * 300 + " the Größe of it " + "y" * 300, ["grosse", "größe", "of"])
    words = [found.text[start:end] for start, end in found.marks]
    assert "of" in words
    assert len(folded("Größe İ ﬁ")) == len("Größe İ ﬁ")


def test_a_huge_text_has_its_snippet_at_once() -> None:
    found = snippet("ünï " * 2_000_000 + "needle" + " cödé" * 2_000_000, ["needle"])
    [(start, end)] = found.marks
    assert found.text[start:end] == "needle"
