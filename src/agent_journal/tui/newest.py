"""Work in a thread: questions of which only the newest counts, and changes that are all made.

A thread has a journal of its own that stays open, see `WarmSearch`. What it imports is imported
when the first request comes, after the first picture.
"""

from __future__ import annotations

from collections import deque
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

    _finishes = False  # whether what was asked for is done although the thread was closed

    def __init__(self, home: str, deliver: Deliver, failed: Failed) -> None:
        self._home = home
        self._deliver = deliver
        self._failed = failed
        self._news = Condition()
        self._waiting: deque[tuple[Work, Done, int]] = deque()
        self._asked = 0  # how often
        self._is_closed = False
        self._thread: Thread | None = None

    def ask(self, work: Work, done: Done) -> None:
        """Have work done; `done` gets its result, unless something newer was asked for."""
        with self._news:
            self._waiting.clear()
            self._add(work, done)

    def forget(self) -> None:
        """Drop what was asked for last."""
        with self._news:
            self._waiting.clear()
            self._asked += 1

    def close(self) -> None:
        """End the thread when it has done what it is doing."""
        with self._news:
            self._is_closed = True
            self._news.notify()

    def _add(self, work: Work, done: Done) -> None:
        self._asked += 1
        self._waiting.append((work, done, self._asked))
        if self._thread is None:
            self._thread = Thread(target=self._run, daemon=True)
            self._thread.start()
        self._news.notify()

    def _is_wanted(self, number: int) -> bool:
        """Whether anybody still waits for the result of a request."""
        return number == self._asked

    def _run(self) -> None:
        from agent_journal.answers.warm_search import WarmSearch

        search = WarmSearch(self._home)
        while True:
            with self._news:
                while not self._waiting and not self._is_closed:
                    self._news.wait()
                is_left = self._is_closed and not self._finishes
                if is_left or not self._waiting:
                    break
                work, done, number = self._waiting.popleft()
            self._work(search, work, done, number)
        with suppress(RuntimeError):  # the interpreter is ending
            search.close()

    def _work(self, search: WarmSearch, work: Work, done: Done, number: int) -> None:
        try:
            result = search.run(work)
        except Exception as error:  # whatever it is, the screen says so and goes on
            if not self._is_closed:
                self._deliver(self._failed, error)
            return
        with self._news:
            is_wanted = self._is_wanted(number)
        if not is_wanted or self._is_closed:
            return
        try:
            self._deliver(done, result)
        except Exception as error:  # else nothing would be answered any more
            self._deliver(self._failed, error)


class InOrder(Newest):
    """Runs every request, in the order of asking: none replaces another, and leaving drops none."""

    _finishes = True

    def ask(self, work: Work, done: Done) -> None:
        """Have work done; `done` gets its result."""
        with self._news:
            self._add(work, done)

    def finish(self, seconds: float) -> None:
        """Wait until everything that was asked for is done, but not for ever."""
        self.close()
        if self._thread is not None:
            self._thread.join(seconds)

    def _is_wanted(self, number: int) -> bool:
        return True
