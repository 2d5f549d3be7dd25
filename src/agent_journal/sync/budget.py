"""How much CPU time files may take in one sync: each of them, and the slow ones together."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

# What is read has to be stored and indexed, which takes about as long as reading it.
_READING = 0.5
# All slow files together have as much time as so many of them, and more for their size: one sync
# reads what is as large as it says, and not what expands to far more.
_SLOW_FILES = 3
_BYTES_OF_A_FILE = 256 * 2**20
_GLANCE = 1.0  # seconds of reading in which almost every file comes to its end


class Budget:
    """The CPU time of one sync; the next sync goes on with files that need more."""

    def __init__(self, file_seconds: float = math.inf) -> None:
        self._of_file = file_seconds * _READING
        self._limit = self._of_file
        self._of_all = math.inf
        self._used: dict[int, float] = {}

    def share(self, size: int) -> None:
        """From now on files are read that may take long; they have `size` bytes of text or so."""
        if self._of_all == math.inf:
            self._of_all = self._of_file * _SLOW_FILES
        if self._of_file < math.inf:
            self._of_all += self._of_file * (size / _BYTES_OF_A_FILE)

    def left(self, file_id: int) -> float:
        """How many seconds a file may be read."""
        of_file = self._limit - self._used.get(file_id, 0.0)
        return max(0.0, min(of_file, self._of_all))

    def forget(self, file_id: int) -> None:
        """Give a file its whole time once more."""
        self._used.pop(file_id, None)

    @contextmanager
    def spent_on(self, file_id: int) -> Iterator[None]:
        """Count the time of a block as that of a file."""
        start = time.process_time()
        try:
            yield
        finally:
            seconds = time.process_time() - start
            self._used[file_id] = self._used.get(file_id, 0.0) + seconds
            self._of_all -= seconds

    @contextmanager
    def at_a_glance(self, files: int) -> Iterator[None]:
        """Give each of several files a short time only, so that there is some for all of them."""
        self._limit = min(self._of_file, _GLANCE, self._of_all / max(1, 2 * files))
        try:
            yield
        finally:
            self._limit = self._of_file
