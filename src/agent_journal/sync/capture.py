"""Archives the bytes of a file while it is read: first those already archived, then the new ones.

An append is recognised by comparing the frames at the start and at the old end; only the appended
bytes are read and stored. Any other change makes a new version, which is stored completely (equal
chunks once); the old version is kept. A file that rests after appends is compared as a whole: if
its middle was changed before an append, what was kept is marked as a mixture, and kept again.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from typing import Literal

from agent_journal.connectors.base import GROWING, stamp
from agent_journal.store.archive import CHUNK, Archive, FrameHeader, Packed, pack_chunk
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.growth import (
    add_growth,
    mark_mixed,
    mark_proven,
    proven_size,
)
from agent_journal.store.catalog.versions import Frame, Version
from agent_journal.store.content import KeptContent

_WINDOW = 256 * 2**10  # bytes before an append that are compared
Change = Literal["same", "grown", "new", "emptied"]


class Capture(KeptContent):
    """A file on disk that is archived while it is read; use it as a context manager.

    Raises OSError when the file cannot be opened.
    """

    def __init__(
        self, files: Files, archive: Archive, row: FileRow, full: bool, path: str | None = None
    ) -> None:
        super().__init__(files, archive, row)
        # Another path: rows taken out of a database
        self._descriptor = _open_regular(path or row.path)
        status = os.fstat(self._descriptor)
        self.fingerprint = stamp(status)
        self.repaired = 0  # frames that the archive had lost, kept again
        self.change: Change = self._compare(status.st_size, full)
        if self.change == "new":
            self.version = files.new_version(row.id, self.fingerprint[1])
        self._initial = self.version
        self._end = self._kept_size()  # of the bytes that are kept
        if self.change in ("same", "emptied"):
            self.size = self._end
        else:
            self.size = status.st_size

    def __enter__(self) -> Capture:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """Yield the bytes from `start` on, and archive those that are new."""
        if start < self._end:
            yield from self._kept(start, self._end)
        yield from self._new_chunks()

    def rewind(self) -> None:
        """Forget what was archived since opening: the tables were rolled back to that point."""
        self.version = self._initial
        self._end = self._kept_size()

    def save_size(self) -> None:
        """Record in the tables how much of the version is archived."""
        if self.version is not None and self._end != self.version.size:
            self._files.update_version(
                self.version.id, size=self._end, mtime_ns=self.fingerprint[1]
            )
            self.version = self.version._replace(size=self._end)

    def finish(self) -> None:
        """Archive the rest of the file, which no reader asked for."""
        for _ in self._new_chunks():
            pass
        if self.change == "new" and not self._end and self.version is not None:
            # An empty file has an entry, too: a lost catalog is made again from the archive alone.
            self._store(self.version, 0, b"")
        self.save_size()

    def _new_chunks(self) -> Iterator[bytes]:
        while self._end < self.size:
            limit = min(self._end + CHUNK, self.size)
            chunk = self._on_disk(self._end, limit)
            # Cut off while we read: what is there is kept, the next sync sees the rest
            if not chunk:
                self.size = self._end
                return
            assert self.version is not None
            # The time of the bytes as they are now. In a thread of its own, storing is no faster on
            # two cores and costs a tenth more CPU.
            version = self.version._replace(mtime_ns=self.fingerprint[1])
            self._store(version, self._end, chunk)
            self._end += len(chunk)
            yield chunk

    def _store(self, version: Version, start: int, data: bytes, again: bool = False) -> None:
        """Add a chunk of a version to the tables, and to the archive unless it has the bytes."""
        packed = pack_chunk(data)
        frame = packed.frame
        if self._files.has_frame(packed.sha256) and not again:
            frame = b""
        place = self._archive.append(self._header(version, start, packed), frame)
        self._files.link_frame(version.id, start, packed.sha256, packed.size, place)

    def _header(self, version: Version, start: int, packed: Packed) -> FrameHeader:
        return FrameHeader(
            agent=self.row.agent,
            root=self.row.root,
            name=self.row.name,
            role=self.row.role,
            session=self.row.session,
            rank=self.row.rank,
            version=version.number,
            start=start,
            size=packed.size,
            sha256=packed.sha256.hex(),
            mtime_ns=version.mtime_ns or 0,
        )

    def _kept_size(self) -> int:
        if self.version is None:
            return 0
        return self.version.size

    # -- what happened to the file -------------------------------------------------------------

    def _compare(self, size: int, full: bool) -> Change:
        if self.version is None:
            return "new"
        if self._files.holes(self.version):
            if size < self.version.size or not self._has_known_bytes(self.version):
                self.repaired += 1
                return "new"  # what is left of the archive is of another state of the file
            self._fill(self.version)
        if self.row.role != "kept" and size == 0 and self.version.size > 0:
            # Claude Code leaves an empty file where a session was moved away; others after a crash
            return "emptied"
        return self._compare_bytes(self.version, size, full)

    def _compare_bytes(self, version: Version, size: int, full: bool) -> Change:
        if size < version.size:
            return "new"
        is_log = self.row.role in GROWING
        is_longer = size > version.size
        if is_longer and not is_log:
            return "new"
        if is_longer and not full:
            if not self._has_same_ends(version):
                return "new"
            add_growth(self._files.db, version)
            return "grown"
        different = self._first_difference(version, repair=full)
        if different is not None:
            self._find_mixture(version, different)
            return "new"
        mark_proven(self._files.db, version.id)
        return "grown" if is_longer else "same"

    def _find_mixture(self, version: Version, different: Frame) -> None:
        """Mark a version that grew although the file was changed elsewhere, too.

        The file is as it was when the last bytes were kept, and does not have the bytes before.
        """
        row = self.row
        if (row.size, row.mtime_ns, row.inode) != stamp(os.fstat(self._descriptor)):
            return  # it was changed since then
        proven = proven_size(self._files.db, version.id)
        if proven is None:
            return
        # The bytes up to the difference are still there; so those of the frame came next
        real_size = max(proven, different.end)
        mark_mixed(self._files.db, version.id, real_size)
        # For the next catalog: an entry without bytes behind those that are real
        self._archive.append(self._header(version, real_size, pack_chunk(b"")), b"")

    def _has_same_ends(self, version: Version) -> bool:
        """Whether the first frame and the last ones are unchanged on disk.

        Nothing is decompressed.
        """
        return all(
            self._is_on_disk(frame)
            for frame in self._files.frames(version.id)
            if frame.start == 0 or frame.end > version.size - _WINDOW
        )

    def _is_on_disk(self, frame: Frame) -> bool:
        data = self._on_disk(frame.start, frame.end)
        return hashlib.sha256(data).digest() == frame.sha256

    def _first_difference(self, version: Version, repair: bool = False) -> Frame | None:
        """The first frame that the file does not have at its offset; None if it has them all.

        With `repair`, frames before the first difference are archived again where the archive has
        lost them.
        """
        for frame in self._files.frames(version.id):
            if not self._is_on_disk(frame):
                return frame
            if repair and not self._archive.holds(frame.place, frame.sha256):
                data = self._on_disk(frame.start, frame.end)
                self._store(version, frame.start, data, again=True)
                self.repaired += 1
        return None

    def _has_known_bytes(self, version: Version) -> bool:
        """Whether the file has all bytes that are known of a version, also those that were lost."""
        known = [*self._files.frames(version.id), *self._files.lost_frames(version.id)]
        return all(self._is_on_disk(frame) for frame in known)

    def _fill(self, version: Version) -> None:
        """Archive the lost bytes of a version again, from the file that has the rest of it."""
        for frame in self._files.lost_frames(version.id):
            self._store(version, frame.start, self._on_disk(frame.start, frame.end))
            self.repaired += 1
        # Of these, not even the checksum is known any more
        for start, end in self._files.holes(version):
            for at in range(start, end, CHUNK):
                self._store(version, at, self._on_disk(at, min(at + CHUNK, end)))
                self.repaired += 1

    def _on_disk(self, start: int, end: int) -> bytes:
        os.lseek(self._descriptor, start, os.SEEK_SET)
        return _read(self._descriptor, end - start)


def _open_regular(path: str) -> int:
    # Without O_NONBLOCK, opening a FIFO that someone named like a session would wait for ever.
    flags = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_BINARY", "O_CLOEXEC"):
        flags |= getattr(os, name, 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return descriptor


def _read(descriptor: int, size: int) -> bytes:
    """Read `size` bytes, or fewer at the end of the file."""
    parts: list[bytes] = []
    while size > 0:
        part = os.read(descriptor, size)
        if not part:
            break
        parts.append(part)
        size -= len(part)
    if len(parts) == 1:
        return parts[0]
    return b"".join(parts)
