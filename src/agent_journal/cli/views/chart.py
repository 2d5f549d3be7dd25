"""Draws the chart of `aj usage --plot`: bars of cost, or of tokens where nothing has a price. SVG,
or PNG by hand.

What is not known is no bar of height 0: it is hatched, and marked with a `?`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from agent_journal.errors import CannotWrite, UsageError
from agent_journal.usage.report import Line

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 960, 400, 80, 48, 60
_BAR, _INK, _PALE, _HATCH = (64, 105, 225), (50, 50, 50), (222, 222, 222), (200, 120, 30)
_PERIODS = ("daily", "weekly", "monthly")
_MOST = 400  # bars
_LETTER = 8  # pixels
_STUB = 12  # pixels of the hatched part


class Box(NamedTuple):
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    colour: tuple[int, int, int]


class Label(NamedTuple):
    """A text that begins, ends or is centred at a place."""

    x: float
    y: float
    text: str
    anchor: str = "start"


class Bar(NamedTuple):
    """What a line comes to: None when that is unknown, `is_part` when only some of it is known."""

    name: str
    value: float | None
    is_part: bool = False


def draw(path: str, group: str, lines: Sequence[Line], names: Sequence[str]) -> None:
    """Writes the chart of lines with their names, in the format of the file's name."""
    kind = os.path.splitext(path)[1].lower()
    if kind not in (".svg", ".png"):
        raise UsageError(f"cannot draw into {path}", "the name of the file ends with .svg or .png")
    if not lines:
        raise UsageError(
            "nothing was used in that time: no chart is drawn",
            "'aj usage monthly' shows what was when",
        )
    boxes, labels = _layout(group, lines, names)
    if kind == ".svg":
        data = _svg(boxes, labels).encode()
    else:
        from agent_journal.cli.png import painted

        data = painted(_WIDTH, _HEIGHT, boxes, labels)
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as error:
        raise CannotWrite(f"cannot write {path}: {error.strerror or error}") from error


def _layout(
    group: str, lines: Sequence[Line], names: Sequence[str]
) -> tuple[list[Box], list[Label]]:
    is_money = any(line.cost_micro_usd for line in lines)
    bars = [_bar(line, name, is_money) for line, name in zip(lines, names, strict=True)]
    shown = _without_gaps(group, bars)[-_MOST:] if group in _PERIODS else bars[:_MOST]
    boxes, labels = list[Box](), _heading(group, is_money, bars, shown)
    top = _round_up(max((bar.value or 0 for bar in shown), default=0) or 1)
    room, height = _WIDTH - _LEFT - 20, _HEIGHT - _TOP - _BOTTOM
    for step in range(5):
        y = _TOP + height * (1 - step / 4)
        boxes.append(Box(_LEFT, y, room, 1, _PALE))
        labels.append(Label(_LEFT - 8, y + 4, _number(top * step / 4), "end"))
    step_x = room / max(1, len(shown))
    every = max(1, len(shown) // 8)
    for place, bar in enumerate(shown):
        x, wide, tall = (
            _LEFT + place * step_x,
            max(1.0, step_x * 0.8),
            height * (bar.value or 0) / top,
        )
        base = _TOP + height - tall
        boxes.append(Box(x + step_x * 0.1, base, wide, tall, _BAR))
        if bar.value is None or bar.is_part:
            boxes += [
                Box(x + step_x * 0.1, base - up, wide, 2, _HATCH) for up in range(2, _STUB, 4)
            ]
            mark = "?" if bar.value is None else "+ ?"
            labels += (
                [Label(x + step_x / 2, base - _STUB - 2, mark, "middle")]
                if step_x >= 2 * _LETTER
                else []
            )
        if place % every == 0:
            name = _cut(bar.name, int(step_x * every / _LETTER) - 1)
            labels.append(Label(x + step_x / 2, _HEIGHT - _BOTTOM + 20, name, "middle"))
    return boxes, labels


def _bar(line: Line, name: str, is_money: bool) -> Bar:
    if not is_money:
        return Bar(name, None if line.total is None else float(line.total))
    cost = line.cost_micro_usd
    return Bar(name, None if cost is None else cost / 1e6, bool(line.unpriced))


def _heading(group: str, is_money: bool, bars: list[Bar], shown: list[Bar]) -> list[Label]:
    """What stands above the chart: what is drawn, what is left out, and what the hatching means."""
    title = f"{'Cost in dollars' if is_money else 'Tokens'}, {group}"
    left_out = len({bar.name for bar in bars} - {bar.name for bar in shown})
    title += f"; {left_out:,} more are not drawn" if left_out else ""
    labels = [Label(_LEFT, 24, title)]
    if any(bar.value is None or bar.is_part for bar in shown):
        labels.append(Label(_WIDTH - 20, 24, "hatched, ?: not known", "end"))
    return labels


def _without_gaps(group: str, bars: list[Bar]) -> list[Bar]:
    """The bars of periods with empty ones where nothing was used; what has no date comes last."""
    named = {bar.name: bar for bar in bars}
    dated = sorted(name for name in named if name[:1].isdigit())
    if not dated:
        return bars
    names, name = [dated[-1]], dated[-1]
    while name > dated[0] and len(names) < _MOST:
        name = _before(group, name)
        names.append(name)
    undated = [bar for bar in bars if not bar.name[:1].isdigit()]
    return [named.get(name) or Bar(name, 0.0) for name in reversed(names)] + undated


def _before(group: str, name: str) -> str:
    """The period before one."""
    if group == "monthly":
        return (date.fromisoformat(f"{name}-01") - timedelta(days=1)).isoformat()[:7]
    return (date.fromisoformat(name) - timedelta(days=7 if group == "weekly" else 1)).isoformat()


def _cut(name: str, room: int) -> str:
    return name if len(name) <= max(room, 4) else name[: max(room, 4) - 1] + "…"


def _round_up(value: float) -> float:
    size = 10.0 ** math.floor(math.log10(value))
    return next(size * step for step in (1, 2, 2.5, 4, 5, 8, 10, 20) if size * step >= value)


def _number(value: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "K")):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:.8f}".rstrip("0").rstrip(".")


def _svg(boxes: list[Box], labels: list[Label]) -> str:
    from html import escape

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
    ]
    for box in boxes:
        place = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
        parts.append(f'<rect {place} fill="rgb{box.colour}"/>')
    for label in labels:
        where = f'x="{label.x:.1f}" y="{label.y:.1f}" text-anchor="{label.anchor}" fill="rgb{_INK}"'
        parts.append(f"<text {where}>{escape(label.text)}</text>")
    return "\n".join([*parts, "</svg>\n"])
