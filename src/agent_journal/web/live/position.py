"""Where the journal stands when a page is made: what comes later is in the stream."""

from __future__ import annotations

from agent_journal.answers.changes import find_changes
from agent_journal.export.prose import in_tag
from agent_journal.journal import Journal


def position_of(journal: Journal) -> str:
    """The position of now, as the value of an attribute."""
    return in_tag(find_changes(journal, None).position, 80)
