"""Compares what is kept with the agents' own files, where those have not changed since."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import IO, NamedTuple

from agent_journal.connectors.base import stamp
from agent_journal.store.catalog.files import FileRow, Files


class Differing(NamedTuple):
    """A file that has other bytes than were kept of it."""

    path: str
    what: str


def differing_files(files: Files, rows: list[FileRow]) -> Iterator[Differing]:
    """The files whose size and time say that they are unchanged, and whose bytes differ.

    Bytes were changed in the middle before others were appended, or without a trace.
    """
    for row in rows:
        version = files.version(row.version_id)
        if version is None or not row.is_current or row.size != version.size:
            continue  # not kept as it is; a log that was emptied is kept as it was before
        at = _first_difference(files, row)
        if at is not None:
            what = (
                f"the file has other bytes than were kept from byte {at} on, with the same size "
                "and time: the next 'aj sync' keeps both"
            )
            yield Differing(row.path, what)


def _first_difference(files: Files, row: FileRow) -> int | None:
    """Where a file begins to differ; None if it does not, or is not what was kept."""
    assert row.version_id is not None
    try:
        # Only what is a file: opening a pipe would wait for ever
        if not _is_unchanged(os.stat(row.path), row):
            return None
        with open(row.path, "rb", buffering=0) as file:
            for frame in files.frames(row.version_id):
                if not has_bytes(file, frame.size, frame.sha256):
                    is_unchanged = _is_unchanged(os.fstat(file.fileno()), row)
                    return frame.start if is_unchanged else None
    except OSError:
        return None
    return None


def _is_unchanged(status: os.stat_result, row: FileRow) -> bool:
    return stamp(status) == (row.size, row.mtime_ns, row.inode)


def has_bytes(file: IO[bytes], size: int, sha256: bytes) -> bool:
    """Whether the next bytes of a file are those of a checksum."""
    data = file.read(size)
    while len(data) < size:
        more = file.read(size - len(data))
        if not more:
            return False
        data += more
    return hashlib.sha256(data).digest() == sha256
