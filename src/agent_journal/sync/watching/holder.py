"""One process watches a journal; it holds `watch.lock` and says how it watches in `watch.json`."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from typing import NamedTuple

from agent_journal.errors import JournalError
from agent_journal.store.atomic import write_private
from agent_journal.store.catalog.store import translated, try_lock

_LOCK = "watch.lock"
_NOTE = "watch.json"


class Holder(NamedTuple):
    """The process that watches a journal, as it says itself."""

    pid: int
    program: str  # `aj watch` or `aj web`
    since: float  # seconds since 1970
    why_polled: str = ""  # why it looks for changes itself
    slowness: int = 1  # how much longer it waits, because it took too much CPU time
    share: float = 0.0  # of a core that it took then


class WatchLock:
    """The right to watch a journal."""

    def __init__(self, home: str, program: str) -> None:
        self._home = home
        self._descriptor: int | None = None
        self._note = Holder(os.getpid(), program, time.time())

    @property
    def is_held(self) -> bool:
        """Whether this process has it."""
        return self._descriptor is not None

    def acquire(self) -> bool:
        """Try to get it; false when another process has it."""
        if self._descriptor is not None:
            return True
        descriptor = _open_lock(self._home)
        if not try_lock(descriptor):
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        self._note = self._note._replace(since=time.time())
        self._write()
        return True

    def describe(self, why_polled: str, slowness: int, share: float) -> None:
        """Say how this process watches."""
        note = self._note._replace(why_polled=why_polled, slowness=slowness, share=share)
        if note != self._note:
            self._note = note
            self._write()

    def release(self) -> None:
        """Let another process watch."""
        if self._descriptor is not None:
            with suppress(OSError):
                os.remove(os.path.join(self._home, _NOTE))
            os.close(self._descriptor)
            self._descriptor = None

    def _write(self) -> None:
        path = os.path.join(self._home, _NOTE)
        with translated(path):
            write_private(path, [json.dumps(self._note._asdict()).encode()])


def find_holder(home: str) -> Holder | None:
    """The process that watches a journal; None when there is none."""
    if not os.path.exists(os.path.join(home, _LOCK)):
        return None
    try:
        descriptor = _open_lock(home)
    except JournalError:  # somebody else's folder
        return None
    try:
        if try_lock(descriptor):
            return None
    finally:
        os.close(descriptor)
    try:
        with open(os.path.join(home, _NOTE), encoding="utf-8") as file:
            return Holder(**json.load(file))
    except (OSError, ValueError, TypeError):
        return Holder(0, "another process", 0.0)  # it has just started, or is of another version


def _open_lock(home: str) -> int:
    path = os.path.join(home, _LOCK)
    with translated(path):
        os.makedirs(home, mode=0o700, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
