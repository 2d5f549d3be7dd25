"""Streams of what is new (server-sent events): the id of an event is a position in the journal.

A browser that comes back says the last id that it got, and gets everything after it: nothing is
lost, and nothing comes twice, even when the server was another one in between.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

from starlette.concurrency import run_in_threadpool

from agent_journal.answers.changes import Changes, changes_answer, find_changes
from agent_journal.errors import JournalError
from agent_journal.journal import Journal
from agent_journal.sync.watching.following import Follower
from agent_journal.web.live.background import Background

MOST_STREAMS = 8
_EVERY = 0.2  # seconds between two looks at the catalog, while anybody listens
_SIGN_OF_LIFE = 15.0  # seconds
_AFTER_TROUBLE = 5.0  # seconds


class Feed:
    """Wakes the streams when something happened."""

    def __init__(self, home: str) -> None:
        self._home = home
        self.background = Background(home)
        self.streams = 0
        self.is_closing = False
        self._tick = 0
        self._waked = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    def begin(self, *, is_watching: bool) -> None:
        """Start the worker, unless nothing is watched; called in the loop of the server."""
        self._loop = asyncio.get_running_loop()
        self.background.on_notice = self._wake_from_thread
        if is_watching:
            self.background.begin()

    def end_streams(self) -> None:
        """Have all streams end, so that the server can; may be called by a signal."""
        self.is_closing = True
        self._wake_from_thread()

    def close(self) -> None:
        """End the worker."""
        self.background.close()

    async def events(self, after: str | None) -> AsyncIterator[bytes]:
        """What a stream tells, until its reader goes away or the server ends."""
        if self.streams >= MOST_STREAMS:
            return  # several were asked for at the same moment; its reader will ask again
        self.streams += 1
        if self._task is None:
            self._task = asyncio.create_task(self._look())
        try:
            yield b"retry: 1000\n\n"
            async for event in self._tell(after):
                yield event
        finally:
            self.streams -= 1

    async def _tell(self, after: str | None) -> AsyncIterator[bytes]:
        position = after
        status: Mapping[str, Any] = {}
        is_troubled = False
        while not self.is_closing:
            tick = self._tick
            if self.background.status is not status:
                status = self.background.status
                yield _event("status", {**status, "answer": None})
            try:
                changes = await run_in_threadpool(self.changes, position)
            except JournalError as error:
                is_troubled = True
                yield _event("status", {"kind": "failed", "text": error.message})
                await self._wait(self._tick, _AFTER_TROUBLE)
                continue
            if is_troubled:
                is_troubled = False
                yield _event("status", {**status, "answer": None})
            if position is None or not changes.is_empty:
                position = changes.position
                yield _event("changes", changes_answer(changes).envelope(), position)
            if not await self._wait(tick, _SIGN_OF_LIFE):
                yield b": still here\n\n"

    def changes(self, after: str | None) -> Changes:
        """What is new after a position."""
        with Journal.open(self._home) as journal:
            return find_changes(journal, after)

    async def _wait(self, tick: int, seconds: float) -> bool:
        """Wait until something happened after a tick; false when nothing did."""
        if self._tick == tick:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._waked.wait(), seconds)
        return self._tick != tick

    def _wake(self) -> None:
        self._tick += 1
        self._waked.set()
        self._waked = asyncio.Event()

    def _wake_from_thread(self) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # it is closed
                self._loop.call_soon_threadsafe(self._wake)

    async def _look(self) -> None:
        """Look whether anybody has written to the catalog, as long as there are streams."""
        follower: Follower | None = None
        while self.streams and not self.is_closing:
            if follower is None:
                follower = _follower(self._home)
            elif follower.has_changed():
                self._wake()
            await asyncio.sleep(_EVERY)
        if follower is not None:
            follower.close()
        self._task = None


def _follower(home: str) -> Follower | None:
    """Who looks at the catalog; None while the settings cannot be read, as every page says then."""
    try:
        with Journal.open(home) as journal:
            return Follower(journal.config)
    except JournalError:
        return None


def _event(kind: str, data: Mapping[str, Any], position: str = "") -> bytes:
    lines = [f"event: {kind}", f"data: {json.dumps(data)}"]
    if position:
        lines.insert(0, f"id: {position}")
    return ("\n".join(lines) + "\n\n").encode()
