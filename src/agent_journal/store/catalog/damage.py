"""A damaged catalog: what is said about it, the note for the next sync, and setting it aside.

The catalog is derived from the archive. Who finds it damaged leaves a note; the next sync sets the
database aside and rebuilds it. Another note has the next sync compare every file with its kept
bytes, which verify found damaged.
"""

from __future__ import annotations

import contextlib
import os
import time

from agent_journal.errors import CatalogDamaged

CURE = "'aj sync' rebuilds it from the archive"
_NOTE = "damaged"
_COMPARISON_NOTE = "compare"
_MARK = "journal.db.set-aside-"
_BESIDE = ("", "-wal")  # what belongs to a database and holds data
_MOST_SET_ASIDE = 3


def catalog_damaged(path: str, reason: str) -> CatalogDamaged:
    """The error for a catalog that cannot be read, with the cure."""
    return CatalogDamaged(f"{path} is damaged: {reason}", CURE)


def note_damage(index_path: str, error: CatalogDamaged) -> bool:
    """Leave a note for the next sync, which may never touch the damaged part itself.

    Returns whether that was possible.
    """
    return _write(_note_path(index_path), error.message)


def note_comparison(index_path: str) -> bool:
    """Have the next sync compare every file with its kept bytes, where the disk can be written."""
    return _write(os.path.join(index_path, _COMPARISON_NOTE), "verify found damage")


def is_comparison_noted(index_path: str) -> bool:
    """Whether the next sync is to compare every file."""
    return os.path.exists(os.path.join(index_path, _COMPARISON_NOTE))


def forget_comparison(index_path: str) -> None:
    """Remove the note: every file was compared."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(index_path, _COMPARISON_NOTE))


def _write(path: str, text: str) -> bool:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="replace") as note:
            note.write(text + "\n")
    except OSError:  # a disk that is read-only or full
        return False
    return True


def noted_damage(index_path: str) -> str | None:
    """What the note says; None when there is none."""
    try:
        with open(_note_path(index_path), encoding="utf-8", errors="replace") as note:
            return note.read().strip()
    except OSError:
        return None


def set_aside(index_path: str) -> str | None:
    """Move the database away under a name with the date; returns its new path.

    The newest few are kept: they are only of use to find out what happened.
    """
    path = os.path.join(index_path, "journal.db")
    target = _free_name(os.path.join(index_path, _MARK + time.strftime("%Y%m%d-%H%M%S")))
    found = [ending for ending in _BESIDE if _has_data(path + ending)]
    for ending in found:
        os.rename(path + ending, target + ending)
    for leftover in (path, path + "-wal", path + "-shm", _note_path(index_path)):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(leftover)
    _drop_oldest(index_path)
    if not found:
        return None
    return target


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
    names = [name for name in os.listdir(index_path) if name.startswith(_MARK)]
    databases = [name for name in names if not name.endswith("-wal")]
    databases.sort(key=lambda name: os.stat(os.path.join(index_path, name)).st_ctime_ns)
    for name in databases[:-_MOST_SET_ASIDE]:
        for ending in _BESIDE:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(index_path, name + ending))


def _note_path(index_path: str) -> str:
    return os.path.join(index_path, _NOTE)
