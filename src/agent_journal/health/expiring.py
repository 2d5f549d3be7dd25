"""Which sessions the agents will delete, when, and whether they are kept."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

from agent_journal import connectors
from agent_journal.config.loading import Config
from agent_journal.connectors import get_connector
from agent_journal.connectors.base import Connector, Env, FoundFile, Unlisted
from agent_journal.errors import JournalError
from agent_journal.health.kept_state import KeptFiles, KeptState
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.lost_bytes import lost_paths
from agent_journal.store.catalog.rescued import sessions_by_path
from agent_journal.sync.discovery import found_files, roots_of, with_projects

DAY_NS = 86400 * 10**9
DAYS_AHEAD = 7  # a file that is deleted within these days is due


class Expiring(NamedTuple):
    """A transcript that its agent will delete."""

    agent: str
    session: str
    title: str | None  # None: it has none, or was never read
    path: str
    size: int
    deleted_at: int  # the earliest time, in microseconds; may be past, as agents do it when started
    is_due: bool  # whether that is within a week
    state: KeptState

    @property
    def is_in_danger(self) -> bool:
        """Whether it will be gone within a week, and is not kept as it is now."""
        return self.is_due and not self.state.is_kept


def find_expiring(db: Connection | None, config: Config, env: Env) -> list[Expiring]:
    """Return the sessions that their agents will delete, the first to be deleted first."""
    env = with_projects(env, db)
    lost: set[str] = set()
    if db is not None:
        lost = lost_paths(db, config)
    found: list[Expiring] = []
    for agent in connectors.NAMES:
        try:
            connector = get_connector(agent)
            found += _expiring_of(connector, db, lost, roots_of(connector, config, env))
        except JournalError:
            continue  # a connector of another package fails: 'aj doctor' says so
    found.sort(key=lambda item: (item.deleted_at, item.path))
    return found


def _expiring_of(
    connector: Connector, db: Connection | None, lost: set[str], roots: list[str]
) -> Iterator[Expiring]:
    retentions = {root: connector.retention_days(root) for root in roots}
    if not any(days is not None for days in retentions.values()):
        return
    kept = KeptFiles(connector, db, lost)
    sessions: dict[str, tuple[str, str | None]] = {}
    if db is not None:
        sessions = sessions_by_path(db, connector.name)
    for root, days in retentions.items():
        for found in found_files(connector, root):
            if days is None or isinstance(found, Unlisted) or not _is_deletable(found):
                continue
            # Some agents have the id in the file only, where the sync has read it
            uid, title = sessions.get(found.path, (found.session_id or "", None))
            yield Expiring(
                agent=connector.name,
                session=uid,
                title=title,
                path=found.path,
                size=found.size,
                deleted_at=_deletion_ns(found, days) // 1000,
                is_due=is_due(found, days),
                state=kept.state_of(found),
            )


def is_due(found: FoundFile, retention_days: int | None) -> bool:
    """Whether the agent is going to delete a file within the next days."""
    if retention_days is None or not _is_deletable(found):
        return False
    return _deletion_ns(found, retention_days) < time.time_ns() + DAYS_AHEAD * DAY_NS


def _deletion_ns(found: FoundFile, retention_days: int) -> int:
    return found.mtime_ns + retention_days * DAY_NS


def _is_deletable(found: FoundFile) -> bool:
    if found.role == "log":
        return found.session_id is not None  # without a session it is the log of a sub-agent
    return found.role in ("replay", "session")
