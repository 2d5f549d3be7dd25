"""What needs attention: problems, unknown records, and files the agent is about to delete."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from agent_journal import connectors
from agent_journal.config.loading import Config
from agent_journal.connectors import get_connector
from agent_journal.connectors.base import (
    Connector,
    Env,
    Unlisted,
    folder_of,
    is_scattered,
)
from agent_journal.errors import JournalError
from agent_journal.health.earlier_versions import only_in_earlier_versions
from agent_journal.health.expiring import is_due
from agent_journal.health.kept_state import KeptFiles
from agent_journal.health.own_counts import Difference, differences
from agent_journal.health.rescued import Rescued, hidden, lost, recovered
from agent_journal.query.tree import Query
from agent_journal.store.catalog.checks import pending_bytes
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.listing import count_sessions
from agent_journal.store.catalog.lost_bytes import count_lost, lost_paths
from agent_journal.store.catalog.sources import (
    Problem,
    UnknownKind,
    agents_with_files,
    count_vanished,
    problems_of,
    record_counts,
    unknown_kinds,
)
from agent_journal.sync.discovery import found_files, roots_of, with_projects

if TYPE_CHECKING:
    from agent_journal.health.earlier_messages import Comparison, EarlierMessages
    from agent_journal.sync.other_copies import OtherCopy

_MOST_PROBLEMS = 200


class Root(NamedTuple):
    """A folder of an agent: what is on disk, what is kept, and when the agent deletes."""

    path: str
    exists: bool
    files: int
    unkept_files: int  # which the next sync keeps
    unkept_bytes: int  # of them
    refused_files: int  # which no sync can keep
    retention_days: int | None
    due_files: int
    due_unkept: int
    unlisted: list[str]
    is_configured: bool


class AgentHealth(NamedTuple):
    """The state of one agent."""

    agent: str
    title: str
    roots: Sequence[Root] = ()
    sessions: int = 0
    vanished_files: int = 0
    lost_files: int = 0  # vanished, and the archive has lost bytes of them
    records: Mapping[str, int] = MappingProxyType({})
    pending_bytes: int = 0
    unknown: Sequence[UnknownKind] = ()
    troubles: Sequence[Problem] = ()
    trouble_count: int = 0
    unlooked: Sequence[str] = ()
    recovered: Sequence[Rescued] = ()
    hidden: Sequence[Rescued] = ()
    lost: Sequence[Rescued] = ()
    earlier: Sequence[Rescued] = ()  # only in an earlier version of their file
    earlier_messages: Sequence[EarlierMessages] = ()  # of sessions that are shown
    uncompared_files: int = 0  # with earlier versions that were not looked at
    other_copies: Sequence[OtherCopy] = ()  # with messages that are not shown
    differences: Sequence[Difference] = ()
    is_scattered: bool = False  # whether its files are in the users' own folders
    broken: str = ""  # why the connector, from another package, does not work
    is_installed: bool = True  # whether there is a connector at all


def examine_all(
    db: Connection | None, config: Config, env: Env, *, is_thorough: bool = False
) -> list[AgentHealth]:
    """Examine every agent that can be read, and those whose connector was removed.

    Earlier versions of files are compared for some seconds only, unless it `is_thorough`.
    """
    found = [_examine_safely(db, config, env, agent, is_thorough) for agent in connectors.NAMES]
    if db is not None:
        for agent in uninstalled(db):
            health = AgentHealth(agent, title=agent, is_installed=False)
            health = _journal_side(db, health, lost_paths(db, config))
            found.append(health)
    return found


def examine(
    db: Connection | None, config: Config, env: Env, agent: str, is_thorough: bool = False
) -> AgentHealth:
    """Examine one agent: its folders, and what the journal holds of them."""
    connector = get_connector(agent)
    env = with_projects(env, db)
    paths = roots_of(connector, config, env)
    lost: set[str] = set()
    if db is not None:
        lost = lost_paths(db, config)
    kept = KeptFiles(connector, db, lost)
    check = _FolderCheck(connector, kept, is_configured=config.sources(agent) is not None)
    health = AgentHealth(
        agent,
        connector.title,
        roots=[check.root(path) for path in paths],
        is_scattered=is_scattered(connector),
    )
    if check.failures:
        health = health._replace(broken=check.failures[0].message)
    if check.is_configured:
        health = health._replace(unlooked=_left_out(connector, paths, env))
    if db is None:
        return health
    earlier = only_in_earlier_versions(db, config, connector)
    health = _journal_side(db, health, lost)._replace(
        earlier=earlier, other_copies=_other_copies(db, config, agent)
    )
    compared = _compared_versions(db, config, connector, is_thorough)
    if compared is None:
        return health
    return health._replace(
        earlier_messages=compared.found, uncompared_files=compared.uncompared_files
    )


def _compared_versions(
    db: Connection, config: Config, connector: Connector, is_thorough: bool
) -> Comparison | None:
    """Compare what is shown with earlier versions, if there are any."""
    files = Files(db)
    if not files.rewritten(connector.name):
        return None
    from agent_journal.health.earlier_messages import compare_versions

    return compare_versions(files, config.archive_path, connector, is_thorough=is_thorough)


def _other_copies(db: Connection, config: Config, agent: str) -> list[OtherCopy]:
    """Return the files with messages of a session that is read from another file."""
    files = Files(db)
    rows = files.other_transcripts(agent)
    if not rows:
        return []
    from agent_journal.sync.other_copies import other_copies

    return other_copies(files, config.archive_path, rows)


def uninstalled(db: Connection) -> list[str]:
    """Return the agents whose files are kept and whose connector is no longer installed."""
    return sorted(agents_with_files(db).difference(connectors.NAMES))


def _examine_safely(
    db: Connection | None, config: Config, env: Env, agent: str, is_thorough: bool
) -> AgentHealth:
    """Examine an agent; a connector of another package that fails is part of the result."""
    try:
        return examine(db, config, env, agent, is_thorough)
    except JournalError as error:
        if agent in connectors.BUILT_IN:
            raise
        sessions = 0
        if db is not None:
            sessions = count_sessions(db, Query(agent=agent))
        return AgentHealth(
            agent,
            title=agent,
            sessions=sessions,
            troubles=[Problem(agent, offset=None, reason=error.message, kind="connector")],
            trouble_count=1,
            broken=error.message,
        )


def _journal_side(db: Connection, health: AgentHealth, lost_bytes: set[str]) -> AgentHealth:
    """Add what the journal holds of an agent."""
    agent = health.agent
    problems = problems_of(db, agent)
    return health._replace(
        sessions=count_sessions(db, Query(agent=agent)),
        vanished_files=count_vanished(db, agent),
        lost_files=count_lost(db, lost_bytes, agent),
        records=record_counts(db, agent),
        pending_bytes=pending_bytes(db, agent),
        unknown=unknown_kinds(db, agent),
        troubles=problems[:_MOST_PROBLEMS],
        trouble_count=len(problems),
        recovered=recovered(db, agent),
        hidden=hidden(db, agent),
        lost=lost(db, agent),
        differences=differences(db, agent),
    )


def _left_out(connector: Connector, roots: list[str], env: Env) -> list[str]:
    """Return the agent's usual folders with files that the configured folders do not cover."""
    found: dict[str, set[str]] = {}
    for path in map(os.path.realpath, connector.roots(env)):
        if path not in roots and os.path.exists(path):
            found[path] = {file.path for file in found_files(connector, path)}
    if not any(found.values()):
        return []
    covered = {file.path for root in roots for file in found_files(connector, root)}
    return [path for path, files in found.items() if files - covered]


class _FolderCheck:
    """Compares the folders of one agent with what is kept of them."""

    def __init__(self, connector: Connector, kept: KeptFiles, is_configured: bool) -> None:
        self.is_configured = is_configured
        self.failures: list[JournalError] = []  # of the connector itself
        self._connector = connector
        self._kept = kept

    def root(self, path: str) -> Root:
        """Examine one folder."""
        retention = self._connector.retention_days(path)
        files = unkept = unkept_bytes = refused = due = due_unkept = 0
        unlisted: list[str] = []
        for found in found_files(self._connector, path, self.failures.append):
            if isinstance(found, Unlisted):
                if not self._is_failure(found):
                    unlisted.append(f"{found.path}: {found.reason}")
                continue
            files += 1
            state = self._kept.state_of(found)
            if state.status == "refused":
                refused += 1
            elif not state.is_kept:
                unkept += 1
                unkept_bytes += state.unkept_bytes
            if is_due(found, retention):
                due += 1
                due_unkept += not state.is_kept
        return Root(
            path=path,
            exists=os.path.exists(folder_of(path)),
            files=files,
            unkept_files=unkept,
            unkept_bytes=unkept_bytes,
            refused_files=refused,
            retention_days=retention,
            due_files=due,
            due_unkept=due_unkept,
            unlisted=unlisted,
            is_configured=self.is_configured,
        )

    def _is_failure(self, found: Unlisted) -> bool:
        """Whether the connector failed, and nothing is wrong with the folder."""
        return bool(self.failures) and found.reason == self.failures[-1].message
