"""How the marks that a person gave a session look on a terminal."""

from __future__ import annotations

from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.text.plain import one_line, safe

STAR = "★"
_MOST_LETTERS = 30  # of all tags in a list: there must be room for the title
_LONGEST_TAG = 16


def shown_star(row: SessionRow) -> str:
    """Return what is shown before the title."""
    if row.starred_at is None:
        return ""
    return f"{STAR} "


def shown_tags(row: SessionRow) -> str:
    """Return what is shown after the title: the first of the person's own tags."""
    if not row.own_tags:
        return ""
    tags = row.own_tag_names()
    shown = ""
    for number, tag in enumerate(tags):
        shown += f"  #{one_line(tag, _LONGEST_TAG)}"
        left = len(tags) - number - 1
        if left and len(shown) >= _MOST_LETTERS - _LONGEST_TAG:
            return f"{shown}  +{left:,}"
    return shown


def own_marks(row: SessionRow) -> list[str]:
    """Return the star and all tags as words."""
    marks = []
    if row.starred_at is not None:
        marks.append("starred")
    return marks + [f"#{safe(tag)}" for tag in row.own_tag_names()]
