"""Tables: every command that prints rows prints them through this module.

On a terminal a table fits it: columns that may be cut are, with a …, and where that is not enough
columns are left out. No row takes two lines. In a pipe all columns are printed in full. `--plain`
prints the rows only, with a tab between values.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import NamedTuple

from agent_journal.cli.output import Screen, current_screen, echo, style
from agent_journal.text.plain import one_line, safe
from agent_journal.text.width import cut_at_word, cut_path, display_width, wrapped

_GAP = "  "
_LEAST_TEXT = 12  # columns of a text that is cut because of what follows it
_LEAST_ANY = 4  # columns to which anything is cut where the terminal is too narrow for the rest
_LEAST_WRAPPED = 20
_MOST_LETTERS = 4_000  # of a cell that are looked at where it is cut anyway
_MOST_PADDED = 80  # columns to which values are filled up in a pipe; longer ones stand out


class Column(NamedTuple):
    """A column: its heading, and what may be done to it where the terminal is narrow."""

    header: str
    is_number: bool = False  # aligned to the right
    least: int | None = None  # to how many columns it may be cut; None: it is not cut
    most: int | None = None  # how wide it gets on a terminal at most
    leaves: int = 0  # the column with the highest number is left out first; 0: it always stays
    is_path: bool = False  # of what is cut, the end stays
    wraps: bool = False  # the last column only: sentences go on below instead of being cut


class Cell(NamedTuple):
    """A value: its text and style, what follows the text uncut, and what `--plain` prints."""

    text: str
    styles: tuple[str, ...] = ()
    after: str = ""  # parts with two spaces before each; where there is no room, the last one stays
    plain: str | None = None
    is_path: bool = False  # of what is cut, the end stays


class Table:
    """Rows under headings; a list that programs read has none in a pipe."""

    def __init__(
        self, columns: Sequence[Column], indent: str = "", has_piped_head: bool = True
    ) -> None:
        self.columns = list(columns)
        self.rows: list[list[Cell]] = []
        self.left_out: list[str] = []  # headings of columns for which there was no room
        self._indent = indent
        self._has_piped_head = has_piped_head

    def add(self, *cells: Cell | str, styles: tuple[str, ...] = ()) -> None:
        """Add a row; texts get the styles given."""
        row = []
        for cell in cells:
            if isinstance(cell, str):
                cell = Cell(cell, styles)
            row.append(cell)
        self.rows.append(row)

    def print(self, plain: bool = False) -> None:
        """Print the table to stdout; `plain`: as tab-separated values."""
        if plain:
            lines = self.plain_lines()
        else:
            lines = self.lines(current_screen())
        for line in lines:
            echo(line)

    def plain_lines(self) -> list[str]:
        """Return the rows without headings, in full, with a tab between values."""
        return ["\t".join(map(_plain, row)) for row in self.rows]

    def lines(self, screen: Screen) -> list[str]:
        """Return the headings and the rows as they are shown on a screen."""
        if screen.width is None:
            return self._piped_lines()
        grid = [list(map(_on_one_line, row)) for row in self.rows]
        if any(column.header for column in self.columns):
            head = [Cell(column.header, ("dim",)) for column in self.columns]
            grid.insert(0, head)
        layout = _Layout(self.columns, grid, screen, self._indent)
        shown = layout.widths
        self.left_out = [c.header for n, c in enumerate(self.columns) if n not in shown]
        return [line for row in grid for line in layout.lines(row)]

    def _piped_lines(self) -> list[str]:
        """Return the table in full; column by column, since a pipe may get thousands of rows."""
        if not self.rows:
            return []
        has_head = self._has_piped_head and any(column.header for column in self.columns)
        shown = []
        for place, column in enumerate(self.columns):
            texts = _piped_texts([row[place] for row in self.rows])
            if has_head:
                texts.insert(0, column.header)
            if column.is_number or place < len(self.columns) - 1:
                texts = _padded(texts, column.is_number)
            shown.append(texts)
        return [(self._indent + _GAP.join(row)).rstrip() for row in zip(*shown, strict=True)]


class _Layout:
    """How wide each column is that a terminal shows."""

    def __init__(
        self, columns: list[Column], grid: list[list[Cell]], screen: Screen, indent: str
    ) -> None:
        self._columns = columns
        self._screen = screen
        self._indent = indent
        self.widths = {place: self._natural_width(place, grid) for place in range(len(columns))}
        self._fit((screen.width or 0) - display_width(indent))

    def lines(self, row: list[Cell]) -> list[str]:
        """Return a row: one line, and more of them only where its last column wraps."""
        place = max(self.widths)
        if not self._columns[place].wraps:
            return [self._line(row)]
        first, *rest = wrapped(row[place].text, self.widths[place])
        *others, last = row
        lines = [self._line([*others, last._replace(text=first)])]
        start = sum(self.widths.values()) - self.widths[place] + len(_GAP) * (len(self.widths) - 1)
        for text in rest:
            styled = style(text, *last.styles, on=self._screen.colour and bool(last.styles))
            lines.append(self._indent + " " * start + styled)
        return lines

    def _line(self, row: list[Cell]) -> str:
        shown = []
        last = max(self.widths)
        for place, width in self.widths.items():
            column = self._columns[place]
            cell = _cut(row[place], width, column.is_path or row[place].is_path)
            space = " " * (width - _cell_width(cell))
            text = self._styled(cell)
            if column.is_number:
                text = space + text
            elif place != last:
                text += space
            shown.append(text)
        return (self._indent + _GAP.join(shown)).rstrip()

    def _styled(self, cell: Cell) -> str:
        text = cell.text
        if cell.styles:
            text = style(text, *cell.styles, on=self._screen.colour)
        return text + style(cell.after, "dim", on=self._screen.colour)

    def _natural_width(self, place: int, grid: list[list[Cell]]) -> int:
        width = max((_cell_width(row[place]) for row in grid), default=0)
        most = self._columns[place].most
        if most is not None:
            width = min(width, most)
        return width

    def _fit(self, room: int) -> None:
        """Leave out and narrow columns until a row fits."""
        leaving = [place for place, column in enumerate(self._columns) if column.leaves]
        leaving.sort(key=lambda place: (self._columns[place].leaves, place))
        while leaving and self._needed() > room:
            del self.widths[leaving.pop()]
        while len(self.widths) > 1 and len(self.widths) * (_LEAST_ANY + len(_GAP)) > room:
            del self.widths[max(self.widths)]  # nobody reads so narrow a table
        room -= len(_GAP) * (len(self.widths) - 1)
        self._narrow({place: self._least(place) for place in self.widths}, room)
        self._narrow(dict.fromkeys(self.widths, 1), room)

    def _needed(self) -> int:
        """Return how many columns a row takes at least."""
        gaps = len(_GAP) * (len(self.widths) - 1)
        return gaps + sum(map(self._least, self.widths))

    def _least(self, place: int) -> int:
        width = self.widths[place]
        least = self._columns[place].least
        if least is None and self._columns[place].wraps:
            least = _LEAST_WRAPPED
        if least is None:
            return width
        return min(width, least)

    def _narrow(self, least: dict[int, int], room: int) -> None:
        """Take away from the widest columns that may become narrower, until all fit."""
        excess = sum(self.widths.values()) - room
        while excess > 0:
            cuttable = [place for place, width in self.widths.items() if width > least[place]]
            if not cuttable:
                return
            widest = max(cuttable, key=lambda place: self.widths[place])
            rest = [self.widths[place] for place in cuttable if place != widest]
            floor = max([least[widest], *rest])
            step = max(1, min(excess, self.widths[widest] - floor))
            self.widths[widest] -= step
            excess -= step


def _on_one_line(cell: Cell) -> Cell:
    """Return a cell without anything that would break the line or control the terminal."""
    return cell._replace(text=one_line(cell.text[:_MOST_LETTERS]), after=safe(cell.after))


def _piped_texts(cells: Sequence[Cell]) -> list[str]:
    """Return the cells of a column in full; most need no cleaning, which is seen at once."""
    texts = [cell.text for cell in cells]
    together = "".join(texts)
    if not together.isascii() or not together.isprintable() or " " in together:
        texts = list(map(one_line, texts))
    for place, cell in enumerate(cells):
        if cell.after:
            texts[place] += safe(cell.after)
    return texts


def _padded(texts: list[str], is_number: bool) -> list[str]:
    """Return the texts of a column, all as wide as the widest that is not very wide."""
    widths = list(map(display_width, texts))
    widest = max(width for width in [0, *widths] if width <= _MOST_PADDED)
    spaces = [" " * (widest - width) for width in widths]
    if is_number:
        return list(map(operator.add, spaces, texts))
    return list(map(operator.add, texts, spaces))


def _plain(cell: Cell) -> str:
    if cell.plain is not None:
        return one_line(cell.plain)
    return one_line(cell.text + cell.after)


def _cell_width(cell: Cell) -> int:
    return display_width(cell.text) + display_width(cell.after)


def _cut(cell: Cell, width: int, is_path: bool) -> Cell:
    """Return a cell that takes at most so many columns."""
    if _cell_width(cell) <= width:
        return cell
    cell = cell._replace(after=_after_that_fits(cell.after, width - _LEAST_TEXT))
    room = width - display_width(cell.after)
    if room < _LEAST_ANY:
        return cell._replace(text=cut_at_word(cell.text + cell.after, width), after="")
    if is_path:
        return cell._replace(text=cut_path(cell.text, room))
    return cell._replace(text=cut_at_word(cell.text, room))


def _after_that_fits(after: str, room: int) -> str:
    """Return what follows a text, without its first parts where there is no room for all."""
    while display_width(after) > room:
        _, gap, rest = after.removeprefix(_GAP).partition(_GAP)
        if not gap:
            return after
        after = gap + rest
    return after
