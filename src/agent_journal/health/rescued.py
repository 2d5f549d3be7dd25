"""Sessions that only the journal still shows: damaged files, and sessions the agent forgot."""

from __future__ import annotations

import os
from typing import NamedTuple

from agent_journal import connectors
from agent_journal.connectors.base import INDEX_MARK
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.rescued import (
    RescuedRow,
    damaged_sessions,
    index_files,
    listed_without_transcript,
    replaced_sessions,
    sessions_in,
    sessions_on_disk,
)

_INDEX_PATTERN = f"*{INDEX_MARK}"


class Rescued(NamedTuple):
    """A session, the file it was read from or is named in, and what is wrong with it."""

    session: str
    title: str | None
    path: str
    reason: str = ""


def recovered(db: Connection, agent: str) -> list[Rescued]:
    """Return the sessions read from a damaged file, or from an older one as the newer is empty."""
    rows = [*damaged_sessions(db, agent), *replaced_sessions(db, agent)]
    return [Rescued(row.session, row.title, row.path, _reason(row)) for row in rows]


def _reason(row: RescuedRow) -> str:
    if row.offset is None:
        return row.reason
    if row.reason.startswith("not "):
        return f"byte {row.offset:,} is {row.reason}"
    return f"byte {row.offset:,}: {row.reason}"


def hidden(db: Connection, agent: str) -> list[Rescued]:
    """Return the sessions with a file on disk that the agent's own list does not name."""
    listed: set[int] = set()
    folders: set[str] = set()
    for path, file_id in index_files(db, agent, _INDEX_PATTERN).items():
        folders.add(os.path.dirname(path))
        listed |= sessions_in(db, file_id)
    found = []
    for row in sessions_on_disk(db, agent):
        folder = os.path.dirname(os.path.dirname(row.path))
        if folder in folders and row.row_id not in listed:
            found.append(Rescued(row.session, row.title, row.path))
    return found


def lost(db: Connection, agent: str) -> list[Rescued]:
    """Return the sessions that the agent's own list names and that have no file anywhere."""
    pattern = _INDEX_PATTERN
    if agent in connectors.NAMES:
        pattern = connectors.get_connector(agent).session_list
    rows = listed_without_transcript(db, agent, pattern)
    if not rows:
        return []
    import msgspec

    from agent_journal.model import Session

    found: dict[str, Rescued] = {}
    for row in rows:
        session = msgspec.msgpack.decode(row.body, type=Session)
        found[row.session] = Rescued(row.session, session.title, row.path)
    return list(found.values())
