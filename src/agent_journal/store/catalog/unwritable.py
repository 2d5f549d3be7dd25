"""Opening the catalog where nobody can write: a read-only disk, somebody else's folder, a backup.

A reader of a database in WAL mode makes a file beside it, which is not possible there.
"""

from __future__ import annotations

import os
import sqlite3

from agent_journal.store.catalog.functions import add_functions


def connect_reader(path: str, timeout: float = 10.0) -> sqlite3.Connection:
    """A read-only connection to a catalog, wherever it is."""
    if os.access(os.path.dirname(path), os.W_OK):
        return _connect(path, "ro", timeout)
    log = path + "-wal"
    if not os.path.exists(log) or not os.path.getsize(log):
        return _connect(path, "ro&immutable=1", timeout)
    # The end of what was written is only in the log: SQLite reads it with an index that it needs
    # not trust, or else makes one.
    if os.path.exists(path + "-shm"):
        return _connect(path, "ro", timeout)
    return _connect_copy(path, timeout)


def _connect(path: str, mode: str, timeout: float) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{_uri_path(path)}?mode={mode}", uri=True, timeout=timeout)
    add_functions(connection)
    return connection


def _connect_copy(path: str, timeout: float) -> sqlite3.Connection:
    """A connection to a copy, whose files have no name any more once they are open."""
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="aj-catalog-", ignore_cleanup_errors=True) as folder:
        copy = os.path.join(folder, os.path.basename(path))
        for ending in ("", "-wal"):
            shutil.copyfile(path + ending, copy + ending)
        connection = _connect(copy, "ro", timeout)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return connection


def _uri_path(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
