"""The list of the files of the index that count; others are left over from a crash."""

from __future__ import annotations

import json
import os
from typing import NamedTuple
from zlib import crc32

from agent_journal.store.atomic import write_private
from agent_journal.store.lines.segments import checksum

_NAME = "manifest.json"
_VERSION = 1
_MARK = b"\n"  # between the list and its checksum


class Part(NamedTuple):
    """A file with the lines of items with ids above `after` up to `upto`."""

    number: int
    after: int
    upto: int
    lines: int
    size: int
    crc: int


class Manifest(NamedTuple):
    """The files that count, and the edits in them that are gone."""

    parts: tuple[Part, ...] = ()
    gone: tuple[int, ...] = ()
    upto: int = 0  # the last item that was considered
    next_number: int = 1


def part_path(folder: str, number: int) -> str:
    """The file of a part."""
    return os.path.join(folder, f"{number:06d}.lines")


def read_manifest(folder: str) -> Manifest | None:
    """The list; None when there is none that this version can read, or it is damaged."""
    try:
        with open(os.path.join(folder, _NAME), "rb") as file:
            body, _, mark = file.read().rpartition(_MARK)
        saved = json.loads(body)
        if saved["version"] != _VERSION or mark != b"%08x" % crc32(body):
            return None
        parts = tuple(Part(*part) for part in saved["parts"])
        return Manifest(parts, tuple(saved["gone"]), saved["upto"], saved["next_number"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_manifest(folder: str, manifest: Manifest, *, durable: bool) -> None:
    """Replace the list in one step."""
    saved = {"version": _VERSION, **manifest._asdict()}
    body = json.dumps(saved, separators=(",", ":")).encode()
    parts = [body, _MARK, b"%08x" % crc32(body)]
    write_private(os.path.join(folder, _NAME), parts, durable=durable)


def is_whole(folder: str, manifest: Manifest) -> bool:
    """Whether every file exists and has its size."""
    try:
        return all(
            os.path.getsize(part_path(folder, part.number)) == part.size for part in manifest.parts
        )
    except OSError:
        return False


def damaged_files(folder: str, manifest: Manifest) -> list[str]:
    """The files that are not what was written; every byte is read."""
    damaged = []
    for part in manifest.parts:
        path = part_path(folder, part.number)
        try:
            is_good = checksum(path) == part.crc
        except OSError:
            is_good = False
        if not is_good:
            damaged.append(path)
    return damaged


def sweep(folder: str, manifest: Manifest) -> None:
    """Remove the files that the list does not name."""
    named = {part_path(folder, part.number) for part in manifest.parts}
    for entry in os.scandir(folder):
        if entry.name.endswith((".lines", ".part")) and entry.path not in named:
            try:
                os.unlink(entry.path)
            except OSError:  # Windows: somebody reads it; the next sync removes it
                pass
