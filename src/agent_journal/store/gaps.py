"""Bytes of the archive that are no entry: damaged headers, and what was noted about them.

A gap whose entries were all written again is noted in the archive itself, as an entry without an
agent. The damaged bytes stay where they are.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from agent_journal.store.archive import Archive, FrameHeader


class Gap(NamedTuple):
    """Bytes of a pack that are no entry."""

    pack: int
    start: int
    end: int
    is_last: bool  # up to the end of the pack

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return self.end - self.start


class Described(NamedTuple):
    """The bytes that an entry is about."""

    agent: str
    root: str
    name: str
    version: int
    start: int
    sha256: str


class Contents(NamedTuple):
    """What the entries of all packs are about, and where there are none."""

    described: set[Described]
    gaps: list[Gap]


def contents(archive: Archive, closed: Container[int]) -> Contents:
    """Read the headers of all packs. A gap that was noted, or a torn end, is none."""
    described: set[Described] = set()
    gaps: list[Gap] = []
    noted: list[Gap] = []
    lengths = archive.lengths()
    for number in sorted(lengths):
        end = 0
        for entry in archive.scan(number, 0):
            if entry.start > end:
                gaps.append(Gap(number, end, entry.start, is_last=False))
            end = entry.end
            header = entry.header
            if is_note(header):
                start = header.start
                noted.append(Gap(int(header.name), start, start + header.size, is_last=False))
            else:
                described.add(described_by(header))
        if end < lengths[number] and not (number in closed and archive.is_torn(number, end)):
            gaps.append(Gap(number, end, lengths[number], is_last=True))
    for note in noted:
        gaps = [rest for gap in gaps for rest in _without(gap, note)]
    return Contents(described, gaps)


def _without(gap: Gap, noted: Gap) -> Iterator[Gap]:
    """What is left of a gap without a noted one: damage may have come to either side of it."""
    if gap.pack != noted.pack or noted.end <= gap.start or gap.end <= noted.start:
        yield gap
        return
    if gap.start < noted.start:
        yield Gap(gap.pack, gap.start, noted.start, is_last=False)
    if noted.end < gap.end:
        yield gap._replace(start=noted.end)


def is_note(header: FrameHeader) -> bool:
    """Whether an entry is a note about a gap."""
    return not header.agent and header.name.isdigit()


def note_gaps(archive: Archive, gaps: Iterable[Gap]) -> None:
    """Note that everything that was in these gaps was written again."""
    for gap in gaps:
        header = FrameHeader(
            agent="",
            root="",
            name=str(gap.pack),
            role="kept",
            session=None,
            rank=0,
            version=0,
            start=gap.start,
            size=gap.size,
            sha256="",
            mtime_ns=0,
        )
        archive.append(header, b"")


def described_by(header: FrameHeader) -> Described:
    """The bytes that a header is about."""
    return Described(
        header.agent, header.root, header.name, header.version, header.start, header.sha256
    )


def path_of(described: Described) -> str:
    """The path of the file."""
    return os.path.join(described.root, *described.name.split("/"))
