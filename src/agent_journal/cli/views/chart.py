"""Draws the chart of `aj usage --plot` as SVG: bars of cost, or of tokens where nothing is priced.

What is not known is not a bar of height 0: it is hatched, and marked with a `?`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from datetime import date, timedelta
from html import escape
from typing import NamedTuple

from agent_journal.errors import CannotWrite, UsageError
from agent_journal.store.atomic import write_private
from agent_journal.usage.report import Line

_WIDTH = 960
_HEIGHT = 400
_LEFT = 80
_RIGHT = 20
_TOP = 60
_BOTTOM = 48
_PLOT_WIDTH = _WIDTH - _LEFT - _RIGHT
_PLOT_HEIGHT = _HEIGHT - _TOP - _BOTTOM
_GRID_LINES = 4
_LETTER_WIDTH = 8
_HATCH_HEIGHT = 12
_BAR_COLOUR = "rgb(64, 105, 225)"
_INK = "rgb(50, 50, 50)"
_GRID_COLOUR = "rgb(222, 222, 222)"
_HATCH_COLOUR = "rgb(200, 120, 30)"
_PERIODS = ("daily", "weekly", "monthly")
_MOST_BARS = 400


class Bar(NamedTuple):
    """One line of the report; `value` is None when unknown, `is_part` when only some is known."""

    name: str
    value: float | None
    is_part: bool = False

    @property
    def is_hatched(self) -> bool:
        """Whether not all of it is known."""
        return self.value is None or self.is_part


def draw(path: str, group: str, lines: Sequence[Line], names: Sequence[str]) -> None:
    """Write the chart of lines with their names to an SVG file."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix != ".svg":
        raise UsageError(f"cannot draw {path}: charts are SVG", "name a file that ends with .svg")
    if not lines:
        raise UsageError("no usage in that time, so no chart", "'aj usage monthly' shows all usage")
    text = _chart(group, lines, names)
    try:
        write_private(path, [text.encode("utf-8", "replace")])
    except OSError as error:
        raise CannotWrite(f"cannot write {path}: {error.strerror or error}") from error


def _chart(group: str, lines: Sequence[Line], names: Sequence[str]) -> str:
    is_money = any(line.cost_micro_usd for line in lines)
    bars = [_bar(line, name, is_money) for line, name in zip(lines, names, strict=True)]
    if group in _PERIODS:
        shown = _without_gaps(group, bars)[-_MOST_BARS:]
    else:
        shown = bars[:_MOST_BARS]
    top = _round_up(max((bar.value or 0 for bar in shown), default=0) or 1)
    drawing = _Drawing()
    title = f"Cost in dollars, {group}" if is_money else f"Tokens, {group}"
    _draw_heading(drawing, title, bars, shown)
    _draw_grid(drawing, top)
    _draw_bars(drawing, shown, top)
    return drawing.svg()


def _bar(line: Line, name: str, is_money: bool) -> Bar:
    if is_money:
        value = line.cost_micro_usd
        scale = 1e6
    else:
        value = line.total
        scale = 1.0
    is_part = is_money and bool(line.unpriced)
    if value is None:
        return Bar(name, None, is_part)
    return Bar(name, value / scale, is_part)


def _draw_heading(drawing: _Drawing, title: str, bars: list[Bar], shown: list[Bar]) -> None:
    """Say what is drawn, what is left out, and what the hatching means."""
    left_out = len({bar.name for bar in bars} - {bar.name for bar in shown})
    if left_out:
        title += f"; {left_out:,} more are not drawn"
    drawing.text(_LEFT, 24, title)
    if any(bar.is_hatched for bar in shown):
        drawing.text(_WIDTH - _RIGHT, 24, "hatched, ?: not known", anchor="end")


def _draw_grid(drawing: _Drawing, top: float) -> None:
    for step in range(_GRID_LINES + 1):
        share = step / _GRID_LINES
        y = _TOP + _PLOT_HEIGHT * (1 - share)
        drawing.box(_LEFT, y, _PLOT_WIDTH, 1, _GRID_COLOUR)
        drawing.text(_LEFT - 8, y + 4, _number(top * share), anchor="end")


def _draw_bars(drawing: _Drawing, bars: list[Bar], top: float) -> None:
    step = _PLOT_WIDTH / max(1, len(bars))
    width = max(1.0, step * 0.8)
    names_every = max(1, len(bars) // 8)
    for place, bar in enumerate(bars):
        left = _LEFT + place * step + step * 0.1
        middle = _LEFT + place * step + step / 2
        height = _PLOT_HEIGHT * (bar.value or 0) / top
        y = _TOP + _PLOT_HEIGHT - height
        drawing.box(left, y, width, height, _BAR_COLOUR)
        if bar.is_hatched:
            for above in range(2, _HATCH_HEIGHT, 4):
                drawing.box(left, y - above, width, 2, _HATCH_COLOUR)
            if step >= 2 * _LETTER_WIDTH:
                mark = "?" if bar.value is None else "+ ?"
                drawing.text(middle, y - _HATCH_HEIGHT - 2, mark, anchor="middle")
        if place % names_every == 0:
            name = _shortened(bar.name, int(step * names_every / _LETTER_WIDTH) - 1)
            drawing.text(middle, _HEIGHT - _BOTTOM + 20, name, anchor="middle")


class _Drawing:
    """Rectangles and texts; rectangles are below the texts."""

    def __init__(self) -> None:
        self._boxes: list[str] = []
        self._texts: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """Add a filled rectangle."""
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        self._boxes.append(f'<rect {place} fill="{colour}"/>')

    def text(self, x: float, y: float, text: str, anchor: str = "start") -> None:
        """Add a text that starts, ends or is centred at a place."""
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{_INK}"'
        self._texts.append(f"<text {place}>{escape(text)}</text>")

    def svg(self) -> str:
        """Return the whole document."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
            f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">'
        )
        background = f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>'
        return "\n".join([head, background, *self._boxes, *self._texts, "</svg>\n"])


def _without_gaps(group: str, bars: list[Bar]) -> list[Bar]:
    """Return the bars of periods with empty ones between them; what has no date comes last."""
    by_name = {bar.name: bar for bar in bars}
    dated = sorted(name for name in by_name if _is_dated(name))
    if not dated:
        return bars
    name = dated[-1]
    names = [name]
    while name > dated[0] and len(names) < _MOST_BARS:
        name = _period_before(group, name)
        names.append(name)
    filled = [by_name.get(name) or Bar(name, 0.0) for name in reversed(names)]
    undated = [bar for bar in bars if not _is_dated(bar.name)]
    return filled + undated


def _is_dated(name: str) -> bool:
    return name[:1].isdigit()


def _period_before(group: str, name: str) -> str:
    if group == "monthly":
        return (date.fromisoformat(f"{name}-01") - timedelta(days=1)).isoformat()[:7]
    days = 7 if group == "weekly" else 1
    return (date.fromisoformat(name) - timedelta(days=days)).isoformat()


def _shortened(name: str, room: int) -> str:
    room = max(room, 4)
    if len(name) <= room:
        return name
    return name[: room - 1] + "…"


def _round_up(value: float) -> float:
    """Return the next round number for the top of the scale."""
    size = 10.0 ** math.floor(math.log10(value))
    return next(size * step for step in (1, 2, 2.5, 4, 5, 8, 10, 20) if size * step >= value)


def _number(value: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "K")):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:.8f}".rstrip("0").rstrip(".")
