"""The list of files as it is saved: lines of numbers, and their checksum.

Every sync looks at it, so nothing is imported for it that takes time.
"""

from __future__ import annotations

import os
from zlib import crc32

from agent_journal.store.atomic import write_private

_NAME = "manifest"
_VERSION = 1
_NUMBER, _SIZE = 0, 4  # in the numbers of a file
Numbers = list[list[int]]


def part_path(folder: str, number: int) -> str:
    """The file of a part."""
    return os.path.join(folder, f"{number:06d}.lines")


def read_saved(folder: str) -> Numbers | None:
    """The lines of the list; None when there is none of this version, or it is damaged.

    The first one has the last item that was considered and the number of the next file, the second
    one the edits that are gone, and each other one is about a file.
    """
    try:
        with open(os.path.join(folder, _NAME), "rb") as file:
            body, _, mark = file.read().rpartition(b"\n")
        if mark != b"%08x" % crc32(body):
            return None
        (version,), *saved = [[int(word) for word in line.split()] for line in body.split(b"\n")]
    except (OSError, ValueError):
        return None
    if version != _VERSION:
        return None
    return saved


def write_saved(folder: str, saved: Numbers, *, durable: bool) -> None:
    """Replace the list in one step."""
    lines = [" ".join(map(str, numbers)) for numbers in ([_VERSION], *saved)]
    body = "\n".join(lines).encode()
    parts = [body, b"\n%08x" % crc32(body)]
    write_private(os.path.join(folder, _NAME), parts, durable=durable)


def has_all_files(folder: str) -> bool:
    """Whether there is a list, and every file in it has its size."""
    saved = read_saved(folder)
    if saved is None:
        return False
    try:
        return all(
            os.path.getsize(part_path(folder, part[_NUMBER])) == part[_SIZE] for part in saved[2:]
        )
    except (OSError, IndexError):
        return False
