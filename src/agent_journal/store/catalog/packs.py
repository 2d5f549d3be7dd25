"""The packs of the archive that the catalog knows, and how much of each."""

from __future__ import annotations

from sqlite3 import Connection


def pack_lengths(db: Connection) -> dict[int, int]:
    """The number and the committed length of each pack."""
    return dict(db.execute("SELECT number, length FROM packs"))


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
