"""Lines of styled text, cut to the width of a screen.

Text of sessions is data: it is stripped of everything that could control a terminal, and no markup
is looked for in it. A look is the name of a style, see `looks.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.text.plain import safe
from agent_journal.text.width import display_width, wrapped_parts

if TYPE_CHECKING:
    from agent_journal.search.marks import Marker

LONGEST_LINE = 10_000  # letters of one line that are shown
_TAB = 4


class Piece(NamedTuple):
    """A part of a line in one look."""

    text: str
    look: str = ""


Line = tuple[Piece, ...]


class Style(NamedTuple):
    """How the lines of a text look: the columns they have, what is before them, and their look."""

    width: int
    indent: str = ""
    look: str = ""
    marker: Marker | None = None


def plain_line(text: str, look: str = "") -> Line:
    """Return a line in one look; the text is made safe."""
    return (Piece(safe(text), look),)


def line_width(line: Line) -> int:
    """Return how many columns a line takes."""
    return sum(display_width(piece.text) for piece in line)


def text_lines(text: str, style: Style) -> Iterator[Line]:
    """Yield a text of a session as lines that fit, with the words of a query marked."""
    for line in safe(text).rstrip("\n").split("\n"):
        yield from fitted(line, style)


def fitted(line: str, style: Style) -> Iterator[Line]:
    """Yield one line of a text, which is safe, as lines that fit."""
    hidden = len(line) - LONGEST_LINE
    line = line[:LONGEST_LINE].expandtabs(_TAB)
    marks = _marks(line, style)
    room = max(8, style.width - display_width(style.indent))
    for start, end in wrapped_parts(line, room, room):
        yield (Piece(style.indent, "dim"), *_marked(line, start, end, marks, style.look))
    if hidden > 0:
        note = f"… {hidden:,} more characters on this line; an export has them"
        yield (Piece(style.indent, "dim"), Piece(note, "dim"))


def _marks(line: str, style: Style) -> Sequence[tuple[int, int]]:
    if style.marker is None:
        return ()
    return [(mark.start, mark.end) for mark in style.marker.marks(line)]


def _marked(
    line: str, start: int, end: int, marks: Sequence[tuple[int, int]], look: str
) -> Iterator[Piece]:
    """Yield a part of a line; what is marked has the look `hit`."""
    at = start
    for first, last in marks:
        if last <= at or first >= end:
            continue
        first = max(first, at)
        if first > at:
            yield Piece(line[at:first], look)
        at = min(last, end)
        yield Piece(line[first:at], "hit")
    if at < end:
        yield Piece(line[at:end], look)
