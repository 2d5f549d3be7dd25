"""Opens the SQLite databases of agents for reading: in place, without a lock or a byte written.

A database in WAL mode has a log (`-wal`) and its index (`-shm`) beside it. With both, SQLite reads
the newest state in place, however large the database is; the index is opened for reading only. A
log without its index, or an unfinished transaction (`-journal`), has to be recovered first: in a
private copy, never in the agent's folder.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import struct
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

_WAL = "-wal"
_JOURNAL = "-journal"
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_END = struct.Struct(">II8s")
_LONGEST_END = 2**16  # bytes of a name and what is behind it
_COPIES = "aj-rows-"
_LEFT_BEHIND = 600  # seconds
_MAX_COPY = 2 * 2**30
MAX_VALUE = 128 * 2**20  # bytes; SQLite refuses to read a larger value before it takes memory
TOO_LARGE = f"larger than {MAX_VALUE >> 20} MiB: not kept"


class Changed(ValueError):
    """The database changed while it was read."""


class _FileSizes(NamedTuple):
    """Size and time of a database and the sizes of its logs, which hold a part of it."""

    size: int
    mtime_ns: int
    wal: int
    journal: int


@contextmanager
def opened(path: str) -> Iterator[sqlite3.Connection]:
    """A connection whose texts are bytes; a value that is too large is a sqlite3.DataError.

    Raises sqlite3.Error for damage, and Changed on leaving if somebody wrote meanwhile.
    """
    before = _sizes(path)
    if not before.wal and not before.journal:
        with _connected(f"{_uri(path)}?mode=ro&immutable=1") as database:
            yield database
        if _sizes(path) != before:
            raise Changed("it changed while it was read; sync again when its program is idle")
        return
    # SQLite does not trust an index that no process has open: it then builds one in memory.
    if not before.journal and os.path.exists(path + "-shm"):
        with _connected(f"{_uri(path)}?mode=ro&readonly_shm=1") as database:
            yield database
        return
    with _copied(path) as copy:
        now = _sizes(path)
        if (now.size, now.mtime_ns) != (before.size, before.mtime_ns):
            raise Changed("it changed while it was copied; sync again when its program is idle")
        with _connected(_uri(copy)) as database:
            yield database


def tables(database: sqlite3.Connection) -> set[str]:
    """The names of the tables; sqlite3.Error if it is not a database."""
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {bytes(name).decode("utf-8", "replace") for (name,) in rows}


@contextmanager
def _connected(uri: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as database:
        database.text_factory = bytes
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
        database.execute("PRAGMA trusted_schema = OFF")
        if _has_json_indexes(database):
            database.execute("PRAGMA trusted_schema = ON")
        database.execute("BEGIN")  # one state from the first query to the last
        yield database


def _has_json_indexes(database: sqlite3.Connection) -> bool:
    """Whether a schema is refused because of JSON functions, which old SQLite does not trust.

    Kilo has indexes with them. No extension is loaded, and only tables are read.
    """
    try:
        database.execute("SELECT 1 FROM sqlite_master LIMIT 1")
    except sqlite3.DatabaseError as error:
        return "unsafe use of json" in str(error)
    return False


def _uri(path: str) -> str:
    return Path(path).absolute().as_uri()


def _sizes(path: str) -> _FileSizes:
    status = os.stat(path)
    return _FileSizes(
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
        wal=_size_of(path + _WAL),
        journal=_size_of(path + _JOURNAL),
    )


def _size_of(path: str) -> int:
    if not os.path.exists(path):
        return 0
    return os.path.getsize(path)


@contextmanager
def _copied(path: str) -> Iterator[str]:
    """A private copy, in which SQLite combines the database and its log."""
    if os.path.getsize(path) > _MAX_COPY:
        raise ValueError(
            "too large to copy, and its log cannot be read in place;"
            " start and close its program once"
        )
    _sweep()
    with tempfile.TemporaryDirectory(prefix=_COPIES, ignore_cleanup_errors=True) as folder:
        copy = os.path.join(folder, "copy.db")
        for suffix in ("", _WAL, _JOURNAL):
            if os.path.isfile(path + suffix):
                shutil.copyfile(path + suffix, copy + suffix)
                os.chmod(copy + suffix, 0o600)
        if os.path.exists(copy + _JOURNAL):
            _detach(copy + _JOURNAL)
        yield copy


def _detach(journal: str) -> None:
    """Make a copied journal one of this database alone.

    A transaction over several databases has one more file, which each journal names at its end.
    SQLite deletes it after it rolled back: whatever file that is, and while the agent needs it.
    """
    named = _super_journal(journal)
    if named is not None and not (os.path.isfile(named) and os.path.getsize(named)):
        os.remove(journal)  # the transaction was finished: nothing is to be undone
        return
    with open(journal, "ab") as file:
        file.write(bytes(len(_JOURNAL_MAGIC)))  # then there is no name at the end


def _super_journal(journal: str) -> bytes | None:
    """The file that a journal names at its end: name, its length and sum, and the magic bytes."""
    with open(journal, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LONGEST_END))
        end = file.read()
    if len(end) < _END.size:
        return None
    length, total, magic = _END.unpack(end[-_END.size :])
    name = end[: -_END.size][-length:]
    if magic != _JOURNAL_MAGIC or not 0 < length == len(name):
        return None
    letters = sum(struct.unpack(f"{length}b", name))  # SQLite adds them up as signed numbers
    if letters & 0xFFFFFFFF != total:
        return None
    return name


def _sweep() -> None:
    """Remove copies that a killed sync left behind: they may hold secrets."""
    for name in os.listdir(tempfile.gettempdir()):
        if not name.startswith(_COPIES):
            continue
        folder = os.path.join(tempfile.gettempdir(), name)
        with suppress(FileNotFoundError):  # another sync removed its own meanwhile
            if time.time() - os.stat(folder).st_mtime > _LEFT_BEHIND:
                shutil.rmtree(folder, ignore_errors=True)
