"""The small parts that the texts of several tools have in common."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from agent_journal.text.dates import from_micros, local
from agent_journal.text.plain import one_line

if TYPE_CHECKING:
    from agent_journal.answers.recall.moment import Moment
    from agent_journal.store.catalog.listing import SessionRow

_TITLE = 100  # letters
_PROJECT = 60


def day(micros: int | None) -> str:
    """The day of a time; `?` when it is not known."""
    when = from_micros(micros)
    if when is None:
        return "?"
    return local(when).strftime("%Y-%m-%d")


def moment_of(micros: int | None) -> str:
    """The day and minute of a time; `?` when it is not known."""
    when = from_micros(micros)
    if when is None:
        return "?"
    return local(when).strftime("%Y-%m-%d %H:%M")


def quoted_title(moment: Moment, row: SessionRow) -> str:
    """The project of a session and its title."""
    project = row.project_path or row.repository or row.project_dir or "?"
    name = os.path.basename(project.rstrip("/\\")) or project
    title = one_line(moment.cleaning.title(row.title), _TITLE) or "(no title)"
    return f'{one_line(moment.cleaning.text(name), _PROJECT)}  "{title}"'


def first_line(text: str, width: int) -> str:
    """The first line of a text that says something, cut to a width."""
    for line in text.splitlines():
        if line.strip():
            return one_line(line, width)
    return ""


def indented(text: str, by: str = "  ") -> str:
    """A text with spaces before each of its lines."""
    return "\n".join(by + line for line in text.splitlines())
