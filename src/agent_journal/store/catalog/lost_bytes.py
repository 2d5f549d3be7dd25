"""Files of which the archive has lost bytes, as far as that is known without reading packs."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.ledger import ARCHIVE_DAMAGED
from agent_journal.store.catalog.packs import is_loss_noted, pack_lengths, pack_sizes

if TYPE_CHECKING:
    from agent_journal.config.loading import Config

_NOTE = "lost"
_HELD = (
    "SELECT sum(f.size) FROM version_frames l JOIN frames f ON f.id = l.frame_id "
    "WHERE l.version_id = v.id AND f.stored > 0"
)


def lost_paths(db: Connection, config: Config) -> set[str]:
    """The paths of the files of which the archive has lost bytes.

    Known from what the last verify or full sync found, from reading that failed, and from the sizes
    of the packs.
    """
    found = _noted(config.index_path)
    failed = "SELECT path FROM problems WHERE substr(reason, 1, ?) = ?"
    found |= _paths(db, failed, len(ARCHIVE_DAMAGED), ARCHIVE_DAMAGED)
    if is_loss_noted(db):
        versions = "SELECT f.path FROM versions v JOIN files f ON f.id = v.file_id"
        found |= _paths(db, f"{versions} WHERE coalesce(({_HELD}), 0) < v.size")
    sizes = pack_sizes(config.archive_path)
    for number, length in pack_lengths(db).items():
        if sizes.get(number, 0) < length:
            found |= _kept_beyond(db, number, sizes.get(number, 0))
    return found


def count_lost(db: Connection, paths: set[str], agent: str | None = None) -> int:
    """How many of these files are gone from their agent's folder, too."""
    if not paths:
        return 0
    query = (
        "SELECT path FROM files WHERE vanished_at IS NOT NULL "
        "AND role NOT IN ('rows', 'companion') AND (?1 IS NULL OR agent = ?1)"
    )
    return len(paths & _paths(db, query, agent))


def sizes_of(db: Connection, paths: set[str]) -> int:
    """How many bytes these files had when they were last kept."""
    if not paths:
        return 0
    query = "SELECT f.path, v.size FROM files f JOIN versions v ON v.id = f.version_id"
    return sum(size for path, size in db.execute(query) if path in paths)


def note_lost_paths(index_path: str, paths: set[str]) -> None:
    """Remember of which files bytes are lost, where the disk can be written."""
    import json  # not needed where nothing was lost

    path = os.path.join(index_path, _NOTE)
    with contextlib.suppress(OSError):  # there is no note to remove, or the disk is read-only
        if not paths:
            os.unlink(path)
            return
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="ascii") as note:
            json.dump(sorted(paths), note)


def _noted(index_path: str) -> set[str]:
    try:
        with open(os.path.join(index_path, _NOTE), encoding="ascii") as note:
            text = note.read()
    except (OSError, ValueError):
        return set()
    import json

    try:
        return set(map(str, json.loads(text)))
    except (ValueError, TypeError):  # damaged: the next verify writes it again
        return set()


def _kept_beyond(db: Connection, pack: int, length: int) -> set[str]:
    """The files with bytes in a pack behind a length."""
    query = (
        "SELECT DISTINCT f.path FROM frames r JOIN version_frames l ON l.frame_id = r.id "
        "JOIN versions v ON v.id = l.version_id JOIN files f ON f.id = v.file_id "
        "WHERE r.pack = ? AND r.offset + r.stored > ?"
    )
    return _paths(db, query, pack, length)


def _paths(db: Connection, query: str, *values: object) -> set[str]:
    return {path for (path,) in db.execute(query, values)}
