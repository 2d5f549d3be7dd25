"""Checks the catalog's rows: against those derived again, and against the archive's headers."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.errors import CatalogDamaged
from agent_journal.store.archive import Archive, Entry
from agent_journal.store.catalog.comparison import body_sums, is_of_this_version, row_sums
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.damage import CURE
from agent_journal.store.catalog.examination import signs_of_damage
from agent_journal.store.catalog.files import FileRow, Files


class Wrong(NamedTuple):
    """Something in the catalog that is not as it should be."""

    where: str
    what: str


def refuse_damaged(db: Connection) -> None:
    """Raise CatalogDamaged when damage shows in the catalog itself."""
    for sign in signs_of_damage(db, with_bodies=False):
        raise CatalogDamaged(f"the catalog is damaged: {sign}", CURE)


def differing_rows(db: Connection, derived: Connection, ignored: set[str]) -> Iterator[Wrong]:
    """The sessions and files with rows that differ from those derived again.

    `ignored` are the agents whose files cannot be derived now.
    """
    if not is_of_this_version(db):
        return
    ours = row_sums(db)
    theirs = row_sums(derived)
    for place in sorted({*ours, *theirs}):
        if place.agent not in ignored and ours.get(place) != theirs.get(place):
            what = f"its rows in {place.table} differ from what the archive says"
            yield Wrong(f"{place.agent}:{place.name}", what)


def have_same_bodies(db: Connection, derived: Connection) -> bool:
    """Whether all messages, calls, events and edits are the same byte for byte.

    With rows that are the same, too, all sessions are: they need not be loaded to be compared.
    """
    return is_of_this_version(db) and body_sums(db) == body_sums(derived)


class _Kept:
    """What the headers of the archive say of one file."""

    def __init__(self) -> None:
        self.roles: set[str] = set()
        self.ranks: set[int] = set()
        self.frames: set[tuple[int, int, bytes]] = set()  # version, start, sha256
        self.ends: dict[int, int] = {}  # of each version
        self.times: dict[int, int] = {}  # of each version, when its end was kept

    def add(self, entry: Entry) -> None:
        header = entry.header
        self.roles.add(header.role)
        self.ranks.add(header.rank)
        if header.size or not header.start:  # else a mark that belongs to the bytes before it
            sha256 = bytes.fromhex(header.sha256)
            self.frames.add((header.version, header.start, sha256))
            end = header.start + header.size
            if end >= self.ends.get(header.version, 0):
                self.ends[header.version] = end
                self.times[header.version] = header.mtime_ns


def rows_against_headers(files: Files, archive: Archive, rows: list[FileRow]) -> Iterator[Wrong]:
    """The files whose versions, frames or kinds are others than the archive says."""
    kept: dict[tuple[str, str], _Kept] = defaultdict(_Kept)
    for number in archive.lengths():
        for entry in archive.scan(number, 0):
            header = entry.header
            path = os.path.join(header.root, *header.name.split("/"))
            kept[header.agent, path].add(entry)
    for row in rows:
        found = kept.get((row.agent, row.path))
        if found is None:
            continue  # nothing was kept of it, or the archive is damaged, which is another check
        for what in _wrong_in(files, row, found):
            yield Wrong(row.path, what)


def _wrong_in(files: Files, row: FileRow, kept: _Kept) -> Iterator[str]:
    if os.path.join(row.root, *row.name.split("/")) != row.path:
        yield "its folder and name are not those of its path"
    if row.role not in kept.roles or row.rank not in kept.ranks:
        yield "its kind is another one than the archive says"
    for version in files.versions(row.id):
        for frame in files.frames(version.id):
            if (version.number, frame.start, frame.sha256) not in kept.frames:
                yield f"version {version.number} has bytes that the archive does not name for it"
                break
        time = kept.times.get(version.number)
        if time is not None and time != version.mtime_ns:
            yield f"version {version.number} has another time than in the archive"
