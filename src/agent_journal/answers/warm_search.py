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
from threading import Timer
from typing import TypeVar

from agent_journal.answers.turns import Turns
from agent_journal.config.loading import Config
from agent_journal.journal import Journal
from agent_journal.query.tree import Node, Parsed
from agent_journal.search.finding import Found, Searcher
from agent_journal.store.catalog.store import DB_NAME

Result = TypeVar("Result")
_IDLE_SECONDS = 20.0
MOST_SEARCHES = 4  # that run or wait


class WarmSearch:
    """Runs searches of one journal, one after the other."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._pool = ThreadPoolExecutor(1, "search")
        self._turns = Turns(MOST_SEARCHES, "searches")
        self._timer: Timer | None = None
        self._journal: Journal | None = None
        self._searchers: dict[str, Searcher] = {}
        self._searched: object = None  # the connection that they have
        self._state: object = None

    def run(self, work: Callable[[Journal, WarmSearch], Result]) -> Result:
        """Do work that searches; JournalBusy when too many wait already."""
        with self._turns.take():
            return self._pool.submit(self._work, work).result()

    def find(
        self, journal: Journal, parsed: Parsed, mode: str, *, limit: int, per_session: bool = True
    ) -> Found:
        """Search by words or also by meaning; nothing while there is no index."""
        if not self.is_ready(journal):
            return Found([], 0, "all")
        searcher = self._searcher(journal, mode)
        return searcher.find(parsed, mode, per_session=per_session, limit=limit)

    def begins_most(self, journal: Journal, beginning: str) -> bool:
        """Whether most texts have a word that begins so, and hardly any has this word itself."""
        if not self.is_ready(journal):
            return False
        return self._searcher(journal, "lexical").begins_most(beginning)

    def sessions(self, journal: Journal, tree: Node) -> set[int]:
        """The rows of all sessions with something that meets a query."""
        return self._searcher(journal, "lexical").sessions(tree)

    def sessions_having(self, journal: Journal, content: str) -> list[int]:
        """The rows of the sessions with what `has:` asks for."""
        return self._searcher(journal, "lexical").sessions_having(content)

    def is_ready(self, journal: Journal) -> bool:
        """Whether there is an index of words."""
        from agent_journal.sync.indexes import lexical

        return journal.exists and lexical(journal.config).is_of(journal.db)

    def close(self) -> None:
        """Let go of everything; a search that runs is not waited for."""
        self._pool.submit(self._let_go)
        if self._timer is not None:
            self._timer.cancel()
        self._pool.shutdown(wait=False)

    def _work(self, work: Callable[[Journal, WarmSearch], Result]) -> Result:
        if self._timer is not None:
            self._timer.cancel()
        fresh = Journal.open(self._home)
        state = state_of(fresh.config)
        if self._journal is None or state != self._state:
            self._let_go()
            self._journal = fresh
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

        if self._searched is not journal.db:  # the catalog was rebuilt during a search
            self._searchers.clear()
            self._searched = journal.db
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
        self._searched = None
        if self._journal is not None:
            self._journal.__exit__()
            self._journal = None


def state_of(config: Config) -> object:
    """What changes with the catalog, with marks, and with the settings: they hide projects."""
    catalog = os.path.join(config.index_path, DB_NAME)
    found: list[tuple[int, int, int] | None] = []
    for path in (catalog, f"{catalog}-wal", config.marks_path, config.config_path):
        try:
            status = os.stat(path)
        except OSError:
            found.append(None)
        else:
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return found
