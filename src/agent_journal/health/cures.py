"""Which cure damage needs, and the notes that have the next sync apply it."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.errors import CatalogDamaged
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.damage import CURE, note_comparison, note_damage
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.packs import closed_packs, is_loss_noted, pack_lengths
from agent_journal.store.gaps import contents, is_note


class Cures(NamedTuple):
    """What the next sync has to do."""

    comparison: bool = False  # of every file with its kept bytes
    rebuild: bool = False  # of the catalog

    def leave_notes(self, index_path: str) -> bool:
        """Leave notes for the next sync; false when the disk cannot be written."""
        are_left = True
        if self.comparison:
            are_left = note_comparison(index_path)
        if self.rebuild:
            error = CatalogDamaged("rows of the catalog did not follow from the archive", CURE)
            are_left = note_damage(index_path, error) and are_left
        return are_left

    def advice(self, has_notes: bool) -> str:
        """What a person may do."""
        if has_notes:
            return f"the next 'aj sync' {self._plan()}"
        options = []
        if self.comparison:
            options.append("'aj sync --full' keeps lost bytes again while their files exist")
        if self.rebuild:
            options.append("'aj sync --rebuild' rebuilds the catalog from the archive")
        return ", ".join(options)

    def _plan(self) -> str:
        plans = []
        if self.comparison:
            plans.append("keeps lost bytes again while their files exist")
        if self.rebuild:
            plans.append("rebuilds the catalog from the archive")
        return " and ".join(plans) or "heals what it can"


def is_whole(db: Connection, archive: Archive) -> bool:
    """Whether the archive itself has everything that its entries name, and that was ever added.

    Then a catalog that says something else is wrong. Or else the catalog may know more than the
    archive, and is needed to heal it.
    """
    lengths = archive.lengths()
    if any(lengths.get(pack, 0) < length for pack, length in pack_lengths(db).items()):
        return False
    if is_loss_noted(db) and Files(db).has_holes():
        return False
    if contents(archive, closed_packs(db)).gaps:
        return False
    named = set()
    held = set()
    for number in lengths:
        for entry in archive.scan(number, 0):
            if is_note(entry.header) or not entry.header.size:
                continue
            named.add(entry.header.sha256)
            sha256 = bytes.fromhex(entry.header.sha256)
            if entry.place.stored and archive.holds(entry.place, sha256):
                held.add(entry.header.sha256)
    return named == held
