"""Screens as they are drawn; UPDATE_SNAPSHOTS=1 writes them again, to be looked at in a browser."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_journal.tui.dialogs import Choice
from agent_journal.tui.help import Help
from tests.support.paths import ROOT
from tests.support.tui_screens import Driver, Test, drive

FOLDER = Path(__file__).parent / "snapshots"
FLAKY = "Flaky retry test: clock and jitter"
_specification = importlib.util.spec_from_file_location("tui_screen", ROOT / "docs/tui_screen.py")
assert _specification is not None
assert _specification.loader is not None
tui_screen = importlib.util.module_from_spec(_specification)
_specification.loader.exec_module(tui_screen)


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


async def finder(ui: Driver) -> None:
    await ui.until(lambda: "Every response now says" in ui.preview)


async def search(ui: Driver) -> None:
    await ui.search("jitter deadline")
    await ui.until(lambda: FLAKY in ui.preview)


async def story(ui: Driver) -> None:
    await ui.read(FLAKY)
    await ui.press("j", "j", "enter")
    await ui.until(lambda: "retry.py  ✓" in ui.talk)


async def steps(ui: Driver) -> None:
    await ui.read(FLAKY)
    await ui.press("d")
    await ui.until(lambda: "def delay" in ui.talk)


async def usage(ui: Driver) -> None:
    await ui.read(FLAKY)
    await ui.press("u")
    await ui.until(lambda: "$0.07" in ui.talk)


async def losses(ui: Driver) -> None:
    await ui.search("agent:claude-code branch:fix/retry-deadline", 1)
    await ui.until(lambda: FLAKY in ui.preview)
    await ui.press("ctrl+g")
    await ui.until(lambda: isinstance(ui.app.screen, Choice))
    await ui.press("3")
    await ui.until(lambda: "Lost in Codex CLI:" in ui.text)


async def keys(ui: Driver) -> None:
    await ui.press("f1")
    await ui.until(lambda: isinstance(ui.app.screen, Help) and "search as you type" in ui.text)


@pytest.mark.parametrize(
    ("screen", "size"),
    [
        (finder, (120, 30)),
        (search, (80, 24)),
        (story, (100, 30)),
        (steps, (80, 24)),
        (usage, (80, 24)),
        (losses, (100, 30)),
        (keys, (80, 24)),
    ],
)
def test_screens_look_as_they_did(demo_home: Path, screen: Test, size: tuple[int, int]) -> None:
    path = FOLDER / f"{screen.__name__}.svg"

    async def test(ui: Driver) -> None:
        await screen(ui)
        if os.environ.get("UPDATE_SNAPSHOTS"):
            await asyncio.sleep(1)  # a scroll bar comes and goes a moment after its text
            FOLDER.mkdir(exist_ok=True)
            path.write_text(_picture_of(ui), encoding="utf-8")
        expected = path.read_text(encoding="utf-8")
        # A scroll bar is drawn a moment after its text
        await ui.until(lambda: _picture_of(ui) == expected, 60)

    drive(demo_home, test, size=size)


def _picture_of(ui: Driver) -> str:
    picture: str = tui_screen.without_fonts(ui.app.export_screenshot(title="aj tui"))
    return picture


def test_the_picture_of_the_readme_is_up_to_date(demo_home: Path) -> None:
    expected = tui_screen.PICTURE.read_text(encoding="utf-8")
    assert tui_screen.picture_of(str(demo_home), expected) == expected
