"""The list of the files of the index that count; others are left over from a crash."""

from __future__ import annotations

import os
from typing import NamedTuple
from zlib import crc32

from agent_journal.store.lines.saved import part_path, read_saved, write_saved


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


def read_manifest(folder: str) -> Manifest | None:
    """The list; None when there is none that this version can read, or it is damaged."""
    saved = read_saved(folder)
    if saved is None:
        return None
    try:
        (upto, next_number), gone, *parts = saved
        return Manifest(tuple(Part(*part) for part in parts), tuple(gone), upto, next_number)
    except (ValueError, TypeError):
        return None


def write_manifest(folder: str, manifest: Manifest, *, durable: bool) -> None:
    """Replace the list in one step."""
    head = [manifest.upto, manifest.next_number]
    saved = [head, list(manifest.gone), *(list(part) for part in manifest.parts)]
    write_saved(folder, saved, durable=durable)


def damaged_files(folder: str, manifest: Manifest) -> list[str]:
    """The files that are not what was written; every byte is read."""
    damaged = []
    for part in manifest.parts:
        path = part_path(folder, part.number)
        try:
            with open(path, "rb") as file:
                is_good = crc32(file.read()) == part.crc
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
