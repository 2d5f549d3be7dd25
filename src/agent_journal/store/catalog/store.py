"""The catalog's database file: opening, migrating, locking, and translating SQLite's errors."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from agent_journal.errors import (
    CannotWrite,
    CatalogDamaged,
    JournalBusy,
    JournalError,
    JournalTooNew,
    NoSessionYet,
    permission_hint,
)
from agent_journal.store.catalog.connection import rollback
from agent_journal.store.catalog.damage import catalog_damaged, note_damage, written_early
from agent_journal.store.catalog.functions import add_functions
from agent_journal.store.catalog.marks_stamp import is_saved
from agent_journal.store.catalog.schema import (
    EMPTY_SHAPE,
    ENDINGS_VERSION,
    SHAPE,
    TEMPORARY_MARKS,
    VERSION,
    migration,
    shape_of,
)
from agent_journal.store.catalog.unwritable import connect_reader

DB_NAME = "journal.db"
SYNCED_NAME = "synced"
_MOST_VERSIONS = 1000  # a higher one is no version
# Journals of these versions can be read as they are: views have the columns and tables that came
# later. So they need no sync first, and those on a read-only disk stay readable.
_VIEWS_FOR_7 = (TEMPORARY_MARKS,)
_VIEWS_FOR_6 = (
    *_VIEWS_FOR_7,
    "CREATE TEMP VIEW earlier_sessions AS SELECT 0 AS file_id, 0 AS version_id, '' AS uid, "
    "0 AS started_at, '' AS ranges, 0 AS is_read WHERE 0",
)
_VIEWS_FOR_5 = (
    *_VIEWS_FOR_6,
    "CREATE TEMP VIEW growth AS SELECT 0 AS version_id, 0 AS proven, 0 AS is_mixed WHERE 0",
)
_VIEWS_FOR_4 = (
    *_VIEWS_FOR_5,
    "CREATE TEMP VIEW sessions AS SELECT *, NULL AS ended_as FROM main.sessions",
    "CREATE TEMP VIEW usage AS SELECT *, NULL AS web_searches FROM main.usage",
    "CREATE TEMP VIEW usage_sums AS SELECT *, NULL AS web_searches FROM main.usage_sums",
    "CREATE TEMP VIEW documents AS SELECT *, 0 AS id FROM main.documents",
    "CREATE TEMP VIEW tool_calls AS SELECT *, NULL AS spilled_to FROM main.tool_calls",
    "CREATE TEMP VIEW parts AS SELECT 0 AS file_id, '' AS agent, '' AS session, '' AS name WHERE 0",
)
_VIEWS_FOR_3 = (
    *_VIEWS_FOR_4,
    "CREATE TEMP VIEW files AS "
    "SELECT *, settled AS is_current, standing AS completeness FROM main.files",
)
_OLDER_VIEWS = {
    3: _VIEWS_FOR_3,
    4: _VIEWS_FOR_4,
    5: _VIEWS_FOR_5,
    6: _VIEWS_FOR_6,
    7: _VIEWS_FOR_7,
}


def open_reader(
    index_path: str, marks_path: str | None = None, timeout: float = 10.0
) -> sqlite3.Connection | None:
    """A read-only connection, or None when there is no journal yet.

    With `marks_path`, it shows what that file says now of stars, tags and titles. It waits for a
    lock at most `timeout` seconds.
    """
    path = os.path.join(index_path, DB_NAME)
    if not os.path.exists(path):
        return None
    with translated(path):
        _check_file(path)
        connection = connect_reader(path, timeout)
        version = _version(connection, path)
        if version == 0:  # the first sync has begun and has not made the tables yet
            connection.close()
            return None
        if version in _OLDER_VIEWS:
            for view in _OLDER_VIEWS[version]:
                connection.execute(view)
        elif version < VERSION:
            connection.close()
            raise JournalError(
                f"{path} was written by an older agent-journal", "'aj sync' upgrades it"
            )
        connection.execute("BEGIN")  # one snapshot for everything this reader looks at
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()  # which begins now
        if marks_path is not None:
            _show_marks(connection, marks_path)
    return connection


def _show_marks(connection: sqlite3.Connection, marks_path: str) -> None:
    if not os.path.exists(marks_path) or is_saved(connection, marks_path):
        return
    from agent_journal.store.catalog.marks import show_marks

    show_marks(connection, marks_path)


def open_writer(index_path: str, *, is_scratch: bool = False) -> sqlite3.Connection:
    """A connection that may write, with the newest schema. The caller holds the write lock.

    A scratch catalog need not survive a crash.
    """
    path = os.path.join(index_path, DB_NAME)
    with translated(path):
        _make_private(index_path, path)
        _check_file(path)
        connection = sqlite3.connect(path, timeout=30, isolation_level=None)
        add_functions(connection)
        try:
            _prepare(connection, path, is_scratch)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(connection: sqlite3.Connection, path: str, is_scratch: bool) -> None:
    version = _version(connection, path)
    if version == 0 and shape_of(connection) != EMPTY_SHAPE:
        raise catalog_damaged(path, "it is a database of another program")
    if is_scratch:
        connection.execute("PRAGMA journal_mode=MEMORY")
        connection.execute("PRAGMA synchronous=OFF")
    else:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA cache_size=-32000")
    # Else every savepoint writes a file: a fifth of a sync's CPU
    connection.execute("PRAGMA temp_store=MEMORY")
    if version < VERSION:
        _migrate(connection, path, version)
    if shape_of(connection) != SHAPE:
        if version < VERSION:
            raise written_early(path)
        raise catalog_damaged(path, "it does not have the tables of this version")


def refuse_newer(index_path: str) -> None:
    """Raise JournalTooNew for a catalog of a newer version, which nobody else may touch."""
    connection = open_unchecked(index_path)
    if connection is None:
        return
    with closing(connection):
        try:
            _version(connection, os.path.join(index_path, DB_NAME))
        except (sqlite3.DatabaseError, CatalogDamaged):
            pass


def open_unchecked(index_path: str) -> sqlite3.Connection | None:
    """A read-only connection to a catalog that may be damaged or old; None when there is none."""
    path = os.path.join(index_path, DB_NAME)
    if not os.path.isfile(path):
        return None
    return connect_reader(path)


def _check_file(path: str) -> None:
    if not stat.S_ISREG(os.stat(path).st_mode):  # SQLite would wait for a pipe
        raise catalog_damaged(path, "it is not a file")


def mark_synced(index_path: str) -> None:
    """Record the end of a sync as the time of a file: without news nothing else is written."""
    path = os.path.join(index_path, SYNCED_NAME)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    os.utime(path)


def last_sync(index_path: str) -> int | None:
    """When the last sync ended, in microseconds; None when there was none."""
    try:
        return os.stat(os.path.join(index_path, SYNCED_NAME)).st_mtime_ns // 1000
    except OSError:
        return None


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Raise SQLite's and the system's errors as errors that a user can act on.

    Any other error may come of a damaged catalog, too: the catalog is then examined.
    """
    try:
        yield
    except CatalogDamaged as error:
        note_damage(os.path.dirname(path), error)
        raise
    except NoSessionYet as error:  # a damaged catalog may seem to be empty
        raise explain(path, error) or error from None
    except JournalError:
        raise
    except OSError as error:
        raise CannotWrite(
            f"cannot write {error.filename or path}: {error.strerror or error}",
            permission_hint(error),
        ) from error
    except Exception as error:
        explained = explain(path, error)
        if explained is None:
            raise
        raise explained from error


def explain(path: str, error: Exception) -> JournalError | None:
    """What an error says of the catalog at `path`; None when it is a mistake of the program."""
    text = str(error)
    if isinstance(error, sqlite3.DatabaseError):
        known = _as_journal_error(path, text)
        if known is not None:
            return known
    from agent_journal.store.catalog.examination import find_damage, has_other_tables, is_older

    reason = find_damage(path)
    if reason is None and text.startswith("Could not decode to UTF-8"):
        reason = "a text in it is not UTF-8"
    if reason is None and text.startswith("no such ") and has_other_tables(path):
        if is_older(path):
            return written_early(path)
        reason = f"it has other tables than this version ({error})"
    if reason is None:
        return None
    damaged = catalog_damaged(path, reason)
    note_damage(os.path.dirname(path), damaged)
    return damaged


def _as_journal_error(path: str, text: str) -> JournalError | None:
    """The error for what SQLite said about a database, where it says nothing of damage."""
    if "full" in text:
        return CannotWrite(
            f"no space left while writing {path}", "free some space and run 'aj sync' again"
        )
    if "locked" in text or "busy" in text:
        return JournalBusy(f"{path} is locked by another program", "close it and try again")
    if "disk I/O" in text:  # a full disk, mostly: the file itself may be intact
        return CannotWrite(f"{path}: {text}", "is the disk full? free some space and try again")
    if "readonly" in text or "unable to open" in text:
        return CannotWrite(f"cannot open {path}: {text}", "check the owner and mode of the folder")
    if "integer overflow" in text:
        return JournalError(f"the numbers in {path} are too large to be added up", "report this")
    return None


@contextmanager
def write_lock(
    home: str, wait: float, waiting: Callable[[str], None] | None = None
) -> Iterator[int]:
    """Hold the one write lock of the journal; raise JournalBusy after waiting `wait` seconds.

    A process that inherits the descriptor holds it, too.
    """
    path = os.path.join(home, "write.lock")
    with translated(path):
        os.makedirs(home, mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _acquire(descriptor, path, wait, waiting)
        os.ftruncate(descriptor, 0)
        if hasattr(os, "pwrite"):  # not on Windows
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)  # releases the lock, also when the process dies


def _acquire(
    descriptor: int, path: str, wait: float, waiting: Callable[[str], None] | None
) -> None:
    deadline = time.monotonic() + wait
    is_reported = False
    while not try_lock(descriptor):
        holder = _holder(path)
        if time.monotonic() >= deadline:
            raise JournalBusy(
                f"another aj is writing the journal ({holder})", "wait for it to end and try again"
            )
        if not is_reported and waiting is not None:
            waiting(holder)
            is_reported = True
        time.sleep(0.05)


def _holder(path: str) -> str:
    try:
        with open(path, encoding="ascii") as lock:
            number = lock.read().strip()
    except (OSError, ValueError):
        number = ""
    if not number.isdigit():
        return "process unknown"
    if _has_ended(int(number)):
        return f"a process that process {number} has started"
    return f"process {number}"


def _has_ended(number: int) -> bool:
    if os.name != "posix":  # elsewhere the signal 0 would end it
        return False
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        pass
    return False


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed; false if another process has."""
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
    if not 0 <= version <= _MOST_VERSIONS:
        raise catalog_damaged(path, f"its version is {version}")
    if version > VERSION:
        connection.close()
        raise JournalTooNew(
            f"{path} was written by a newer agent-journal "
            f"(schema {version}, this one knows {VERSION})",
            "upgrade with 'pip install --upgrade agent-journal'; if no newer one was ever used\n"
            f"the file is damaged: move it away (mv '{path}' '{path}.bad') and run 'aj sync'",
        )
    return version


def _migrate(connection: sqlite3.Connection, path: str, version: int) -> None:
    try:
        for number in range(version + 1, VERSION + 1):
            connection.executescript(f"BEGIN IMMEDIATE;\n{migration(number)}")
            if number == ENDINGS_VERSION:
                from agent_journal.store.catalog.endings import fill_endings

                fill_endings(connection)
            connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
    except Exception as error:
        rollback(connection)
        known = _as_journal_error(path, str(error))
        if known is not None:
            raise known from error
        if str(error).startswith("no such "):
            raise written_early(path) from error
        reason = f"it cannot be upgraded from version {version}: {error}"
        raise catalog_damaged(path, reason) from error


def _make_private(folder: str, path: str) -> None:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if not os.path.exists(path):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
