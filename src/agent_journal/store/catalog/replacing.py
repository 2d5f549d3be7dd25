"""Putting a rebuilt catalog in the place of the old one, which is set aside.

Others may be reading the old one. They go on with it as it was, and whoever comes finds either the
old one or the new one. Only one that is too damaged to be written is moved away first.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from contextlib import closing

from agent_journal.store.atomic import write_private
from agent_journal.store.catalog.damage import forget_damage

_DATABASE = "journal.db"
_ASIDE = "journal.db.set-aside-"
_BESIDE = ("", "-wal")  # what belongs to a database and holds data
_MOST_SET_ASIDE = 3
_REBUILT = "rebuilt"


def replace_database(index_path: str, new: str, *, is_damaged: bool) -> str | None:
    """Replace the catalog and return what the old one is called now; None when there was none.

    The newest few of the old ones are kept: they are only of use to find out what happened.
    """
    path = os.path.join(index_path, _DATABASE)
    target = _free_name(os.path.join(index_path, _ASIDE + time.strftime("%Y%m%d-%H%M%S")))
    is_there = True
    if not _try_overwrite(path, new, target, is_damaged):
        is_there = _move(path, target)
        os.replace(new, path)
    # Before any index has items of the new one: who reads the old one must not use them
    write_private(os.path.join(index_path, _REBUILT), [os.urandom(8).hex().encode()])
    forget_damage(index_path)
    _drop_oldest(index_path)
    if not is_there:
        return None
    return target


def rebuilding(index_path: str) -> bytes:
    """Something that differs after the catalog was rebuilt: ids of items are then other ones."""
    try:
        with open(os.path.join(index_path, _REBUILT), "rb") as file:
            return file.read()
    except OSError:
        return b""


def _try_overwrite(path: str, new: str, target: str, is_damaged: bool) -> bool:
    """Overwrite the old database; false when it is none, or too damaged for that."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        return False
    try:
        _overwrite(path, new, target)
    except sqlite3.Error:
        if not is_damaged:
            raise
        return False
    return True


def _overwrite(path: str, new: str, target: str) -> None:
    """Copy the new database over the old one in one transaction."""
    os.close(os.open(target, os.O_RDWR | os.O_CREAT, 0o600))
    try:
        with (
            closing(sqlite3.connect(path, timeout=30)) as old,
            closing(sqlite3.connect(new)) as rebuilt,
            closing(sqlite3.connect(target)) as aside,
        ):
            old.backup(aside)
            rebuilt.backup(old)
    except BaseException:
        os.unlink(target)
        raise


def _move(path: str, target: str) -> bool:
    """Move a database away with all that belongs to it; false when there is nothing in it."""
    found = [ending for ending in _BESIDE if _has_data(path + ending)]
    for ending in found:
        os.rename(path + ending, target + ending)
    for leftover in (path, path + "-wal", path + "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(leftover)
    return bool(found)


def _has_data(path: str) -> bool:
    return os.path.exists(path) and os.path.getsize(path) > 0


def _free_name(path: str) -> str:
    candidate = path
    number = 2
    while os.path.exists(candidate):
        candidate = f"{path}-{number}"
        number += 1
    return candidate


def _drop_oldest(index_path: str) -> None:
    names = [name for name in os.listdir(index_path) if name.startswith(_ASIDE)]
    databases = [name for name in names if not name.endswith("-wal")]
    databases.sort(key=lambda name: os.stat(os.path.join(index_path, name)).st_ctime_ns)
    for name in databases[:-_MOST_SET_ASIDE]:
        for ending in _BESIDE:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(index_path, name + ending))
