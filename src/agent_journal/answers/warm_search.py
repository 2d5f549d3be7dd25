"""Searches while somebody types: the indexes stay open, and follow the journal as it changes.

One thread does all searches, because connections and indexes belong to the thread that opened them.
It lets go of the journal when nobody has searched for a while: a reader that stays keeps the
database from tidying up.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock, Timer
from typing import TypeVar

from agent_journal.errors import JournalBusy
from agent_journal.journal import Journal
from agent_journal.query.tree import Parsed
from agent_journal.search.finding import Found, Searcher

Result = TypeVar("Result")
_IDLE_SECONDS = 20.0
MOST_WAITING = 4


class WarmSearch:
    """Runs searches of one journal, one after the other."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._pool = ThreadPoolExecutor(1, "search")
        self._lock = Lock()
        self._waiting = 0
        self._timer: Timer | None = None
        self._journal: Journal | None = None
        self._searchers: dict[str, Searcher] = {}
        self._state: object = None

    def run(self, work: Callable[[Journal, WarmSearch], Result]) -> Result:
        """Do work that searches; JournalBusy when too many wait already."""
        with self._lock:
            if self._waiting >= MOST_WAITING:
                raise JournalBusy("too many searches at once", "try again in a moment")
            self._waiting += 1
        try:
            return self._pool.submit(self._work, work).result()
        finally:
            with self._lock:
                self._waiting -= 1

    def find(
        self, journal: Journal, parsed: Parsed, mode: str, *, limit: int, per_session: bool = True
    ) -> Found:
        """Search by words or also by meaning; nothing while there is no index."""
        from agent_journal.sync.indexes import lexical

        if not journal.exists or not lexical(journal.config).is_of(journal.db):
            return Found([], 0, "all")
        searcher = self._searcher(journal, mode)
        return searcher.find(parsed, mode, per_session=per_session, limit=limit)

    def close(self) -> None:
        """Let go of everything."""
        self._pool.submit(self._let_go).result()
        self._pool.shutdown()

    def _work(self, work: Callable[[Journal, WarmSearch], Result]) -> Result:
        if self._timer is not None:
            self._timer.cancel()
        state = _state_of(self._home)
        if self._journal is None or state != self._state:
            self._let_go()
            self._journal = Journal.open(self._home)
            self._state = state
        journal = self._journal
        try:
            return journal.with_indexes(lambda: work(journal, self))
        except BaseException:
            self._let_go()  # whatever it was, the next search starts afresh
            raise
        finally:
            self._timer = Timer(_IDLE_SECONDS, self._rest)
            self._timer.daemon = True
            self._timer.start()

    def _searcher(self, journal: Journal, mode: str) -> Searcher:
        from agent_journal.sync.indexes import lexical, vectors

        if mode not in self._searchers:
            meaning = None
            if mode != "lexical":
                meaning, _ = vectors(journal.config)
            self._searchers[mode] = Searcher(
                journal.db, lexical(journal.config), meaning, journal.session_costs
            )
        return self._searchers[mode]

    def _rest(self) -> None:
        with suppress(RuntimeError):  # it was closed meanwhile, and has let go
            self._pool.submit(self._let_go)

    def _let_go(self) -> None:
        self._searchers.clear()
        if self._journal is not None:
            self._journal.__exit__()
            self._journal = None


def _state_of(home: str) -> object:
    """What changes whenever something is written to the catalog, or a session is marked."""
    found: list[tuple[int, int, int] | None] = []
    for name in ("index/journal.db", "index/journal.db-wal", "marks.jsonl"):
        try:
            status = os.stat(os.path.join(home, name))
        except OSError:
            found.append(None)
        else:
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return found
