"""The kept bytes of a file, as readers see them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing

from agent_journal.connectors.base import Part
from agent_journal.errors import JournalDamaged
from agent_journal.store.archive import RESTORE_HINT, Archive
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.parts import Parts
from agent_journal.store.catalog.versions import Version


class KeptContent:
    """The kept bytes of a version of a file, as the readers see them."""

    def __init__(
        self, files: Files, archive: Archive, row: FileRow, version: Version | None = None
    ) -> None:
        self._files = files
        self._archive = archive
        self.row = row
        self.version = version or files.version(row.version_id)
        self.size = 0
        if self.version is not None:
            self.size = self.version.size
        self.asked: set[str] = set()  # paths of the other files it was read with
        self.looked_for: set[str] = set()  # paths of those of which only the existence matters
        self.part: Part | None = None  # the part of a session that its reader takes it for
        self.is_damaged = False  # whether one of them is damaged in the archive

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on."""
        if self.version is not None:
            yield from self._kept(start)

    def check(self) -> None:
        """Raise JournalDamaged unless the archive has all bytes."""
        for _ in self.chunks():
            pass

    def companion(self, suffix: str) -> bytes | None:
        """The kept bytes of the file beside it, unless that was gone when this one was captured."""
        sibling = self._files.find(self.row.agent, self.row.path + suffix)
        if sibling is None or sibling.vanished_at is not None or sibling.version_id is None:
            return None
        return b"".join(KeptContent(self._files, self._archive, sibling).chunks())

    def has_sibling(self, name: str) -> bool:
        """Whether another file of the agent is kept and has bytes."""
        path = self._beside(name)
        self.looked_for.add(path)
        sibling = self._files.find(self.row.agent, path)
        if sibling is None:
            return False
        version = self._files.version(sibling.version_id)
        return version is not None and version.size > 0

    def is_first_part(self, part: Part) -> bool:
        """Whether no earlier part of the session is known."""
        return not self.earlier_parts(part)

    def earlier_parts(self, part: Part) -> list[Part]:
        """The known parts of the session before this one, by name and conversation."""
        self.part = part
        parts = Parts(self._files.db, self.row.agent).of_session(part.session_id, but=self.row.id)
        return [other for other in parts if other < part]

    def sibling(self, name: str) -> bytes | None:
        """The kept bytes of another file of the agent, by its path from this one's folder."""
        path = self._beside(name)
        self.asked.add(path)
        sibling = self._files.find(self.row.agent, path)
        if sibling is None or sibling.version_id is None:
            return None
        # The one it was read in, where the newest is damaged
        version = self._files.version(sibling.read_version)
        try:
            return b"".join(KeptContent(self._files, self._archive, sibling, version).chunks())
        except JournalDamaged:
            self.is_damaged = True
            return None

    def _beside(self, name: str) -> str:
        return os.path.normpath(os.path.join(os.path.dirname(self.row.path), name))

    def _kept(self, start: int, end: int | None = None) -> Iterator[bytes]:
        assert self.version is not None
        if end is None:
            end = self.version.size
        at = start
        for frame in self._files.frames(self.version.id, start):
            if frame.start >= end or frame.start > at:  # behind the end, or behind a hole
                break
            data = self._archive.read(frame.place, frame.sha256)
            yield data[at - frame.start : min(frame.size, end - frame.start)]
            at = frame.end
        if at < end:
            raise JournalDamaged(
                f"{self.row.path}: bytes {at} to {end} are no longer in the archive", RESTORE_HINT
            )


def count_lost(files: Files, archive_path: str, versions: Iterable[int]) -> int:
    """How many of these versions the archive does not have whole."""
    lost = 0
    with closing(Archive(archive_path)) as archive:
        for version_id in versions:
            version = files.version(version_id)
            assert version is not None
            try:
                KeptContent(files, archive, files.get(version.file_id), version).check()
            except JournalDamaged:
                lost += 1
    return lost
