"""Words marked in lines that have styles already."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent_journal.cli.output import style

if TYPE_CHECKING:
    from agent_journal.search.marks import Marker

_STYLE = re.compile(r"(\x1b\[[0-9;]*m)")
_PLAIN = "\x1b[0m"


def marked_line(line: str, marker: Marker) -> str:
    """Return a line with the words that a marker finds in it marked; other styles stay."""
    shown = []
    current = ""
    for part in _STYLE.split(line):
        if _STYLE.match(part):
            current = part
            if part == _PLAIN:
                current = ""
            shown.append(part)
        else:
            shown.append(_marked(part, marker, current))
    return "".join(shown)


def _marked(text: str, marker: Marker, current: str) -> str:
    """Return a text in its style, in which words are marked."""
    shown = []
    at = 0
    for mark in marker.marks(text):
        shown.append(text[at : mark.start])
        shown.append(style(text[mark.start : mark.end], "yellow", "bold", on=True) + current)
        at = mark.end
    shown.append(text[at:])
    return "".join(shown)
