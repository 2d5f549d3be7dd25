"""What sync plans and intake does: small records that both know."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.connectors.base import Connector, FoundFile

GONE = -1  # the size of a file that is not on disk any more and is read from the archive


class Work(NamedTuple):
    """A file to take in."""

    connector: Connector
    root: str
    found: FoundFile
    source: str | None = None  # where the bytes are, when that is not the file's own path


class Progress(NamedTuple):
    """How far a sync has come."""

    done_bytes: int
    total_bytes: int
    path: str
