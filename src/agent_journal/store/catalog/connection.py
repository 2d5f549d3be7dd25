"""Connections to the catalog and their transactions, for packages that do not speak SQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from sqlite3 import Connection as Connection
from sqlite3 import Error as CatalogError

__all__ = [
    "CatalogError",
    "Connection",
    "begin",
    "commit",
    "release_savepoint",
    "revert_to_savepoint",
    "rollback",
    "set_savepoint",
    "transaction",
]


@contextmanager
def transaction(db: Connection) -> Iterator[None]:
    """Commit what is written inside, or nothing of it when an error is raised."""
    begin(db)
    try:
        yield
    except BaseException:
        rollback(db)
        raise
    commit(db)


def begin(db: Connection) -> None:
    """Start a transaction that may write."""
    db.execute("BEGIN IMMEDIATE")


def commit(db: Connection) -> None:
    """End the transaction and keep what it wrote."""
    db.execute("COMMIT")


def rollback(db: Connection) -> None:
    """End the transaction, if there is one, and undo what it wrote."""
    if db.in_transaction:
        db.execute("ROLLBACK")


def set_savepoint(db: Connection) -> None:
    """Mark a point inside the transaction that it can be reverted to; savepoints may be nested."""
    db.execute("SAVEPOINT file")


def release_savepoint(db: Connection) -> None:
    """Keep what was written since the last savepoint, as part of the transaction."""
    db.execute("RELEASE file")


def revert_to_savepoint(db: Connection) -> None:
    """Undo what was written since the last savepoint, if there still is one.

    There is none after a commit that failed: the transaction is then undone as a whole.
    """
    try:
        db.execute("ROLLBACK TO file")
        db.execute("RELEASE file")
    except CatalogError:
        rollback(db)
