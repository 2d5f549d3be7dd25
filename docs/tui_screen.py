"""Writes docs/tui.svg: the terminal UI with a search, on the demo's sessions at a fixed time.

`make docs` runs it; a test fails when the picture is out of date.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

PICTURE = Path(__file__).parent / "tui.svg"
NOW = datetime(2026, 11, 16, 8, 30, tzinfo=UTC)
QUERY = "jitter deadline"
_PATIENCE = 120.0  # seconds
_MOST = 200  # pictures


def tui_picture() -> str:
    """The picture, made in a home of its own."""
    from agent_journal.config.loading import load
    from agent_journal.demo import write_demo_home
    from agent_journal.journal import Journal

    with tempfile.TemporaryDirectory(prefix="aj-tui-") as folder:
        home = os.path.join(folder, "home")
        os.makedirs(home)
        write_demo_home(home, NOW)
        variables = {"HOME": home, "AJ_HOME": os.path.join(home, ".agent-journal")}
        with Journal(load(variables), variables) as journal:
            journal.sync()
        return picture_of(home)


def picture_of(home: str, expected: str = "") -> str:
    """The picture of a journal of the demo; it is drawn again until it is what is expected."""
    import time_machine

    saved = dict(os.environ)
    try:
        os.environ.update(HOME=home, AJ_HOME=os.path.join(home, ".agent-journal"), TZ="UTC")
        time.tzset()
        with time_machine.travel(NOW, tick=True):
            return asyncio.run(asyncio.wait_for(_drawn(expected), _PATIENCE))
    finally:
        os.environ.clear()
        os.environ.update(saved)
        time.tzset()


async def _drawn(expected: str) -> str:
    from agent_journal.journal import Journal
    from agent_journal.tui.app import JournalApp
    from agent_journal.tui.asked import Asked
    from agent_journal.tui.doors import Doors
    from agent_journal.tui.finder import Finder
    from agent_journal.tui.finding import newest
    from agent_journal.tui.lines_view import LinesView

    with Journal.open() as journal:
        first = newest(journal, Asked())
        doors = Doors(lambda row: "", lambda: None)
        app = JournalApp(journal.config, doors, Asked(QUERY), first, is_printing=False)
    async with app.run_test(size=(120, 30)) as pilot:
        while not isinstance(app.screen, Finder) or _mode(app.screen) != "hybrid":
            await pilot.pause(0.05)
        view = app.screen.query_one("#preview", LinesView)
        while not _has_mark(view):
            await pilot.pause(0.05)
        picture = ""
        for _ in range(_MOST):  # a scroll bar is drawn a moment after its text
            before, picture = picture, without_fonts(app.export_screenshot(title="aj tui"))
            if picture == (expected or before):
                break
            await pilot.pause(0.05 if expected else 1)
        return picture


def _mode(finder: object) -> str:
    answered = getattr(finder, "answered", None)
    return answered[1] if answered else ""


def _has_mark(view: object) -> bool:
    lines = getattr(view, "lines", ())
    return any(piece.look == "hit" for line in lines for piece in line)


def without_fonts(picture: str) -> str:
    """The picture without fonts from elsewhere: it has those of the reader."""
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)


if __name__ == "__main__":
    PICTURE.write_text(tui_picture(), encoding="utf-8")
    sys.exit(0)
