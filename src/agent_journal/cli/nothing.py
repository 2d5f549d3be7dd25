"""What is said of sessions that are not shown: no filter finds them, or they were pruned."""

from __future__ import annotations

from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.store.catalog.listing import count_sessions
from agent_journal.text.human import plural


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


def pruned_note(journal: Journal) -> str:
    """Say how many sessions were pruned and do not count; empty where none was."""
    from agent_journal.store.catalog.pruned import count_pruned

    if not journal.exists:
        return ""
    count = count_pruned(journal.db)
    if not count:
        return ""
    return f"without {plural(count, 'pruned session')} ('aj prune --list')"
