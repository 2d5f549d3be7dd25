"""Prompts that are in the prompt histories of several copies of a folder: each counts once."""

from __future__ import annotations

import msgspec

from agent_journal.model import HistoryEntry
from agent_journal.store.catalog.connection import Connection

_decode = msgspec.msgpack.Decoder(HistoryEntry).decode


def drop_repeated_prompts(db: Connection, file_ids: list[int]) -> None:
    """Remove the prompts of each file that one before it has, too."""
    query = "SELECT id, timestamp, session, body FROM history WHERE file_id = ?"
    earlier: set[tuple[object, ...]] = set()
    for file_id in file_ids:
        # Not the project: it may be the folder that was copied
        prompts = {
            item_id: (timestamp, session, _decode(body).text)
            for item_id, timestamp, session, body in db.execute(query, (file_id,))
        }
        repeated = [(item_id,) for item_id, prompt in prompts.items() if prompt in earlier]
        db.executemany("INSERT OR IGNORE INTO tombstones (item_id) VALUES (?)", repeated)
        db.executemany("DELETE FROM history WHERE id = ?", repeated)
        earlier.update(prompts.values())
