"""The files of the index: each holds the lines of a range of items, and never changes.

A file has five columns of numbers. `hashes` are sorted; `owners` and `places` have the edit and the
place in it of each of them. `edits` are the ids of the edits, sorted, and `counts` their lines.
"""

from __future__ import annotations

import os
import struct
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple
from zlib import crc32

from agent_journal.errors import JournalDamaged
from agent_journal.store.atomic import write_private

_HEAD = struct.Struct("=8sQQ")  # what it is, its lines, its edits; in the order of this machine
_MAGIC = b"aj-lines"
_LINE_BYTES = 16
_EDIT_BYTES = 12


class Place(NamedTuple):
    """Where a line was written: the item, and the place of the line in it."""

    edit: int
    place: int


class Columns(NamedTuple):
    """The columns of a file."""

    hashes: memoryview | array[int]
    owners: memoryview | array[int]
    places: memoryview | array[int]
    edits: memoryview | array[int]
    counts: memoryview | array[int]


class Gathered:
    """Lines that are collected for a file."""

    def __init__(self) -> None:
        self._hashes = array("Q")
        self._owners = array("I")
        self._places = array("I")
        self._edits = array("Q")
        self._counts = array("I")

    def __len__(self) -> int:
        return len(self._hashes)

    def add(self, edit: int, hashes: Iterable[int], places: Iterable[int]) -> None:
        """Add the lines of an edit; edits come in the order of their ids."""
        before = len(self._hashes)
        self._hashes.extend(hashes)
        self._places.extend(places)
        count = len(self._hashes) - before
        if not count:
            return
        self._owners.extend([len(self._edits)] * count)
        self._edits.append(edit)
        self._counts.append(count)

    def add_all(self, columns: Columns, gone: set[int]) -> None:
        """Add the lines of another file, without those of edits that are gone."""
        first = len(self._edits)
        for edit, count in zip(columns.edits, columns.counts, strict=True):
            self._edits.append(edit)
            self._counts.append(count if edit not in gone else 0)
        dead = {place for place, edit in enumerate(columns.edits) if edit in gone}
        rows = zip(columns.hashes, columns.owners, columns.places, strict=True)
        for number, owner, place in rows:
            if owner not in dead:
                self._hashes.append(number)
                self._owners.append(first + owner)
                self._places.append(place)

    def encoded(self) -> bytes:
        """The bytes of the file."""
        hashes = self._hashes
        order = sorted(range(len(hashes)), key=hashes.__getitem__)
        kept = [place for place, count in enumerate(self._counts) if count]
        numbers = array("I", bytes(4 * len(self._edits)))
        for number, place in enumerate(kept):
            numbers[place] = number
        owners = self._owners
        columns = (
            array("Q", [hashes[row] for row in order]),
            array("Q", [self._edits[place] for place in kept]),
            array("I", [numbers[owners[row]] for row in order]),
            array("I", [self._places[row] for row in order]),
            array("I", [self._counts[place] for place in kept]),
        )
        head = _HEAD.pack(_MAGIC, len(hashes), len(kept))
        return b"".join((head, *(column.tobytes() for column in columns)))


class Written(NamedTuple):
    """What a file is: its size and checksum."""

    lines: int
    size: int
    crc: int


def write(path: str, gathered: Gathered) -> Written:
    """Write a file; it is on the disk when this returns."""
    data = gathered.encoded()
    write_private(path, [data], durable=True)
    return Written(len(gathered), len(data), crc32(data))


class Segment:
    """A file, mapped into memory."""

    def __init__(self, path: str) -> None:
        import mmap

        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < _HEAD.size:
                raise _damaged(path)
            view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        magic, lines, edits = _HEAD.unpack(view[: _HEAD.size])
        if magic != _MAGIC or size != _HEAD.size + lines * _LINE_BYTES + edits * _EDIT_BYTES:
            raise _damaged(path)
        at = _HEAD.size
        parts = []
        for size in (8 * lines, 8 * edits, 4 * lines, 4 * lines, 4 * edits):
            parts.append(view[at : at + size])
            at += size
        hashes, edit_ids, owners, places, counts = parts
        self.columns = Columns(
            hashes.cast("Q"),
            owners.cast("I"),
            places.cast("I"),
            edit_ids.cast("Q"),
            counts.cast("I"),
        )

    def find(self, wanted: list[int], found: dict[int, list[Place]], most: int) -> None:
        """Add where lines were written to what is found; at most so many places of each.

        The hashes that are wanted are sorted: none stands before the one that was sought last.
        """
        hashes, owners, places, edits, _ = self.columns
        size = len(hashes)
        at = 0
        for number in wanted:
            at = bisect_left(hashes, number, at)
            if at == size:
                return
            if hashes[at] != number:
                continue
            own = found.setdefault(number, [])
            while at < size and hashes[at] == number and len(own) < most:
                own.append(Place(edits[owners[at]], places[at]))
                at += 1

    def lines_of(self, edits: Iterable[int]) -> dict[int, int]:
        """How many lines those of some edits have that are in this file."""
        ids = self.columns.edits
        found: dict[int, int] = {}
        for edit in edits:
            at = bisect_left(ids, edit)
            if at < len(ids) and ids[at] == edit:
                found[edit] = self.columns.counts[at]
        return found


def _damaged(path: str) -> JournalDamaged:
    return JournalDamaged(f"{path} is damaged", "'aj sync' rebuilds it")
