"""`backup.json`: which bytes of which files a backup consists of.

It is written last and replaced in one step: until then, a backup is what it was before.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import IO, Any, NamedTuple

from agent_journal.errors import JournalDamaged, JournalTooNew

NAME = "backup.json"
STAGED = ".new"  # ends the name of a file that the manifest may already mean
BLOCK = 2**18
_FORMAT = 1
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)


class Part(NamedTuple):
    """Bytes of a file that one run has copied."""

    size: int
    sha256: str


class Manifest(NamedTuple):
    """The files of a backup by their names in it, each in the parts it was copied in."""

    made_at: str
    files: dict[str, list[Part]]

    def size_of(self, name: str) -> int:
        """How much of a file is part of the backup."""
        return sum(part.size for part in self.files.get(name, ()))

    def encoded(self) -> bytes:
        """The manifest as it is written."""
        files = {
            name: [part._asdict() for part in parts] for name, parts in sorted(self.files.items())
        }
        content = {
            "format": _FORMAT,
            "made_by": "agent-journal",
            "made_at": self.made_at,
            "files": files,
        }
        return json.dumps(content, indent=1).encode() + b"\n"


def new_manifest(files: dict[str, list[Part]]) -> Manifest:
    """The manifest of a backup that is made now."""
    return Manifest(datetime.now(UTC).isoformat(timespec="seconds"), files)


def read_manifest(folder: str) -> Manifest | None:
    """The manifest of a backup; None when a folder has none."""
    path = os.path.join(folder, NAME)
    try:
        with open(path, "rb") as file:
            return parse_manifest(file.read(), path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def parse_manifest(data: bytes, path: str) -> Manifest:
    """Read a manifest; JournalDamaged when it is none."""
    try:
        content: dict[str, Any] = json.loads(data)
        if int(content["format"]) > _FORMAT:
            raise JournalTooNew(
                f"{path} was written by a newer agent-journal",
                "upgrade with 'pip install --upgrade agent-journal'",
            )
        files = {
            str(name): [Part(int(part["size"]), str(part["sha256"])) for part in parts]
            for name, parts in content["files"].items()
        }
        return Manifest(str(content["made_at"]), files)
    except _UNREADABLE as error:
        raise JournalDamaged(
            f"{path} is damaged: {error}", "make a new backup in another folder"
        ) from error


def part_of(data: bytes) -> Part:
    """A whole file as one part."""
    return Part(len(data), hashlib.sha256(data).hexdigest())


def read_part(file: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the next `size` bytes of a file in blocks; fewer at its end."""
    while size > 0:
        block = file.read(min(BLOCK, size))
        if not block:
            return
        size -= len(block)
        yield block


def hashed(blocks: Iterable[bytes]) -> Part:
    """The size and checksum of bytes."""
    size = 0
    sha256 = hashlib.sha256()
    for block in blocks:
        size += len(block)
        sha256.update(block)
    return Part(size, sha256.hexdigest())


def has_parts(path: str, parts: Iterable[Part]) -> bool:
    """Whether a file begins with these parts."""
    try:
        with open(path, "rb") as file:
            return all(hashed(read_part(file, part.size)) == part for part in parts)
    except (FileNotFoundError, IsADirectoryError):
        return False


def path_of(folder: str, name: str, parts: list[Part]) -> str:
    """Where the bytes of a file are: a killed backup may have left a small one beside its name."""
    path = os.path.join(folder, *name.split("/"))
    if os.path.exists(path + STAGED) and has_parts(path + STAGED, parts):
        return path + STAGED
    return path
