"""The files of a schedule: written whole, read back, and removed."""

from __future__ import annotations

import os
from collections.abc import Mapping

from agent_journal.errors import CannotWrite
from agent_journal.store.atomic import write_private


def write_files(files: Mapping[str, str]) -> None:
    """Write texts to their paths."""
    for path, text in files.items():
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            write_private(path, [text.encode("utf-8")])
        except OSError as error:
            raise CannotWrite(f"{path}: cannot be written: {error.strerror or error}") from error


def read_text(path: str) -> str | None:
    """What a file says; None when there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return None


def remove_files(*paths: str) -> bool:
    """Remove files; whether there was any."""
    was_there = False
    for path in paths:
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise CannotWrite(f"{path}: cannot be removed: {error.strerror or error}") from error
        was_there = True
    return was_there
