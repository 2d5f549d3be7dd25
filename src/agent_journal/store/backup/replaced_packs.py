"""Packs of a backup that the journal no longer has, because a purge has rewritten them."""

from __future__ import annotations

import os
from collections.abc import Iterable

from agent_journal.store.archive import Archive, Entry
from agent_journal.store.backup.contents import ARCHIVE
from agent_journal.store.gaps import described_by, is_note, path_of
from agent_journal.store.pruned_file import NAME, PURGED, Pruned, read_decisions


def lacking_elsewhere(folder: str, names: Iterable[str]) -> str:
    """A file that only these packs have bytes of; empty when they can go.

    What was purged may go, and what the other packs have, each byte of it proven.
    """
    decisions = read_decisions(os.path.join(folder, NAME))
    purged = Pruned(decisions.in_force(PURGED))
    archive = Archive(os.path.join(folder, ARCHIVE))
    replaced = {int(os.path.basename(name).partition(".")[0]) for name in names}
    wanted = _wanted(archive, replaced, purged)
    for number in archive.lengths():
        if number in replaced or not wanted:
            continue
        for entry in archive.scan(number, 0):
            sha256 = entry.header.sha256
            is_asked_for = entry.place.stored > 0 and sha256 in wanted
            if is_asked_for and archive.holds(entry.place, bytes.fromhex(sha256)):
                del wanted[sha256]
    archive.close()
    return next(iter(wanted.values()), "")


def _wanted(archive: Archive, numbers: set[int], purged: Pruned) -> dict[str, str]:
    """The checksums of what these packs have, with the files."""
    wanted = {}
    for number in sorted(numbers):
        for entry in archive.scan(number, 0):
            if not is_note(entry.header) and not is_purged(entry, purged):
                wanted[entry.header.sha256] = path_of(described_by(entry.header))
    return wanted


def is_purged(entry: Entry, purged: Pruned) -> bool:
    """Whether an entry is about a file that was purged."""
    header = entry.header
    path = path_of(described_by(header))
    return purged.has_file(header.agent, path, header.session, header.name)
