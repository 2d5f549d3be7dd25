"""Keeping a file's bytes while they are read: what is archived already, then what is new on disk.

An append is recognised by the frames at the start and at the old end, and costs the appended bytes.
Anything else that changed is a new version, kept whole (equal chunks are stored once); the old
version stays.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from typing import Literal

from agent_journal.connectors.base import GROWING, stamp
from agent_journal.store.archive import CHUNK, Archive, pack_chunk
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.content import KeptContent

_WINDOW = 4096
Change = Literal["same", "grown", "new", "emptied"]


class Capture(KeptContent):
    """A file on disk, kept as it is read. Use as a context manager; raises OSError when it cannot
    be opened.
    """

    def __init__(
        self, files: Files, archive: Archive, row: FileRow, full: bool, path: str | None = None
    ) -> None:
        super().__init__(files, archive, row)
        # Another path: rows taken out of a database
        self._descriptor = _open_regular(path or row.path)
        status = os.fstat(self._descriptor)
        self.fingerprint = stamp(status)
        self.mended = 0  # frames that the archive could not give any more, kept again
        self.change: Change = self._compare(status.st_size, full)
        if self.change == "new":
            self.version = files.new_version(row.id, self.fingerprint[1])
        self._initial = self.version
        self._end = self.version.size if self.version else 0  # of the bytes that are kept
        self.size = self._end if self.change in ("same", "emptied") else status.st_size

    def __enter__(self) -> Capture:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on; what is new on disk is kept on its way."""
        if start < self._end:
            yield from self._kept(start, self._end)
        yield from self._live()

    def rewind(self) -> None:
        """Forgets what was kept since it was opened: the tables were rolled back to that moment."""
        self.version = self._initial
        self._end = self.version.size if self.version else 0

    def keep(self) -> None:
        """Tells the tables how far the version has been kept."""
        if self.version is not None and self._end != self.version.size:
            self._files.update_version(
                self.version.id, size=self._end, mtime_ns=self.fingerprint[1]
            )
            self.version = self.version._replace(size=self._end)

    def finish(self) -> None:
        """Keeps what no reader asked for, too."""
        for _ in self._live():
            pass
        if self.change == "new" and not self._end and self.version is not None:
            # Nothing is kept of an empty file but that it was there: the archive alone tells of all
            # files.
            self._files.store_frame(self._archive, self.row, self.version, 0, pack_chunk(b""))
        self.keep()

    def _live(self) -> Iterator[bytes]:
        while self._end < self.size:
            os.lseek(self._descriptor, self._end, os.SEEK_SET)
            chunk = _read(self._descriptor, min(CHUNK, self.size - self._end))
            # Cut off while we read: what is there is kept, the next sync sees the rest
            if not chunk:
                self.size = self._end
                return
            assert self.version is not None
            # In a thread of its own this is no faster on two cores, and costs a tenth more CPU.
            # Of the bytes as they are now
            version = self.version._replace(mtime_ns=self.fingerprint[1])
            self._files.store_frame(self._archive, self.row, version, self._end, pack_chunk(chunk))
            self._end += len(chunk)
            yield chunk

    # -- what happened to the file -------------------------------------------------------------

    def _compare(self, size: int, full: bool) -> Change:
        if self.version is None:
            return "new"
        kept = self.version.size
        is_log = self.row.role in GROWING
        holes = self._files.holes(self.version)
        if holes and not (size >= kept and self._same_frames(False) and self._filled(holes)):
            self.mended += 1
            return "new"  # what is left of the archive is of another state of the file
        if self.row.role != "kept" and size == 0 and kept > 0:
            # Claude Code leaves an empty file where a session was moved away; others after a crash
            return "emptied"
        if size < kept:
            return "new"
        if is_log and size > kept and not full:
            return "grown" if self._same_ends(kept) else "new"
        if (is_log or size == kept) and self._same_frames(full):
            return "same" if size == kept else "grown"
        return "new"

    def _same_ends(self, kept: int) -> bool:
        """Whether the first frame and those of the last bytes are on disk as they were kept;
        nothing is unpacked.
        """
        assert self.version is not None
        return all(
            hashlib.sha256(self._on_disk(start, start + size, start + size)).digest() == sha256
            for start, size, sha256, _ in self._files.frames(self.version.id)
            if start == 0 or start + size > kept - _WINDOW
        )

    def _same_frames(self, heals: bool) -> bool:
        """Whether the file has the kept bytes in their places; with `heals`, frames the archive
        lost are kept anew.
        """
        assert self.version is not None
        for start, size, sha256, place in self._files.frames(self.version.id):
            data = self._on_disk(start, start + size, start + size)
            if hashlib.sha256(data).digest() != sha256:
                return False
            if heals and not self._archive.holds(place, sha256):
                self._files.store_frame(
                    self._archive, self.row, self.version, start, pack_chunk(data), anew=True
                )
                self.mended += 1
        return True

    def _filled(self, holes: list[tuple[int, int]]) -> bool:
        """Keeps the lost bytes of a version again, from the file that still has the rest of it."""
        assert self.version is not None
        for start, end in holes:
            for at in range(start, end, CHUNK):
                data = self._on_disk(at, at + CHUNK, end)
                self._files.store_frame(self._archive, self.row, self.version, at, pack_chunk(data))
                self.mended += 1
        return True

    def _on_disk(self, start: int, end: int, limit: int) -> bytes:
        os.lseek(self._descriptor, start, os.SEEK_SET)
        return _read(self._descriptor, min(end, limit) - start)


def _open_regular(path: str) -> int:
    # Without O_NONBLOCK, opening a FIFO that someone named like a session would wait for ever.
    flags = (
        os.O_RDONLY
        | getattr(os, "O_NONBLOCK", 0)
        | getattr(os, "O_BINARY", 0)
        | getattr(os, "O_CLOEXEC", 0)
    )
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return descriptor


def _read(descriptor: int, size: int) -> bytes:
    parts = []
    while size > 0 and (part := os.read(descriptor, size)):
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
