"""Following a journal that another process writes: whether its catalog has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_journal.store.catalog.connection import CatalogError, Connection
from agent_journal.store.catalog.news import data_version
from agent_journal.store.catalog.replacing import rebuilding
from agent_journal.store.catalog.store import open_unchecked

if TYPE_CHECKING:
    from agent_journal.config.loading import Config


class Follower:
    """Looks at a catalog again and again; a look costs some microseconds.

    It holds no moment of the catalog, as other readers do: that would not change.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._db: Connection | None = None
        self._state: tuple[int, bytes] | None = None

    def has_changed(self) -> bool:
        """Whether the catalog is not as it was at the last look; true the first time."""
        before = self._state
        try:
            if self._db is None:
                self._db = open_unchecked(self._config.index_path)
            if self._db is None:
                return False
            self._state = (data_version(self._db), rebuilding(self._config.index_path))
        except CatalogError:  # it is being replaced
            self.close()
            return True
        return self._state != before

    def close(self) -> None:
        """Let go of the catalog."""
        if self._db is not None:
            self._db.close()
            self._db = None
        self._state = None
