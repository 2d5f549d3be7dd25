"""Checks that the index of lines is what was written, and has the lines of every edit once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import last_item, watermark
from agent_journal.store.condemned import is_condemned
from agent_journal.store.lines.lines import Lines
from agent_journal.store.lines.manifest import (
    Manifest,
    damaged_files,
    read_manifest,
)
from agent_journal.store.lines.reading import LineReader
from agent_journal.store.lines.saved import part_path
from agent_journal.store.lines.segments import Segment
from agent_journal.text.human import plural


class _Sum(NamedTuple):
    """The lines of an edit: how many, and all their hashes and places added up."""

    lines: int = 0
    total: int = 0

    def plus(self, number: int, place: int) -> _Sum:
        """The sum with one line more."""
        return _Sum(self.lines + 1, (self.total + number * (place + 1)) % 2**64)


def faults(index: Lines, db: Connection) -> Iterator[str]:
    """What is wrong with the index.

    What it holds is not checked when it is behind: the next sync updates it.
    """
    if is_condemned(index.path):
        yield "it was found damaged"
        return
    manifest = read_manifest(index.path)
    if manifest is None:
        if watermark(db, index.name):
            yield "it is missing, or its list of files is damaged"
        return
    found = list(_faults_of(index, manifest, db))
    if manifest == read_manifest(index.path):  # no sync has replaced files meanwhile
        yield from found


def _faults_of(index: Lines, manifest: Manifest, db: Connection) -> Iterator[str]:
    damaged = damaged_files(index.path, manifest)
    if damaged:
        yield from (f"{path} is damaged" for path in damaged)
        return
    if not manifest.upto == watermark(db, index.name) == last_item(db):
        return  # it is behind, or ahead of what this reader sees
    indexed = _indexed(index, manifest)
    expected: dict[int, _Sum] = {}
    with index.quotes(db) as resolve:
        for item in LineReader(db, resolve).read(0, manifest.upto):
            expected[item.item] = _sum_of(zip(item.hashes, item.places, strict=True))
    wrong = {edit for edit, _ in expected.items() ^ indexed.items()} - set(manifest.gone)
    if wrong:
        yield f"{plural(len(wrong), 'edit')} with other lines than there should be"


def _indexed(index: Lines, manifest: Manifest) -> dict[int, _Sum]:
    sums: dict[int, _Sum] = {}
    for part in manifest.parts:
        columns = Segment(part_path(index.path, part.number)).columns
        rows = zip(columns.hashes, columns.owners, columns.places, strict=True)
        for number, owner, place in rows:
            edit = columns.edits[owner]
            sums[edit] = sums.get(edit, _Sum()).plus(number, place)
    return sums


def _sum_of(lines: Iterable[tuple[int, int]]) -> _Sum:
    found = _Sum()
    for number, place in lines:
        found = found.plus(number, place)
    return found
