"""A damaged catalog: what is said about it, and the note for the next sync.

The catalog is derived from the archive. Who finds it damaged leaves a note; the next sync sets the
database aside and rebuilds it. Another note has the next sync compare every file with its kept
bytes, which verify found damaged. What verify found is noted, too, until it finds nothing more.
"""

from __future__ import annotations

import contextlib
import os

from agent_journal.errors import CatalogDamaged, WrittenEarly

CURE = "'aj sync' rebuilds it from the archive"
_NOTE = "damaged"
_COMPARISON_NOTE = "compare"
_FINDINGS_NOTE = "differences"


def catalog_damaged(path: str, reason: str) -> CatalogDamaged:
    """The error for a catalog that cannot be read, with the cure."""
    return CatalogDamaged(f"{path} is damaged: {reason}", CURE)


def written_early(path: str) -> WrittenEarly:
    """The error for a catalog that is whole, and that no migration leads from."""
    return WrittenEarly(f"{path} was written by an early version of agent-journal", CURE)


def note_damage(index_path: str, error: CatalogDamaged) -> bool:
    """Leave a note for the next sync, which may never touch the damaged part itself.

    Returns whether that was possible. That a catalog is of an early version is found by every sync.
    """
    if isinstance(error, WrittenEarly):
        return False
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


def note_findings(index_path: str, findings: str) -> bool:
    """Remember what verify found; nothing, when it found nothing. Returns whether that worked."""
    path = os.path.join(index_path, _FINDINGS_NOTE)
    if findings:
        return _write(path, findings)
    with contextlib.suppress(OSError):  # there is no note, or the disk is read-only
        os.unlink(path)
    return True


def noted_findings(index_path: str) -> str | None:
    """What the last verify found; None when it found nothing."""
    return _read(os.path.join(index_path, _FINDINGS_NOTE))


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
    return _read(_note_path(index_path))


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as note:
            return note.read().strip()
    except OSError:
        return None


def forget_damage(index_path: str) -> None:
    """Remove the note: the catalog has been rebuilt."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(_note_path(index_path))


def _note_path(index_path: str) -> str:
    return os.path.join(index_path, _NOTE)
