"""Terminal output, with its colours as classes; every other escape sequence is removed."""

from __future__ import annotations

import functools
import re
from html import escape
from typing import NamedTuple

from agent_journal.export.prose import clean, line_ends
from agent_journal.text.plain import ESCAPES, safe

_SGR = re.compile(r"\x1b\[([0-9;:]{0,100})m\Z")
_STYLES = {1: "t-bold", 2: "t-dim", 3: "t-it", 4: "t-ul", 7: "t-back", 9: "t-st"}
_ENDS = {22: ("t-bold", "t-dim"), 23: ("t-it",), 24: ("t-ul",), 27: ("t-back",), 29: ("t-st",)}
# What the sixteen colours look like in an ordinary terminal: the nearest stands for any other.
_SIXTEEN = (
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
)
_CUBE = (0, 95, 135, 175, 215, 255)


# Noncharacters, which no text contains
_OPEN = "\ufdd0"
_CLOSE = "\ufdd1"


def coloured(text: str) -> str:
    """Terminal output as HTML."""
    if "\x1b[" not in text:
        return escape(clean(text))
    marked = re.sub(ESCAPES, _mark, line_ends(text.replace(_OPEN, "").replace(_CLOSE, "")))
    # Not clean: what is left could make a new sequence
    first, *pieces = escape(safe(marked)).split(_OPEN)
    parts = [first]
    style = _PLAIN
    for piece in pieces:
        codes, _, shown = piece.partition(_CLOSE)
        style = _changed(style, codes)
        if shown and style.names:
            shown = f'<span class="{style.names}">{shown}</span>'
        parts.append(shown)
    return "".join(parts)


def _mark(sequence: re.Match[str]) -> str:
    found = _SGR.match(sequence[0])
    if found is None:
        return ""
    return f"{_OPEN}{found[1]}{_CLOSE}"


class _Style(NamedTuple):
    on: tuple[str, ...]
    front: int | None
    back: int | None
    names: str  # the classes of all that


_PLAIN = _Style((), None, None, "")


@functools.lru_cache(4096)
def _changed(style: _Style, codes: str) -> _Style:
    """The style after the numbers of a sequence; what is not known changes nothing."""
    numbers = [int(part or 0) for part in re.split("[;:]", codes)]
    on, front, back, _ = style
    at = 0
    while at < len(numbers):
        number = numbers[at]
        at += 1
        if number == 0:
            on, front, back = (), None, None
        elif number in _STYLES:
            on = (*(name for name in on if name != _STYLES[number]), _STYLES[number])
        elif number in _ENDS:
            on = tuple(name for name in on if name not in _ENDS[number])
        elif number // 10 in (3, 4, 9, 10):
            if number in (38, 48):
                colour, used = _extended(numbers[at:])
                at += used
            else:
                colour = _of_sixteen(number)
            if number // 10 in (3, 9):
                front = colour
            else:
                back = colour
    return _Style(on, front, back, _names(on, front, back))


def _names(on: tuple[str, ...], front: int | None, back: int | None) -> str:
    if back is not None:  # its own colour is what the background leaves readable
        return " ".join((*(name for name in on if name != "t-back"), "t-back", f"t-b{back}"))
    if front is not None:
        return " ".join((*on, f"t-f{front}"))
    return " ".join(on)


def _of_sixteen(number: int) -> int | None:
    """One of the sixteen colours by its code; None for the default colour."""
    colour = number % 10
    if colour >= 8:
        return None
    if number >= 90:
        return colour + 8
    return colour


def _extended(numbers: list[int]) -> tuple[int | None, int]:
    """A colour of 256, or one by its parts, as the nearest of sixteen; and the numbers used."""
    if len(numbers) >= 2 and numbers[0] == 5:
        return _of_256(min(numbers[1], 255)), 2
    if len(numbers) >= 4 and numbers[0] == 2:
        return _nearest(numbers[1], numbers[2], numbers[3]), 4
    return None, len(numbers)


def _of_256(number: int) -> int:
    if number < 16:
        return number
    if number >= 232:
        return _nearest(*(8 + 10 * (number - 232),) * 3)
    number -= 16
    return _nearest(_CUBE[number // 36], _CUBE[number // 6 % 6], _CUBE[number % 6])


def _nearest(red: int, green: int, blue: int) -> int:
    distances = [(red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2 for r, g, b in _SIXTEEN]
    return distances.index(min(distances))
