"""Starts the terminal UI: one query for the newest sessions, then the screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agent_journal.errors import UsageError
from agent_journal.journal import Journal
from agent_journal.tui.asked import EVERYTHING, Asked
from agent_journal.tui.finding import newest
from agent_journal.tui.first_picture import first_picture

if TYPE_CHECKING:
    from agent_journal.tui.doors import Doors, Outcome


class Ended(Exception):
    """The terminal UI was ended from outside."""


def can_start() -> bool:
    """Whether there is a terminal that can be drawn on and typed at."""
    return _has_terminal() and os.environ.get("TERM") not in (None, "", "dumb")


def _has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _cannot_start() -> UsageError:
    message = "the terminal UI needs a terminal"
    if _has_terminal():
        message = "the terminal UI cannot draw on this terminal: TERM is 'dumb' or not set"
    return UsageError(message, "'aj search' and 'aj ls' need none")


def run_tui(
    text: str, doors: Doors, *, is_printing: bool, scope: str = EVERYTHING
) -> Outcome | None:
    """Show the terminal UI until it is left; return what is to be done then."""
    if not can_start():
        raise _cannot_start()
    asked = Asked(text=text, scope=scope)
    with Journal.open() as journal:
        config = journal.config
        first = newest(journal, asked._replace(text=""))
    with _output_to_terminal(), first_picture(first, text, scope) as before:
        from agent_journal.tui.app import JournalApp

        app = JournalApp(config, doors, asked, first, is_printing=is_printing)
        app.terminal_before = before
        outcome = app.run()
        app.finish()
    if app.is_ended:
        raise Ended
    return outcome


@contextmanager
def _output_to_terminal() -> Iterator[None]:
    """Have standard output be the terminal, also where an id will go into a pipe.

    Textual asks standard output how large the terminal is, and a pipe has no size.
    """
    if sys.stdout.isatty():
        yield
        return
    sys.stdout.flush()
    output = sys.stdout.fileno()
    kept = os.dup(output)
    os.dup2(sys.stderr.fileno(), output)
    try:
        yield
    finally:
        os.dup2(kept, output)
        os.close(kept)
