"""Sessions that only the journal still shows: read in spite of damage, or forgotten by the agent's
own list.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from agent_journal.connectors.base import INDEX_MARK
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import IS_TRANSCRIPT

_SESSION = "JOIN sessions s ON s.uid = f.session AND s.agent = f.agent AND s.is_known = 1 AND s.message_count > 0"


class Rescued(NamedTuple):
    """A session, the file it was read from or is named in, and what is wrong with it."""

    session: str
    title: str | None
    path: str
    reason: str = ""


def recovered(db: Connection, agent: str) -> list[Rescued]:
    """Sessions whose file is damaged, or whose agent's own file has nothing and another one has it."""
    damaged = db.execute(
        "SELECT s.uid, s.title, f.path, min(p.reason) || CASE count(*) WHEN 1 THEN '' ELSE ' (and ' || (count(*) - 1) "
        "|| ' more)' END FROM problems p JOIN files f ON f.id = p.file_id "
        f"{_SESSION} WHERE f.agent = ? AND f.status = 'read' AND f.{IS_TRANSCRIPT} GROUP BY f.id ORDER BY f.path",
        (agent,),
    )
    replaced = db.execute(
        "SELECT s.uid, s.title, f.path, 'the newer file has nothing: ' || c.path FROM files f JOIN files c "
        "ON c.session = f.session AND c.agent = f.agent AND c.status = 'copy' AND c.rank > f.rank "
        f"{_SESSION} WHERE f.agent = ? AND f.status = 'read' AND f.completeness > 0 AND c.completeness = 0 "
        "ORDER BY f.path",
        (agent,),
    )
    return [Rescued(*row) for row in (*damaged, *replaced)]


def hidden(db: Connection, agent: str) -> list[Rescued]:
    """Sessions with a file on disk that the agent's own list, where there is one, does not name."""
    indexes = {
        os.path.dirname(path): file_id
        for path, file_id in db.execute(
            "SELECT path, id FROM files WHERE agent = ? AND name GLOB ?", (agent, f"*{INDEX_MARK}")
        )
    }
    listed = {
        row
        for file_id in indexes.values()
        for row in db.execute("SELECT session_id FROM session_pieces WHERE file_id = ?", (file_id,))
    }
    rows = db.execute(
        f"SELECT s.id, s.uid, s.title, f.path FROM files f {_SESSION} WHERE f.agent = ? AND f.status = 'read' "
        f"AND f.{IS_TRANSCRIPT} AND f.vanished_at IS NULL AND s.parent_uid IS NULL ORDER BY s.ended_at DESC",
        (agent,),
    )
    return [
        Rescued(uid, title, path)
        for session_id, uid, title, path in rows
        if (session_id,) not in listed and os.path.dirname(os.path.dirname(path)) in indexes
    ]


def lost(db: Connection, agent: str) -> list[Rescued]:
    """Sessions that the agent's own list names, and of which there is no file and nothing in the
    journal.
    """
    import msgspec

    from agent_journal.model import Session

    rows = db.execute(
        "SELECT s.uid, p.body, f.path FROM sessions s JOIN session_pieces p ON p.session_id = s.id "
        "JOIN files f ON f.id = p.file_id WHERE s.agent = ? AND s.is_known = 0 AND p.body IS NOT NULL "
        "AND f.name GLOB ? ORDER BY s.uid",
        (agent, f"*{INDEX_MARK}"),
    )
    found = {
        uid: (msgspec.msgpack.decode(body, type=Session).title, path) for uid, body, path in rows
    }
    return [Rescued(uid, title, path) for uid, (title, path) in found.items()]
