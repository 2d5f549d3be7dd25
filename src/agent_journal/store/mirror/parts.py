"""The files of the mirror: parts that each hold a range of items, and the items that are gone."""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple
from zlib import crc32

from agent_journal.store.atomic import write_private

MANIFEST = "manifest.json"
_VERSION = 3
_EARLIER_KEYS = {"version", "parts", "gone", "gone_number", "next_number"}
_MARK = b',"checksum":"'  # of everything before it; the manifest ends with it


class Part(NamedTuple):
    """Items with ids above `after` up to `upto`: a file `NUMBER.parquet` for each table."""

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
    """The files that count. Others are left over from a crash."""

    parts: tuple[Part, ...] = ()
    gone: tuple[int, ...] = ()  # sorted
    gone_number: int = 0  # of the file with the same ids, for other tools
    next_number: int = 1
    gone_mark: str = ""  # size and checksum of that file

    @property
    def upto(self) -> int:
        """The last item that was written."""
        if not self.parts:
            return 0
        return self.parts[-1].upto

    def gone_in(self, part: Part) -> tuple[int, ...]:
        """The items of a part that are gone."""
        first = bisect_right(self.gone, part.after)
        last = bisect_right(self.gone, part.upto)
        return self.gone[first:last]

    def files(self, folder: str, table: str) -> tuple[list[str], list[str]]:
        """The files of a table: those to read whole, and those with rows of items that are gone."""
        clean: list[str] = []
        dirty: list[str] = []
        for part in self.parts:
            if not part.rows.get(table):
                continue
            path = part_path(folder, table, part.number)
            if self.gone_in(part):
                dirty.append(path)
            else:
                clean.append(path)
        return clean, dirty


def part_path(folder: str, table: str, number: int) -> str:
    """The file of a part of a table."""
    return os.path.join(folder, table, f"{number:06d}.parquet")


def mark_of(data: bytes) -> str:
    """The size and checksum of a file; the size can be checked without reading it."""
    return f"{len(data)}-{crc32(data):08x}"


def is_whole(folder: str, manifest: Manifest) -> bool:
    """Whether every file exists and has its size."""
    try:
        for part in manifest.parts:
            for table in part.rows:
                size, _, _ = part.marks[table].partition("-")
                if os.path.getsize(part_path(folder, table, part.number)) != int(size):
                    return False
    except (OSError, KeyError, ValueError):
        return False
    return os.path.exists(part_path(folder, "gone", manifest.gone_number))


def damaged_files(folder: str, manifest: Manifest) -> Iterator[str]:
    """The files that are not what was written; every byte is read."""
    marks = {part_path(folder, "gone", manifest.gone_number): manifest.gone_mark}
    for part in manifest.parts:
        for table in part.rows:
            marks[part_path(folder, table, part.number)] = part.marks.get(table, "")
    for path, mark in marks.items():
        try:
            with open(path, "rb") as file:
                found = mark_of(file.read())
        except OSError:
            found = "nothing"
        if found != mark and mark:
            yield path


def read_manifest(folder: str) -> Manifest | None:
    """The manifest; None when there is none that this version can read, or it is damaged."""
    try:
        with open(os.path.join(folder, MANIFEST), "rb") as file:
            data = file.read()
        saved = json.loads(data)
        if saved["version"] != _VERSION or not _is_as_written(data, saved):
            return None
        return Manifest(
            parts=tuple(Part(*part) for part in saved["parts"]),
            gone=tuple(saved["gone"]),
            gone_number=saved["gone_number"],
            next_number=saved["next_number"],
            gone_mark=saved.get("gone_mark", ""),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _is_as_written(data: bytes, saved: dict[str, Any]) -> bool:
    """Whether the checksum of a manifest is right; those of earlier versions have none."""
    if saved.keys() == _EARLIER_KEYS:
        return True
    body, _, mark = data.rpartition(_MARK)
    return mark == f'{crc32(body):08x}"}}'.encode()


def write_manifest(folder: str, manifest: Manifest) -> None:
    """Replace the manifest in one step."""
    text = json.dumps({"version": _VERSION, **manifest._asdict()}, separators=(",", ":"))
    body = text.removesuffix("}").encode()
    mark = f'{crc32(body):08x}"}}'.encode()
    write_file(os.path.join(folder, MANIFEST), body + _MARK + mark)


def write_file(path: str, data: bytes) -> None:
    """Write a private file in one step, and its folder if necessary."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    write_private(path, [data], durable=True)


def sweep(folder: str, manifest: Manifest) -> None:
    """Remove the files that a manifest does not name."""
    named = {part_path(folder, "gone", manifest.gone_number)}
    for part in manifest.parts:
        named.update(part_path(folder, table, part.number) for table in part.rows)
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            for file in os.scandir(entry.path):
                if file.path not in named and file.name.endswith((".parquet", ".part")):
                    os.unlink(file.path)
        elif entry.name.endswith(".part"):
            os.unlink(entry.path)
