"""When a file that was written is read: soon, but not at every write, and seldom if that fails."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

REST = 0.3  # seconds without a write
# Seconds of a file that is written all the time; with 2, a line would be late by more than 1.5
GROWING = 0.8
COST_FACTOR = 10  # a file that took a second to read is left alone for ten
_FIRST_DELAY = 1.0  # seconds after the first failure; each one doubles it
_LONGEST_DELAY = 300.0


class _Written(NamedTuple):
    first: float
    last: float


class _Held(NamedTuple):
    until: float
    delay: float  # 0 when it did not fail


class Pending:
    """The files that were written and wait to be read.

    All times are seconds of one clock; `slowness` multiplies every wait.
    """

    def __init__(self) -> None:
        self.slowness = 1
        self._written: dict[str, _Written] = {}
        self._held: dict[str, _Held] = {}

    def add(self, path: str, now: float) -> None:
        """Note that a file was written."""
        written = self._written.get(path)
        first = now
        if written is not None:
            first = written.first
        self._written[path] = _Written(first, now)

    def next_due(self) -> float | None:
        """When the next file is due; None when none waits."""
        return min(map(self._due_at, self._written), default=None)

    def take_due(self, now: float) -> list[str]:
        """The files to read now; they no longer wait."""
        due = [path for path in self._written if self._due_at(path) <= now]
        for path in due:
            del self._written[path]
        return due

    def succeed(self, paths: Iterable[str], now: float, cpu_seconds: float) -> None:
        """Note that files were read together, and what that cost."""
        wait = COST_FACTOR * cpu_seconds * self.slowness
        for path in paths:
            self._held.pop(path, None)
            if wait > REST:
                self._held[path] = _Held(now + wait, 0.0)

    def fail(self, paths: Iterable[str], now: float) -> float:
        """Have files wait twice as long as the last time; the longest of these waits."""
        longest = 0.0
        for path in paths:
            before = self._held.get(path)
            delay = _FIRST_DELAY
            if before is not None and before.delay:
                delay = min(_LONGEST_DELAY, 2 * before.delay)
            self._held[path] = _Held(now + delay * self.slowness, delay)
            self.add(path, now)
            longest = max(longest, delay * self.slowness)
        return longest

    def forget_old(self, now: float) -> None:
        """Drop what no longer matters of files that nobody writes any more."""
        self._held = {
            path: held
            for path, held in self._held.items()
            if path in self._written or held.until + _LONGEST_DELAY > now
        }

    def _due_at(self, path: str) -> float:
        written = self._written[path]
        rested = written.last + REST * self.slowness
        due = min(rested, written.first + GROWING * self.slowness)
        held = self._held.get(path)
        if held is None:
            return due
        return max(due, held.until)
