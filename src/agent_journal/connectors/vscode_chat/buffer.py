"""A text that edits are applied to, as VS Code's editor does it."""

from __future__ import annotations

import io
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from agent_journal.connectors.vscode_chat.changes import Budget

# From this many edits in one operation on, it is cheaper to put the whole text together again
_MANY = 100
_POSITIONS = ("startLineNumber", "startColumn", "endLineNumber", "endColumn")


class _Position(NamedTuple):
    """A place in a text: a line and a character of it, both from 0."""

    line: int
    character: int


class _PlacedEdit(NamedTuple):
    """An edit of an operation; compared by where it ends, where it starts, and its order."""

    end: _Position
    start: _Position
    order: int
    text: str


class Buffer:
    """A text by lines as VS Code counts them: CRLF, CR and LF each end a line."""

    def __init__(self, text: str, budget: Budget, eol: str = "\n") -> None:
        self._lines = _split(text)
        self._eol = _main_eol(text) or eol
        self._text: str | None = text
        self._budget = budget

    @property
    def text(self) -> str:
        """The text after the edits so far."""
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    def apply(self, edits: list[Any]) -> None:
        """Apply the edits of one operation, whose ranges all refer to the text before it.

        Raises ValueError where that is not possible.
        """
        placed = sorted(self._placed(edit, order) for order, edit in enumerate(edits))
        for edit, following in pairwise(placed):
            if following.start < edit.end:
                raise ValueError("edits overlap")
        self._text = None
        if len(placed) > _MANY:
            self._rebuild(placed)
        else:
            for edit in reversed(placed):
                self._replace(edit)

    def _replace(self, edit: _PlacedEdit) -> None:
        first_line = self._lines[edit.start.line]
        last_line = self._lines[edit.end.line]
        is_last = edit.end.line == len(self._lines) - 1
        self._spend(edit.start.character + len(last_line) + len(edit.text) + len(self._lines) // 4)
        head = first_line[: edit.start.character]
        tail = last_line[edit.end.character :]
        lines = _split(head + edit.text + tail)
        if not is_last:
            lines.pop()  # the line had an end before and has it now
        self._lines[edit.start.line : edit.end.line + 1] = lines

    def _rebuild(self, placed: list[_PlacedEdit]) -> None:
        line_starts = list(accumulate(map(len, self._lines), initial=0))
        whole = "".join(self._lines)
        parts: list[str] = []
        at = 0
        for edit in placed:
            start = line_starts[edit.start.line] + edit.start.character
            parts.append(whole[at:start])
            parts.append(edit.text)
            at = line_starts[edit.end.line] + edit.end.character
        parts.append(whole[at:])
        text = "".join(parts)
        self._spend(4 * len(text))
        self._lines = _split(text)

    def _spend(self, amount: int) -> None:
        if not self._budget.spend(amount):
            raise ValueError("too much work")

    def _placed(self, edit: Any, order: int) -> _PlacedEdit:
        """An edit with its range in lines and characters of the current text."""
        if not isinstance(edit, dict):
            raise ValueError("an edit has no text or no range")
        text = edit.get("text")
        area = edit.get("range")
        if not isinstance(text, str) or not isinstance(area, dict):
            raise ValueError("an edit has no text or no range")
        numbers: list[Any] = [area.get(name) for name in _POSITIONS]
        if not all(type(number) is int for number in numbers):
            raise ValueError("the range of an edit is not four numbers")
        start_line, start_column, end_line, end_column = numbers
        first, second = sorted([(start_line, start_column), (end_line, end_column)])
        start = self._position(*first, is_end=False)
        end = start
        if second != first:
            end = self._position(*second, is_end=True)
        if "\n" in text or "\r" in text:
            # As VS Code does it: inserted text gets the line ends of the file, or those of the
            # system if the file has none.
            text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", self._eol)
        return _PlacedEdit(end, start, order, text)

    def _position(self, line: int, column: int, is_end: bool) -> _Position:
        """The position of a line and column counted from 1; one outside of the text is its edge."""
        if line < 1:
            return _Position(0, 0)
        if line > len(self._lines):
            return _Position(len(self._lines) - 1, len(self._lines[-1]))
        self._spend(len(self._lines[line - 1]))
        body = self._lines[line - 1].rstrip("\r\n")
        return _Position(line - 1, _character(body, column - 1, is_end))


def _character(body: str, column: int, is_end: bool) -> int:
    """The character at a column of UTF-16 units.

    A column between the two units of a character includes that character in what is replaced.
    """
    if column <= 0 or body.isascii():
        return max(0, min(column, len(body)))
    head = body[:column]
    units = head.encode("utf-16-le")[: 2 * column]
    whole = units.decode("utf-16-le", "ignore")
    is_half = len(whole.encode("utf-16-le")) < len(units)
    return len(whole) + (is_half and is_end)


def _split(text: str) -> list[str]:
    """The lines with their ends; the last has none, and may be empty."""
    lines = list(io.StringIO(text, newline=""))
    if not lines or lines[-1].endswith(("\r", "\n")):
        lines.append("")
    return lines


def _main_eol(text: str) -> str:
    """What most lines end with; empty if there is only one line."""
    pairs = text.count("\r\n")
    returns = text.count("\r")
    feeds = text.count("\n")
    if not returns and not feeds:
        return ""
    if 2 * returns > returns + feeds - pairs:
        return "\r\n"
    return "\n"
