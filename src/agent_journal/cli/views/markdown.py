"""Markdown as agents write it, for a terminal: line by line, so that nothing is lost or moved.

Headings are bold, code stays as it is, tables are aligned, and signs that only say how a word looks
are replaced by that look. Without colours the signs stay. Underscores are left alone: in talk about
code they are part of names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

from agent_journal.cli.output import Screen
from agent_journal.cli.table import Column, Table
from agent_journal.cli.views.flow import TAB, Flow, Span
from agent_journal.text.plain import safe
from agent_journal.text.width import display_width

_LONGEST_LINE = 2_000  # letters; the signs in longer lines are left as they are
_DEEPEST = 3  # styles within styles
_LEAST_LAST = 20  # columns of the last column of a table, whose text wraps
_FENCE = re.compile(r" *(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6}) +(.*)\Z")
_RULE = re.compile(r" {0,3}([-*_])(?: *\1){2,} *\Z")
_BULLET = re.compile(r"\A( *)[-*+](?= +\S)")
_DELIMITERS = re.compile(r" *\|?(?: *:?-+:? *\|)+ *(?::?-+:? *)?\|? *\Z")
_CELL_END = re.compile(r"(?<!\\)\|")
# Each sign with its text, which is short: long ones are not looks but code.
_SIGNS = re.compile(
    r"(?P<ticks>`{1,3})(?!`)(?P<code>.{1,300}?)(?<!`)(?P=ticks)(?!`)"
    r"|\*\*\*(?P<both>(?=\w)[^*]{1,300}?)(?<=[^\s*])\*\*\*(?!\*)"
    r"|\*\*(?P<bold>(?=[^\s*]).{1,300}?)(?<=[^\s*])\*\*"
    r"|(?<![\w*\\])\*(?P<italic>(?=\w)[^*]{1,300}?)(?<=[^\s*])\*(?![\w*])"
    r"|!?\[(?P<name>[^\[\]]{1,300})\]\((?P<address>[^()\s]{1,1000})\)"
)


def markdown_lines(text: str, indent: str, screen: Screen) -> Iterator[str]:
    """Return Markdown as lines for a terminal, each after an indent."""
    return _Page(safe(text).rstrip("\n").split("\n"), indent, screen).shown()


class _Page:
    """The lines of a text, and how far they are shown."""

    def __init__(self, lines: list[str], indent: str, screen: Screen) -> None:
        self._lines = lines
        self._indent = indent
        self._screen = screen
        self._flow = Flow(screen)
        self._place = 0

    def shown(self) -> Iterator[str]:
        """Return all lines."""
        while self._place < len(self._lines):
            line = self._lines[self._place]
            self._place += 1
            fence = _FENCE.match(line)
            if fence is not None:
                yield from self._code(line, fence[1])
            elif self._is_table(line):
                yield from self._table(line)
            else:
                yield from self._line(line)

    def _line(self, line: str) -> Iterator[str]:
        if len(line) > _LONGEST_LINE or not self._screen.colour:
            yield from self._flow.line(line, self._indent)
            return
        heading = _HEADING.match(line)
        if heading is not None:
            text, _ = looks(heading[2])
            yield from self._flow.line(text, self._indent, "bold", *_level_styles(heading[1]))
        elif _RULE.match(line):
            yield from self._flow.line("─" * 20, self._indent, "dim")
        else:
            text, spans = looks(_BULLET.sub(r"\1•", line.expandtabs(TAB)))
            yield from self._flow.spans(text, spans, self._indent)

    def _code(self, line: str, fence: str) -> Iterator[str]:
        """Return a block of code up to the end of it, as it is."""
        yield from self._flow.line(line, self._indent, "dim")
        end = re.compile(rf" *{fence[0]}{{{len(fence)},}} *\Z")
        while self._place < len(self._lines):
            line = self._lines[self._place]
            self._place += 1
            if end.match(line):
                yield from self._flow.line(line, self._indent, "dim")
                return
            yield from self._flow.code(line, self._indent + "  ")

    # -- tables --------------------------------------------------------------------------------

    def _is_table(self, line: str) -> bool:
        if "|" not in line or self._place >= len(self._lines):
            return False
        below = self._lines[self._place]
        if len(below) > _LONGEST_LINE or "|" not in below:
            return False
        return _DELIMITERS.match(below) is not None

    def _table(self, head: str) -> Iterator[str]:
        """Return a table with aligned columns, or as it is where it is too wide for that."""
        first = self._place - 1
        delimiters = _cells(self._lines[self._place])
        self._place += 1
        rows = []
        while self._place < len(self._lines) and "|" in self._lines[self._place]:
            rows.append(_cells(self._lines[self._place]))
            self._place += 1
        headers = _cells(head)
        grid = [headers, *rows]
        if self._fits(grid, len(delimiters)):
            yield from self._aligned(headers, delimiters, rows)
            return
        for line in self._lines[first : self._place]:
            yield from self._line(line)

    def _fits(self, grid: list[list[str]], count: int) -> bool:
        """Whether nothing would be cut: only the last column may wrap."""
        if any(len(row) > count or max(map(len, row)) > _LONGEST_LINE for row in grid):
            return False
        widths = [0] * count
        for row in grid:
            for place, cell in enumerate(row):
                widths[place] = max(widths[place], display_width(cell))
        widths[-1] = min(widths[-1], _LEAST_LAST)
        room = (self._screen.width or 0) - display_width(self._indent)
        return sum(widths) + 2 * (count - 1) <= room

    def _aligned(
        self, headers: list[str], delimiters: list[str], rows: list[list[str]]
    ) -> Iterator[str]:
        count = len(delimiters)
        columns = []
        for place, header in enumerate(_filled(headers, count)):
            is_last = place == count - 1
            is_number = delimiters[place].endswith(":") and not is_last
            columns.append(Column(self._bare(header), is_number=is_number, wraps=is_last))
        table = Table(columns, self._indent)
        for row in rows:
            table.add(*map(self._bare, _filled(row, count)))
        yield from table.lines(self._screen)

    def _bare(self, cell: str) -> str:
        """Return a cell without the signs of looks, unless there are no colours."""
        if not self._screen.colour:
            return cell
        return looks(cell)[0]


def looks(text: str, outer: tuple[str, ...] = (), depth: int = 0) -> tuple[str, list[Span]]:
    """Return a line without the signs that say how its parts look, and the looks of the parts."""
    parts: list[tuple[str, list[Span]]] = []
    at = 0
    for sign in _SIGNS.finditer(text):
        parts.append(_plain(text[at : sign.start()], outer))
        parts += _looks_of(sign, outer, depth)
        at = sign.end()
    parts.append(_plain(text[at:], outer))
    starts = accumulate((len(part) for part, _ in parts), initial=0)
    spans = []
    for start, (_, found) in zip(starts, parts, strict=False):
        spans += [Span(start + span.start, start + span.end, span.styles) for span in found]
    return "".join(part for part, _ in parts), spans


def _looks_of(
    sign: re.Match[str], outer: tuple[str, ...], depth: int
) -> list[tuple[str, list[Span]]]:
    if sign["code"] is not None:
        return [_plain(sign["code"], (*outer, "cyan"))]
    if sign["name"] is not None:
        return _link(sign["name"], sign["address"], outer)
    if sign["both"] is not None:
        return [_plain(sign["both"], (*outer, "bold", "italic"))]
    look = "italic"
    if sign["bold"] is not None:
        look = "bold"
    if depth >= _DEEPEST:
        return [_plain(sign[look], (*outer, look))]
    return [looks(sign[look], (*outer, look), depth + 1)]


def _link(name: str, address: str, outer: tuple[str, ...]) -> list[tuple[str, list[Span]]]:
    if name == address:
        return [_plain(name, (*outer, "underline"))]
    return [_plain(name, (*outer, "underline")), _plain(f" ({address})", ("dim",))]


def _plain(text: str, styles: tuple[str, ...]) -> tuple[str, list[Span]]:
    if not styles or not text:
        return text, []
    return text, [Span(0, len(text), styles)]


def _level_styles(signs: str) -> tuple[str, ...]:
    if len(signs) == 1:
        return ("underline",)
    return ()


def _cells(line: str) -> list[str]:
    line = line.strip()
    if line.startswith("|"):
        line = line[1:]
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [cell.strip() for cell in _CELL_END.split(line)]


def _filled(cells: list[str], count: int) -> list[str]:
    return cells + [""] * (count - len(cells))
