"""What was computed for a page, as long as the journal has not changed since."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

from agent_journal.answers.warm_search import state_of
from agent_journal.journal import Journal

Result = TypeVar("Result")
_MOST = 12
_SECONDS = 60.0  # what a query such as `since 2 hours ago` means moves on


class Remembered:
    """The newest results, by what was asked for."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._results: OrderedDict[Hashable, tuple[float, object, Any]] = OrderedDict()

    def get(self, journal: Journal, key: Hashable, make: Callable[[], Result]) -> Result:
        """The result for a key; it is made when the journal has changed, or after a minute."""
        state = state_of(journal.config)
        with self._lock:
            known = self._results.get(key)
        if known is not None:
            until, made_from, result = known
            if made_from == state and time.monotonic() < until:
                return result  # type: ignore[no-any-return]
        made = make()
        with self._lock:
            self._results[key] = (time.monotonic() + _SECONDS, state, made)
            self._results.move_to_end(key)
            while len(self._results) > _MOST:
                self._results.popitem(last=False)
        return made
