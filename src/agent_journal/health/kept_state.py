"""Whether a file on disk is kept as it is now.

Its size and time may differ from what they were when it was kept. That alone means nothing: a file
that was touched, or copied back, has the same bytes. So the bytes are compared.
"""

from __future__ import annotations

import os
from typing import IO, Literal, NamedTuple

from agent_journal.connectors.base import ROWS_MARK, Connector, FoundFile, stamp
from agent_journal.health.on_disk import has_bytes
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.sources import Stamp, current_stamps, refused_stamps
from agent_journal.store.catalog.versions import Version
from agent_journal.sync.discovery import is_text
from agent_journal.sync.extracts import CannotExtract, extracts_of, stamps, written

# kept: every byte. grown: all but the bytes at its end. changed: what is kept is an earlier state.
# unkept: nothing, or what was kept is lost. refused: no sync can keep it.
Status = Literal["kept", "grown", "changed", "unkept", "refused"]


class KeptState(NamedTuple):
    """What is kept of a file."""

    status: Status
    unkept_bytes: int = 0

    @property
    def is_kept(self) -> bool:
        """Whether every byte is kept."""
        return self.status == "kept"


_KEPT = KeptState("kept")


class KeptFiles:
    """What is kept of the files of one agent."""

    def __init__(self, connector: Connector, db: Connection | None, lost: set[str]) -> None:
        self._connector = connector
        self._lost = lost  # paths of files of which the archive has lost bytes
        self._files: Files | None = None
        self._stamps: dict[str, Stamp] = {}
        self._refused: dict[str, Stamp] = {}
        if db is not None:
            self._files = Files(db)
            self._stamps = current_stamps(db, connector.name)
            self._refused = refused_stamps(db)

    def state_of(self, found: FoundFile) -> KeptState:
        """Compare a file with what is kept of it."""
        is_lost = found.path in self._lost
        if not is_lost and self._is_unchanged(found):
            return _KEPT
        if found.path in self._refused or not is_text(found.path):
            return KeptState("refused", found.size)
        if is_lost or self._files is None:
            return KeptState("unkept", found.size)  # the next sync keeps it
        if found.role == "rows":
            return self._state_of_rows(self._files, found)
        for suffix in found.companions:
            state = self._state_of_companion(self._files, found.path + suffix)
            if not state.is_kept:
                return state
        return self._compare(self._files, found.path, found.path)

    def _is_unchanged(self, found: FoundFile) -> bool:
        known = (self._stamps.get(found.path), self._refused.get(found.path))
        if (found.size, found.mtime_ns) not in known:
            return False
        for suffix in found.companions:
            path = found.path + suffix
            if _stamp(path) != self._stamps.get(path):
                return False
        return True

    def _state_of_companion(self, files: Files, path: str) -> KeptState:
        """Compare the -wal of a database; one that is gone or empty says nothing."""
        on_disk = _stamp(path)
        if on_disk is None or not on_disk.size:
            return _KEPT
        return self._compare(files, path, path)

    def _state_of_rows(self, files: Files, found: FoundFile) -> KeptState:
        """Compare our rows of a database: its other rows change all the time."""
        prefix = found.path + ROWS_MARK
        known = files.extracts(self._connector.name, prefix)
        unkept = 0
        try:
            kept = stamps(known, len(prefix))
            for extract in extracts_of(self._connector, found.path, kept):
                if isinstance(extract, str) or extract.data is None:
                    continue
                with written(self._connector, extract) as copy:
                    unkept += self._compare(files, prefix + extract.name, copy).unkept_bytes
        except (CannotExtract, OSError):
            return KeptState("changed", found.size)
        if unkept:
            return KeptState("changed", unkept)
        return _KEPT

    def _compare(self, files: Files, path: str, place: str) -> KeptState:
        """Compare the bytes at a place with those that are kept of a path."""
        row = files.find(self._connector.name, path)
        version = None
        if row is not None:
            version = files.version(row.version_id)
        try:
            with open(place, "rb", buffering=0) as file:
                return _compare_bytes(files, version, file)
        except OSError:
            return KeptState("refused")


def _compare_bytes(files: Files, version: Version | None, file: IO[bytes]) -> KeptState:
    size = os.fstat(file.fileno()).st_size
    if version is None:
        return KeptState("unkept", size)
    if not size:
        return _KEPT  # a file that was emptied is kept as it was before
    if size < version.size:
        return KeptState("changed", size)
    for frame in files.frames(version.id):
        if not has_bytes(file, frame.size, frame.sha256):
            return KeptState("changed", size)
    if size > version.size:
        return KeptState("grown", size - version.size)
    return _KEPT


def _stamp(path: str) -> Stamp | None:
    try:
        size, mtime_ns, _ = stamp(os.stat(path))
    except OSError:
        return None
    return Stamp(size, mtime_ns)
