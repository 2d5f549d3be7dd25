"""Folders below a chosen one, opened so that no symbolic link inside it is followed.

A path is checked and used at two moments; another program may put a link there in between. So each
folder is opened in the one before it, and files are written by name in an open folder.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence

_HAS_DESCRIPTORS = {os.open, os.mkdir, os.unlink, os.stat} <= os.supports_dir_fd
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class Folder:
    """An open folder, and how files in it are named for the functions of `os`."""

    def __init__(self, path: str, descriptor: int | None) -> None:
        self.path = path
        self.descriptor = descriptor

    def name(self, part: str) -> str:
        """The name of a file in it, to be given together with the descriptor."""
        if self.descriptor is None:
            return os.path.join(self.path, part)
        return part

    def has(self, part: str) -> bool:
        """Whether there is anything of this name, also a link that leads nowhere."""
        try:
            os.stat(self.name(part), dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True

    def open(self, part: str) -> int:
        """Open a file in it for reading; a pipe does not make this wait."""
        flags = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        return os.open(self.name(part), flags, dir_fd=self.descriptor)

    def close(self) -> None:
        """Close it."""
        if self.descriptor is not None:
            os.close(self.descriptor)

    def remove(self, part: str) -> None:
        """Remove a file in it."""
        os.unlink(self.name(part), dir_fd=self.descriptor)


class LinkOnTheWay(Exception):
    """A folder inside the chosen one is a symbolic link; the text says which."""

    def __init__(self, path: str) -> None:
        super().__init__(f"nothing is written through {path}: it is a symbolic link")


@contextlib.contextmanager
def folder_below(
    top: str,
    parts: Sequence[str] = (),
    *,
    made: list[str] | None = None,
    follows_links: bool = False,
) -> Iterator[Folder]:
    """Open the folder `parts` below `top`; raises LinkOnTheWay where one of these is a link.

    With `made`, folders that are missing are made, each private, and their paths added to it.
    """
    folder = Folder(top, None)
    if _HAS_DESCRIPTORS:
        folder = Folder(top, os.open(top, _FOLDER))
    try:
        for part in parts:
            if made is not None and _make(folder, part):
                made.append(os.path.join(folder.path, part))
            inner = _inner(folder, part, follows_links)
            folder.close()
            folder = inner
        yield folder
    finally:
        folder.close()


def _inner(folder: Folder, part: str, follows_links: bool) -> Folder:
    path = os.path.join(folder.path, part)
    flags = _FOLDER
    if not follows_links:
        flags |= _NO_LINK
    try:
        if folder.descriptor is not None:
            return Folder(path, os.open(part, flags, dir_fd=folder.descriptor))
    except OSError as error:
        if os.path.islink(path) and not follows_links:
            raise LinkOnTheWay(path) from error
        raise
    if os.path.islink(path) and not follows_links:
        raise LinkOnTheWay(path)
    return Folder(path, None)


def _make(folder: Folder, part: str) -> bool:
    """Make a folder in another one; false if it is there."""
    try:
        os.mkdir(folder.name(part), 0o700, dir_fd=folder.descriptor)
    except FileExistsError:
        return False
    return True
