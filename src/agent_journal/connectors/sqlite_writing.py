"""Agents' SQLite databases, changed and created; sqlite.py has what only reads them."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

_WAIT = 2.0  # seconds for another program that holds the database


class DatabaseUnusable(Exception):
    """A database cannot be read or changed; the text says why."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.is_locked = isinstance(error, sqlite3.OperationalError) and "locked" in str(error)


@contextmanager
def changed(path: str) -> Iterator[sqlite3.Connection]:
    """A connection to a database that exists, without transactions but those that are begun."""
    try:
        with closing(_connected(path)) as database:
            yield database
    except sqlite3.Error as error:
        raise DatabaseUnusable(error) from error


@contextmanager
def created(path: str) -> Iterator[sqlite3.Connection]:
    """A connection to a new database, which replaces an old one and is committed at the end."""
    if os.path.exists(path):
        os.unlink(path)
    with closing(sqlite3.connect(path)) as database, database:
        yield database


@contextmanager
def created_in_memory() -> Iterator[sqlite3.Connection]:
    """A connection to a new database that is nowhere on disk."""
    with closing(sqlite3.connect(":memory:")) as database:
        yield database


def back_up(path: str) -> str:
    """Copies a database beside it, whole whatever state its log is in; the path of the copy.

    It replaces the copy of an earlier run, once it is complete.
    """
    backup, unfinished = copies_of(path)
    try:
        if os.path.lexists(unfinished):
            os.unlink(unfinished)
        os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(_connected(path)) as database, closing(sqlite3.connect(unfinished)) as copy:
            copy.execute("PRAGMA journal_mode = MEMORY")  # no file of its own
            database.backup(copy)
        os.replace(unfinished, backup)
    except (OSError, sqlite3.Error) as error:
        raise DatabaseUnusable(error) from error
    return backup


def copies_of(path: str) -> tuple[str, str]:
    """Where `back_up` puts the copy of a database, and what it is called until it is complete."""
    backup = f"{path}.before-aj"
    return backup, f"{backup}.tmp"


def _connected(path: str) -> sqlite3.Connection:
    from urllib.parse import quote

    name = quote(path.replace("\\", "/"))
    uri = f"file:{name}?mode=rw"  # which never creates a file
    database = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_WAIT)
    database.execute("PRAGMA trusted_schema = OFF")
    return database
