"""Headers of the archive that were damaged: what they described is written again.

The catalog knows the frames behind a damaged header, but without the header a lost catalog could
not be rebuilt from the archive.
"""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.errors import JournalDamaged
from agent_journal.store.archive import Archive, encoded_size
from agent_journal.store.catalog.connection import transaction
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.packs import closed_packs, save_lengths
from agent_journal.store.catalog.versions import KeptFrame
from agent_journal.store.gaps import Described, Gap, contents, described_by, note_gaps

_SMALLEST = 100  # bytes; no header is as small as this


class Damage(NamedTuple):
    """Gaps of the archive, and the frames that no entry describes any more."""

    gaps: list[Gap]
    missing: list[KeptFrame]

    @property
    def is_explained(self) -> bool:
        """Whether the missing frames are all that can have been in the gaps.

        A header may have got a little longer or shorter since: the catalog may know the session of
        a file by now.
        """
        found = sum(gap.size for gap in self.gaps)
        expected = 0
        for frame in self.missing:
            expected += encoded_size(frame.header)
            if self.has(frame):  # or else its bytes were kept before
                expected += frame.place.stored
        return abs(found - expected) < _SMALLEST

    def has(self, frame: KeptFrame) -> bool:
        """Whether the bytes of a frame are in a gap."""
        place = frame.place
        return any(
            gap.pack == place.pack and gap.start <= place.offset < gap.end for gap in self.gaps
        )


def find_damage(files: Files, archive: Archive) -> Damage | None:
    """Compare the entries of the archive with the frames that the catalog knows."""
    found = contents(archive, closed_packs(files.db))
    if not found.gaps:
        return None
    return Damage(found.gaps, _missing(files, found.described))


def heal(files: Files, archive: Archive, damage: Damage) -> int:
    """Write the entries again that are still missing, and return how many these were.

    Their gaps are noted when nothing else can have been there.
    """
    found = contents(archive, closed_packs(files.db))
    healed, lengths = _write_again(archive, damage, _missing(files, found.described))
    with transaction(files.db):
        for frame in healed:
            header = frame.header
            files.link_frame(frame.version_id, header.start, frame.sha256, header.size, frame.place)
        save_lengths(files.db, lengths)
    return len(healed)


def describe_again(files: Files, archive: Archive, *, is_trusted: bool) -> None:
    """Write again what only this catalog knows of the archive, before it is set aside.

    Of a catalog that is damaged itself, only frames are taken that are in a gap: other rows may
    be wrong.
    """
    damage = find_damage(files, archive)
    if damage is None:
        return
    missing = damage.missing
    if not is_trusted:
        missing = [frame for frame in missing if damage.has(frame)]
    _write_again(archive, damage, missing)


def _write_again(
    archive: Archive, damage: Damage, missing: list[KeptFrame]
) -> tuple[list[KeptFrame], dict[int, int]]:
    """Write entries at the end; those that could be written, and the new length of the pack."""
    healed = []
    try:
        for frame in missing:
            try:
                archive.read(frame.place, frame.sha256)
            except JournalDamaged:
                continue
            place = archive.append(frame.header, archive.stored(frame.place))
            healed.append(frame._replace(place=place))
        if len(healed) == len(missing) and damage.is_explained:
            note_gaps(archive, damage.gaps)
        return healed, archive.flush()
    finally:
        archive.close()


def _missing(files: Files, described: set[Described]) -> list[KeptFrame]:
    return [frame for frame in files.kept_frames() if described_by(frame.header) not in described]
