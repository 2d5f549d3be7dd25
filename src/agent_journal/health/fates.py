"""What becomes of the agents' own files of some sessions, as the last sync saw them.

`find_expiring` looks at the disk and compares bytes. A list has no time for that: it asks the
catalog for the few sessions that it shows.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import NamedTuple

from agent_journal.config.loading import Config
from agent_journal.connectors import get_connector
from agent_journal.connectors.base import Env
from agent_journal.errors import JournalError
from agent_journal.health.expiring import DAY_NS, DAYS_AHEAD
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.lost_bytes import lost_paths
from agent_journal.store.catalog.session_transcripts import Transcript, transcripts_of
from agent_journal.sync.discovery import roots_of


class Fate(NamedTuple):
    """What becomes of the file of a session that the journal has kept whole."""

    days: int | None  # until its agent deletes it, at the earliest; None: it is gone

    def __str__(self) -> str:
        """What a list says of it."""
        if self.days is None:
            return "gone from disk, kept here"
        if self.days < 1:
            return "deleted by its agent within a day, kept here"
        if self.days == 1:
            return "deleted by its agent in 1 day, kept here"
        return f"deleted by its agent in {self.days} days, kept here"


def fates_of(db: Connection, config: Config, env: Env, row_ids: Iterable[int]) -> dict[int, Fate]:
    """The sessions whose files are gone, or are deleted within a week; by their rows."""
    by_session: dict[int, list[Transcript]] = {}
    for transcript in transcripts_of(db, row_ids):
        by_session.setdefault(transcript.row_id, []).append(transcript)
    lost: set[str] = set()
    if by_session:
        lost = lost_paths(db, config)
    retentions = _Retentions(config, env)
    fates = {}
    for row_id, transcripts in by_session.items():
        fate = _fate(transcripts, retentions)
        if fate is not None and not any(item.path in lost for item in transcripts):
            fates[row_id] = fate
    return fates


def _fate(transcripts: list[Transcript], retentions: _Retentions) -> Fate | None:
    present = [item for item in transcripts if not item.is_gone]
    if not present:
        return Fate(None)
    ends = []
    for transcript in present:
        days = retentions.days(transcript.agent, transcript.root)
        if days is None or transcript.mtime_ns is None:
            return None
        ends.append(transcript.mtime_ns + days * DAY_NS)
    left = max(ends) - time.time_ns()
    if left > DAYS_AHEAD * DAY_NS:
        return None
    return Fate(max(0, left // DAY_NS))


class _Retentions:
    """After how many days agents delete the files in their folders; asked once for each."""

    def __init__(self, config: Config, env: Env) -> None:
        self._config = config
        self._env = env
        self._roots: dict[str, dict[str, int | None]] = {}  # by agent

    def days(self, agent: str, root: str) -> int | None:
        """The days of a folder; None: for ever, or nobody's folder any more."""
        if agent not in self._roots:
            self._roots[agent] = self._asked(agent)
        return self._roots[agent].get(root)

    def _asked(self, agent: str) -> dict[str, int | None]:
        try:
            connector = get_connector(agent)
            roots = roots_of(connector, self._config, self._env)
            return {root: connector.retention_days(root) for root in roots}
        except (KeyError, JournalError):  # of another package that is not there, or broken
            return {}
