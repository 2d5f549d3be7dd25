"""Writes a converted session: all files or none, private, never over a file unless forced."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence

from agent_journal.convert.target import NewFile
from agent_journal.convert.unfinished import noted, plan_of
from agent_journal.errors import CannotWrite, JournalError, UsageError
from agent_journal.export.files import make_folder
from agent_journal.store.atomic import write_private
from agent_journal.store.below import Folder, LinkOnTheWay, folder_below

# Of a path: nothing leads upwards, nothing is hidden
_PART = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._@-]*\Z")


def write_session(
    top: str,
    files: Sequence[NewFile],
    force: bool,
    *,
    follows_links: bool = False,
    journal: str | None = None,
) -> int:
    """Writes the files below a folder and returns their size.

    The session itself, the first, is written last: an agent that looks meanwhile sees a whole
    session or none. In an agent's own folder, links are its user's and are followed. What is about
    to be written is noted in the journal, so that nothing stays of a run that is killed.
    """
    make_folder(top)
    shared = [file for file in files if file.is_appended]
    files = [file for file in files if not file.is_appended]
    paths = [os.path.join(top, *_parts(file.path)) for file in files]
    existing = next((path for path in paths if os.path.lexists(path)), None)
    if existing and not force:
        raise UsageError(f"{existing} already exists", "--force overwrites it")
    plan = plan_of(top, [(file.path, file.content) for file in files])
    with noted(journal, plan) as partial:
        writing = _Writing(top, force, follows_links, partial)
        try:
            for file in reversed(files):
                writing.write(file)
            for file in shared:
                _append(os.path.join(top, *_parts(file.path)), file.content)
        except BaseException:
            writing.undo()
            raise
    return sum(len(file.content) for file in (*files, *shared))


class _Writing:
    """Files that are written one after the other, and can be removed again."""

    def __init__(self, top: str, force: bool, follows_links: bool, partial: str | None) -> None:
        self._top = top
        self._force = force
        self._follows_links = follows_links
        self._partial = partial
        self._written: list[list[str]] = []
        self._made: list[str] = []

    def write(self, file: NewFile) -> None:
        """Write a file, and the folders it is in."""
        parts = _parts(file.path)
        path = os.path.join(self._top, *parts)
        try:
            with self._folder(parts, self._made) as folder:
                is_new = not folder.has(parts[-1])
                write_private(
                    folder.name(parts[-1]),
                    [file.content],
                    overwrite=self._force,
                    folder=folder.descriptor,
                    partial=self._partial,
                )
        except LinkOnTheWay as error:
            raise CannotWrite(str(error), "choose another place with -o") from error
        except FileExistsError as error:
            raise UsageError(f"{path} already exists", "--force overwrites it") from error
        except OSError as error:
            raise CannotWrite(
                f"cannot write {path}: {error.strerror or error}", "choose another place with -o"
            ) from error
        if is_new:
            self._written.append(parts)

    def undo(self) -> None:
        """Remove the files and folders that are new."""
        for parts in self._written:
            with contextlib.suppress(OSError, LinkOnTheWay), self._folder(parts) as folder:
                folder.remove(parts[-1])
        for path in reversed(self._made):
            with contextlib.suppress(OSError):
                os.rmdir(path)

    def _folder(
        self, parts: list[str], made: list[str] | None = None
    ) -> contextlib.AbstractContextManager[Folder]:
        return folder_below(self._top, parts[:-1], made=made, follows_links=self._follows_links)


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
