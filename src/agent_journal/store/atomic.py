"""Write files whole or not at all, readable by their owner only."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator
from typing import IO

# What file systems without hard links answer, such as those of memory cards
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)


def write_private(
    path: str,
    parts: Iterable[bytes],
    *,
    overwrite: bool = True,
    durable: bool = False,
    mtime_ns: int | None = None,
    folder: int | None = None,
    partial: str | None = None,
) -> int:
    """Write a file with mode 0600 in one step and return its size.

    A `durable` file has reached the disk before it gets its name. Raises FileExistsError when
    `overwrite` is false and the file exists. With `folder`, the descriptor of one, `path` is a
    name in it.
    """
    with new_private_file(
        path,
        overwrite=overwrite,
        durable=durable,
        mtime_ns=mtime_ns,
        folder=folder,
        partial=partial,
    ) as file:
        file.writelines(parts)
        return file.tell()


@contextlib.contextmanager
def new_private_file(
    path: str,
    *,
    overwrite: bool = True,
    durable: bool = False,
    mtime_ns: int | None = None,
    folder: int | None = None,
    partial: str | None = None,
) -> Iterator[IO[bytes]]:
    """A file to write, which becomes `path` at the end.

    It is a temporary file in the same folder, called `partial` or by chance: a reader sees all of
    it or what was there before. A symbolic link at `path` is replaced, never followed.
    """
    # A short name: that of the file itself may be as long as names can be.
    partial = partial or f".aj-{os.urandom(4).hex()}.part"
    partial = os.path.join(os.path.dirname(path), partial)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(descriptor)
        if mtime_ns:
            os.utime(partial, ns=(mtime_ns, mtime_ns), dir_fd=folder)
        if overwrite:
            os.replace(partial, path, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            _place(partial, path, folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial, dir_fd=folder)
        raise


def _place(partial: str, path: str, folder: int | None) -> None:
    """Give a file its name, unless another file has it."""
    try:
        # Unlike a rename, this fails when the file exists
        os.link(partial, path, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder))
        os.replace(partial, path, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        os.unlink(partial, dir_fd=folder)
