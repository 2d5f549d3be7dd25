"""Runs the terminal UI, and what it leaves to do: print a session, or resume it.

Imports no click: `aj` alone opens it.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_journal.store.catalog.session_row import SessionRow
    from agent_journal.tui.doors import Outcome, Page

SCOPES = ("folder", "project", "everything")
_ENDED = 143  # the exit code of what SIGTERM ends
_IN_TERMINAL = ("elinks", "links", "lynx", "w3m", "www-browser")  # browsers
_NAMES = {"folder": "this folder", "project": "this project", "everything": "everything"}


def is_wanted() -> bool:
    """Whether `aj` alone opens the terminal UI: on a terminal, and once there is a journal."""
    if os.environ.get("NO_TUI") or not sys.stdout.isatty():
        return False
    from agent_journal.tui.starting import can_start

    if not can_start():
        return False
    from agent_journal.errors import JournalError
    from agent_journal.journal import Journal
    from agent_journal.query.filters import Query

    try:
        with Journal.open() as journal:
            return bool(journal.config.get("tui.default")) and bool(journal.rows(Query(limit=1)))
    except JournalError:
        return False  # the overview says what is wrong


def show_terminal_ui(text: str, scope: str = "everything", *, is_printed: bool = False) -> int:
    """Show the terminal UI, and then do what was chosen; return the exit code."""
    from agent_journal.tui.doors import Doors
    from agent_journal.tui.starting import Ended, run_tui

    page = _WebPage()
    try:
        doors = Doors(page.open, _sync)
        outcome = run_tui(text, doors, is_printing=is_printed, scope=_NAMES[scope])
    except Ended:
        return _ENDED
    finally:
        page.close()
    if outcome is None:
        return 1 if is_printed else 0
    if outcome.is_resumed:
        return _resume(outcome)
    sys.stdout.write(f"{outcome.row.agent}:{outcome.row.id}\n")
    return 0


def _resume(outcome: Outcome) -> int:
    """Resume as `aj resume` does; what would be lost was shown and accepted."""
    from agent_journal.cli.commands.resume import resume

    assert resume.callback is not None
    resume.callback(
        session_id=f"{outcome.row.agent}:{outcome.row.id}",
        other=outcome.target,
        folder=None,
        is_printed=False,
        yes=outcome.target is not None,
        force=False,
        as_json=False,
    )
    return 0


def _sync() -> None:
    from agent_journal.cli.detached import detach

    detach()


def open_in_browser(address: str) -> bool:
    """Open an address in a browser with a window; one in the terminal would draw on this screen."""
    import webbrowser

    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    if os.path.basename(browser.name) in _IN_TERMINAL:
        return False
    return webbrowser.open(address)


class _WebPage:
    """Opens pages of sessions in a browser, with the server that runs or one of its own."""

    def __init__(self) -> None:
        self._process: object = None

    def open(self, row: SessionRow) -> Page:
        """Open the page of a session; return what became of it."""
        from agent_journal.config.loading import load
        from agent_journal.tui.doors import Page
        from agent_journal.web.addresses import session_path
        from agent_journal.web.server import find_running

        home = load().home
        running = find_running(home)
        if running is None:
            self._start()
            running = find_running(home)
        if running is None:
            return Page("aj web does not answer")
        from urllib.parse import quote

        address = f"{running.address}&to={quote(session_path(row), safe='')}"
        if not open_in_browser(address):
            return Page("no browser could be opened", address)
        return Page("opened in the browser")

    def close(self) -> None:
        """End the server that was started for a page."""
        from subprocess import Popen

        if isinstance(self._process, Popen):
            self._process.terminate()

    def _start(self) -> None:
        """Start a server, and wait until it prints its address."""
        from subprocess import DEVNULL, PIPE, Popen

        command = [sys.executable, "-P", "-m", "agent_journal", "web", "--no-open"]
        process = Popen(command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
        assert process.stdout is not None
        process.stdout.readline()
        self._process = process
