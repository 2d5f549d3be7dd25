"""Work in a thread of which only the newest request counts: what somebody typed before is dropped.

The thread has a journal of its own that stays open, see `WarmSearch`. What it imports is imported
when the first request comes, after the first picture.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any

from agent_journal.journal import Journal

if TYPE_CHECKING:
    from agent_journal.answers.warm_search import WarmSearch

Work = Callable[[Journal, "WarmSearch"], Any]
Done = Callable[[Any], None]
Failed = Callable[[Exception], None]
Deliver = Callable[..., None]  # calls a function with arguments in the thread of the screen


class Newest:
    """Runs requests one after the other, and skips those that a newer one has replaced."""

    def __init__(self, home: str, deliver: Deliver, failed: Failed) -> None:
        self._home = home
        self._deliver = deliver
        self._failed = failed
        self._news = Condition()
        self._wanted: tuple[Work, Done] | None = None
        self._asked = 0  # how often
        self._is_closed = False
        self._thread: Thread | None = None

    def ask(self, work: Work, done: Done) -> None:
        """Have work done; `done` gets its result, unless something newer was asked for."""
        with self._news:
            self._wanted = (work, done)
            self._asked += 1
            if self._thread is None:
                self._thread = Thread(target=self._run, daemon=True)
                self._thread.start()
            self._news.notify()

    def forget(self) -> None:
        """Drop what was asked for last."""
        with self._news:
            self._wanted = None
            self._asked += 1

    def close(self) -> None:
        """End the thread when it has done what it is doing."""
        with self._news:
            self._is_closed = True
            self._news.notify()

    def _run(self) -> None:
        from agent_journal.answers.warm_search import WarmSearch

        search = WarmSearch(self._home)
        while True:
            with self._news:
                while self._wanted is None and not self._is_closed:
                    self._news.wait()
                if self._is_closed or self._wanted is None:
                    break
                (work, done), number = self._wanted, self._asked
                self._wanted = None
            self._work(search, work, done, number)
        with suppress(RuntimeError):  # the interpreter is ending
            search.close()

    def _work(self, search: WarmSearch, work: Work, done: Done, number: int) -> None:
        try:
            result = search.run(work)
        except Exception as error:  # whatever it is, the screen says so and goes on
            self._deliver(self._failed, error)
            return
        with self._news:
            is_newest = number == self._asked
        if not is_newest or self._is_closed:
            return
        try:
            self._deliver(done, result)
        except Exception as error:  # else nothing would be answered any more
            self._deliver(self._failed, error)
