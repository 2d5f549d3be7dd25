"""Says what a query excludes: a minus that was meant as text would be noticed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_journal.cli.output import note
from agent_journal.text.plain import safe

if TYPE_CHECKING:
    from agent_journal.query.tree import Parsed


def note_exclusions(parsed: Parsed) -> None:
    """Print one line that names everything a query excludes, if it does."""
    from agent_journal.query.tree import exclusions_of

    if exclusions_of(parsed.tree):
        from agent_journal.query.rendering import excluded_parts

        note(f"without: {safe(', '.join(excluded_parts(parsed)))}")
