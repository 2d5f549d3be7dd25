"""How far the index of words has come with what it adds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from agent_journal.store.catalog.items import last_item
from agent_journal.store.catalog.search_rows import count_calls_after, count_prose_after

if TYPE_CHECKING:
    from agent_journal.search.items import Item
    from agent_journal.store.catalog.connection import Connection

ADDING = 0.9  # of the time of a catch-up; then tantivy writes and merges files
# How long items take, measured in the first sync of a real home; tool calls have long results
_CALL = 5
_PROSE = 2
_OTHER = 1
_PAUSE = 500  # items between two reports


class Pace:
    """Tells after some items which part of all is added."""

    def __init__(self, db: Connection, watermark: int, tell: Callable[[float], None]) -> None:
        prose = count_prose_after(db, watermark)
        calls = count_calls_after(db, watermark)
        others = max(0, last_item(db) - watermark - prose - calls)
        self._expected = max(1, _PROSE * prose + _CALL * calls + _OTHER * others)
        self._tell = tell
        self._items = 0
        self._done = 0

    def add(self, item: Item) -> None:
        """Count an item."""
        if item.kind == "tool":
            self._done += _CALL
        elif item.is_prose:
            self._done += _PROSE
        else:
            self._done += _OTHER
        if self._items % _PAUSE == 0:
            self._tell(ADDING * min(1.0, self._done / self._expected))
        self._items += 1
