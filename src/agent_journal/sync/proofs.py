"""Which files that grew are compared as a whole: those that rest, within a budget per sync."""

from __future__ import annotations

import time

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import Stamp
from agent_journal.store.catalog.growth import unproven_files

BUDGET = 32 * 2**20  # bytes to compare in one sync
_LONG_REST = 3600 * 10**9  # ns: a file beyond the budget is compared when it rests for so long
_UNKNOWN: Stamp = (-1, -1, -1)  # the fingerprint of no file: it is looked at as if it had changed


class Proofs:
    """Has files looked at that have not changed since they grew."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._left = BUDGET

    def schedule(self, agent: str, current: dict[str, Stamp]) -> None:
        """Make sync look at files of an agent; `current` has those that it would leave alone."""
        for file in unproven_files(self._db, agent):
            if file.path in current and self._is_affordable(file.size, file.mtime_ns):
                self._left -= file.size
                current[file.path] = _UNKNOWN

    def _is_affordable(self, size: int, mtime_ns: int) -> bool:
        if size <= BUDGET:
            return size <= self._left
        # One large file in a sync, which takes all that is left
        return self._left > 0 and time.time_ns() - mtime_ns > _LONG_REST
