"""The kept bytes of a file, as readers see them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from agent_journal.errors import JournalDamaged
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.files import FileRow, Files, Version


class KeptContent:
    """The kept bytes of a version of a file, as the readers see them."""

    def __init__(
        self, files: Files, archive: Archive, row: FileRow, version: Version | None = None
    ) -> None:
        self._files = files
        self._archive = archive
        self.row = row
        self.version = version or files.version(row.version_id)
        self.size = self.version.size if self.version else 0
        self.asked: set[str] = set()  # paths of the other files it was read with
        self.is_damaged = False  # whether one of them is damaged in the archive

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on."""
        if self.version is not None:
            yield from self._kept(start)

    def companion(self, suffix: str) -> bytes | None:
        """The kept bytes of the file beside it, unless that was gone when this one was captured."""
        beside = self._files.find(self.row.agent, self.row.path + suffix)
        if beside is None or beside.vanished_at is not None or beside.version_id is None:
            return None
        return b"".join(KeptContent(self._files, self._archive, beside).chunks())

    def sibling(self, name: str) -> bytes | None:
        """The kept bytes of another file of the agent, by its path from this one's folder."""
        path = os.path.normpath(os.path.join(os.path.dirname(self.row.path), name))
        self.asked.add(path)
        beside = self._files.find(self.row.agent, path)
        if beside is None or beside.version_id is None:
            return None
        # The one it was read in, where the newest is damaged
        version = self._files.version(beside.read_version)
        try:
            return b"".join(KeptContent(self._files, self._archive, beside, version).chunks())
        except JournalDamaged:
            self.is_damaged = True
            return None

    def _kept(self, start: int, end: int | None = None) -> Iterator[bytes]:
        assert self.version is not None
        end = self.version.size if end is None else end
        expected = start
        for at, size, sha256, place in self._files.frames(self.version.id, start):
            if at >= end:
                break
            if at > expected:
                break  # a hole: told below
            data = self._archive.read(place, sha256)
            yield data[expected - at : min(size, end - at)]
            expected = at + size
        if expected < end:
            raise JournalDamaged(
                f"{self.row.path}: bytes {expected} to {end} are not in the archive any more",
                "run 'aj sync --full' while the file still exists, or put the archive back from a backup",
            )
