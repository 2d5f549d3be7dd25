"""Which conversations of a database changed, without reading their values."""

from __future__ import annotations

import hashlib
import sqlite3
from typing import Any, NamedTuple

Stamp = tuple[int, int, int]
_COMPOSER = "composerData:"
_BUBBLE = "bubbleId:"
_ROWID_MASK = 2**40 - 1  # so that the sum of rowids fits
_KEYS = "SELECT key FROM cursorDiskKV WHERE key >= ? AND key < ?"
_COMPOSER_ROWS = (
    "SELECT key, rowid FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'"
)
_NEWEST_BUBBLES = """
    SELECT substr(key, 10, instr(substr(key, 10), ':') - 1) AS id,
        count(*), sum(rowid & ?), key, max(rowid)
    FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;' GROUP BY id
"""
_HEADERS = "SELECT composerId, workspaceId, lastUpdatedAt, rowid FROM composerHeaders"


class Fingerprint(NamedTuple):
    """What the database shows of a conversation without its values."""

    composer: tuple[int, int] | None = None  # rowid and size of its own row
    bubbles: tuple[Any, ...] = ()  # count, sum of rowids, and key, rowid and size of the newest
    header: tuple[Any, ...] = ()

    def stamp(self) -> Stamp:
        """Return three numbers that change when the conversation does."""
        # Exactly this text: journals keep the stamps of earlier versions
        text = (
            f"_Seen(composer={self.composer!r}, bubbles={self.bubbles!r}, header={self.header!r})"
        )
        digest = hashlib.blake2b(text.encode(), digest_size=14).digest()
        bubble_count = self.bubbles[0] if self.bubbles else 0
        return (
            bubble_count,
            int.from_bytes(digest[:7], "big"),
            int.from_bytes(digest[7:], "big"),
        )


def fingerprints(database: sqlite3.Connection, has_headers: bool) -> dict[str, Fingerprint] | None:
    """Return the fingerprint of every conversation, by id.

    Keys and rowids come from the index, sizes from the headers of rows. None for a table without
    rowids or with other columns.
    """
    try:
        found = _composers(database)
        _add_bubbles(database, found)
        if has_headers:
            _add_headers(database, found)
    except sqlite3.OperationalError:
        return None
    found.pop("", None)
    return found


def _composers(database: sqlite3.Connection) -> dict[str, Fingerprint]:
    found = {}
    for key, rowid in database.execute(_COMPOSER_ROWS).fetchall():
        composer_id = text_of(key).removeprefix(_COMPOSER)
        found[composer_id] = Fingerprint((rowid, _size(database, rowid)))
    return found


def _add_bubbles(database: sqlite3.Connection, found: dict[str, Fingerprint]) -> None:
    # Cursor replaces rows, and a replaced row gets a new rowid; the newest row may also grow in
    # place.
    rows = database.execute(_NEWEST_BUBBLES, (_ROWID_MASK,)).fetchall()
    for composer_id, count, total, key, rowid in rows:
        name = text_of(composer_id)
        newest = (count, total, text_of(key), rowid, _size(database, rowid))
        found[name] = found.get(name, Fingerprint())._replace(bubbles=newest)


def _add_headers(database: sqlite3.Connection, found: dict[str, Fingerprint]) -> None:
    for composer_id, *header in database.execute(_HEADERS).fetchall():
        name = text_of(composer_id)
        if name in found:
            found[name] = found[name]._replace(header=tuple(header))


def _size(database: sqlite3.Connection, rowid: int) -> int:
    try:
        with database.blobopen("cursorDiskKV", "value", rowid, readonly=True) as blob:
            return len(blob)
    except sqlite3.Error:
        return -1  # NULL, a number, or damage that is found when the row is read


def conversation_ids(database: sqlite3.Connection) -> list[str]:
    """Return the ids of all conversations, by their keys."""
    composers = database.execute(_KEYS, ("composerData:", "composerData;"))
    ids = {text_of(key).removeprefix(_COMPOSER) for (key,) in composers}
    bubbles = database.execute(_KEYS, ("bubbleId:", "bubbleId;"))
    ids |= {text_of(key).removeprefix(_BUBBLE).partition(":")[0] for (key,) in bubbles}
    return sorted(ids - {""})


def text_of(value: Any) -> str:
    """Return a value of a column as text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)
