"""What a terminal printed, with its colours as classes; every other escape sequence is taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from agent_journal.export.prose import clean

_SGR = re.compile(r"\x1b\[([0-9;:]{0,100})m")
_STYLES = {1: "t-bold", 2: "t-dim", 3: "t-it", 4: "t-ul", 7: "t-back", 9: "t-st"}
_ENDS = {22: ("t-bold", "t-dim"), 23: ("t-it",), 24: ("t-ul",), 27: ("t-back",), 29: ("t-st",)}
# What the sixteen colours look like in an ordinary terminal: the nearest stands for any other.
_SIXTEEN = (
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
    (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255),
    (255, 255, 255),
)  # fmt: skip
_CUBE = (0, 95, 135, 175, 215, 255)


def coloured(text: str) -> str:
    """Terminal output as HTML."""
    if "\x1b[" not in text:
        return escape(clean(text))
    return "".join(_spans(text))


def _spans(text: str) -> Iterator[str]:
    style = _Style()
    parts = _SGR.split(text)
    for number, part in enumerate(parts):
        if number % 2:
            style.apply(part)
        elif shown := escape(clean(part)):
            names = style.names
            yield f'<span class="{names}">{shown}</span>' if names else shown


class _Style:
    def __init__(self) -> None:
        self._on: dict[str, None] = {}
        self._front: int | None = None
        self._back: int | None = None

    @property
    def names(self) -> str:
        """The classes that the text now has."""
        if self._back is not None:  # its own colour is what the background leaves readable
            return " ".join((*(name for name in self._on if name != "t-back"), "t-back", f"t-b{self._back}"))
        return " ".join((*self._on, *(() if self._front is None else (f"t-f{self._front}",))))

    def apply(self, codes: str) -> None:
        """Takes in the numbers of a sequence; what is not known changes nothing."""
        numbers = [int(part or 0) for part in re.split("[;:]", codes)]
        at = 0
        while at < len(numbers):
            number = numbers[at]
            at += 1
            if number in (38, 48):
                colour, used = _extended(numbers[at:])
                at += used
                self._paint(number == 48, colour)
            else:
                self._apply_one(number)

    def _apply_one(self, number: int) -> None:
        if number == 0:
            self.__init__()  # type: ignore[misc]
        elif number in _STYLES:
            self._on[_STYLES[number]] = None
        elif number in _ENDS:
            for name in _ENDS[number]:
                self._on.pop(name, None)
        elif number in (39, 49):
            self._paint(number == 49, None)
        elif number // 10 in (3, 4, 9, 10) and number % 10 < 8:
            self._paint(number // 10 in (4, 10), number % 10 + (8 if number >= 90 else 0))

    def _paint(self, is_back: bool, colour: int | None) -> None:
        if is_back:
            self._back = colour
        else:
            self._front = colour


def _extended(numbers: list[int]) -> tuple[int | None, int]:
    """One of the 256 colours, or one by its parts, as the nearest of sixteen; and how many numbers said so."""
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
