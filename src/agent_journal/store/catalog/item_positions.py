"""Where items are in their session: a hit of a search is an item, a page shows positions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection


def item_positions(db: sqlite3.Connection, session_id: int, ids: Collection[int]) -> list[int]:
    """The positions of the messages that items of a session belong to, each once, in order.

    A call belongs to the message that made it. Items that are in no message have no position.
    """
    wanted = json.dumps(list(ids))
    rows = db.execute(
        "SELECT m.seq FROM messages m WHERE m.session_id = ?1 "
        "AND m.id IN (SELECT value FROM json_each(?2)) "
        "UNION "
        "SELECT coalesce((SELECT min(m.seq) FROM messages m "
        "WHERE m.uid = t.message_uid AND +m.session_id = t.session_id), t.seq) "
        "FROM tool_calls t WHERE t.session_id = ?1 "
        "AND t.id IN (SELECT value FROM json_each(?2)) ORDER BY 1",
        (session_id, wanted),
    )
    return [position for (position,) in rows]


def positions_after(db: sqlite3.Connection, session_id: int, item_id: int) -> list[int]:
    """The positions of messages and calls of a session that became items after another one."""
    rows = db.execute(
        "SELECT seq FROM messages WHERE session_id = ?1 AND id > ?2 "
        "UNION SELECT seq FROM tool_calls WHERE session_id = ?1 AND id > ?2 ORDER BY 1",
        (session_id, item_id),
    )
    return [position for (position,) in rows]
