"""Whether the journal has changed since it was looked at last."""

from __future__ import annotations

import os

from agent_journal.config.loading import Config
from agent_journal.store.catalog.store import DB_NAME


def catalog_state(config: Config) -> object:
    """Return what changes whenever something is written to the catalog, or a session is marked."""
    catalog = os.path.join(config.index_path, DB_NAME)
    found: list[tuple[int, int, int] | None] = []
    for path in (catalog, f"{catalog}-wal", config.marks_path):
        try:
            status = os.stat(path)
        except OSError:
            found.append(None)
            continue
        if status.st_size == 0:
            found.append(None)  # every reader makes an empty log, and removes it again
            continue
        found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return found
