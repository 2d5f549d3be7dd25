"""Which files make up the mirror: parts that each hold a range of items, and the items that are
gone from them.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from typing import NamedTuple
from zlib import crc32

from agent_journal.store.atomic import write_private

MANIFEST = "manifest.json"
_VERSION = 2


class Part(NamedTuple):
    """Items with ids above `after` up to `upto`: a file `NUMBER.parquet` for each table that has
    rows of them.
    """

    number: int
    after: int
    upto: int
    rows: dict[str, int]
    marks: dict[str, str]  # size and checksum of each file

    @property
    def span(self) -> int:
        """How many ids it covers."""
        return self.upto - self.after


class Manifest(NamedTuple):
    """What counts. Files that it does not name are left from a crash."""

    parts: tuple[Part, ...] = ()
    gone: tuple[int, ...] = ()  # sorted
    gone_number: int = 0  # of the file that says the same to other tools
    next_number: int = 1

    @property
    def upto(self) -> int:
        """The last item that was taken in."""
        return self.parts[-1].upto if self.parts else 0

    def gone_in(self, part: Part) -> tuple[int, ...]:
        """The items of a part that are gone."""
        return self.gone[bisect_right(self.gone, part.after) : bisect_right(self.gone, part.upto)]

    def files(self, folder: str, table: str) -> tuple[list[str], list[str]]:
        """The files of a table: those to take as they are, and those with rows of items that are
        gone.
        """
        clean: list[str] = []
        dirty: list[str] = []
        for part in self.parts:
            if part.rows.get(table):
                (dirty if self.gone_in(part) else clean).append(
                    part_path(folder, table, part.number)
                )
        return clean, dirty


def part_path(folder: str, table: str, number: int) -> str:
    """Where a part of a table lies."""
    return os.path.join(folder, table, f"{number:06d}.parquet")


def mark_of(data: bytes) -> str:
    """What tells a file from one that is damaged: its size first, which can be looked up at once."""
    return f"{len(data)}-{crc32(data):08x}"


def is_whole(folder: str, manifest: Manifest) -> bool:
    """Whether every file is there, with its size."""
    try:
        return all(
            os.path.getsize(part_path(folder, table, part.number))
            == int(part.marks[table].partition("-")[0])
            for part in manifest.parts
            for table in part.rows
        ) and os.path.exists(part_path(folder, "gone", manifest.gone_number))
    except (OSError, KeyError, ValueError):
        return False


def read_manifest(folder: str) -> Manifest | None:
    """What the manifest says; None when there is none that this version understands."""
    try:
        with open(os.path.join(folder, MANIFEST), encoding="utf-8") as file:
            told = json.load(file)
        if told["version"] != _VERSION:
            return None
        parts = tuple(Part(*part) for part in told["parts"])
        return Manifest(parts, tuple(told["gone"]), told["gone_number"], told["next_number"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_manifest(folder: str, manifest: Manifest) -> None:
    """Puts a manifest in the place of the one before, in one step."""
    told = {"version": _VERSION, **manifest._asdict()}
    write_file(os.path.join(folder, MANIFEST), json.dumps(told, separators=(",", ":")).encode())


def write_file(path: str, data: bytes) -> None:
    """Writes a file that only its owner can read, whole or not at all."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    write_private(path, [data], durable=True)


def sweep(folder: str, manifest: Manifest) -> None:
    """Removes the files that a manifest does not name."""
    named = {
        part_path(folder, table, part.number) for part in manifest.parts for table in part.rows
    }
    named.add(part_path(folder, "gone", manifest.gone_number))
    for place in os.scandir(folder):
        if place.is_dir(follow_symlinks=False):
            for file in os.scandir(place.path):
                if file.path not in named and file.name.endswith((".parquet", ".part")):
                    os.unlink(file.path)
        elif place.name.endswith(".part"):
            os.unlink(place.path)
