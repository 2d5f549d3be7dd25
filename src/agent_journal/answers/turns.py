"""A limit on how much is done at the same time: who comes beyond it is asked to come again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from agent_journal.errors import JournalBusy


class Turns:
    """Lets so many do something at the same time."""

    def __init__(self, most: int, what: str = "requests") -> None:
        self._most = most
        self._what = what
        self._taken = 0
        self._lock = Lock()

    @contextmanager
    def take(self) -> Iterator[None]:
        """Take a turn; JournalBusy when too many have one."""
        with self._lock:
            if self._taken >= self._most:
                raise JournalBusy(f"too many {self._what} at once", "try again in a moment")
            self._taken += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken -= 1
