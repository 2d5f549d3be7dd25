"""Several diffs of one file as one, where the file itself is not known.

Most agents record what an edit changed with a few lines around it, not the whole file. Each diff
tells the lines that it touches; what no diff shows is the same before and after.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agent_journal.model.diffs import Diff, Differ, hunk_range, parsed_hunks

_UNKNOWN = "\0unknown line "  # begins a line that no diff shows
_MOST_LINES = 200_000  # of a file


def join_diffs(path: str, diffs: Sequence[str], differ: Differ) -> Diff | None:
    """Return the net change of diffs that follow each other; None where they do not fit."""
    file = _SparseFile()
    if any(_UNKNOWN in diff for diff in diffs):
        return None
    try:
        for diff in diffs:
            file.apply(diff)
    except ValueError:
        return None
    net = differ.diff(path, path, file.before(), file.after())
    return net._replace(text="".join(_known_parts(net.text)))


class _SparseFile:
    """A file of which only the lines are known that diffs have shown."""

    def __init__(self) -> None:
        self._lines: list[int | str] = []  # an original line by its number, or a new one
        self._known: dict[int, str] = {}
        self._count = 0  # original lines so far; nothing is known of those behind them

    def before(self) -> str:
        return "".join(map(self._text, range(self._count)))

    def after(self) -> str:
        return "".join(map(self._text, self._lines))

    def apply(self, diff: str) -> None:
        """Change the file; ValueError when another text must have been there."""
        moved = 0  # by the hunks before
        for hunk in parsed_hunks(diff):
            start = hunk.start + moved
            end = start + len(hunk.removed)
            self._reach(end)
            for place, text in enumerate(hunk.removed, start):
                self._learn(place, text)
            self._lines[start:end] = hunk.added
            moved += len(hunk.added) - len(hunk.removed)

    def _reach(self, end: int) -> None:
        if end > _MOST_LINES:
            raise ValueError("the file is too long")
        while len(self._lines) < end:
            self._lines.append(self._count)
            self._count += 1

    def _learn(self, place: int, text: str) -> None:
        line = self._lines[place]
        if isinstance(line, int):
            line = self._known.setdefault(line, text)
        if line != text:
            raise ValueError("something else changed the file in between")

    def _text(self, line: int | str) -> str:
        if isinstance(line, str):
            return line
        return self._known.get(line, f"{_UNKNOWN}{line}\n")


class _Line(NamedTuple):
    mark: str
    text: str  # with its mark, and perhaps a remark that the file ends without a newline


def _known_parts(diff: str) -> Iterator[str]:
    """The hunks of a diff without unknown lines, which are only ever around a change."""
    lines = diff.split("\n")
    yield "".join(f"{line}\n" for line in lines[:2])
    old = new = 0
    part: list[_Line] = []
    for line in lines[2:-1]:
        if line.startswith("@@"):
            yield from _hunk(part, old, new)
            old, new = _starts(line)
            part = []
        elif line.startswith("\\") and part:
            part[-1] = part[-1]._replace(text=f"{part[-1].text}{line}\n")
        elif line[1:].startswith(_UNKNOWN):
            yield from _hunk(part, old, new)
            old += _count(part, "-") + 1
            new += _count(part, "+") + 1
            part = []
        else:
            part.append(_Line(line[:1], f"{line}\n"))
    yield from _hunk(part, old, new)


def _hunk(part: list[_Line], old: int, new: int) -> Iterator[str]:
    if not any(line.mark in "+-" for line in part):
        return
    removed = hunk_range(old, old + _count(part, "-"))
    added = hunk_range(new, new + _count(part, "+"))
    yield f"@@ -{removed} +{added} @@\n"
    yield from (line.text for line in part)


def _count(part: list[_Line], mark: str) -> int:
    return sum(line.mark in (" ", mark) for line in part)


def _starts(head: str) -> tuple[int, int]:
    """The first lines of a hunk on both sides, from 0."""
    sides = []
    for side in head.split()[1:3]:
        first, _, count = side[1:].partition(",")
        sides.append(int(first) - (count != "0"))
    return sides[0], sides[1]
