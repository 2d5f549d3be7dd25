"""Writes exports: whole or not at all, private, and never over a file unless forced."""

from __future__ import annotations

import os
from collections.abc import Iterable

from agent_journal.errors import CannotWrite, UsageError
from agent_journal.store.atomic import write_private


def write_file(path: str, parts: Iterable[bytes], force: bool, partial: str | None = None) -> int:
    """Writes a new file with mode 0600; returns its size. `force` replaces an existing file."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise UsageError(f"there is no folder {folder}", "make it first, or choose another with -o")
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder", "name a file with -o")
    if not force and os.path.lexists(path):
        raise _exists(path)
    try:
        return write_private(path, parts, overwrite=force, partial=partial)
    except FileExistsError as error:
        raise _exists(path) from error
    except OSError as error:
        raise CannotWrite(
            f"cannot write {path}: {error.strerror or error}", "choose another place with -o"
        ) from error


def _exists(path: str) -> UsageError:
    return UsageError(f"{path} already exists", "--force overwrites it")


def make_folder(path: str) -> None:
    """Makes the folder, private, unless it exists; its parent must exist."""
    if os.path.isdir(path):
        return
    around = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(around):
        raise UsageError(f"there is no folder {around}", "make it first, or choose another with -o")
    try:
        os.mkdir(path, 0o700)
    except FileExistsError as error:
        raise UsageError(
            f"{path} is a file", "several sessions need a folder: give one with -o DIR"
        ) from error
    except OSError as error:
        raise CannotWrite(
            f"cannot make {path}: {error.strerror or error}", "choose another place with -o"
        ) from error
