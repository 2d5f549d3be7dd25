"""Draws the chart of `aj usage --plot`: bars of cost, or of tokens where nothing has a price. SVG, or PNG by hand."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from agent_journal.errors import CannotWrite, UsageError
from agent_journal.usage.report import Line

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 960, 400, 80, 48, 40
_BAR, _INK, _PALE = (64, 105, 225), (50, 50, 50), (222, 222, 222)


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


def draw(path: str, group: str, lines: Sequence[Line], names: Sequence[str]) -> None:
    """Writes the chart of lines with their names, in the format of the file's name."""
    kind = os.path.splitext(path)[1].lower()
    if kind not in (".svg", ".png"):
        raise UsageError(f"cannot draw into {path}", "the name of the file ends with .svg or .png")
    boxes, labels = _layout(group, list(lines)[:400], list(names)[:400])
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


def _layout(group: str, lines: list[Line], names: list[str]) -> tuple[list[Box], list[Label]]:
    is_money = any(line.cost_micro_usd for line in lines)
    values = [(line.cost_micro_usd or 0) / 1e6 if is_money else float(line.total) for line in lines]
    top = _round_up(max(values, default=0) or 1)
    room, height = _WIDTH - _LEFT - 20, _HEIGHT - _TOP - _BOTTOM
    boxes, labels = [], [Label(_LEFT, 24, f"{'COST IN DOLLARS' if is_money else 'TOKENS'}, {group.upper()}")]
    for step in range(5):
        y = _TOP + height * (1 - step / 4)
        boxes.append(Box(_LEFT, y, room, 1, _PALE))
        labels.append(Label(_LEFT - 8, y + 4, _number(top * step / 4), "end"))
    step_x = room / max(1, len(values))
    every = max(1, len(values) // 8)
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        tall = height * value / top
        x = _LEFT + place * step_x
        boxes.append(Box(x + step_x * 0.1, _TOP + height - tall, max(1.0, step_x * 0.8), tall, _BAR))
        if place % every == 0:
            labels.append(Label(x + step_x / 2, _HEIGHT - _BOTTOM + 20, name[:12].upper(), "middle"))
    return boxes, labels


def _round_up(value: float) -> float:
    size = 10.0 ** (len(str(int(value))) - 1) if value >= 1 else 0.01
    while size * 10 < value:
        size *= 10
    return next(size * step for step in (1, 2, 2.5, 4, 5, 8, 10, 20) if size * step >= value)


def _number(value: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "K")):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:.2f}".rstrip("0").rstrip(".")


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
