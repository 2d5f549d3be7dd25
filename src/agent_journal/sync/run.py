"""What changed -> keep its bytes -> read it -> store it. Never deletes what an agent once wrote.

T1 commits rows, cursors and the length of the archive together; then the indexes are brought up
from their watermark; T2 moves the watermark. After a crash at any point the next sync continues
from the last T1.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

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
from agent_journal.errors import JournalError
from agent_journal.query.tree import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files, Stamp
from agent_journal.store.catalog.items import last_item
from agent_journal.store.catalog.listing import count_sessions, known_projects
from agent_journal.store.catalog.store import mark_synced, open_writer, translated, write_lock
from agent_journal.sync.work import GONE, Progress, Work

if TYPE_CHECKING:
    from agent_journal.config.loading import Config
    from agent_journal.store.archive import Archive


class Index(Protocol):
    """Something derived from the catalog's rows that is brought up after each sync (a search index,
    a mirror).
    """

    name: str
    trouble: str  # what a person should know of it

    def reached(self, db: Connection) -> int:
        """Up to which item it has come; 0 when there is nothing to go on with, and it is made from
        the beginning.
        """

    def drop(self) -> None:
        """Removes it; the next time it is made from the beginning."""

    def catch_up(self, db: Connection, watermark: int, gone: list[int]) -> int:
        """Takes in items with ids above `watermark` and drops the `gone`; how far it came. Safe
        after a crash.
        """


class Report(NamedTuple):
    """What a sync did."""

    sessions: int
    new_sessions: int
    changed_files: int
    rewritten_files: int
    mended_parts: int
    read_bytes: int
    vanished_files: int
    problems: int
    seconds: float
    trouble: str = (
        ""  # with an index or another package's connector; sessions are kept and read all the same
    )


def with_projects(env: Env, db: Connection | None) -> Env:
    """The environment together with the folders that the journal's sessions were held in."""
    return env if db is None else env._replace(projects=known_projects(db))


def roots_of(connector: Connector, config: Config, env: Env) -> list[str]:
    """The folders of an agent: as configured, or where the agent keeps them; each once."""
    configured = config.sources(connector.name)
    if configured is None:
        paths = connector.roots(env)
    elif is_scattered(connector):
        paths = [root for path in configured for root in connector.normalize_roots(path, env)]
    else:
        paths = [connector.normalize_root(path) for path in configured]
    # A session may name any text as its folder; no folder has such a name.
    return list(dict.fromkeys(os.path.realpath(path) for path in paths if "\0" not in path))


def sync(
    config: Config,
    env: Env,
    *,
    agents: Iterable[str] | None = None,
    full: bool = False,
    wait: float = 60.0,
    progress: Callable[[Progress], None] | None = None,
    waiting: Callable[[str], None] | None = None,
    indexes: Iterable[Index] = (),
    rebuild: bool = False,
) -> Report:
    """Brings the journal up to date with the agents' folders."""
    with write_lock(config.home, wait, waiting):
        db = open_writer(config.index_path)
        try:
            with translated(os.path.join(config.index_path, "journal.db")):
                indexes = list(indexes)
                for index in indexes if rebuild else ():
                    index.drop()
                return _Sync(db, config, env, full, progress).run(
                    list(agents or connectors.NAMES), indexes
                )
        finally:
            db.close()


class _Sync:
    def __init__(
        self,
        db: Connection,
        config: Config,
        env: Env,
        full: bool,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.db = db
        self.files = Files(db)
        self.config = config
        self.env = with_projects(env, db)
        self.full = full
        self.progress = progress
        self.vanished = 0
        self.unlisted: list[tuple[str, Unlisted]] = []
        self.nameless: list[tuple[str, str]] = []
        self.broken: dict[str, JournalError] = {}  # connectors of other packages that fail

    def run(self, agents: list[str], indexes: list[Index]) -> Report:
        started = time.monotonic()
        before = self._session_count()
        self._adopt()
        work = [item for agent in agents for item in self._changes_of(agent)]
        changed = rewritten = mended = read_bytes = 0
        has_changed = bool(work)
        while work:
            from agent_journal.sync.intake import Intake  # the heavy half: archive, msgspec

            intake = Intake(self.db, self._archive(), self.full, self.progress)
            intake.run(work)
            changed, rewritten, mended = (
                changed + intake.changed,
                rewritten + intake.rewritten,
                mended + intake.mended,
            )
            read_bytes += intake.done_bytes
            work = self._changes_in_new_places(agents)
        self._finish(agents)
        if has_changed:
            from agent_journal.sync.projects import remember_projects

            remember_projects(self.db)
        catch_up(self.db, indexes)
        after = self._session_count() if has_changed else before
        (problems,) = self.db.execute("SELECT count(*) FROM problems").fetchone()
        new = max(
            0, after - before
        )  # a file that was rewritten shorter can take its session's messages away
        seconds = time.monotonic() - started
        failures = (error.message for error in self.broken.values())
        trouble = "; ".join(filter(None, (*failures, *(index.trouble for index in indexes))))
        return Report(
            after,
            new,
            changed,
            rewritten,
            mended,
            read_bytes,
            self.vanished,
            problems,
            seconds,
            trouble,
        )

    def _archive(self) -> Archive:
        from agent_journal.store.archive import Archive

        closed = [
            number for (number,) in self.db.execute("SELECT number FROM packs WHERE is_closed")
        ]
        return Archive(self.config.archive_path, closed)

    def _adopt(self) -> None:
        """Takes in what the archive holds beyond the catalog: after a crash, or when the catalog
        was lost.
        """
        known = dict(self.db.execute("SELECT number, length FROM packs"))
        try:
            names = os.listdir(self.config.archive_path)
        except FileNotFoundError:
            names = []
        packs = [name for name in names if name.endswith(".pack") and name[:-5].isdigit()]
        sizes = {
            int(name[:-5]): os.path.getsize(os.path.join(self.config.archive_path, name))
            for name in packs
        }
        if sizes != known:
            from agent_journal.sync.recovery import adopt

            adopt(self.files, self._archive())

    def _changes_in_new_places(self, agents: list[str]) -> list[Work]:
        """The files of agents that write into projects, where sessions just read told of new ones."""
        before, self.env = self.env, with_projects(self.env, self.db)
        if self.env == before:
            return []
        return [item for agent in agents for item in self._changes_of(agent, before)]

    def _changes_of(self, agent: str, before: Env | None = None) -> list[Work]:
        """The changes of one agent; with `before`, none if its folders are the same as they were
        then.
        """
        if agent in connectors.BUILT_IN:
            return self._changes(get_connector(agent), before)
        from agent_journal.connectors.foreign import BrokenConnector

        try:
            return self._changes(get_connector(agent), before)
        except BrokenConnector as error:
            self.broken[agent] = error
            return []

    def _changes(self, connector: Connector, before: Env | None = None) -> list[Work]:
        """The files of an agent that are new, changed or not read to the end."""
        roots = roots_of(connector, self.config, self.env)
        if before is not None and roots == roots_of(connector, self.config, before):
            return []
        self.files.invalidate_old(connector.name, connector.version)
        folders = list(map(folder_of, roots))
        # What is found is taken out: what stays is gone
        current = self.files.current(connector.name, folders)
        outdated = self.files.all("agent = ? AND is_current = 0", connector.name)
        seen: set[str] = set()
        work: list[Work] = []
        for root, folder in zip(roots, folders, strict=True):
            for found in found_files(
                connector, root, partial(self.broken.setdefault, connector.name)
            ):
                # The way of nearly every file of nearly every sync, hence by position: path, stamp,
                # companions.
                is_same = current.pop(found[0], None) == found[3:6] and not self.full
                if is_same and not found[-1]:
                    continue
                if isinstance(found, Unlisted):
                    self.unlisted.append((connector.name, found))
                    continue
                if not is_text(found.path):
                    self.nameless.append(
                        (connector.name, found.path.encode("utf-8", "backslashreplace").decode())
                    )
                    continue
                seen.add(found.path)
                if found.companions and self._is_companion_changed(found, current):
                    self.db.execute("UPDATE files SET is_current = 0 WHERE path = ?", (found.path,))
                    is_same = False
                if not is_same:
                    work.append(Work(connector, folder, found))
        lost = [row for row in outdated if row.path not in seen]
        work += [
            _from_archive(connector, row)
            for row in lost
            if row.version_id and row.role != "companion"
        ]
        # Rows of a database are never found by themselves: they go when it goes.
        absent = {*current, *(row.path for row in lost)}
        missing = [*current, *(row.path for row in lost if row.vanished_at is None)]
        gone = [
            path
            for path in missing
            if ROWS_MARK not in path or path.rpartition(ROWS_MARK)[0] in absent
        ]
        self._mark_vanished(connector.name, sorted(gone), folders)
        return work

    def _is_companion_changed(self, found: FoundFile, current: dict[str, Stamp]) -> bool:
        """Whether the -wal of a database came, went or changed: the database is then read anew with
        it.
        """
        changed = False
        for suffix in found.companions:
            path = found.path + suffix
            before = current.pop(path, None)
            try:
                now = stamp(os.stat(path))
            except OSError:
                # Intake marks it vanished, together with reading the database without it
                now = None
            changed = changed or before != now
        return changed

    def _mark_vanished(self, agent: str, gone: list[str], roots: list[str]) -> None:
        # What lies below a folder that could not be listed may well be there, and so may what lies
        # in a folder that the settings no longer name.
        blind = tuple(place.path + os.sep for _, place in self.unlisted)
        rows = [
            self.files.find(agent, path) for path in gone if not (path + os.sep).startswith(blind)
        ]
        ids = [row.id for row in rows if row is not None and row.root in roots]
        self.files.mark_vanished(ids)
        self.vanished += len(ids)

    def _finish(self, agents: list[str]) -> None:
        marks = ", ".join("?" * len(agents))
        old = f"FROM problems WHERE file_id IS NULL AND agent IN ({marks})"
        is_news = bool(self.unlisted or self.nameless or self.broken)
        if is_news or self.db.execute(f"SELECT 1 {old} LIMIT 1", agents).fetchone():
            self.db.execute("BEGIN IMMEDIATE")
            self.db.execute(f"DELETE {old}", agents)
            places = [
                (place.path, agent, f"cannot be listed: {place.reason}")
                for agent, place in self.unlisted
            ]
            places += [
                (path, agent, "not kept: its name is not UTF-8, rename it")
                for agent, path in self.nameless
            ]
            places = list(dict.fromkeys(places))  # a folder may have been looked at twice
            self.db.executemany(
                "INSERT INTO problems VALUES (NULL, NULL, ?, ?, NULL, 'folder', ?)", places
            )
            told = {agent for agent, _ in self.unlisted}
            failures = [
                (agent, agent, error.message)
                for agent, error in self.broken.items()
                if agent not in told
            ]
            self.db.executemany(
                "INSERT INTO problems VALUES (NULL, NULL, ?, ?, NULL, 'connector', ?)", failures
            )
            self.db.execute("COMMIT")
        mark_synced(self.config.index_path)

    def _session_count(self) -> int:
        return count_sessions(self.db, Query())


def found_files(
    connector: Connector, root: str, failed: Callable[[JournalError], object] | None = None
) -> Iterator[FoundFile | Unlisted]:
    """What a connector finds; what stops it is one more thing that could not be listed."""
    try:
        yield from connector.discover(root)
    except OSError as error:
        yield Unlisted(root, error.strerror or str(error))
    except JournalError as error:  # a connector of another package
        if failed is not None:
            failed(error)
        yield Unlisted(root, error.message)


def is_text(path: str) -> bool:
    """Whether a path can be written down; names that are no UTF-8 cannot."""
    if path.isascii():
        return True
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _from_archive(connector: Connector, row: FileRow) -> Work:
    """A file that is gone from disk but kept and not read yet (by this version of the reader)."""
    found = FoundFile(row.path, row.name, row.role, GONE, 0, 0, row.session, row.rank)
    return Work(connector, row.root, found)


def catch_up_indexes(config: Config, indexes: Iterable[Index], wait: float = 60.0) -> None:
    """Brings the indexes up without looking for new sessions."""
    with write_lock(config.home, wait):
        db = open_writer(config.index_path)
        try:
            with translated(os.path.join(config.index_path, "journal.db")):
                catch_up(db, indexes)
        finally:
            db.close()


def catch_up(db: Connection, indexes: Iterable[Index]) -> None:
    """Brings each index up from its watermark, then moves the watermark: repeating it does no harm."""
    indexes = list(indexes)
    gone = (
        [item_id for (item_id,) in db.execute("SELECT item_id FROM tombstones ORDER BY 1")]
        if indexes
        else []
    )
    for index in indexes:
        watermark = index.reached(db)
        if last_item(db) == watermark and not gone:
            continue
        reached = index.catch_up(db, watermark, gone)
        db.execute("INSERT OR REPLACE INTO watermarks VALUES (?, ?)", (index.name, reached))
    if gone:
        db.execute("DELETE FROM tombstones")
