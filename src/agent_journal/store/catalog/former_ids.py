"""Ids that earlier versions gave to sessions: people wrote them down, and they are still found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.connectors import get_connector
from agent_journal.errors import JournalError
from agent_journal.store.catalog.connection import Connection
from agent_journal.text.dates import from_micros

# The sessions with the paths of their transcripts and of the copies of these
_PLACES = (
    "SELECT DISTINCT s.id, s.started_at, f.path, p.file_id, "
    "(SELECT min(offset) FROM messages WHERE session_id = s.id) FROM sessions s "
    "JOIN session_pieces p ON p.session_id = s.id JOIN files own ON own.id = p.file_id "
    "JOIN files f ON f.agent = own.agent AND f.session = own.session "
    "WHERE s.agent = ? AND s.is_known = 1 ORDER BY f.path, p.file_id, 5"
)


class FormerId(NamedTuple):
    """An id that a session had once."""

    agent: str
    former: str
    row_id: int


def sessions_formerly_called(db: Connection, prefix: str) -> set[int]:
    """The row ids of the sessions that had an id which begins like this."""
    if not prefix:
        return set()
    return {found.row_id for found in former_ids(db) if found.former.startswith(prefix)}


def former_ids(db: Connection) -> Iterator[FormerId]:
    """The ids that sessions had once, in all agents that ever changed them."""
    for (agent,) in db.execute("SELECT DISTINCT agent FROM files").fetchall():
        try:
            connector = get_connector(agent)
        except (KeyError, JournalError):
            continue
        if not connector.has_former_ids:
            continue
        equal_starts: Counter[tuple[object, ...]] = Counter()
        for row_id, started_at, path, file_id, _ in db.execute(_PLACES, (agent,)):
            start = (path, file_id, started_at)
            former = connector.former_id(path, from_micros(started_at), equal_starts[start])
            equal_starts[start] += 1
            if former is not None:
                yield FormerId(agent, former, row_id)
