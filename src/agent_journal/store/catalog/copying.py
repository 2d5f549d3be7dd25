"""A copy of the catalog as it is at one moment, while others may write it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing

from agent_journal.errors import NoSuchSession
from agent_journal.store.catalog.store import DB_NAME, open_unchecked, translated


def copy_catalog(index_path: str, target: str) -> None:
    """Write the catalog to a private file; NoSuchSession when there is none."""
    source = open_unchecked(index_path)
    if source is None:
        raise NoSuchSession("there is no catalog to back up", "run 'aj sync' first")
    with translated(os.path.join(index_path, DB_NAME)), closing(source):
        os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
        with closing(sqlite3.connect(target)) as copy:
            source.backup(copy)
