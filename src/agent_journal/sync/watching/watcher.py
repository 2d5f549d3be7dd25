"""The watcher: has what agents write read, a moment after they wrote it.

One process watches a journal. Others wait until it ends and take its place; what it reads they see
in the catalog. Everything that happens comes through one inbox, so all work is done by one thread.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Literal, NamedTuple

from agent_journal.connectors.base import is_scattered
from agent_journal.errors import JournalError
from agent_journal.sync.discovery import with_projects
from agent_journal.sync.indexes import all_indexes, catch_up_indexes
from agent_journal.sync.run import sync
from agent_journal.sync.watching.budget import Budget
from agent_journal.sync.watching.change_events import ChangeEvents, files_below
from agent_journal.sync.watching.following import Follower
from agent_journal.sync.watching.holder import WatchLock, find_holder
from agent_journal.sync.watching.pace import COST_FACTOR, Pending
from agent_journal.sync.watching.places import Places, find_places
from agent_journal.sync.watching.polling import Polling
from agent_journal.text.human import plural

if TYPE_CHECKING:
    from agent_journal.config.loading import Config
    from agent_journal.connectors.base import Env
    from agent_journal.sync.report import Report
    from agent_journal.sync.work import Progress

LOOK_AROUND = 300.0  # seconds between two looks at everything, in case something was not reported
_INDEX_EVERY = 5.0  # seconds
_INDEX_REST = 1.0  # seconds after the last file was read
_FOLLOW_EVERY = 0.5  # seconds between two looks at what another process reads
_PLACES_EVERY = 10.0  # seconds between two looks for folders that did not exist
_LONGEST_PAUSE = 60.0
_WAIT = 5.0  # seconds for another process that writes
_MOST_BELOW = 1_000  # files of a new folder that are named one by one
_MOST_IGNORED = 20_000
_LEAST_RETRY, _MOST_RETRY = 2.0, 300.0  # seconds after a look around that failed


class Notice(NamedTuple):
    """Something that the program around the watcher may show."""

    kind: Literal["watching", "waiting", "polling", "syncing", "synced", "slower", "failed"]
    text: str = ""
    progress: Progress | None = None
    report: Report | None = None
    is_asked_for: bool = False  # by `sync_now`


class _Message(NamedTuple):
    """What came into the inbox."""

    kind: Literal["changed", "unavailable", "sync", "stop"]
    paths: frozenset[str] = frozenset()
    text: str = ""


class Watcher:
    """Watches the agents of one journal until it is stopped."""

    def __init__(
        self,
        config: Config,
        env: Env,
        program: str,
        tell: Callable[[Notice], None],
        *,
        must_poll: bool = False,
    ) -> None:
        self._config = config
        self._env = env
        self._tell = tell
        self._lock = WatchLock(config.home, program)
        self._inbox: SimpleQueue[_Message] = SimpleQueue()
        self._pending = Pending()
        self._events: ChangeEvents | None = None
        self._polling = Polling(())
        self._places = Places((), (), ())
        self._why_polled = ""
        if must_poll:
            self._why_polled = "as asked for"
        self._budget: Budget | None = None
        self._ignored: dict[str, None] = {}
        self._index_at: float | None = None
        self._indexed_at = 0.0
        self._look_at = 0.0
        self._places_at = 0.0
        self._retry = _LEAST_RETRY
        self._is_first_report = True  # of the thread that listens
        self._is_stopped = False

    # -- from other threads ---------------------------------------------------------------------

    def stop(self) -> None:
        """Have `run` return, after what it is doing."""
        self._inbox.put(_Message("stop"))

    def sync_now(self) -> None:
        """Have it look at everything."""
        self._inbox.put(_Message("sync"))

    # -- the loop -------------------------------------------------------------------------------

    def run(self) -> None:
        """Watch until `stop` is called."""
        try:
            while not self._is_stopped:
                if not self._lock.is_held:
                    self._await_lock()
                else:
                    self._turn()
        finally:
            self._end()

    def _await_lock(self) -> None:
        """Follow what another process reads, until it ends."""
        if self._lock.acquire():
            self._begin()
            return
        holder = find_holder(self._config.home)
        name = "another process"
        if holder is not None:
            name = f"{holder.program} (process {holder.pid})"
        self._tell(Notice("waiting", f"{name} watches this journal"))
        follower = Follower(self._config)
        follower.has_changed()
        while not self._is_stopped and not self._lock.acquire():
            self._receive(_FOLLOW_EVERY)
            if follower.has_changed():
                self._tell(Notice("synced"))
        follower.close()
        if not self._is_stopped:
            self._begin()

    def _begin(self) -> None:
        """Start to listen before the first look, so that nothing falls in between."""
        self._find_places()
        self._look_around()
        self._tell(Notice("watching", self._description()))

    def _turn(self) -> None:
        self._receive(self._pause())
        now = time.monotonic()
        for path in self._polling.look():
            self._pending.add(path, now)
        due = self._pending.take_due(now)
        if due:
            self._read(due)
        if self._index_at is not None and time.monotonic() >= self._index_at:
            self._index()
        if time.monotonic() >= self._look_at:
            self._look_around()
        if time.monotonic() >= self._places_at:
            self._look_for_places()
        self._keep_budget()

    def _pause(self) -> float:
        """Seconds until there is something to do."""
        times = (
            self._pending.next_due(),
            self._polling.next_look(),
            self._index_at,
            self._look_at,
            self._places_at,
        )
        soonest = min(when for when in times if when is not None)
        return min(_LONGEST_PAUSE, max(0.0, soonest - time.monotonic()))

    def _receive(self, seconds: float) -> None:
        """Take what is in the inbox, or wait for something to come."""
        try:
            message = self._inbox.get(timeout=seconds)
            while True:
                self._take(message)
                message = self._inbox.get_nowait()
        except Empty:
            pass

    def _take(self, message: _Message) -> None:
        if message.kind == "stop":
            self._is_stopped = True
        elif message.kind == "sync":
            self._look_around(is_asked_for=True)
        elif message.kind == "unavailable":
            self._poll_instead(message.text)
        else:
            self._note(message.paths)

    def _note(self, paths: frozenset[str]) -> None:
        if self._is_first_report:  # what was written before it listened was not reported
            self._is_first_report = False
            self._look_at = time.monotonic()
        now = time.monotonic()
        own = self._config.home.rstrip(os.sep) + os.sep
        for path in paths:
            if path in self._ignored or path.startswith(own):
                continue
            if not os.path.isdir(path):
                self._pending.add(path, now)
                continue
            below = files_below(path, _MOST_BELOW)
            if below is None:
                self._look_at = now
            for file in below or ():
                self._pending.add(file, now)

    # -- places ---------------------------------------------------------------------------------

    def _find_places(self) -> None:
        """Listen to the folders that there are now."""
        from agent_journal.store.catalog.store import open_reader

        env = self._env
        db = open_reader(self._config.index_path, self._config.marks_path)
        if db is not None:
            env = with_projects(env, db)
            db.close()
        places = find_places(self._config, env, self._why_polled)
        if places.polled != self._places.polled:
            self._polling = Polling(places.polled)
            self._polling.slowness = self._pending.slowness
            self._polling.look()
        if places.with_events != self._places.with_events:
            self._stop_events()
            if places.with_events:
                self._is_first_report = True
                self._events = ChangeEvents(
                    places.with_events, self._put_changed, self._put_unavailable
                )
        if places.why_polled and places.why_polled != self._places.why_polled:
            self._tell(Notice("polling", f"looking for changes now and then: {places.why_polled}"))
        self._places = places
        self._places_at = time.monotonic() + _PLACES_EVERY
        self._describe()

    def _put_changed(self, paths: set[str]) -> None:
        if paths or self._is_first_report:
            self._inbox.put(_Message("changed", frozenset(paths)))

    def _put_unavailable(self, reason: str) -> None:
        self._inbox.put(_Message("unavailable", text=reason))

    def _poll_instead(self, reason: str) -> None:
        self._why_polled = reason
        self._find_places()
        self._look_at = time.monotonic()

    def _look_for_places(self) -> None:
        self._places_at = time.monotonic() + _PLACES_EVERY
        if any(os.path.isdir(path) for path in self._places.missing):
            self._find_places()
            self._look_at = time.monotonic()

    def _description(self) -> str:
        agents = {*self._places.with_events}
        projects = set()
        for root in self._places.polled:
            if is_scattered(root.connector):
                projects.add(root.path)
            else:
                agents.add(root.path)
        if not agents:
            return "for agents: none of their folders exists yet"
        text = f"{plural(len(agents), 'folder')} of agents"
        if projects:
            text += f", {len(projects)} of projects"
        return text

    def _stop_events(self) -> None:
        if self._events is not None:
            self._events.close()
            self._events = None

    # -- reading --------------------------------------------------------------------------------

    def _look_around(self, is_asked_for: bool = False) -> None:
        """Read everything that is new, reported or not."""
        self._ignored.clear()
        started = time.process_time()
        try:
            report = sync(
                self._config,
                self._env,
                wait=_WAIT,
                progress=lambda done: self._tell(Notice("syncing", done.phase, done)),
                find_indexes=partial(all_indexes, self._config),
            )
        except JournalError as error:
            self._look_at = time.monotonic() + self._retry
            self._retry = min(_MOST_RETRY, 2 * self._retry)
            self._tell(Notice("failed", error.message, is_asked_for=is_asked_for))
            return
        self._retry = _LEAST_RETRY
        self._index_at = None
        now = time.monotonic()
        cost = time.process_time() - started
        self._look_at = now + LOOK_AROUND * self._pending.slowness
        if report.unfinished_files:
            self._look_at = now + COST_FACTOR * cost
        self._tell(Notice("synced", report=report, is_asked_for=is_asked_for))
        if self._lock.is_held:
            self._find_places()

    def _read(self, paths: list[str]) -> None:
        """Read files that were written."""
        started = time.process_time()
        try:
            report = sync(
                self._config,
                self._env,
                files=paths,
                wait=_WAIT,
                file_seconds=10.0,
                skip_unknown=True,
            )
        except JournalError as error:
            wait = self._pending.fail(paths, time.monotonic())
            self._tell(Notice("failed", f"{error.message}; trying again in {wait:.0f} s"))
            return
        now = time.monotonic()
        if report.unfinished_files:
            self._pending.fail(paths, now)
        else:
            self._pending.succeed(paths, now, time.process_time() - started)
        for path in report.unknown_files:
            self._ignore(path)
        if report.changed_files or report.vanished_files:
            pause = _INDEX_EVERY * self._pending.slowness
            self._index_at = max(now + _INDEX_REST, self._indexed_at + pause)
            self._tell(Notice("synced", report=report))

    def _ignore(self, path: str) -> None:
        if os.path.exists(path):  # the names of temporary files do not come again
            self._ignored[path] = None
        while len(self._ignored) > _MOST_IGNORED:
            del self._ignored[next(iter(self._ignored))]

    def _index(self) -> None:
        """Have words and meaning of what was read found."""
        self._index_at = None
        started = time.process_time()
        try:
            catch_up_indexes(self._config, _WAIT)
        except JournalError as error:
            self._tell(Notice("failed", error.message))
        cost = time.process_time() - started
        self._indexed_at = time.monotonic() + COST_FACTOR * cost

    # -- the budget -----------------------------------------------------------------------------

    def _keep_budget(self) -> None:
        now, used = time.monotonic(), time.process_time()
        if self._budget is None:  # the first sync does not count
            self._budget = Budget(now, used)
        if self._budget.look(now, used):
            self._pending.forget_old(now)
            self._pending.slowness = self._polling.slowness = self._budget.slowness
            self._describe()
            share = f"{100 * self._budget.share:.1f} % of a core"
            self._tell(Notice("slower", f"watching took {share}: pace 1/{self._budget.slowness}"))

    def _describe(self) -> None:
        share = 0.0
        if self._budget is not None:
            share = self._budget.share
        self._lock.describe(self._places.why_polled, self._pending.slowness, share)

    def _end(self) -> None:
        self._stop_events()
        self._lock.release()
