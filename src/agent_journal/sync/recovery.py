"""Taking what the archive holds into the catalog: after a crash, or when the catalog was lost."""

from __future__ import annotations

import os

from agent_journal.store.archive import Archive, Entry
from agent_journal.store.catalog.files import Files


def adopt(files: Files, archive: Archive) -> None:
    """Takes whole entries of the archive that the catalog does not know into it.

    After a crash, a lost catalog, an older one from a backup, or another catalog on the same
    archive.
    """
    db = files.db
    known = dict(db.execute("SELECT number, length FROM packs"))
    lengths = archive.lengths()
    db.execute("BEGIN IMMEDIATE")
    for number, length in lengths.items():
        end = known.get(number, 0)
        is_torn = length < end  # cut off somewhere, perhaps in the middle of an entry
        if is_torn:
            files.forget_lost_frames(number, length)
            end = length
        for entry in archive.scan(number, end):
            is_torn |= entry.start > end
            end = entry.end
            _adopt_entry(files, entry)
        is_torn |= end < length
        db.execute(
            "INSERT INTO packs VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET length = ?2, is_closed = is_closed OR ?3",
            (number, length, is_torn),
        )
    for number in set(known) - set(lengths):
        files.forget_lost_frames(number, 0)
        db.execute("DELETE FROM packs WHERE number = ?", (number,))
    db.execute("COMMIT")
    archive.close()


def _adopt_entry(files: Files, entry: Entry) -> None:
    header = entry.header
    path = os.path.join(header.root, *header.name.split("/"))
    row = files.ensure(
        header.agent, header.root, header.name, path, header.role, header.session, header.rank
    )
    versions = {version.number: version for version in files.versions(row.id)}
    version = versions.get(header.version) or files.new_version(
        row.id, header.mtime_ns, header.version
    )
    files.link_frame(
        version.id, header.start, bytes.fromhex(header.sha256), header.size, entry.place
    )
    size = max(version.size, header.start + header.size)
    files.update_version(version.id, size=size, mtime_ns=header.mtime_ns)
    files.update(row.id, is_current=0)
