"""The catalog's database file: opening, migrating, locking, and turning SQLite's errors into ours."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agent_journal.errors import (
    CannotWrite,
    JournalBusy,
    JournalDamaged,
    JournalError,
    JournalTooNew,
)
from agent_journal.store.catalog.schema import VERSION, migration

DB_NAME = "journal.db"
SYNCED_NAME = "synced"


def open_reader(index_path: str) -> sqlite3.Connection | None:
    """A read-only connection, or None when there is no journal yet."""
    path = os.path.join(index_path, DB_NAME)
    if not os.path.exists(path):
        return None
    with translated(path):
        connection = sqlite3.connect(
            f"file:{_uri_path(path)}?mode={_read_mode(index_path)}", uri=True, timeout=10
        )
        version = _version(connection, path)
        if version == 0:  # the first sync has begun and has not made the tables yet
            connection.close()
            return None
        if version < VERSION:
            connection.close()
            raise JournalError(
                f"{path} was written by an older agent-journal", "'aj sync' brings it up to date"
            )
        connection.execute("BEGIN")  # one snapshot for everything this reader looks at
    return connection


def _read_mode(index_path: str) -> str:
    """How to open for reading: a reader of a WAL database needs to make a file beside it, unless
    nobody can write.
    """
    log = os.path.join(index_path, DB_NAME + "-wal")
    is_frozen = not os.access(index_path, os.W_OK) and not (
        os.path.exists(log) and os.path.getsize(log)
    )
    return "ro&immutable=1" if is_frozen else "ro"


def open_writer(index_path: str) -> sqlite3.Connection:
    """A connection that may write, with the newest schema. The caller holds the write lock."""
    path = os.path.join(index_path, DB_NAME)
    with translated(path):
        _make_private(index_path, path)
        connection = sqlite3.connect(path, timeout=30, isolation_level=None)
        version = _version(connection, path)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA cache_size=-32000")
        connection.execute(
            "PRAGMA temp_store=MEMORY"
        )  # else every savepoint writes a file: a fifth of a sync's CPU
        if version < VERSION:
            _migrate(connection, version)
    return connection


def mark_synced(index_path: str) -> None:
    """Remembers that a sync came to its end: the time of a file, so that a sync with nothing to do
    writes nothing.
    """
    os.close(
        os.open(os.path.join(index_path, SYNCED_NAME), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    )
    os.utime(os.path.join(index_path, SYNCED_NAME))


def last_sync(index_path: str) -> int | None:
    """When the last sync came to its end, in microseconds; None when there was none."""
    try:
        return os.stat(os.path.join(index_path, SYNCED_NAME)).st_mtime_ns // 1000
    except OSError:
        return None


@contextmanager
def translated(path: str) -> Iterator[None]:
    """SQLite's and the system's errors as sentences a user can act on."""
    try:
        yield
    except JournalError:
        raise
    except sqlite3.DatabaseError as error:
        text = str(error)
        if "full" in text:
            raise CannotWrite(
                f"no space left while writing {path}", "free some space and run 'aj sync' again"
            ) from error
        if "locked" in text or "busy" in text:
            raise JournalBusy(
                f"{path} is locked by another program", "close it and try again"
            ) from error
        if "disk I/O" in text:  # a full disk, mostly: the file itself may be sound
            raise CannotWrite(
                f"{path}: {text}", "is the disk full? free some space and try again"
            ) from error
        if "readonly" in text or "unable to open" in text:
            raise CannotWrite(
                f"cannot open {path}: {text}", "check the owner and mode of the folder"
            ) from error
        if "integer overflow" in text:
            raise JournalError(
                f"the numbers in {path} are too large to be added up", "report this"
            ) from error
        raise JournalDamaged(
            f"{path} is damaged: {text}",
            f"move it away (mv '{path}' '{path}.bad'); 'aj sync' makes it anew from the archive",
        ) from error
    except OSError as error:
        raise CannotWrite(
            f"cannot write {error.filename or path}: {error.strerror or error}",
            "check the owner and mode of the folder",
        ) from error


@contextmanager
def write_lock(
    home: str, wait: float, waiting: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Holds the one write lock of the journal; waits up to `wait` seconds, then JournalBusy."""
    path = os.path.join(home, "write.lock")
    with translated(path):
        os.makedirs(home, mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _acquire(descriptor, path, wait, waiting)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0) if hasattr(os, "pwrite") else None
        yield
    finally:
        os.close(descriptor)  # releases the lock, also when the process dies


def _acquire(
    descriptor: int, path: str, wait: float, waiting: Callable[[str], None] | None
) -> None:
    deadline = time.monotonic() + wait
    told = False
    while not _try_lock(descriptor):
        holder = _holder(path)
        if time.monotonic() >= deadline:
            raise JournalBusy(
                f"another aj is writing the journal ({holder})", "wait for it to end and try again"
            )
        if not told and waiting is not None:
            waiting(holder)
            told = True
        time.sleep(0.05)


def _holder(path: str) -> str:
    try:
        with open(path, encoding="ascii") as lock:
            return f"process {lock.read().strip() or 'unknown'}"
    except (OSError, ValueError):
        return "process unknown"


def _try_lock(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _version(connection: sqlite3.Connection, path: str) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        connection.close()
        raise JournalTooNew(
            f"{path} was written by a newer agent-journal (schema {version}, this one knows {VERSION})",
            "upgrade with 'pip install --upgrade agent-journal'",
        )
    return version


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    for number in range(version + 1, VERSION + 1):
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{migration(number)}\nPRAGMA user_version = {number};\nCOMMIT;"
        )


def _make_private(folder: str, path: str) -> None:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if not os.path.exists(path):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _uri_path(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
