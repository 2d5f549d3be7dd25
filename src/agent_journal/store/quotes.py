"""Texts that the catalog keeps as places in kept files: long tool results are in the archive."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from msgspec import Raw

from agent_journal.errors import JournalDamaged
from agent_journal.model import Quote
from agent_journal.store.archive import Archive, Place
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.versions import Frame

_HELD_FRAMES = 4  # neighbours are asked for together, and a record may lie across two frames
_LOOKED_AT = 8_000  # bytes in which a file that is no text has a zero, as git has it
_items = msgspec.json.Decoder(list[Raw]).decode
_string = msgspec.json.Decoder(str).decode


@functools.cache
def _member(name: str) -> Callable[[bytes | Raw], Any]:
    return msgspec.json.Decoder(
        msgspec.defstruct("Step", [("value", Raw)], rename={"value": name})
    ).decode


def text_at(record: bytes, path: tuple[str | int, ...]) -> str:
    """The string at a path of a record.

    Only the way to it is decoded, so damage elsewhere in the record does no harm, as it did none
    for the reader that quoted it.
    """
    value: bytes | Raw = record
    for step in path:
        if isinstance(step, int):
            value = _items(value)[step]
        else:
            value = _member(step)(value).value
    return _string(value)


@contextmanager
def open_quotes(db: Connection, archive_path: str) -> Iterator[Quotes]:
    """Read quotes of a catalog from its archive, which is closed afterwards."""
    archive = Archive(archive_path)
    try:
        yield Quotes(Files(db), archive)
    finally:
        archive.close()


class Quotes:
    """Reads quotes, as a function of the file's id and the quote."""

    def __init__(self, files: Files, archive: Archive) -> None:
        self._files = files
        self._archive = archive
        self._frames: dict[int, list[Frame]] = {}
        self._held: dict[Place, bytes] = {}
        self._lost: dict[int, tuple[int, int]] = {}

    def __call__(self, file_id: int, quote: Quote) -> str | None:
        """The text of a quote; None when the archive has lost it."""
        try:
            record = self._bytes(file_id, quote.offset, quote.offset + quote.length)
            return text_at(record, quote.path)
        except (JournalDamaged, ValueError, RecursionError, IndexError):
            return None

    @property
    def lost(self) -> list[tuple[int, int, int]]:
        """A place in each file that the archive has lost, of those asked for: id, start and end."""
        return [(file_id, *place) for file_id, place in self._lost.items()]

    def can_read(self, file_id: int, start: int, end: int) -> bool:
        """Whether the archive has these bytes of a file."""
        try:
            self._bytes(file_id, start, end)
        except JournalDamaged:
            return False
        return True

    def document(self, file_id: int, most: int | None = None) -> str | None:
        """The text of a kept file, or of its first bytes; None when it is no text, or lost."""
        frames = self._frames_of(file_id)
        end = max((frame.end for frame in frames), default=0)
        if most is not None:
            end = min(end, most)
        try:
            data = self._bytes(file_id, 0, end)
        except JournalDamaged:
            return None
        if b"\0" in data[:_LOOKED_AT]:
            return None
        return data.decode("utf-8", "replace")

    def _bytes(self, file_id: int, start: int, end: int) -> bytes:
        try:
            data = b"".join(
                self._data(frame)[max(0, start - frame.start) : end - frame.start]
                for frame in self._frames_of(file_id)
                if frame.start < end and frame.end > start
            )
            if len(data) != end - start:
                raise JournalDamaged("a part of it is no longer in the archive")
        except JournalDamaged:
            self._lost.setdefault(file_id, (start, end))
            raise
        return data

    def _frames_of(self, file_id: int) -> list[Frame]:
        frames = self._frames.get(file_id)
        if frames is None:
            row = self._files.get(file_id)
            version_id = row.read_version
            if version_id is None:
                version_id = row.version_id
            frames = []
            if version_id is not None:
                frames = list(self._files.frames(version_id))
            self._frames[file_id] = frames
        return frames

    def _data(self, frame: Frame) -> bytes:
        data = self._held.get(frame.place)
        if data is None:
            data = self._archive.read(frame.place, frame.sha256)
            if len(self._held) >= _HELD_FRAMES:
                oldest = next(iter(self._held))
                del self._held[oldest]
            self._held[frame.place] = data
        return data
