"""What is said where a filter leaves nothing of a journal that holds sessions."""

from __future__ import annotations

from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.store.catalog.listing import count_sessions


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
