"""Which work named files are: for watchers and hooks that know what was written.

A file that the journal knows is looked at where it is, and nothing else. For new ones, the folders
of the agents that they are in are listed once.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import (
    DEEP,
    ROWS_MARK,
    Connector,
    FoundFile,
    Unlisted,
    folder_of,
    found_path,
)
from agent_journal.connectors.hooks import AgentConnector
from agent_journal.errors import JournalError, UsageError
from agent_journal.store.catalog.files import FileRow, Files, Stamp
from agent_journal.sync.discovery import Discovery, found_files, is_text
from agent_journal.sync.work import Work

_LOG_OF_DATABASE = "-wal"


class NamedFiles:
    """Finds the agents of files by their paths; those that no agent has are in `unknown`."""

    def __init__(self, files: Files, discovery: Discovery, agents: list[str]) -> None:
        self._files = files
        self._discovery = discovery
        self._agents = agents
        self.unknown: dict[str, str] = {}  # with what is wrong

    def changes(self, paths: Iterable[str], skip_unknown: bool = False) -> list[Work]:
        """The files among these that are new, changed or not read to the end.

        Without `skip_unknown`, UsageError names one that no agent has.
        """
        work: list[Work] = []
        new: dict[str, str] = {}  # where a file may be found, and as what it was named
        for path in dict.fromkeys(paths):
            candidates = _candidates(path)
            known = self._changes_of_known(path, candidates)
            if known is None:
                known = self._changes_of_others(candidates)
            if known is None:
                found = [one for one in candidates if is_text(one) and os.path.lexists(one)]
                new |= dict.fromkeys(found, path)
                self.unknown[path] = f"no agent has a file {path}"
            else:
                work += known
        if new:
            for item in self._search(new):
                self.unknown.pop(new[item.found.path], None)
                work.append(item)
        if self.unknown and not skip_unknown:
            reason = next(iter(self.unknown.values()))
            raise UsageError(reason, "'aj sources' shows where aj looks for sessions")
        # A database and its log may both be named; several agents may have one file
        return list({(item.connector.name, item.found.path): item for item in work}.values())

    def _changes_of_known(self, path: str, candidates: list[str]) -> list[Work] | None:
        """What is to be done for a file that the journal knows; None when it does not."""
        work: list[Work] | None = None
        for row in chain.from_iterable(map(self._files.at_path, candidates)):
            connector = self._connector(row.agent)
            if connector is None or row.role == "companion":
                continue
            folders = [folder_of(root) for root in self._discovery.roots(connector)]
            if row.root in folders:
                self._files.invalidate_old(connector.name, connector.version)
                current = self._files.get(row.id)
                work = [*(work or ()), *self._changes_of_row(path, connector, current, folders)]
        return work

    def _connector(self, agent: str) -> AgentConnector | None:
        """The connector of an agent; None where it is not wanted, or of a broken package."""
        if agent not in self._agents:
            return None
        try:
            connector = get_connector(agent)
            self._discovery.roots(connector)
        except JournalError as error:
            self._discovery.broken[agent] = error
            return None
        return connector

    # -- files that are known --------------------------------------------------------------------

    def _changes_of_row(
        self, path: str, connector: AgentConnector, row: FileRow, folders: list[str]
    ) -> list[Work]:
        for found in self._found_with(connector, row.path) or _found_again(row):
            if isinstance(found, Unlisted):
                self.unknown[path] = f"{found.path}: {found.reason}"
                return []
            now = found._replace(session_id=row.session, rank=row.rank)
            if self._discovery.is_changed(now, self._current(connector, now)):
                return [Work(connector, row.root, now)]
            return []
        self._discovery.vanish(connector, self._belonging(connector, row), folders)
        return []

    def _current(self, connector: Connector, found: FoundFile) -> dict[str, Stamp]:
        """The fingerprints of a file and what goes with it, where they need no work."""
        current: dict[str, Stamp] = {}
        for suffix in ("", *found.companions):
            row = self._files.find(connector.name, found.path + suffix)
            if row is not None and row.is_current and row.vanished_at is None:
                assert row.size is not None
                assert row.mtime_ns is not None
                assert row.inode is not None
                current[row.path] = (row.size, row.mtime_ns, row.inode)
        return current

    def _belonging(self, connector: Connector, row: FileRow) -> list[str]:
        """The paths that are gone with a file: the log of a database and the rows in it."""
        rows = [row, *self._files.extracts(connector.name, row.path + ROWS_MARK)]
        companion = self._files.find(connector.name, row.path + _LOG_OF_DATABASE)
        if companion is not None:
            rows.append(companion)
        return sorted(one.path for one in rows if one.vanished_at is None)

    # -- files that are found as one -------------------------------------------------------------

    def _changes_of_others(self, paths: list[str]) -> list[Work] | None:
        """What is to be done for a file that another one stands for; None when there is none."""
        work: list[Work] | None = None
        for connector in filter(None, map(self._connector, self._agents)):
            for path in paths:
                for found in self._found_with(connector, path):
                    folder = self._folder_around(connector, found.path)
                    if folder is None or isinstance(found, Unlisted):
                        continue
                    work = work or []
                    if self._discovery.is_changed(found, self._current(connector, found)):
                        work.append(Work(connector, folder, found))
        return work

    def _found_with(self, connector: AgentConnector, path: str) -> tuple[FoundFile | Unlisted, ...]:
        try:
            return connector.found_with(path)
        except JournalError as error:
            self._discovery.broken[connector.name] = error
            return ()

    def _folder_around(self, connector: Connector, path: str) -> str | None:
        for folder in map(folder_of, self._discovery.roots(connector)):
            if _is_one_below((path,), folder):
                return folder
        return None

    # -- new files -------------------------------------------------------------------------------

    def _search(self, paths: Collection[str]) -> Iterator[Work]:
        """Those of these files that agents have."""
        for connector in filter(None, map(self._connector, self._agents)):
            for root in self._discovery.roots(connector):
                folder = folder_of(root)
                if not _is_one_below(paths, root.removesuffix(DEEP), folder):
                    continue
                for found in found_files(connector, root):
                    if isinstance(found, FoundFile) and found.path in paths:
                        yield Work(connector, folder, found)


def _found_again(row: FileRow) -> Iterator[FoundFile | Unlisted]:
    """Look at a known file where it is."""
    companions: tuple[str, ...] = ()
    if row.role in ("database", "rows"):
        companions = (_LOG_OF_DATABASE,)
    for found in found_path(row.path, row.name, row.role):
        if isinstance(found, FoundFile):
            found = found._replace(companions=companions)
        yield found


def _candidates(path: str) -> list[str]:
    """The paths under which a file may be known: roots have no links, and watchers may have."""
    absolute = os.path.abspath(path)
    folder, name = os.path.split(absolute)
    real = os.path.join(os.path.realpath(folder), name)
    found = [absolute, real]
    # The log of a database stands for it
    found += [one.removesuffix(_LOG_OF_DATABASE) for one in found]
    return list(dict.fromkeys(found))


def _is_one_below(paths: Iterable[str], *folders: str) -> bool:
    beginnings = tuple(folder.rstrip(os.sep) + os.sep for folder in folders)
    return any(path.startswith(beginnings) for path in paths)
