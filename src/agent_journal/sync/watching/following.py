"""Following a journal that another process writes: whether its catalog has changed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from agent_journal.store.catalog.connection import CatalogError, Connection
from agent_journal.store.catalog.news import data_version
from agent_journal.store.catalog.replacing import rebuilding
from agent_journal.store.catalog.store import DB_NAME, open_unchecked

if TYPE_CHECKING:
    from agent_journal.config.loading import Config


class Follower:
    """Looks at a catalog again and again; a look costs some microseconds.

    It holds no moment of the catalog, as other readers do: that would not change.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._db: Connection | None = None
        self._file: tuple[int, int] | None = None
        self._state: tuple[int, bytes] | None = None

    def has_changed(self) -> bool:
        """Whether the catalog is not as it was at the last look; true the first time."""
        before = self._state
        try:
            self._open()
            if self._db is None:
                return before is not None
            self._state = (data_version(self._db), rebuilding(self._config.index_path))
        except CatalogError:  # it is being replaced
            self.close()
            return True
        return self._state != before

    def _open(self) -> None:
        """Open the catalog that is there now: nobody writes to one that was deleted."""
        file = _identity(os.path.join(self._config.index_path, DB_NAME))
        if file != self._file:
            self.close()
        if self._db is None:
            self._db = open_unchecked(self._config.index_path)
            self._file = file

    def close(self) -> None:
        """Let go of the catalog."""
        if self._db is not None:
            self._db.close()
            self._db = None
        self._file = None
        self._state = None


def _identity(path: str) -> tuple[int, int] | None:
    """What tells a file from another one of the same name; None when there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
