"""What is said where a filter leaves nothing of a journal that holds sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.store.catalog.listing import count_sessions
from agent_journal.text.plain import safe

if TYPE_CHECKING:
    from agent_journal.query.tree import Parsed

_FIELD_NOUNS = {"kind": "kind of message", "repo": "repository"}


def no_match(journal: Journal) -> str:
    """Say that no session matches; empty where the journal holds none."""
    held = 0
    if journal.exists:
        held = count_sessions(journal.db, Query())
    if not held:
        return ""
    return f"no session matches; the journal holds {held:,}"


def why_nothing(journal: Journal, query: Query) -> str:
    """Say that a query means no session; empty where it means some, or the journal holds none."""
    if journal.exists and count_sessions(journal.db, query):
        return ""
    return no_match(journal)


def unknown_value_lines(journal: Journal, parsed: Parsed) -> list[str]:
    """Say which values of fields nothing in the journal has, and what is spelt like them."""
    from agent_journal.search.field_values import unknown_values

    lines = []
    for value in unknown_values(journal.db, parsed.tree):
        noun = _FIELD_NOUNS.get(value.field, value.field)
        text = f"no {noun} called {safe(value.text)} was found"
        if value.near is not None:
            text += f"; did you mean {safe(value.near)}?"
        lines.append(text)
    return lines


def no_match_of(journal: Journal, words: str) -> str:
    """Say that no session matches a query, and which of its values nothing has."""
    nothing = no_match(journal)
    if not nothing or not words:
        return nothing
    from agent_journal.query.parser import parse

    return "\n".join([*unknown_value_lines(journal, parse(words)), nothing])
