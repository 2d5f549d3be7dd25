"""Adding to the catalog what only the archive holds, after a crash or a lost catalog."""

from __future__ import annotations

import os
from typing import NamedTuple

from agent_journal.connectors.base import GROWING
from agent_journal.store.archive import Archive, Entry
from agent_journal.store.catalog.connection import transaction
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.growth import add_unproven, mark_mixed
from agent_journal.store.catalog.packs import (
    Stretch,
    forget_pack,
    note_loss,
    pack_lengths,
    save_pack,
    save_unread_stretches,
    unread_stretches,
)
from agent_journal.store.gaps import is_note


def adopt(files: Files, archive: Archive) -> None:
    """Add the whole entries of the archive that the catalog does not know.

    After a crash, a lost catalog, an older one from a backup, or another catalog on the same
    archive.
    """
    known = pack_lengths(files.db)
    lengths = archive.lengths()
    unread = unread_stretches(files.db)
    with transaction(files.db):
        early: list[Entry] = []
        for number, length in lengths.items():
            adopted = _adopt_pack(files, archive, number, length, known.get(number, 0))
            early += adopted.early
            unread += adopted.unread
        for entry in early:
            adopt_entry(files, entry)
        save_unread_stretches(files.db, unread)
        for number in set(known) - set(lengths):
            files.mark_lost_frames(number, 0)
            note_loss(files.db)
            forget_pack(files.db, number)
    archive.close()


class _Adopted(NamedTuple):
    early: list[Entry]  # those whose bytes have not come yet: they were written again after damage
    unread: list[Stretch]  # bytes that were entries, perhaps


def _adopt_pack(files: Files, archive: Archive, number: int, length: int, known: int) -> _Adopted:
    """Add the entries of a pack from `known` on, which is how far the catalog knows it."""
    early = []
    unread = []
    end = known
    is_torn = length < end  # cut off somewhere, perhaps in the middle of an entry
    if is_torn:
        files.mark_lost_frames(number, length)
        note_loss(files.db)
        end = length
    for entry in archive.scan(number, end):
        if entry.start > end:
            is_torn = True
            unread.append(Stretch(number, end, entry.start))
        end = entry.end
        if is_note(entry.header):
            continue
        if entry.place.stored or files.has_frame(bytes.fromhex(entry.header.sha256)):
            adopt_entry(files, entry)
        else:
            early.append(entry)
    if end < length:
        is_torn = True
        if not _is_nothing(archive, number, end, known):
            unread.append(Stretch(number, end, length))
    save_pack(files.db, number, length, is_closed=is_torn)
    return _Adopted(early, unread)


def _is_nothing(archive: Archive, number: int, start: int, known: int) -> bool:
    """Whether the end of a pack was never kept: a torn entry, or what another program added."""
    if archive.is_torn(number, start):
        return True
    return known > 0 and not archive.has_traces(number, start)


def adopt_entry(files: Files, entry: Entry) -> None:
    """Add one entry of the archive."""
    header = entry.header
    row = files.ensure(
        agent=header.agent,
        root=header.root,
        name=header.name,
        path=os.path.join(header.root, *header.name.split("/")),
        role=header.role,
        session=header.session,
        rank=header.rank,
    )
    versions = {version.number: version for version in files.versions(row.id)}
    version = versions.get(header.version)
    if version is None:
        version = files.new_version(row.id, header.mtime_ns, header.version)
    files.update(row.id, is_current=0)
    if header.start and not header.size:
        mark_mixed(files.db, version.id, header.start)
        return
    if header.start and header.role in GROWING:
        add_unproven(files.db, version.id)
    sha256 = bytes.fromhex(header.sha256)
    files.link_frame(version.id, header.start, sha256, header.size, entry.place)
    end = header.start + header.size
    # A purge may have written older bytes of the version into a newer pack: the time is of its end
    if end >= version.size:
        files.update_version(version.id, size=end, mtime_ns=header.mtime_ns)
