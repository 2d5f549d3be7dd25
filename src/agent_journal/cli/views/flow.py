"""Text of sessions on lines that fit the terminal; in a pipe, the lines are what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agent_journal.cli.output import Screen, current_screen, echo, style
from agent_journal.text.plain import safe
from agent_journal.text.width import cut_to_width, display_width, fitting, wrapped_parts

TAB = 4  # columns
_LEAST_ROOM = 16  # columns for text, however deep its indent is
# What a line begins with, and the next one continues below the text: spaces, a bullet, a number
_LEAD = re.compile(r" *(?:(?:[-*+•]|\d{1,3}[.)]) +)?(?:\[[ xX]\] +)?")


class Span(NamedTuple):
    """A part of a line that has styles."""

    start: int
    end: int
    styles: tuple[str, ...]


def print_text(text: str, indent: str = "") -> None:
    """Print a line of our own, wrapped where stdout is a terminal."""
    for line in Flow(current_screen()).line(text, indent):
        echo(line)


class Flow:
    """Breaks text into lines for a screen."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen

    def text(self, text: str, indent: str, *styles: str) -> Iterator[str]:
        """Return the lines of a text, each after an indent, wrapped between words."""
        for line in safe(text).rstrip("\n").split("\n"):
            yield from self.line(line, indent, *styles)

    def line(self, line: str, indent: str = "", *styles: str) -> Iterator[str]:
        """Return one line, already safe, as the lines it takes."""
        if self.screen.width is None:
            yield self._styled(indent + line, styles)
            return
        line = line.expandtabs(TAB)
        for start, end, shown_indent in self._parts(line, indent):
            part = line[start:end].rstrip()
            if shown_indent.strip():  # a bar beside the text looks like the text
                yield self._styled((shown_indent + part).rstrip(), styles)
            else:
                yield (shown_indent + self._styled(part, styles)).rstrip()

    def spans(self, line: str, spans: Sequence[Span], indent: str) -> Iterator[str]:
        """Return one line with styles in it as the lines it takes on a terminal."""
        for start, end, shown_indent in self._parts(line, indent):
            yield (shown_indent + self._between(line, spans, start, end)).rstrip()

    def code(self, line: str, indent: str) -> Iterator[str]:
        """Return one line of code or output, already safe; it breaks where it must."""
        mark = style(indent, "dim", on=self.screen.colour and bool(indent.strip()))
        if self.screen.width is None:
            yield mark + line
            return
        line = line.expandtabs(TAB)
        room = self._room(indent)
        start = 0
        while True:
            end = max(start + 1, fitting(line, start, room))
            yield (mark + line[start:end]).rstrip()
            start = end
            if start >= len(line):
                return

    def cut(self, line: str, indent: str) -> str:
        """Return the beginning of a line of output that fits after an indent."""
        mark = style(indent, "dim", on=self.screen.colour and bool(indent.strip()))
        if self.screen.width is None:
            return mark + line
        return mark + cut_to_width(line.expandtabs(TAB), self._room(indent))

    def _parts(self, line: str, indent: str) -> Iterator[tuple[int, int, str]]:
        """Return the parts of a line, each with its indent."""
        width = self._room(indent)
        lead = _LEAD.match(line)
        hanging = 0
        if lead is not None:
            hanging = min(display_width(lead[0]), max(0, width - _LEAST_ROOM))
        shown_indent = indent
        for start, end in wrapped_parts(line, width, width - hanging):
            yield start, end, shown_indent
            shown_indent = indent + " " * hanging

    def _room(self, indent: str) -> int:
        width = self.screen.width or 0
        return max(_LEAST_ROOM, width - display_width(indent))

    def _styled(self, text: str, styles: Sequence[str]) -> str:
        if not styles:
            return text
        return style(text, *styles, on=self.screen.colour)

    def _between(self, line: str, spans: Sequence[Span], start: int, end: int) -> str:
        """Return a part of a line with the styles of its spans, which are in order."""
        shown = []
        at = start
        for span in spans:
            first = min(max(span.start, at), end)
            last = min(max(span.end, at), end)
            shown.append(line[at:first])
            shown.append(self._styled(line[first:last], span.styles))
            at = last
        shown.append(line[at:end])
        return "".join(shown)
