"""Agents' SQLite databases, opened to be read: in place, without hindering anybody and without a
byte written.

Beside a database in WAL mode lie its log (`-wal`) and the index of that (`-shm`). With both, SQLite
reads the newest state in place, however large the database is; the index is opened for reading
only. A log without its index, or a half-done transaction (`-journal`), has to be put together
first: in a private copy, never in the agent's folder.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

_LOGS = ("-wal", "-journal")
_COPIES = "aj-rows-"
_LEFT_BEHIND = 600  # seconds
_MAX_COPY = 2 * 2**30
_State = tuple[tuple[int, int], int, int]


class Changed(ValueError):
    """The database changed while it was read."""


@contextmanager
def opened(path: str) -> Iterator[sqlite3.Connection]:
    """A connection whose texts are bytes; Changed on leaving when somebody wrote, sqlite3.Error for
    damage.
    """
    before = _state(path)
    _, wal, journal = before
    if not wal and not journal:
        with _connected(f"{_uri(path)}?mode=ro&immutable=1") as database:
            yield database
        if _state(path) != before:
            raise Changed("it changed while it was read; sync again when its program is idle")
        return
    # An index that nobody holds open is not trusted by SQLite: it then makes its own, in memory.
    if not journal and os.path.exists(path + "-shm"):
        with _connected(f"{_uri(path)}?mode=ro&readonly_shm=1") as database:
            yield database
        return
    with _copied(path) as copy:
        if _state(path)[0] != before[0]:
            raise Changed("it changed while it was copied; sync again when its program is idle")
        with _connected(_uri(copy)) as database:
            yield database


def tables(database: sqlite3.Connection) -> set[str]:
    """The names of the tables there are; sqlite3.Error when it is no database."""
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {bytes(name).decode("utf-8", "replace") for (name,) in rows}


@contextmanager
def _connected(uri: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as database:
        database.text_factory = bytes
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("BEGIN")  # one state from the first query to the last
        yield database


def _uri(path: str) -> str:
    return Path(path).absolute().as_uri()


def _state(path: str) -> _State:
    """Size and time of a database, and the sizes of its logs: with one of them, part of it is
    elsewhere.
    """
    status = os.stat(path)
    wal, journal = (
        os.path.getsize(path + log) if os.path.exists(path + log) else 0 for log in _LOGS
    )
    return (status.st_size, status.st_mtime_ns), wal, journal


@contextmanager
def _copied(path: str) -> Iterator[str]:
    """A private copy, in which SQLite puts the database and its log together."""
    if os.path.getsize(path) > _MAX_COPY:
        raise ValueError(
            "too large to copy, and its log cannot be read in place; start and close its program once"
        )
    _sweep()
    with tempfile.TemporaryDirectory(prefix=_COPIES, ignore_cleanup_errors=True) as folder:
        copy = os.path.join(folder, "copy.db")
        for suffix in ("", *_LOGS):
            if os.path.exists(path + suffix):
                shutil.copyfile(path + suffix, copy + suffix)
                os.chmod(copy + suffix, 0o600)
        yield copy


def _sweep() -> None:
    """Removes copies that a killed sync left behind: there are secrets in them."""
    for name in os.listdir(tempfile.gettempdir()):
        folder = os.path.join(tempfile.gettempdir(), name)
        if name.startswith(_COPIES) and time.time() - os.stat(folder).st_mtime > _LEFT_BEHIND:
            shutil.rmtree(folder, ignore_errors=True)
