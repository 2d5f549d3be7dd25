"""Bytes that the archive has lost, and that another version has: they are kept again from there.

After a home was moved, files are kept under two paths, in frames that may begin and end elsewhere.
"""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.connectors.base import stamp
from agent_journal.errors import JournalDamaged
from agent_journal.store.archive import Archive, pack_chunk
from agent_journal.store.catalog.connection import transaction
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.packs import save_lengths
from agent_journal.store.catalog.versions import KeptFrame, Version
from agent_journal.store.content import KeptContent
from agent_journal.store.gaps import described_by, path_of


class Found(NamedTuple):
    """How many frames were kept again, and the paths of the files that have lost others."""

    healed: int
    lost_paths: set[str]


def keep_from_others(files: Files, archive: Archive) -> Found:
    """Keep lost frames again whose bytes are in another version.

    Files that are on disk as they were kept are passed over: a full sync has compared them.
    """
    others = _Others(files, archive)
    healed = []
    lost = set()
    try:
        for frame in _lost(files, archive):
            data = others.find(frame)
            if data is not None:
                place = archive.append(frame.header, pack_chunk(data).frame)
                healed.append(frame._replace(place=place))
            else:
                lost.add(frame.sha256)
        lengths = archive.flush()
    finally:
        archive.close()
    with transaction(files.db):
        for frame in healed:
            header = frame.header
            files.link_frame(frame.version_id, header.start, frame.sha256, header.size, frame.place)
        save_lengths(files.db, lengths)
    return Found(len(healed), _paths_of(files, lost))


def _paths_of(files: Files, frames: set[bytes]) -> set[str]:
    """The paths of all files that have one of these frames."""
    if not frames:
        return set()
    return {
        path_of(described_by(frame.header))
        for frame in files.kept_frames()
        if frame.sha256 in frames
    }


def _lost(files: Files, archive: Archive) -> Iterator[KeptFrame]:
    """The frames that the archive does not hold, each once."""
    compared = {row.version_id for row in files.kept() if _is_on_disk(row)}
    looked_at = set()
    for frame in list(files.kept_frames()):
        if frame.version_id in compared or frame.sha256 in looked_at:
            continue
        looked_at.add(frame.sha256)
        if not archive.holds(frame.place, frame.sha256):
            yield frame


def _is_on_disk(row: FileRow) -> bool:
    try:
        found = os.stat(row.path)
    except OSError:
        return False
    return stamp(found) == (row.size, row.mtime_ns, row.inode)


class _Others:
    """Looks for the bytes of a frame in the versions of all files with the same name."""

    def __init__(self, files: Files, archive: Archive) -> None:
        self._files = files
        self._archive = archive
        self._namesakes: dict[tuple[str, str], list[FileRow]] = defaultdict(list)
        for row in files.kept():
            self._namesakes[row.agent, _last_name(row.name)].append(row)

    def find(self, frame: KeptFrame) -> bytes | None:
        """The bytes of a frame; None when no version has them at its place."""
        header = frame.header
        for row in self._namesakes[header.agent, _last_name(header.name)]:
            for version in self._files.versions(row.id):
                data = self._read(row, version, header.start, header.size)
                if hashlib.sha256(data).digest() == frame.sha256:
                    return data
        return None

    def _read(self, row: FileRow, version: Version, start: int, size: int) -> bytes:
        """Some bytes of a version, or fewer where they are damaged, too."""
        found = bytearray()
        if version.size < start + size:
            return b""
        try:
            for chunk in KeptContent(self._files, self._archive, row, version).chunks(start):
                found += chunk
                if len(found) >= size:
                    break
        except JournalDamaged:
            pass
        return bytes(found[:size])


def _last_name(name: str) -> str:
    return name.rpartition("/")[2]
