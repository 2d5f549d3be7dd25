"""Finds the files to import: those that people name, and those in the folders that they name."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from agent_journal import connectors
from agent_journal.connectors import get_connector
from agent_journal.connectors.base import TRANSCRIPTS, FoundFile, folder_of
from agent_journal.connectors.hooks import AgentConnector
from agent_journal.errors import JournalError
from agent_journal.sync.discovery import found_files
from agent_journal.sync.extracts import CannotExtract, extracts_of
from agent_journal.sync.recognition import NotRecognised, recognise
from agent_journal.sync.work import Work

Refuse = Callable[[str, str], None]  # path and reason
_COMMON_NAMES = ("chats", "sessions", "tmp")  # which say too little about the folder around them
_MAX_LOOKED_AT = 5


class FoundInFolder(NamedTuple):
    """A file to import: a path to recognise, or a file that an agent's folder lists."""

    file: str | Work
    is_named: bool  # by the person; what is only found in a folder may be anything


def files_to_import(paths: Iterable[str], refuse: Refuse) -> Iterator[FoundInFolder]:
    """The files and what is in the folders, each once.

    Folders of an agent are listed by its connector, so that files that belong together are read
    together.
    """
    agents = list(_usable_connectors())
    suffixes = tuple(import_suffixes())
    root_folders = {name for agent in agents for name in agent.root_folders}
    seen: set[str] = set()

    def unlisted(error: OSError) -> None:
        refuse(str(error.filename), error.strerror or str(error))

    for path in paths:
        real = os.path.realpath(path)
        if not os.path.isdir(real):
            if real not in seen:
                seen.add(real)
                yield _file(agents, real, is_named=True)
            continue
        name = os.path.basename(real)
        if name in root_folders and name not in _COMMON_NAMES:
            real = os.path.dirname(real)  # the root of the agent is the folder around it
        for folder, folders, names in os.walk(real, onerror=unlisted):
            folders.sort()
            for item in _listed_by_agents(agents, folder, folders):
                seen.add(item.found.path)
                yield FoundInFolder(item, is_named=False)
            inner = [os.path.join(folder, name) for name in sorted(names)]
            for file in [file for file in inner if file not in seen and os.path.isfile(file)]:
                found = _file(agents, file, is_named=False)
                if isinstance(found.file, Work) or file.endswith(suffixes):
                    seen.add(file)
                    yield found


def _file(agents: list[AgentConnector], path: str, is_named: bool) -> FoundInFolder:
    """A file as what its name says it is: a database of an agent, or anything."""
    item = _in_database(agents, path)
    if item is not None:
        return FoundInFolder(item, is_named=False)
    return FoundInFolder(path, is_named)


def import_suffixes() -> list[str]:
    """How the names of files end that may be a session, in any folder."""
    return sorted({suffix for agent in _usable_connectors() for suffix in agent.import_suffixes})


def files_of_agent(paths: Iterable[str], agent: str, refuse: Refuse) -> Iterator[FoundInFolder]:
    """The files, each once, as an agent's: a folder is one of its roots."""
    connector = get_connector(agent)
    for path in dict.fromkeys(os.path.realpath(path) for path in paths):
        if not os.path.isdir(path):
            yield FoundInFolder(path, is_named=True)
            continue
        root = connector.normalize_root(path)
        for found in found_files(connector, root):
            if isinstance(found, FoundFile):
                yield FoundInFolder(Work(connector, folder_of(root), found), is_named=False)
            else:
                refuse(found.path, found.reason)


def _usable_connectors() -> Iterator[AgentConnector]:
    for name in connectors.NAMES:
        try:
            yield get_connector(name)
        except JournalError:  # a broken one of another package
            continue


def _listed_by_agents(
    agents: list[AgentConnector], folder: str, below: list[str]
) -> Iterator[Work]:
    """The files of a folder that is the root of an agent.

    The agent's own folders are then taken out of `below`, so that they are not walked through.
    """
    taken: set[str] = set()
    claimed: set[str] = set()  # Kilo finds the files of OpenCode, too: they are of one agent
    for connector in agents:
        own_folders = set(connector.root_folders).intersection(below)
        if not own_folders:
            continue
        found = [file for file in connector.discover(folder) if isinstance(file, FoundFile)]
        if not connector.has_shared_database_names:
            found = [file for file in found if file.path not in claimed]
        if _are_of(connector, found):
            taken |= own_folders
            claimed.update(file.path for file in found)
            yield from (Work(connector, folder, file) for file in found)
    below[:] = [name for name in below if name not in taken]


def _in_database(agents: list[AgentConnector], path: str) -> Work | None:
    """A database that lies where an agent keeps it, and has something of that agent."""
    for connector in agents:
        for place in connector.databases:
            root = _root_around(path, place)
            if root is None or not _has_rows_of(connector, path):
                continue
            for found in connector.discover(root):
                if isinstance(found, FoundFile) and found.path == path:
                    return Work(connector, root, found)
    return None


def _root_around(path: str, place: str) -> str | None:
    """The folder in which `place` is a pattern of the path."""
    parts = path.replace(os.sep, "/").split("/")
    depth = place.count("/") + 1
    if not fnmatch.fnmatchcase("/".join(parts[-depth:]), place):
        return None
    return os.sep.join(parts[:-depth])


def _are_of(connector: AgentConnector, found: list[FoundFile]) -> bool:
    """Whether files are really an agent's: many a folder is called `projects`."""
    databases = [file.path for file in found if file.role == "rows"]
    if databases and not connector.has_shared_database_names:
        return True
    if any(_has_rows_of(connector, path) for path in databases):
        return True
    transcripts = [file.path for file in found if file.role in TRANSCRIPTS]
    return any(_is_session_of(connector, path) for path in transcripts[:_MAX_LOOKED_AT])


def _is_session_of(connector: AgentConnector, path: str) -> bool:
    try:
        return recognise(path).agent == connector.name
    except (NotRecognised, OSError):
        return False


def _has_rows_of(connector: AgentConnector, path: str) -> bool:
    """Whether a database has anything of the agent in it."""
    try:
        return next(extracts_of(connector, path, {}), None) is not None
    except (CannotExtract, OSError):
        return False
