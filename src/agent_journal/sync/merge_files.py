"""One file of another journal: which of its versions are new here, and adding their bytes.

Bytes that are here count as the same by their sha256. Where a file went on in the other journal, it
goes on here; where the two differ, both versions are kept, and the one with the newer time is the
newest. A file that belongs to no session, such as a list of prompts, is kept beside ours instead:
both are read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import GROWING
from agent_journal.errors import JournalDamaged, JournalError
from agent_journal.store.archive import Archive, Entry, FrameHeader, Place, pack_chunk
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.growth import mixed_sizes
from agent_journal.store.catalog.versions import Frame, Version
from agent_journal.store.content import KeptContent
from agent_journal.sync.copies import begins_with, holds_many_sessions
from agent_journal.sync.recovery import adopt_entry

_DATABASES = ("database", "companion")
_NOTHING = pack_chunk(b"").sha256.hex()


class Other(NamedTuple):
    """A file of the other journal."""

    row: FileRow
    versions: list[Version]


class Added(NamedTuple):
    """What was added of a file."""

    versions: int = 0
    bytes: int = 0
    lost: int = 0  # bytes that the other journal has lost

    def plus(self, other: Added) -> Added:
        """The sum of both."""
        return Added(
            self.versions + other.versions, self.bytes + other.bytes, self.lost + other.lost
        )


class FileMerge:
    """Adds files of another journal to ours."""

    def __init__(
        self, ours: Files, archive: Archive, theirs: Files, other_archive: Archive
    ) -> None:
        self._ours = ours
        self._archive = archive
        self._theirs = theirs
        self._other_archive = other_archive
        self._mixed = mixed_sizes(theirs.db)

    def add(self, other: Other) -> Added:
        """Add what we do not have of a file."""
        row = other.row
        for root in _roots(row.root):
            path = os.path.join(root, *row.name.split("/"))
            ours = self._ours.find(row.agent, path)
            target = row._replace(root=root, path=path)
            if ours is None:
                return self._append(target, other.versions, 1)
            missing = self._missing(ours, other)
            known = self._ours.versions(ours.id)
            if not missing:
                return Added(lost=self._lost_bytes(known))
            if not known:
                return self._append(target, missing, 1)
            if missing == other.versions[-1:] and self._goes_on(ours, known[-1], other):
                return self._extend(target, known[-1], missing[0])
            if not _is_beside(row):
                return self._add_versions(target, ours, known[-1], missing)
        raise AssertionError("there is always another root")

    def has(self, other: Other) -> bool:
        """Whether we have every version of a file."""
        row = other.row
        for root in _roots(row.root):
            ours = self._ours.find(row.agent, os.path.join(root, *row.name.split("/")))
            if ours is None:
                return False
            if not self._missing(ours, other):
                return True
        return False

    # -- comparing -----------------------------------------------------------------------------

    def _missing(self, ours: FileRow, other: Other) -> list[Version]:
        """The versions of the other file that none of ours begins with."""
        known = self._ours.versions(ours.id)
        return [
            version
            for version in other.versions
            if not any(self._begins_with(ours, mine, other.row, version) for mine in known)
        ]

    def _begins_with(self, ours: FileRow, mine: Version, theirs: FileRow, version: Version) -> bool:
        if version.size > mine.size:
            return False
        frames = _frames(self._theirs, version)
        if _frames(self._ours, mine)[: len(frames)] == frames:
            return True
        if not version.size or self._mixed.get(version.id):
            return False
        try:
            return begins_with(self._our_content(ours, mine), self._content(theirs, version))
        except JournalDamaged:
            return False  # by what is left, nobody can tell

    def _goes_on(self, ours: FileRow, mine: Version, other: Other) -> bool:
        """Whether the newest version of the other file begins with all of ours."""
        version = other.versions[-1]
        frames = _frames(self._ours, mine)
        is_cut = _frames(self._theirs, version)[: len(frames)] == frames
        if is_cut and version.mtime_ns == mine.mtime_ns:
            return True  # an import that was killed had begun with it
        if ours.role not in GROWING or not mine.size or self._mixed.get(version.id):
            return False
        try:
            return begins_with(self._content(other.row, version), self._our_content(ours, mine))
        except JournalDamaged:
            return False

    def _content(self, row: FileRow, version: Version) -> KeptContent:
        return KeptContent(self._theirs, self._other_archive, row, version)

    def _our_content(self, row: FileRow, version: Version) -> KeptContent:
        return KeptContent(self._ours, self._archive, row, version)

    def _lost_bytes(self, versions: list[Version]) -> int:
        """How many bytes of versions neither journal has."""
        lost = [frame for version in versions for frame in self._ours.lost_frames(version.id)]
        return sum(frame.size for frame in lost)

    # -- adding --------------------------------------------------------------------------------

    def _append(self, target: FileRow, versions: list[Version], first: int) -> Added:
        """Add whole versions, numbered from `first`."""
        added = Added()
        for number, version in enumerate(versions, first):
            size = lost = 0
            frames = self._all_frames(version)
            for frame in frames:
                header = _header(target, version, number, frame)
                has_bytes = self._write(header, frame)
                size += frame.size
                lost += frame.size * (not has_bytes)
            if not frames:
                self._put_nothing(target, version, number)
            real_size = self._mixed.get(version.id)
            if real_size is not None:
                nothing = Frame(real_size, 0, bytes.fromhex(_NOTHING), Place(0, 0, 0))
                self._put(_header(target, version, number, nothing), b"")
            self._note_capture(target, number, version)
            added = added.plus(Added(1, size, lost))
        return added

    def _add_versions(
        self, target: FileRow, ours: FileRow, newest: Version, versions: list[Version]
    ) -> Added:
        """Add versions after ours; if ours is newer, it comes once more after them."""
        added = self._append(target, versions, newest.number + 1)
        if (newest.mtime_ns or 0) > (versions[-1].mtime_ns or 0):
            number = newest.number + len(versions) + 1
            for frame in [*self._ours.frames(newest.id), *self._ours.lost_frames(newest.id)]:
                self._put(_header(ours, newest, number, frame), b"")
        return added

    def _extend(self, target: FileRow, mine: Version, version: Version) -> Added:
        """Let our newest version go on with what the other one has after it."""
        size = 0
        try:
            for chunk in self._content(target, version).chunks(mine.size):
                packed = pack_chunk(chunk)
                start = mine.size + size
                frame = Frame(start, packed.size, packed.sha256, Place(0, 0, 0))
                stored = packed.frame
                if self._ours.has_frame(packed.sha256):
                    stored = b""
                self._put(_header(target, version, mine.number, frame), stored)
                size += len(chunk)
        except JournalDamaged:
            lost = version.size - mine.size - size
            return Added(1, size, lost)
        return Added(1, size)

    def _write(self, header: FrameHeader, frame: Frame) -> bool:
        """Add an entry with its bytes, if they can be had; whether we have them then."""
        stored = b""
        has_bytes = self._ours.has_frame(frame.sha256)
        if not has_bytes and self._other_archive.holds(frame.place, frame.sha256):
            stored = self._other_archive.stored(frame.place)
            has_bytes = True
        self._put(header, stored)
        return has_bytes

    def _put_nothing(self, target: FileRow, version: Version, number: int) -> None:
        """Add the entry of an empty version: none of its frames has bytes."""
        packed = pack_chunk(b"")
        frame = Frame(0, 0, packed.sha256, Place(0, 0, 0))
        stored = packed.frame
        if self._ours.has_frame(packed.sha256):
            stored = b""
        self._put(_header(target, version, number, frame), stored)

    def _put(self, header: FrameHeader, stored: bytes) -> None:
        place = self._archive.append(header, stored)
        adopt_entry(self._ours, Entry(header, place, start=0, end=0))

    def _all_frames(self, version: Version) -> list[Frame]:
        frames = [*self._theirs.frames(version.id), *self._theirs.lost_frames(version.id)]
        return sorted(frames, key=lambda frame: frame.start)

    def _note_capture(self, target: FileRow, number: int, version: Version) -> None:
        """Keep the times at which the other journal saw and kept the file."""
        row = self._ours.find(target.agent, target.path)
        if row is None:  # its entries have no bytes
            return
        if number == 1 and target.first_seen is not None:
            self._ours.update(row.id, first_seen=target.first_seen, vanished_at=target.vanished_at)
        self._ours.set_capture(row.id, number, version.captured_at)


def _roots(root: str) -> Iterator[str]:
    """Where a file may be kept: under its own root, or beside it."""
    yield root
    for number in range(2, 10_000):
        yield f"{root}~{number}"


def _is_beside(row: FileRow) -> bool:
    """Whether a file that differs from ours is another file, and not a version of it."""
    if row.role in _DATABASES:
        return True
    if row.session is not None or row.role == "kept":
        return False
    try:
        return not holds_many_sessions(get_connector(row.agent))
    except (KeyError, JournalError):  # its connector is not installed
        return True


def _frames(files: Files, version: Version) -> list[tuple[int, bytes]]:
    """What a version consists of, also as far as it is lost."""
    frames = [*files.frames(version.id), *files.lost_frames(version.id)]
    return sorted((frame.start, frame.sha256) for frame in frames)


def _header(row: FileRow, version: Version, number: int, frame: Frame) -> FrameHeader:
    return FrameHeader(
        agent=row.agent,
        root=row.root,
        name=row.name,
        role=row.role,
        session=row.session,
        rank=row.rank,
        version=number,
        start=frame.start,
        size=frame.size,
        sha256=frame.sha256.hex(),
        mtime_ns=version.mtime_ns or 0,
    )
