"""Write files whole or not at all, readable by their owner only."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable


def write_private(
    path: str,
    parts: Iterable[bytes],
    *,
    overwrite: bool = True,
    durable: bool = False,
    mtime_ns: int | None = None,
) -> int:
    """Write a file with mode 0600 in one step and return its size.

    The parts go to a temporary file in the same folder, which then becomes `path`: a reader sees
    all of it or what was there before. A `durable` file has reached the disk before it gets its
    name. Raises FileExistsError when `overwrite` is false and the file exists.
    """
    # A short name: that of the file itself may be as long as names can be.
    partial = os.path.join(os.path.dirname(path), f".aj-{os.urandom(4).hex()}.part")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.writelines(parts)
            size = file.tell()
            if durable:
                file.flush()
                os.fsync(descriptor)
        if mtime_ns:
            os.utime(partial, ns=(mtime_ns, mtime_ns))
        if overwrite:
            os.replace(partial, path)
        else:
            os.link(partial, path)  # unlike a rename, this fails when the file exists
            os.unlink(partial)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        raise
    return size
