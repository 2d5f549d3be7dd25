"""The files that sessions are read from, as the last sync saw them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection

_DELETABLE = "f.role IN ('log', 'replay', 'session')"


class Transcript(NamedTuple):
    """A file of an agent with the conversation of a session."""

    row_id: int  # of the session
    agent: str
    root: str
    path: str
    mtime_ns: int | None
    is_gone: bool


def transcripts_of(db: Connection, row_ids: Iterable[int]) -> list[Transcript]:
    """The transcripts of some sessions that are kept."""
    ids = ", ".join(map(str, row_ids))
    columns = "s.id, f.agent, f.root, f.path, f.mtime_ns, f.vanished_at IS NOT NULL"
    condition = f"s.id IN ({ids}) AND {_DELETABLE} AND f.version_id IS NOT NULL"
    # Some agents have the id in the file only. Copies, which are not read, have it in their names.
    rows = db.execute(
        f"SELECT {columns} FROM sessions s JOIN session_pieces p ON p.session_id = s.id "
        f"JOIN files f ON f.id = p.file_id WHERE {condition} UNION "
        f"SELECT {columns} FROM sessions s JOIN files f ON f.session = s.uid AND f.agent = s.agent "
        f"WHERE {condition} AND f.session IS NOT NULL"
    )
    return [Transcript._make(row) for row in rows]
