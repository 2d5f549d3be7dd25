"""Headers of the archive that were damaged: what they described is written again.

The catalog knows the frames behind a damaged header, but without the header a lost catalog could
not be rebuilt from the archive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.errors import JournalDamaged
from agent_journal.store.archive import Archive, FrameHeader, encoded_size, pack_chunk
from agent_journal.store.catalog.connection import transaction
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.growth import mixed_sizes
from agent_journal.store.catalog.packs import (
    Stretch,
    closed_packs,
    forget_undescribed,
    save_lengths,
    save_unread_stretches,
    unread_stretches,
)
from agent_journal.store.catalog.versions import KeptFrame
from agent_journal.store.gaps import Described, Gap, contents, described_by, note_gaps

_SMALLEST = 100  # bytes; no header is as small as this


class Damage(NamedTuple):
    """Gaps of the archive, and the frames that no entry describes any more."""

    gaps: list[Gap]
    missing: list[KeptFrame]
    unread: list[Stretch]  # what was there, the catalog does not know

    @property
    def is_explained(self) -> bool:
        """Whether the missing frames are all that can have been in the gaps, by their sizes.

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

    @property
    def known_gaps(self) -> list[Gap]:
        """The gaps of which the catalog has everything that was there."""
        return [gap for gap in self.gaps if not any(_overlap(gap, part) for part in self.unread)]

    def has(self, frame: KeptFrame) -> bool:
        """Whether the bytes of a frame are in a gap."""
        place = frame.place
        return any(
            gap.pack == place.pack and gap.start <= place.offset < gap.end for gap in self.gaps
        )


def _overlap(gap: Gap, stretch: Stretch) -> bool:
    return gap.pack == stretch.pack and gap.start < stretch.end and stretch.start < gap.end


def find_damage(files: Files, archive: Archive) -> Damage | None:
    """Compare the entries of the archive with the frames that the catalog knows."""
    found = contents(archive, closed_packs(files.db))
    if not found.gaps:
        return None
    return Damage(found.gaps, _missing(files, found.described), unread_stretches(files.db))


def heal(files: Files, archive: Archive, damage: Damage | None) -> int:
    """Write the entries again that are still missing, and return how many these were.

    Gaps are noted when nothing else can have been there.
    """
    damage = damage or Damage([], [], unread_stretches(files.db))
    described = contents(archive, closed_packs(files.db)).described
    missing = _missing(files, described)
    try:
        healed = _write_frames(archive, missing, damage)
        marks = list(_lost_marks(files, described))
        for mark in marks:
            archive.append(mark, b"")
        settled = []
        if len(healed) == len(missing):
            settled = _settled(files, damage)
        note_gaps(archive, settled)
        lengths = archive.flush()
    finally:
        archive.close()
    with transaction(files.db):
        for frame in healed:
            header = frame.header
            files.link_frame(frame.version_id, header.start, frame.sha256, header.size, frame.place)
        save_lengths(files.db, lengths)
        unread = [part for part in damage.unread if not any(_overlap(gap, part) for gap in settled)]
        save_unread_stretches(files.db, unread)
        forget_undescribed(files.db)
    return len(healed) + len(marks)


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
    try:
        healed = _write_frames(archive, missing, damage)
        if len(healed) == len(missing):
            if is_trusted:
                note_gaps(archive, _settled(files, damage))
            elif damage.is_explained:
                note_gaps(archive, damage.gaps)
        archive.flush()
    finally:
        archive.close()


def _settled(files: Files, damage: Damage) -> list[Gap]:
    """The gaps whose entries are all there again, now that the missing ones were written."""
    if damage.is_explained:
        return damage.gaps
    if files.has_holes():
        return []  # what is lost would be in nobody's memory
    return damage.known_gaps


def _write_frames(archive: Archive, missing: list[KeptFrame], damage: Damage) -> list[KeptFrame]:
    """Write entries at the end; those that could be written, with their new places."""
    healed = []
    for frame in missing:
        try:
            archive.read(frame.place, frame.sha256)
        except JournalDamaged:
            continue
        stored = b""  # another entry has the bytes
        if damage.has(frame):
            stored = archive.stored(frame.place)
        place = archive.append(frame.header, stored)
        healed.append(frame._replace(place=place))
    return healed


def _lost_marks(files: Files, described: set[Described]) -> Iterator[FrameHeader]:
    """The marks of mixed versions that no entry has any more."""
    sizes = mixed_sizes(files.db)
    if not sizes:
        return
    nothing = pack_chunk(b"").sha256.hex()
    for frame in files.kept_frames():
        size = sizes.get(frame.version_id)
        if size is None or frame.header.start:
            continue
        mark = frame.header._replace(start=size, size=0, sha256=nothing)
        if described_by(mark) not in described:
            yield mark


def _missing(files: Files, described: set[Described]) -> list[KeptFrame]:
    return [
        frame
        for frame in files.kept_frames()
        if frame.place.stored and described_by(frame.header) not in described
    ]
