"""Where the files of an agent are looked for, and which are kept."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from agent_journal import connectors
from agent_journal.config.loading import Config
from agent_journal.connectors import get_connector
from agent_journal.connectors.base import Env, folder_of, is_scattered
from agent_journal.errors import JournalError
from agent_journal.health.examine import uninstalled
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.lost_bytes import lost_paths
from agent_journal.store.catalog.sources import KeptFile, kept_files
from agent_journal.sync.discovery import roots_of, with_projects

NOT_INSTALLED = "its connector is not installed: what is kept stays, nothing new is read"


class SourceRoot(NamedTuple):
    """A folder that is read."""

    path: str
    exists: bool


class AgentSource(NamedTuple):
    """One agent: its folders, and the files that are kept."""

    agent: str
    title: str
    error: str | None = None  # why nothing new is read
    roots: Sequence[SourceRoot] = ()
    files: Sequence[KeptFile] = ()
    # Files of some agents are in the users' own folders, wherever they worked.
    is_scattered: bool = False
    empty_roots: Sequence[str] = ()  # of a scattered agent: folders without a file of it
    is_configured: bool = False

    @property
    def is_here(self) -> bool:
        """Whether there is anything of the agent, or should be."""
        has_folder = any(root.exists and root.path not in self.empty_roots for root in self.roots)
        return bool(has_folder or self.files or self.error or self.is_configured)


def find_sources(
    db: Connection | None, config: Config, env: Env, agent: str | None = None
) -> list[AgentSource]:
    """Return the sources of all agents, or of one."""
    if agent is not None:
        return [agent_source(db, config, env, agent)]
    names = list(connectors.NAMES)
    if db is not None:
        names += uninstalled(db)
    return [agent_source(db, config, env, name) for name in names]


def agent_source(db: Connection | None, config: Config, env: Env, agent: str) -> AgentSource:
    """Return where the files of an agent are looked for, and which are kept."""
    source = _folders(db, config, env, agent)
    if db is None:
        return source
    lost = lost_paths(db, config)
    files = [file._replace(is_lost=file.path in lost) for file in kept_files(db, agent)]
    return source._replace(files=files)


def _folders(db: Connection | None, config: Config, env: Env, agent: str) -> AgentSource:
    try:
        connector = get_connector(agent)
    except JournalError as error:
        return AgentSource(agent, title=agent, error=error.message)
    except KeyError:
        return AgentSource(agent, title=agent, error=NOT_INSTALLED)
    source = AgentSource(agent, connector.title)
    try:
        paths = roots_of(connector, config, with_projects(env, db))
        roots = [SourceRoot(path, os.path.exists(folder_of(path))) for path in paths]
        source = source._replace(roots=roots)
        if config.sources(agent) is not None:
            source = source._replace(is_configured=True)
        elif is_scattered(connector):
            empty = [path for path in paths if not any(connector.discover(path))]
            source = source._replace(is_scattered=True, empty_roots=empty)
    except JournalError as error:
        return source._replace(error=error.message)
    return source


def agent_folders(config: Config, env: Env) -> list[str]:
    """The folders that agents keep for their own files; not those of projects."""
    folders = []
    for agent in connectors.NAMES:
        try:
            connector = get_connector(agent)
            if not is_scattered(connector):
                folders += [folder_of(root) for root in roots_of(connector, config, env)]
        except (KeyError, JournalError):  # of another package that is broken
            continue
    return folders
