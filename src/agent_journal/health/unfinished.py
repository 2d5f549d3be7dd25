"""Files that the last sync did not read to the end: what they say is not proven yet."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.ledger import unfinished_files
from agent_journal.store.catalog.listing import SessionRow


class Unfinished(NamedTuple):
    """Files that are read by the next sync, with what was read from them so far."""

    ids: frozenset[int]
    paths: frozenset[str]
    sessions: frozenset[str]

    def covers(self, where: str) -> bool:
        """Whether a place (an agent with a session or a file) belongs to them."""
        return where in self.sessions or where.partition(":")[2] in self.paths

    def without(self, digests: dict[str, str]) -> dict[str, str]:
        """The digests of what is read to the end."""
        if not self.ids:
            return digests
        return {
            name: value
            for name, value in digests.items()
            if name not in self.sessions and name.partition(" of ")[2] not in self.paths
        }


def unfinished(db: Connection, sessions: Iterable[SessionRow]) -> Unfinished:
    """The files of a journal that the next sync goes on with."""
    files = Files(db)
    ids = unfinished_files(db)
    touched = {session_id for file_id in ids for session_id in files.sessions_of(file_id)}
    names = (f"{row.agent}:{row.id}" for row in sessions if row.row_id in touched)
    return Unfinished(
        frozenset(ids),
        frozenset(files.get(file_id).path.replace(os.sep, "/") for file_id in ids),
        frozenset(name.replace(os.sep, "/") for name in names),
    )
