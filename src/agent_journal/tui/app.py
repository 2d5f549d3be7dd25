"""The program: it shows screens, and works in threads for them."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from textual.app import App, ScreenError
from textual.binding import Binding
from textual.css.query import NoMatches

from agent_journal.config.loading import Config
from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.tui.acting import Acting
from agent_journal.tui.asked import Asked
from agent_journal.tui.doors import Doors, Outcome
from agent_journal.tui.finder import Finder
from agent_journal.tui.finding import Entry, Listing
from agent_journal.tui.newest import InOrder, Newest
from agent_journal.tui.watching import catalog_state

if TYPE_CHECKING:
    from agent_journal.search.marks import Marker

_LOOK_AGAIN = 1.0  # seconds between two looks at whether the journal has changed
_LEAVING = 10.0  # seconds that marks and exports may still take when the program is left


class JournalApp(App[Outcome | None]):
    """The terminal UI of one journal."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "Screen { background: ansi_default; color: ansi_default; }"
    BINDINGS: ClassVar = [
        Binding("ctrl+c", "leave", priority=True),
        Binding("ctrl+q", "leave", priority=True),
        Binding("ctrl+z", "suspend_process", priority=True),
    ]

    def __init__(
        self, config: Config, doors: Doors, asked: Asked, first: Listing, *, is_printing: bool
    ) -> None:
        no_colour = os.environ.get("NO_COLOR")
        super().__init__(ansi_color=True)
        if no_colour is not None:
            os.environ["NO_COLOR"] = no_colour  # which an agent that is resumed wants to know
        self.theme = "ansi-dark"
        self.animation_level = "none"  # over ssh, every step of a movement would be sent
        self.doors = doors
        self.is_printing = is_printing
        self.is_ended = False  # from outside
        self.terminal_before: object = None  # its settings, where the first picture changed them
        self._config = config
        self._asked = asked
        self._first = first
        self.searching = self._thread()
        self.previewing = self._thread()
        self.reading = self._thread()
        self.working = self._thread()
        self.writing = InOrder(config.home, self._deliver, self._failed)
        self.state = catalog_state(config)

    def on_mount(self) -> None:
        """Show the list, and look at the journal from time to time."""
        if self.terminal_before is not None and hasattr(self._driver, "attrs_before"):
            # Else a shell would get the terminal of the first picture, which echoes nothing
            setattr(self._driver, "attrs_before", self.terminal_before)  # noqa: B010
        with suppress(NotImplementedError):  # Windows
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._end)
        self.push_screen(Finder(self._asked, self._first))
        self.set_interval(_LOOK_AGAIN, self._look)

    def on_unmount(self) -> None:
        """End the threads."""
        for thread in (self.searching, self.previewing, self.reading, self.working, self.writing):
            thread.close()

    def finish(self) -> None:
        """Wait for what is still being written, once the screen is gone."""
        self.writing.finish(_LEAVING)

    def action_leave(self) -> None:
        """Leave without doing anything."""
        self.exit(None)

    def _end(self) -> None:
        """Leave because of SIGTERM; else the terminal would stay as it is."""
        self.is_ended = True
        self.exit(None)

    def leave_with(self, row: SessionRow) -> None:
        """Leave, and have the session printed."""
        self.exit(Outcome(row))

    def resume(self, row: SessionRow, target: str | None) -> None:
        """Leave, and have the session resumed."""
        self.exit(Outcome(row, is_resumed=True, target=target))

    def read(self, entry: Entry, marker: Marker | None) -> None:
        """Show a session on the whole screen."""
        from agent_journal.tui.reader import Reader

        self.push_screen(Reader(entry, marker))

    def changed(self) -> None:
        """Have the screen look at the journal again; those below it do when they come up."""
        self.state = catalog_state(self._config)
        if isinstance(self.screen, Acting):
            self.screen.look_again()

    def _look(self) -> None:
        if catalog_state(self._config) != self.state:
            self.changed()

    def _thread(self) -> Newest:
        return Newest(self._config.home, self._deliver, self._failed)

    def _deliver(self, function: Callable[..., None], *values: object) -> None:
        """Call a function in the thread of the screen; called by other threads, which go on."""
        try:
            self.call_from_thread(function, *values)
        except (RuntimeError, CancelledError):
            pass  # the program has ended meanwhile
        except (NoMatches, ScreenError):
            pass  # the screen that asked was closed meanwhile

    def _failed(self, error: Exception) -> None:
        from agent_journal.errors import JournalError

        text = f"{type(error).__name__}: {error}"
        if isinstance(error, JournalError):
            text = error.message
        if isinstance(self.screen, Acting):
            self.screen.failed(text)
