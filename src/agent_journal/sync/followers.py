"""Indexes that follow the commits of another process, which only has to say that there are some."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from agent_journal.search.lexical import Lexical
from agent_journal.search.vector_files import Extent, read_extent
from agent_journal.search.vectors import Vectors
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import last_item, tombstones


class Follower:
    """Reads what is committed and writes nothing but the files of the indexes.

    How far they have come is said to the other process, which writes it into the catalog.
    """

    def __init__(
        self,
        words: Lexical,
        vectors: Vectors,
        index_path: str,
        say: Callable[[dict[str, Any]], None],
    ) -> None:
        self._words = words
        self._vectors = vectors
        self._index_path = index_path
        self._say = say
        self._reached: int | None = None
        self._dropped: set[int] = set()  # what was gone already
        self._extent: Extent | None = None

    def follow_with_words(self) -> None:
        """Index the words of everything that is committed."""
        with self._committed() as db:
            if self._reached is None:
                self._reached = self._words.reached(db)
            first, last = self._reached, last_item(db)
            gone = [item_id for item_id in tombstones(db) if item_id not in self._dropped]
            if last > first or gone:
                self._words.tell = lambda part: self._say({"at": first + part * (last - first)})
                self._reached = self._words.catch_up(db, first, gone)
                self._dropped.update(gone)
            self._say({"reached": self._reached, "trouble": self._words.trouble})

    def follow_with_vectors(self, is_enough: Callable[[], bool]) -> None:
        """Make vectors of what is committed, until there is something else to do."""
        with self._committed() as db:
            if self._extent is None:
                self._extent = read_extent(db)
            self._extent = self._vectors.follow(db, self._extent, is_enough)
            self._say({"extent": self._extent})

    @contextmanager
    def _committed(self) -> Iterator[Connection]:
        """A connection that sees what is committed now."""
        from agent_journal.store.catalog.store import open_reader

        db = open_reader(self._index_path)
        assert db is not None  # the other process has it open
        try:
            yield db
        finally:
            db.close()
