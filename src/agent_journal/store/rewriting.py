"""Rewriting packs without the bytes of some files.

New packs come beside the old ones, each complete before it has its name; the caller deletes the old
ones when nothing points at them any more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.store.archive import PACK_LIMIT, Archive, Entry, FrameHeader, Place, encode_entry
from agent_journal.store.atomic import new_private_file
from agent_journal.store.gaps import Described, described_by, is_note, path_of

Key = tuple[str, str]  # agent and path


class Rewritten(NamedTuple):
    """What became of the packs."""

    old: list[int]  # packs to be deleted
    packs: dict[int, int]  # new ones, with their sizes
    places: dict[bytes, Place]  # where frames are now, by checksum


def rewrite_packs(archive: Archive, removed: set[Key]) -> Rewritten | None:
    """Write what is left of the packs that have entries about some files; None if none has.

    Bytes that another file has, too, are written with an entry of that file.
    """
    survey = _survey(archive, removed)
    if not survey.old:
        return None
    writer = _Writer(archive)
    for entry in _kept_entries(archive, survey, removed):
        header = entry.header
        has_bytes = entry.place.stored > 0
        is_known = described_by(header) in survey.described
        is_wanted = has_bytes and header.sha256 not in survey.held
        if is_known and not is_wanted:
            continue  # a purge that was killed has written it
        writer.add(entry, header, has_bytes=has_bytes)
        if has_bytes:
            survey.held.add(header.sha256)
            survey.orphans.pop(header.sha256, None)
    for sha256, entry in survey.orphans.items():
        writer.add(entry, survey.heirs[sha256], has_bytes=True)
    packs = writer.finish()
    return Rewritten(sorted(survey.old), packs, writer.places)


class _Survey(NamedTuple):
    old: set[int]  # packs with entries that go
    described: set[Described]  # what the other packs are about
    held: set[str]  # the checksums of what they have
    heirs: dict[str, FrameHeader]  # by checksum: an entry of a file that stays
    orphans: dict[str, Entry]  # bytes that are only in entries that go, and that a file needs


def _survey(archive: Archive, removed: set[Key]) -> _Survey:
    numbers = archive.lengths()
    old = {
        number
        for number in numbers
        if any(_is_removed(entry, removed) for entry in archive.scan(number, 0))
    }
    described: set[Described] = set()
    held: set[str] = set()
    heirs: dict[str, FrameHeader] = {}
    going: dict[str, Entry] = {}
    for number in numbers:
        for entry in archive.scan(number, 0):
            header = entry.header
            if is_note(header):
                continue
            if _is_removed(entry, removed):
                if entry.place.stored:
                    going.setdefault(header.sha256, entry)
                continue
            heirs.setdefault(header.sha256, header)
            if number not in old:
                described.add(described_by(header))
                if entry.place.stored:
                    held.add(header.sha256)
    orphans = {
        sha256: entry for sha256, entry in going.items() if sha256 in heirs and sha256 not in held
    }
    return _Survey(old, described, held, heirs, orphans)


def _kept_entries(archive: Archive, survey: _Survey, removed: set[Key]) -> Iterator[Entry]:
    """The entries of the old packs that stay; notes about old packs go with them."""
    for number in sorted(survey.old):
        for entry in archive.scan(number, 0):
            is_old_note = is_note(entry.header) and int(entry.header.name) in survey.old
            if not is_old_note and not _is_removed(entry, removed):
                yield entry


def _is_removed(entry: Entry, removed: set[Key]) -> bool:
    if is_note(entry.header):
        return False
    return (entry.header.agent, path_of(described_by(entry.header))) in removed


class _Writer:
    """Writes entries into new packs, which have the next free numbers."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._number = max(archive.lengths())
        self._pending: list[tuple[Entry, FrameHeader, bool]] = []
        self._size = 0
        self.places: dict[bytes, Place] = {}
        self.packs: dict[int, int] = {}
        for name in os.listdir(archive.folder):
            if name.endswith(".part"):  # of a purge that was killed
                os.unlink(os.path.join(archive.folder, name))

    def add(self, entry: Entry, header: FrameHeader, *, has_bytes: bool) -> None:
        """Add an entry with the bytes of another one, or without any."""
        self._pending.append((entry, header, has_bytes))
        self._size += entry.place.stored
        if self._size >= PACK_LIMIT:
            self._write()

    def finish(self) -> dict[int, int]:
        """Write the rest; the new packs with their sizes."""
        if self._pending:
            self._write()
        return self.packs

    def _write(self) -> None:
        self._number += 1
        path = self._archive.path(self._number)
        with new_private_file(path, overwrite=False, durable=True) as file:
            for entry, header, has_bytes in self._pending:
                frame = b""
                if has_bytes:
                    frame = self._archive.stored(entry.place)
                before = encode_entry(header, frame)
                file.write(before)
                if frame:
                    place = Place(self._number, file.tell(), len(frame))
                    self.places[bytes.fromhex(header.sha256)] = place
                file.write(frame)
            self.packs[self._number] = file.tell()
        self._pending = []
        self._size = 0
