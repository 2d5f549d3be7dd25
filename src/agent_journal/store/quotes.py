"""Texts that the catalog keeps as places in kept files: a long tool result stands in the archive
already.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw

from agent_journal.errors import JournalDamaged
from agent_journal.model import Quote
from agent_journal.store.archive import Archive, Place
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import Files

_HELD_FRAMES = 4  # neighbours are asked for together, and a record may lie across two frames
_items = msgspec.json.Decoder(list[Raw]).decode
_string = msgspec.json.Decoder(str).decode


@functools.cache
def _member(name: str) -> Callable[[bytes | Raw], Any]:
    return msgspec.json.Decoder(
        msgspec.defstruct("Step", [("value", Raw)], rename={"value": name})
    ).decode


def text_at(record: bytes, path: tuple[str | int, ...]) -> str:
    """The string at a path of a record. Only the way to it is decoded, so damage elsewhere in the
    record is harmless, as it was for the reader that quoted it.
    """
    value: bytes | Raw = record
    for step in path:
        value = _items(value)[step] if isinstance(step, int) else _member(step)(value).value
    return _string(value)


@contextmanager
def open_quotes(db: Connection, archive_path: str) -> Iterator[Quotes]:
    """Reads quotes of a catalog back from its archive, which is closed again afterwards."""
    archive = Archive(archive_path)
    try:
        yield Quotes(Files(db), archive)
    finally:
        archive.close()


class _Frame(NamedTuple):
    start: int
    size: int
    sha256: bytes
    place: Place


class Quotes:
    """Reads quotes back, as a function of the file's id and the quote."""

    def __init__(self, files: Files, archive: Archive) -> None:
        self._files = files
        self._archive = archive
        self._frames: dict[int, list[_Frame]] = {}
        self._held: dict[Place, bytes] = {}

    def __call__(self, file_id: int, quote: Quote) -> str | None:
        """The text of a quote; None when the archive does not have it any more."""
        try:
            return text_at(
                self._bytes(file_id, quote.offset, quote.offset + quote.length), quote.path
            )
        except (JournalDamaged, ValueError, RecursionError, IndexError):
            return None

    def _bytes(self, file_id: int, start: int, end: int) -> bytes:
        frames = self._frames.get(file_id)
        if frames is None:
            row = self._files.get(file_id)
            version = row.version_id if row.read_version is None else row.read_version
            frames = (
                [] if version is None else [_Frame(*frame) for frame in self._files.frames(version)]
            )
            self._frames[file_id] = frames
        data = b"".join(
            self._data(frame)[max(0, start - frame.start) : end - frame.start]
            for frame in frames
            if frame.start < end and frame.start + frame.size > start
        )
        if len(data) != end - start:
            raise JournalDamaged("a part of it is not in the archive any more")
        return data

    def _data(self, frame: _Frame) -> bytes:
        data = self._held.get(frame.place)
        if data is None:
            data = self._archive.read(frame.place, frame.sha256)
            if len(self._held) >= _HELD_FRAMES:
                del self._held[next(iter(self._held))]
            self._held[frame.place] = data
        return data
