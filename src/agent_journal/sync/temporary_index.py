"""A search index for a journal that has none and cannot be written, such as a backup.

Each command makes its own and removes it: what is in it is as private as the journal.
"""

from __future__ import annotations

import os
import shutil
import tempfile

from agent_journal.config.loading import Config
from agent_journal.errors import CannotWrite, CatalogDamaged, JournalDamaged
from agent_journal.search.lexical import Lexical
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.store import DB_NAME
from agent_journal.sync.indexes import lexical

_LARGEST = 2**30  # bytes of the catalog: each search would take minutes
_SPEED = 4 * 2**20  # bytes of the catalog in a second
_SIZE = 2  # of the index while it is made, in sizes of the catalog
_COPY_HINT = "copy the journal to where it can be written, and run 'aj sync' there"


class TemporaryIndex:
    """A lexical index of everything in the catalog, in a temporary folder."""

    def __init__(self, config: Config, db: Connection) -> None:
        _check_size(_catalog_bytes(config))
        self._folder = tempfile.TemporaryDirectory(prefix="aj-search-", ignore_cleanup_errors=True)
        self.lexical: Lexical = lexical(config, self._folder.name)
        try:
            self.lexical.catch_up(db, 0, [])
        except BaseException:
            self._folder.cleanup()
            raise

    def close(self) -> None:
        """Remove it."""
        self._folder.cleanup()


def is_needed(config: Config, error: JournalDamaged) -> bool:
    """Whether an error is of an index that no sync can rebuild here."""
    if isinstance(error, CatalogDamaged):
        return False
    return not os.access(config.index_path, os.W_OK)


def estimated_seconds(config: Config) -> int:
    """About how long it takes to make one."""
    return 1 + _catalog_bytes(config) // _SPEED


def _catalog_bytes(config: Config) -> int:
    return os.path.getsize(os.path.join(config.index_path, DB_NAME))


def _check_size(catalog_bytes: int) -> None:
    """Raise an error when an index would take too long or too much room."""
    if catalog_bytes > _LARGEST:
        reason = f"its catalog has more than {_LARGEST >> 30} GiB, too much for a temporary one"
        raise CannotWrite(
            f"the journal has no search index and cannot be written: {reason}", _COPY_HINT
        )
    folder = tempfile.gettempdir()
    needed = catalog_bytes * _SIZE
    if shutil.disk_usage(folder).free < needed:
        raise CannotWrite(
            f"there is no room for a search index in {folder}: it needs {needed >> 20} MiB",
            f"choose another folder with TMPDIR, or {_COPY_HINT}",
        )
