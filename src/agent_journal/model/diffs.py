"""Unified diffs of whole files, made so that they can be applied exactly.

Lines end at LF alone, so that CR, form feeds and U+2028 are ordinary text; a last line without LF
has the usual mark.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from difflib import Match, SequenceMatcher
from itertools import accumulate, takewhile
from operator import eq
from typing import NamedTuple

_NO_NEWLINE = "\\ No newline at end of file"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_CONTEXT = 3
_MAX_MATCHED = 2 * 2**20  # characters: larger texts are not matched line by line
_STEPS_PER_DIFF = 2_000_000  # of difflib's inner loop: a quarter of a second
ALL_STEPS = 100_000_000


# -- making ------------------------------------------------------------------------------------


class Diff(NamedTuple):
    """A unified diff and its numbers of lines."""

    text: str
    added: int
    removed: int


class _Change(NamedTuple):
    """A range of old lines and the range of new lines that replaces it; ends are exclusive."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class Differ:
    """Makes diffs in a bounded number of steps, per diff and in total."""

    def __init__(self, steps: int = ALL_STEPS) -> None:
        self.steps_left = steps

    def diff(self, old_path: str, new_path: str, before: str | None, after: str | None) -> Diff:
        """Return the diff between two texts; None is a file that does not exist."""
        old_name = "/dev/null" if before is None else header_name("a", old_path)
        new_name = "/dev/null" if after is None else header_name("b", new_path)
        before = before or ""
        after = after or ""
        steps = min(_STEPS_PER_DIFF, self.steps_left)
        if max(len(before), len(after)) > _MAX_MATCHED:
            steps = 0
        old = _lines(before)
        new = _lines(after)
        changes = self._changes(old, new, steps)
        out = [f"--- {old_name}\n+++ {new_name}\n"]
        for hunk in _grouped(changes):
            out += _rendered_hunk(hunk, old, new)
        added = sum(change.new_end - change.new_start for change in changes)
        removed = sum(change.old_end - change.old_start for change in changes)
        return Diff("".join(out), added, removed)

    def _changes(self, old: list[str], new: list[str], steps: int) -> list[_Change]:
        """Return what differs; without steps, all lines between the common head and tail."""
        head = _common(old, new)
        tail = _common(reversed(old[head:]), reversed(new[head:]))
        old_end = len(old) - tail
        new_end = len(new) - tail
        if head == old_end == new_end:
            return []
        if head in (old_end, new_end) or steps <= 0:
            return [_Change(head, old_end, head, new_end)]
        matcher = _BoundedMatcher(old[head:old_end], new[head:new_end], steps)
        opcodes = matcher.get_opcodes()
        self.steps_left -= matcher.used
        return [
            _Change(head + i1, head + i2, head + j1, head + j2)
            for tag, i1, i2, j1, j2 in opcodes
            if tag != "equal"
        ]


class _BoundedMatcher(SequenceMatcher[str]):
    """Stops when its steps are used up; the rest counts as replaced.

    Some texts take difflib hours.
    """

    def __init__(self, old: list[str], new: list[str], steps: int) -> None:
        super().__init__(None, old, new)
        self.used = 0
        self._steps = steps
        places: dict[str, list[int]] = self.b2j  # type: ignore[attr-defined]
        self._costs = list(accumulate((2 + len(places.get(line, ())) for line in old), initial=0))
        self._size = len(old)

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """Match as difflib does while steps are left."""
        end = self._size if ahi is None else ahi
        cost = self._costs[end] - self._costs[alo]
        if self.used + cost > self._steps:
            return Match(alo, blo, 0)
        self.used += cost
        return super().find_longest_match(alo, ahi, blo, bhi)


def header_name(side: str, path: str) -> str:
    """Return a path as the head of a diff shows it: below `a` or `b`, always on one line."""
    name = f"{side}/" + path.replace("\\", "/").lstrip("/")
    return name if name.isprintable() else json.dumps(name)


def _lines(text: str) -> list[str]:
    return list(io.StringIO(text, newline="\n"))  # splits at LF alone, and keeps it


def _common(old: Iterable[str], new: Iterable[str]) -> int:
    """Return how many lines both begin with."""
    return sum(takewhile(bool, map(eq, old, new)))


def _grouped(changes: list[_Change]) -> Iterator[list[_Change]]:
    """Group changes whose contexts touch: each group is a hunk."""
    hunk: list[_Change] = []
    for change in changes:
        if hunk and change.old_start - hunk[-1].old_end > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _rendered_hunk(hunk: list[_Change], old: list[str], new: list[str]) -> Iterator[str]:
    first = hunk[0]
    last = hunk[-1]
    start = max(0, first.old_start - _CONTEXT)
    end = min(len(old), last.old_end + _CONTEXT)
    new_start = first.new_start - (first.old_start - start)
    new_end = last.new_end + (end - last.old_end)
    yield f"@@ -{hunk_range(start, end)} +{hunk_range(new_start, new_end)} @@\n"
    at = start
    for change in hunk:
        yield from _marked(" ", old[at : change.old_start])
        yield from _marked("-", old[change.old_start : change.old_end])
        yield from _marked("+", new[change.new_start : change.new_end])
        at = change.old_end
    yield from _marked(" ", old[at:end])


def hunk_range(start: int, end: int) -> str:
    """Return a range as hunk headers show it: the first line counts from 1, unless it is empty."""
    count = end - start
    first = start + 1 if count else start
    return f"{first},{count}"


def _marked(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield mark + line
        else:
            yield f"{mark}{line}\n{_NO_NEWLINE}\n"


# -- applying ----------------------------------------------------------------------------------


class Hunk(NamedTuple):
    """The lines from `start` on that a hunk replaces, context included, and their replacement."""

    start: int
    removed: list[str]
    added: list[str]


def apply_diff(text: str, diff: str) -> str:
    """Return the text after the change; ValueError when the diff does not fit the text."""
    old = _lines(text)
    new: list[str] = []
    at = 0
    for hunk in parsed_hunks(diff):
        end = hunk.start + len(hunk.removed)
        if hunk.start < at or old[hunk.start : end] != hunk.removed:
            raise ValueError("the diff does not fit the text")
        new += old[at : hunk.start]
        new += hunk.added
        at = end
        if at < len(old) and new and not new[-1].endswith("\n"):
            raise ValueError("the diff ends the text before its end")
    return "".join([*new, *old[at:]])


def parsed_hunks(diff: str) -> Iterator[Hunk]:
    """Return the hunks of a diff; ValueError when it is none, or a hunk does not say where."""
    lines = diff.split("\n")
    at = 0
    is_diff = not diff
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line.startswith("@@"):
            # A file that was emptied or only renamed has no hunk.
            is_diff = is_diff or line.startswith("+++ ")
            continue
        found = _HUNK.match(line)
        if found is None:
            raise ValueError("a hunk does not say where it belongs")
        start = int(found[1])
        old_count = int(found[2] or 1)
        new_count = int(found[3] or 1)
        if old_count:
            start -= 1
        body = _HunkBody(lines, at, old_count, new_count)
        at = body.end
        yield Hunk(start, body.removed, body.added)
        is_diff = True
    if not is_diff:
        raise ValueError("this is not a diff")


class _HunkBody:
    """The lines of one hunk, read by its counts: a removed line may look like a header."""

    def __init__(self, lines: list[str], start: int, old_count: int, new_count: int) -> None:
        self.removed: list[str] = []
        self.added: list[str] = []
        self.end = start
        while len(self.removed) < old_count or len(self.added) < new_count:
            if self.end == len(lines):
                raise ValueError("the diff is cut off")
            self._read(lines)
        while self.end < len(lines) and lines[self.end].startswith("\\"):
            self._read(lines)
        if (len(self.removed), len(self.added)) != (old_count, new_count):
            raise ValueError("a hunk has other lines than it says")

    def _read(self, lines: list[str]) -> None:
        mark = lines[self.end][:1]
        body = lines[self.end][1:] + "\n"
        previous_mark = lines[self.end - 1][:1]
        self.end += 1
        if mark == "\\":
            self._remove_newline(previous_mark)
            return
        if mark not in ("", " ", "-", "+"):
            raise ValueError("a line of the diff has no mark")
        if mark != "+":
            self.removed.append(body)
        if mark != "-":
            self.added.append(body)

    def _remove_newline(self, mark: str) -> None:
        """Take the newline off the last line: of the side with that mark, or of both."""
        if mark != "+" and self.removed:
            self.removed[-1] = self.removed[-1].removesuffix("\n")
        if mark != "-" and self.added:
            self.added[-1] = self.added[-1].removesuffix("\n")
