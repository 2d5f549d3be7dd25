"""The packs of the archive that the catalog knows, and how much of each."""

from __future__ import annotations

import os
import stat
from sqlite3 import Connection
from typing import NamedTuple

from agent_journal.store.catalog.items import find_meta, set_meta

_UNREAD = "unread stretches"
_LOSS = "packs were cut off"
_UNDESCRIBED = "frames without entries"


class Stretch(NamedTuple):
    """Bytes of a pack."""

    pack: int
    start: int
    end: int


def pack_lengths(db: Connection) -> dict[int, int]:
    """The number and the committed length of each pack."""
    return dict(db.execute("SELECT number, length FROM packs"))


def pack_sizes(folder: str) -> dict[int, int]:
    """What Archive.lengths says, without importing what is needed to read an archive."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return {}
    sizes = {}
    for name in names:
        number, extension = os.path.splitext(name)
        if extension == ".pack" and number.isdigit():
            found = os.stat(os.path.join(folder, name))
            # Else a folder or a pipe
            sizes[int(number)] = found.st_size if stat.S_ISREG(found.st_mode) else 0
    return sizes


def closed_packs(db: Connection) -> list[int]:
    """The packs with a torn or damaged end: nothing is ever added to them."""
    return [number for (number,) in db.execute("SELECT number FROM packs WHERE is_closed")]


def save_lengths(db: Connection, lengths: dict[int, int]) -> None:
    """Record how long packs have become."""
    db.executemany(
        "INSERT INTO packs (number, length) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET length = ?2",
        list(lengths.items()),
    )


def save_pack(db: Connection, number: int, length: int, is_closed: bool) -> None:
    """Record a pack as it was found; one that was closed stays closed."""
    db.execute(
        "INSERT INTO packs (number, length, is_closed) VALUES (?1, ?2, ?3) "
        "ON CONFLICT DO UPDATE SET length = ?2, is_closed = is_closed OR ?3",
        (number, length, is_closed),
    )


def forget_pack(db: Connection, number: int) -> None:
    """Remove a pack that is gone from the archive."""
    db.execute("DELETE FROM packs WHERE number = ?", (number,))


def unread_stretches(db: Connection) -> list[Stretch]:
    """The damaged stretches that this catalog never read: nobody knows what was in them.

    Everything else in the packs was read or written by it, and is in its tables.
    """
    text = find_meta(db, _UNREAD)
    if text is not None:
        try:
            return [Stretch(*map(int, part.split("-"))) for part in text.split()]
        except (TypeError, ValueError):
            pass
    lengths = pack_lengths(db)
    return [Stretch(number, 0, lengths[number]) for number in closed_packs(db)]


def save_unread_stretches(db: Connection, stretches: list[Stretch]) -> None:
    """Record which damaged stretches were never read."""
    parts = [f"{stretch.pack}-{stretch.start}-{stretch.end}" for stretch in stretches]
    set_meta(db, _UNREAD, " ".join(parts))


def note_loss(db: Connection) -> None:
    """Record that bytes of packs are gone: what was in them, only this catalog knows."""
    set_meta(db, _LOSS, "1")


def is_loss_noted(db: Connection) -> bool:
    """Whether bytes of packs have been gone since this catalog was made."""
    return find_meta(db, _LOSS) is not None


def note_undescribed(db: Connection) -> None:
    """Record that versions may have bytes again which no entry of the archive names for them."""
    set_meta(db, _UNDESCRIBED, "1")


def has_undescribed(db: Connection) -> bool:
    """Whether versions may have bytes that no entry of the archive names for them."""
    return find_meta(db, _UNDESCRIBED) == "1"


def forget_undescribed(db: Connection) -> None:
    """Record that the entries were written."""
    set_meta(db, _UNDESCRIBED, "0")
