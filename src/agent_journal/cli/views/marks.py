"""How the marks that a person gave a session look on a terminal."""

from __future__ import annotations

from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.text.plain import safe

STAR = "★"


def shown_star(row: SessionRow) -> str:
    """Return what is shown before the title."""
    if row.starred_at is None:
        return ""
    return f"{STAR} "


def shown_tags(row: SessionRow) -> str:
    """Return what is shown after the title: the person's own tags."""
    if not row.own_tags:
        return ""
    return "".join(f"  #{safe(tag)}" for tag in row.own_tag_names())
