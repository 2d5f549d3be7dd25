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
    rows = db.execute(
        "SELECT s.id, f.agent, f.root, f.path, f.mtime_ns, f.vanished_at IS NOT NULL "
        "FROM sessions s JOIN files f ON f.session = s.uid AND f.agent = s.agent "
        f"WHERE s.id IN ({ids}) AND f.session IS NOT NULL AND {_DELETABLE} "
        "AND f.version_id IS NOT NULL"
    )
    return [Transcript._make(row) for row in rows]
