"""The terminal UI in a test: the real program on a journal, driven by Textual's pilot."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import time_machine
from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import Input

from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.tui.app import JournalApp
from agent_journal.tui.asked import Asked
from agent_journal.tui.bar import Bar
from agent_journal.tui.doors import Doors, Page
from agent_journal.tui.finder import Finder
from agent_journal.tui.finding import newest
from agent_journal.tui.lines_view import LinesView
from agent_journal.tui.reader import Reader
from agent_journal.tui.result_list import ResultList
from agent_journal.tui.talk import Talk
from tests.support.journals import open_journal

NOW = datetime(2026, 11, 16, 8, 30, tzinfo=UTC)
PATIENCE = 120.0  # seconds for one answer: other tests may run, too
Test = Callable[["Driver"], Awaitable[None]]
_CALM = 5  # turns of the loop without a message: those that widgets send each other are done
_CHARACTERS = {"slash": "/", "space": " "}


class Driver:
    """A running program, and what a person sees of it."""

    def __init__(self, app: JournalApp, pilot: Pilot[Any], opened: list[SessionRow]) -> None:
        self.app = app
        self.pilot = pilot
        self.opened = opened  # web pages

    async def until(self, is_true: Callable[[], object], seconds: float = PATIENCE) -> None:
        """Wait for a condition."""
        deadline = time.monotonic() + seconds
        pause = 0.002
        while not is_true():
            assert time.monotonic() < deadline, f"waited for too long; the screen:\n{self.text}"
            await asyncio.sleep(pause)
            pause = min(0.05, pause * 1.5)  # looking at the screen takes time from drawing it

    async def press(self, *keys: str) -> None:
        """Press keys, and let the screen do what they say.

        Textual's pilot waits after every key until the whole machine is idle, which it never is
        while other tests run. What a thread does afterwards is waited for with `until`.
        """
        for key in keys:
            character = _CHARACTERS.get(key)
            if len(key) == 1:
                character, key = key, _character_to_key(key)
            self.app.post_message(events.Key(key, character))
            await self.calm()

    async def press_until(self, key: str, is_true: Callable[[], object]) -> None:
        """Press a key until something holds."""
        deadline = time.monotonic() + PATIENCE
        while not is_true():
            assert time.monotonic() < deadline, f"{key} leads nowhere; the screen:\n{self.text}"
            await self.press(key)
            await asyncio.sleep(0.002)  # for the thread that loads what comes next

    async def calm(self) -> None:
        """Wait until no widget has a message to work on, and all of them are laid out."""
        await self._quiet()
        self.app.screen._on_timer_update()  # as the pilot does: now, not with the next picture
        await self._quiet()

    async def _quiet(self) -> None:
        quiet = 0
        deadline = time.monotonic() + PATIENCE
        while quiet < _CALM:
            assert time.monotonic() < deadline, f"never calm; the screen:\n{self.text}"
            await asyncio.sleep(0)
            pumps = (self.app, *self.app.screen.walk_children(with_self=True))
            quiet += 1
            if any(pump.message_queue_size for pump in pumps):
                quiet = 0

    async def type(self, text: str) -> None:
        """Type into the line that has the focus."""
        await self.press(*text)

    async def search(self, text: str, count: int | None = None) -> None:
        """Type a query, and wait for its hits by words and meaning."""
        self.app.screen.query_one("#query", Input).value = text
        await self.until(lambda: self.is_answered(text))
        if count is not None:
            assert len(self.entries) == count, self.titles

    def is_answered(self, text: str) -> bool:
        """Whether the list is what a search by words and meaning found."""
        if self.finder.answered is None:
            return False
        asked, mode = self.finder.answered
        return asked.text == text and mode == "hybrid"

    @property
    def text(self) -> str:
        """Everything on the screen, without colours."""
        _, height = self.app.size
        lines = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in lines[:height])

    @property
    def finder(self) -> Finder:
        return next(screen for screen in self.app.screen_stack if isinstance(screen, Finder))

    @property
    def reader(self) -> Reader:
        assert isinstance(self.app.screen, Reader)
        return self.app.screen

    @property
    def entries(self) -> list[Any]:
        return list(self.finder.query_one(ResultList).entries)

    @property
    def titles(self) -> list[str]:
        return [entry.row.title or "" for entry in self.entries]

    @property
    def chosen(self) -> str:
        entry = self.finder.chosen
        return entry.row.title or "" if entry else ""

    @property
    def said(self) -> str:
        """The last row."""
        return self.app.screen.query_one("#hints", Bar).text

    @property
    def head(self) -> str:
        """The first row of a session."""
        return self.reader.query_one("#head", Bar).text

    @property
    def preview(self) -> str:
        return view_text(self.finder.query_one("#preview", LinesView))

    @property
    def talk(self) -> str:
        return view_text(self.reader.query_one(Talk))

    @property
    def current(self) -> str:
        """The line of the chosen block."""
        block = self.reader.query_one(Talk).current
        return "".join(piece.text for piece in block.head) if block else ""

    @property
    def chosen_text(self) -> str:
        """What the chosen block says."""
        block = self.reader.query_one(Talk).current
        return block.text if block else ""

    async def read(self, title: str) -> None:
        """Open a session of the list by its title."""
        place = next(n for n, found in enumerate(self.titles) if found.startswith(title))
        self.finder.query_one(ResultList).choose(place)
        await self.press("enter")
        await self.until(lambda: isinstance(self.app.screen, Reader) and self.talk)


def view_text(view: LinesView) -> str:
    """All lines of a view, also those that are not on the screen."""
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in view.lines)


def drive(
    home: Path,
    test: Test,
    *,
    text: str = "",
    size: tuple[int, int] = (120, 40),
    is_printing: bool = False,
    synced: list[int] | None = None,
    page: Page | None = None,
) -> Any:
    """Run the program on a journal and a test against it; return what the program ends with."""
    opened: list[SessionRow] = []

    def open_page(row: SessionRow) -> Page:
        opened.append(row)
        return page or Page("opened in the browser")

    doors = Doors(open_page, lambda: (synced if synced is not None else []).append(1))
    with time_machine.travel(NOW, tick=True), open_journal(home) as journal:
        asked = Asked(text)
        app = JournalApp(
            journal.config, doors, asked, newest(journal, Asked()), is_printing=is_printing
        )
        asyncio.run(_driven(app, test, size, opened))
        app.finish()
    return app.return_value


async def _driven(
    app: JournalApp, test: Test, size: tuple[int, int], opened: list[SessionRow]
) -> None:
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot, opened)
        await driver.until(lambda: isinstance(app.screen, Finder))
        await driver.calm()
        await test(driver)
