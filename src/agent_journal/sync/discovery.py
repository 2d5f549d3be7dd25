"""Which files of the agents are new, changed, gone, or not read to the end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from agent_journal import connectors
from agent_journal.connectors import get_connector
from agent_journal.connectors.base import (
    ROWS_MARK,
    Connector,
    Env,
    FoundFile,
    Unlisted,
    folder_of,
    is_scattered,
    stamp,
)
from agent_journal.connectors.homes import is_absent, is_missing
from agent_journal.errors import JournalError
from agent_journal.store.catalog.connection import Connection, transaction
from agent_journal.store.catalog.files import FileRow, Files, Stamp
from agent_journal.store.catalog.ledger import (
    PlaceProblem,
    has_place_problems,
    replace_place_problems,
)
from agent_journal.store.catalog.listing import known_projects
from agent_journal.sync.proofs import Proofs
from agent_journal.sync.work import Work, from_archive

if TYPE_CHECKING:
    from agent_journal.config.loading import Config


def with_projects(env: Env, db: Connection | None) -> Env:
    """The environment together with the folders that the journal's sessions were held in.

    Folders of kept files are among them where an agent writes into the users' own: a session that
    two folders have names only one of them, and the other may get new ones all the same.
    """
    if db is None:
        return env
    folders = {*known_projects(db), *_folders_of_kept_files(Files(db))}
    return env._replace(projects=tuple(sorted(folders)))


def _folders_of_kept_files(files: Files) -> Iterator[str]:
    for agent in files.agents():
        if _is_scattered_agent(agent):
            yield from (os.path.dirname(path) for path in files.paths_of(agent))


def _is_scattered_agent(agent: str) -> bool:
    try:
        return is_scattered(get_connector(agent))
    except (KeyError, JournalError):  # of another package that is not there, or broken
        return False


def roots_of(connector: Connector, config: Config, env: Env) -> list[str]:
    """The folders of an agent: as configured, or where the agent keeps them; each once."""
    return _resolved(_places_of(connector, config, env))


def _resolved(paths: list[str]) -> list[str]:
    return list(dict.fromkeys(os.path.realpath(path) for path in paths))


def _places_of(connector: Connector, config: Config, env: Env) -> list[str]:
    """The folders of an agent as they are named, which may be links."""
    configured = config.sources(connector.name)
    if configured is None:
        paths = connector.roots(env)
    elif is_scattered(connector):
        paths = [root for path in configured for root in connector.normalize_roots(path, env)]
    else:
        paths = [connector.normalize_root(path) for path in configured]
    # A session may name any text as its folder; no folder has such a name.
    return [path for path in paths if "\0" not in path]


def found_files(
    connector: Connector, root: str, failed: Callable[[JournalError], object] | None = None
) -> Iterator[FoundFile | Unlisted]:
    """What a connector finds; an error that stops it is one more place that cannot be listed."""
    try:
        yield from connector.discover(root)
    except OSError as error:
        yield Unlisted(root, error.strerror or str(error))
    except JournalError as error:  # a connector of another package
        if failed is not None:
            failed(error)
        yield Unlisted(root, error.message)


def is_text(path: str) -> bool:
    """Whether a path can be written down; names that are not UTF-8 cannot."""
    if path.isascii():
        return True
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


class Discovery:
    """Looks for changes in the folders of the agents, and remembers what could not be seen."""

    def __init__(self, files: Files, config: Config, env: Env, full: bool) -> None:
        self._files = files
        self._config = config
        self._env = with_projects(env, files.db)
        self._full = full
        self._unlisted: list[tuple[str, Unlisted]] = []
        self._nameless: list[tuple[str, str]] = []
        self.broken: dict[str, JournalError] = {}  # connectors of other packages that fail
        self.vanished = 0
        self._agents: set[str] | None = None
        self._proofs = Proofs(files.db)

    def changes(self, agents: list[str], tell: Callable[[float], None] | None = None) -> list[Work]:
        """The files of these agents that are new, changed or not read to the end."""
        work: list[Work] = []
        for number, agent in enumerate(agents):
            if tell is not None:
                tell(number / len(agents))
            work += self._changes_of(agent)
        return work

    def roots(self, connector: Connector) -> list[str]:
        """Where an agent's files are looked for."""
        return roots_of(connector, self._config, self._env)

    def changes_in_new_places(self, agents: list[str]) -> list[Work]:
        """The changes in folders that are known only since the last sessions were read."""
        before = self._env
        self._env = with_projects(before, self._files.db)
        if self._env == before:
            return []
        work: list[Work] = []
        for agent in agents:
            work += self._changes_of(agent, before)
        return work

    def _changes_of(self, agent: str, before: Env | None = None) -> list[Work]:
        """The changes of an agent; with `before`, none if its folders are what they were then."""
        if agent in connectors.BUILT_IN:
            if self._was_never_here(agent):
                return []
            return self._changes_with(get_connector(agent), before)
        from agent_journal.connectors.foreign import BrokenConnector

        try:
            return self._changes_with(get_connector(agent), before)
        except BrokenConnector as error:
            self.broken[agent] = error
            return []

    def _was_never_here(self, agent: str) -> bool:
        """Whether an agent has no folder and no kept file, where no import is needed to say so."""
        if agent in self._known_agents() or self._config.sources(agent) is not None:
            return False
        return is_absent(agent, self._env)

    def _changes_with(self, connector: Connector, before: Env | None) -> list[Work]:
        places = _places_of(connector, self._config, self._env)
        if connector.name not in self._known_agents() and _are_missing(places):
            return []  # an agent that was never here costs next to nothing: no link is followed
        roots = _resolved(places)
        if before is not None and roots == roots_of(connector, self._config, before):
            return []
        folders = [folder_of(root) for root in roots]
        self._files.invalidate_old(connector.name, connector.version)
        # What is found is removed from these: what remains is gone
        current = self._files.current(connector.name, folders)
        self._proofs.schedule(connector.name, current)
        outdated = {row.path: row for row in self._files.outdated(connector.name)}
        work: list[Work] = []
        for root, folder in zip(roots, folders, strict=True):
            for found in self._changed_files(connector, root, current):
                outdated.pop(found.path, None)
                if self.is_changed(found, current):
                    work.append(Work(connector, folder, found))
        if self._full:
            again = self._imported_again(connector, {item.found.path for item in work})
            work += again
            for item in again:
                outdated.pop(item.found.path, None)
                current.pop(item.found.path, None)
        gone = list(outdated.values())
        for row in gone:
            if _is_readable(row):
                version = self._files.version(row.version_id)
                work.append(from_archive(connector, row, version.size if version else 0))
        self.vanish(connector, _vanished_paths(current, gone), folders)
        return work

    def _known_agents(self) -> set[str]:
        """The agents with files in the catalog when this began."""
        if self._agents is None:
            self._agents = set(self._files.agents())
        return self._agents

    def vanish(self, connector: Connector, paths: list[str], folders: list[str]) -> None:
        """Mark files that are gone."""
        self._mark_vanished(connector.name, paths, folders)

    def _imported_again(self, connector: Connector, found: set[str]) -> list[Work]:
        from agent_journal.sync.imported_again import imported_again

        return imported_again(self._files, connector, found)

    def _changed_files(
        self, connector: Connector, root: str, current: dict[str, Stamp]
    ) -> Iterator[FoundFile]:
        """The files below a root that are not known to be unchanged."""

        def failed(error: JournalError) -> None:
            self.broken.setdefault(connector.name, error)

        for found in found_files(connector, root, failed):
            if isinstance(found, Unlisted):
                current.pop(found.path, None)
                self._unlisted.append((connector.name, found))
                continue
            # The way of nearly every file of nearly every sync
            path, _, _, size, mtime_ns, inode, _, _, companions = found
            is_same = current.get(path) == (size, mtime_ns, inode)
            if is_same and not companions and not self._full:
                del current[path]
                continue
            if not is_text(found.path):
                current.pop(found.path, None)
                printable = os.fsencode(found.path).decode("utf-8", "backslashreplace")
                self._nameless.append((connector.name, printable))
                continue
            yield found

    def is_changed(self, found: FoundFile, current: dict[str, Stamp]) -> bool:
        """Whether a file is not as it was when it was read; `current` loses its entries."""
        known = current.pop(found.path, None)
        if found.companions and _is_companion_changed(found, current):
            self._files.invalidate(found.path)
            return True
        return self._full or known != (found.size, found.mtime_ns, found.inode)

    def _mark_vanished(self, agent: str, paths: list[str], folders: list[str]) -> None:
        # A file below a folder that could not be listed may well exist, and so may one in a folder
        # that the settings no longer name.
        unseen = tuple(place.path + os.sep for _, place in self._unlisted)
        rows = [
            self._files.find(agent, path)
            for path in paths
            if not (path + os.sep).startswith(unseen)
        ]
        gone = [row for row in rows if row is not None and row.root in folders]
        gone = [row for row in gone if not _is_imported(row)]
        self._files.mark_vanished([row.id for row in gone])
        self.vanished += sum(row.role not in ("rows", "companion") for row in gone)

    # -- problems ------------------------------------------------------------------------------

    def save_problems(self, agents: list[str]) -> None:
        """Record what could not be listed, in place of what could not be the last time."""
        has_news = bool(self._unlisted or self._nameless or self.broken)
        if has_news or has_place_problems(self._files.db, agents):
            with transaction(self._files.db):
                replace_place_problems(self._files.db, agents, self._problems())

    def _problems(self) -> list[PlaceProblem]:
        problems = [
            PlaceProblem(place.path, agent, "folder", f"cannot be listed: {place.reason}")
            for agent, place in self._unlisted
        ]
        problems += [
            PlaceProblem(path, agent, "folder", "not kept: its name is not UTF-8, rename it")
            for agent, path in self._nameless
        ]
        listed = {agent for agent, _ in self._unlisted}
        problems += [
            PlaceProblem(agent, agent, "connector", error.message)
            for agent, error in self.broken.items()
            if agent not in listed
        ]
        return list(dict.fromkeys(problems))  # a folder may have been looked at twice


def _are_missing(places: list[str]) -> bool:
    return all(is_missing(folder_of(place)) for place in places)


def _is_readable(row: FileRow) -> bool:
    """Whether a file that is gone from disk can be read from the archive."""
    return row.version_id is not None and row.role != "companion"


def _is_imported(row: FileRow) -> bool:
    """Whether a file was imported and still exists: no connector finds it."""
    if row.role == "log":  # by any name, beside files that are found
        return os.path.isfile(row.path)
    return row.role == "export" and os.path.lexists(row.path)


def _is_companion_changed(found: FoundFile, current: dict[str, Stamp]) -> bool:
    """Whether the -wal of a database came, went or changed: the database is then read again."""
    is_changed = False
    for suffix in found.companions:
        path = found.path + suffix
        before = current.pop(path, None)
        try:
            now = stamp(os.stat(path))
        except OSError:
            # Intake marks it vanished, together with reading the database without it
            now = None
        if before != now:
            is_changed = True
    return is_changed


def _vanished_paths(current: dict[str, Stamp], gone: list[FileRow]) -> list[str]:
    """The paths that were there the last time and are not any more."""
    absent = {*current, *(row.path for row in gone)}
    missing = [*current, *(row.path for row in gone if row.vanished_at is None)]
    return sorted(path for path in missing if _owner(path) in absent)


def _owner(path: str) -> str:
    """The file that a path goes with: rows of a database are never found without it."""
    if ROWS_MARK not in path:
        return path
    return path.rpartition(ROWS_MARK)[0]
