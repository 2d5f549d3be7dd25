"""The worker from the server's side: starting it, asking it to sync, and its last notice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from threading import Lock, Thread, Timer
from typing import Any

from agent_journal.errors import JournalBusy, JournalError

SYNC = "sync\n"  # a line that asks the worker to look at everything
_START = 0.7  # seconds: the first page comes first
_FIRST_RETRY, _MOST_RETRY = 2.0, 300.0  # seconds after the worker died
_LONGEST_SYNC = 600.0
_SHOWN = ("watching", "waiting", "polling", "syncing", "failed", "slower")
WorkerNotice = Mapping[str, Any]


class Background:
    """Keeps a worker running until it is closed; `on_notice` is called in another thread."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._lock = Lock()
        self._process: subprocess.Popen[str] | None = None
        self._asked: list[Future[WorkerNotice]] = []
        self._retry = _FIRST_RETRY
        self._is_closed = False
        self._timer: Timer | None = None
        self.status: WorkerNotice = {"kind": "starting", "text": ""}
        self.on_notice: Callable[[], None] = lambda: None

    def begin(self) -> None:
        """Start the worker in a moment."""
        self._start_in(_START)

    def sync(self) -> Mapping[str, Any]:
        """Have everything looked at; the answer of kind `sync`."""
        answer: Future[WorkerNotice] = Future()
        with self._lock:
            self._asked.append(answer)
            is_told = self._say(SYNC)
        if not is_told:
            raise JournalBusy("the process that syncs is just starting", "try again in a moment")
        try:
            notice = answer.result(_LONGEST_SYNC)
        except TimeoutError:
            raise JournalBusy("the sync is still running", "its end will be on the page") from None
        if "answer" not in notice:
            raise JournalError(str(notice["text"]))
        found: Mapping[str, Any] = notice["answer"]
        return found

    def close(self) -> None:
        """End the worker at once: a journal is whole at any moment."""
        with self._lock:
            self._is_closed = True
            if self._timer is not None:
                self._timer.cancel()
            if self._process is not None:
                self._process.kill()
                self._process.wait()

    def _start_in(self, seconds: float) -> None:
        with self._lock:
            if not self._is_closed:
                self._timer = Timer(seconds, self._start)
                self._timer.daemon = True
                self._timer.start()

    def _start(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            # -P: what is in the working folder is not imported. A session of its own: Ctrl-C in
            # the terminal is for the server, which ends this process.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "agent_journal.web.live.worker"],
                env={**os.environ, "AJ_HOME": self._home},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
        Thread(target=self._listen, args=(self._process,), daemon=True).start()

    def _say(self, line: str) -> bool:
        if self._process is None or self._process.stdin is None:
            return False
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except OSError:
            return False
        return True

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            with suppress(ValueError):
                self._take(json.loads(line))
        process.wait()
        if self._is_closed:
            return
        self._answer({"kind": "failed", "text": "the process that syncs has ended"})
        if self.status["kind"] != "failed":
            self.status = {"kind": "failed", "text": "nothing watches: the process has ended"}
        self.on_notice()
        self._start_in(self._retry)
        self._retry = min(_MOST_RETRY, 2 * self._retry)

    def _take(self, notice: WorkerNotice) -> None:
        if notice["kind"] in _SHOWN:
            self.status = notice
        elif self.status["kind"] in ("syncing", "failed"):
            self.status = {"kind": "watching", "text": ""}
        if notice["kind"] == "watching":
            self._retry = _FIRST_RETRY
        if notice.get("is_asked_for"):
            self._answer(notice)
        self.on_notice()

    def _answer(self, notice: WorkerNotice) -> None:
        with self._lock:
            asked, self._asked = self._asked, []
        for answer in asked:
            answer.set_result(notice)
