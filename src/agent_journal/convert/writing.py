"""Writes a converted session: all files or none, private, never over a file unless forced."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence

from agent_journal.convert.target import NewFile
from agent_journal.errors import CannotWrite, JournalError, UsageError
from agent_journal.export.files import make_folder, write_file

# Of a path: nothing leads upwards, nothing is hidden
_PART = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._@-]*\Z")


def write_session(folder: str, files: Sequence[NewFile], force: bool) -> int:
    """Writes the files below a folder and returns their size.

    The session itself, the first, is written last: an agent that looks meanwhile sees a whole
    session or none.
    """
    make_folder(folder)
    shared = [file for file in files if file.is_appended]
    files = [file for file in files if not file.is_appended]
    paths = [os.path.join(folder, *_parts(file.path)) for file in files]
    existing = next((path for path in paths if os.path.lexists(path)), None)
    if existing and not force:
        raise UsageError(f"{existing} already exists", "--force overwrites it")
    written: list[str] = []
    made: list[str] = []
    try:
        for file, path in reversed(list(zip(files, paths, strict=True))):
            made += _make_folders(os.path.dirname(path))
            is_new = not os.path.lexists(path)
            write_file(path, [file.content], force)
            if is_new:
                written.append(path)
        for file in shared:
            _append(os.path.join(folder, *_parts(file.path)), file.content)
    except BaseException:
        with contextlib.suppress(OSError):
            for path in written:
                os.unlink(path)
            for path in reversed(made):
                os.rmdir(path)
        raise
    return sum(len(file.content) for file in (*files, *shared))


def _append(path: str, line: bytes) -> None:
    """Adds a line to a file in one write, after a line end that may be missing."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "rb+") as file:
            size = file.seek(0, os.SEEK_END)
            if size:
                file.seek(size - 1)
                if file.read(1) != b"\n":
                    line = b"\n" + line
            file.write(line)
    except OSError as error:
        raise CannotWrite(
            f"cannot write {path}: {error.strerror or error}", "choose another place with -o"
        ) from error


def _parts(path: str) -> list[str]:
    parts = path.split("/")
    if not all(_PART.match(part) for part in parts):
        raise JournalError(
            f"a converted session would be written to {path!r}", "report this: it is a fault of aj"
        )
    return parts


def _make_folders(path: str) -> list[str]:
    """Makes the folders of a path, each private; returns those that are new."""
    if os.path.isdir(path):
        return []
    made = _make_folders(os.path.dirname(path))
    try:
        os.mkdir(path, 0o700)
    except OSError as error:
        raise CannotWrite(
            f"cannot make {path}: {error.strerror or error}", "choose another place with -o"
        ) from error
    return [*made, path]
