"""Looking for changes where the system does not tell them: often at files in use, else seldom."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator

from agent_journal.connectors.base import FoundFile, stamp
from agent_journal.store.catalog.files import Stamp
from agent_journal.sync.discovery import found_files
from agent_journal.sync.watching.places import Root

_HOT_EVERY = 0.5  # seconds between two looks at files in use
_ALL_EVERY = 2.0  # seconds between two looks at everything, if that is cheap
_COST_FACTOR = 300  # a look at everything that takes 50 ms comes every 15 s
_HOT_SECONDS = 900.0  # for so long after a write a file is in use
_MOST_HOT = 100


class Polling:
    """Compares sizes and times of the files below some roots with those of the last look."""

    def __init__(self, roots: Iterable[Root]) -> None:
        self._roots = tuple(roots)
        self._known: dict[str, Stamp | None] | None = None
        self._hot: tuple[str, ...] = ()
        self._hot_at = 0.0
        self._all_at = 0.0
        self.slowness = 1

    def next_look(self) -> float | None:
        """When it wants to look again (monotonic); None when there is nothing to look at."""
        if not self._roots:
            return None
        if not self._hot:
            return self._all_at
        return min(self._hot_at, self._all_at)

    def look(self) -> set[str]:
        """The paths that changed since the last look; none the first time."""
        now = time.monotonic()
        if now >= self._all_at:
            return self._look_at_all()
        if now >= self._hot_at:
            self._hot_at = now + _HOT_EVERY * self.slowness
            return self._changed({path: _stamp_of(path) for path in self._hot})
        return set()

    def _look_at_all(self) -> set[str]:
        started = time.thread_time()
        found = dict(self._all_stamps())
        changed: set[str] = set()
        if self._known is None:
            self._known = found
        else:
            gone = self._known.keys() - found.keys()
            changed = self._changed(found) | gone
            for path in gone:
                del self._known[path]
        self._choose_hot()
        now = time.monotonic()
        cost = time.thread_time() - started
        self._all_at = now + max(_ALL_EVERY, _COST_FACTOR * cost) * self.slowness
        self._hot_at = now + _HOT_EVERY * self.slowness
        return changed

    def _changed(self, found: dict[str, Stamp | None]) -> set[str]:
        assert self._known is not None
        changed = {path for path, now in found.items() if self._known.get(path) != now}
        self._known |= {path: found[path] for path in changed}
        return changed

    def _all_stamps(self) -> Iterator[tuple[str, Stamp | None]]:
        for connector, root in self._roots:
            for found in found_files(connector, root):
                if not isinstance(found, FoundFile):
                    continue
                yield found.path, (found.size, found.mtime_ns, found.inode)
                for ending in found.companions:
                    path = found.path + ending
                    now = _stamp_of(path)
                    if now is not None:
                        yield path, now

    def _choose_hot(self) -> None:
        assert self._known is not None
        since = time.time_ns() - int(_HOT_SECONDS * 1e9)
        recent = [
            (one[1], path)
            for path, one in self._known.items()
            if one is not None and one[1] > since
        ]
        newest = [path for _, path in sorted(recent, reverse=True)[:_MOST_HOT]]
        # The size and time of a file that stands for several ones are not those on disk
        self._hot = tuple(path for path in newest if self._known[path] == _stamp_of(path))


def _stamp_of(path: str) -> Stamp | None:
    try:
        return stamp(os.stat(path))
    except OSError:
        return None
