"""What is done with a session: resume, copy, export, star, tag, open."""

from __future__ import annotations

import re
import shutil
import threading
import webbrowser
from functools import partial
from pathlib import Path

import pytest
from textual.widgets import Input

from agent_journal.cli.terminal_ui import open_in_browser
from agent_journal.tui.dialogs import Ask, Choice
from agent_journal.tui.doors import Outcome, Page
from agent_journal.tui.lines import Piece
from tests.support.journals import open_journal
from tests.support.tui_screens import Driver, drive

FLAKY = "Flaky retry test: clock and jitter"


@pytest.fixture
def own_home(demo_home: Path, tmp_path: Path) -> Path:
    """A copy of the demo that may be changed."""
    home = tmp_path / "home"
    shutil.copytree(demo_home, home)
    return home


def is_copied(ui: Driver, text: str) -> bool:
    return ui.app.clipboard == text


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the agents that are installed: Claude Code and Codex."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("claude", "codex"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


async def choose_flaky(ui: Driver) -> None:
    await ui.search("agent:claude-code branch:fix/retry-deadline", 1)
    assert ui.chosen == FLAKY


def test_a_session_is_resumed_in_its_agent(demo_home: Path, programs: Path) -> None:
    async def test(ui: Driver) -> None:
        await choose_flaky(ui)
        await ui.press("ctrl+g")
        await ui.until(lambda: isinstance(ui.app.screen, Choice))
        await ui.until(lambda: "1 Claude Code" in ui.text)
        await ui.press("enter")

    outcome = drive(demo_home, test)
    assert isinstance(outcome, Outcome)
    assert (outcome.row.title, outcome.is_resumed, outcome.target) == (FLAKY, True, None)


def test_what_another_agent_loses_is_shown_before(demo_home: Path, programs: Path) -> None:
    async def test(ui: Driver) -> None:
        await choose_flaky(ui)
        await ui.press("ctrl+g")
        await ui.until(lambda: isinstance(ui.app.screen, Choice))
        await ui.press("3")
        await ui.until(lambda: "Lost in Codex CLI:" in ui.text)
        await ui.press("escape")
        await ui.until(lambda: not isinstance(ui.app.screen, Choice))
        assert "would lose" not in ui.said
        await ui.press("ctrl+g")
        await ui.until(lambda: isinstance(ui.app.screen, Choice))
        await ui.press("down", "down", "enter")
        await ui.until(lambda: "Lost in Codex CLI:" in ui.text)
        await ui.press("1")

    outcome = drive(demo_home, test)
    assert isinstance(outcome, Outcome)
    assert (outcome.row.title, outcome.target) == (FLAKY, "codex")


def test_an_agent_that_is_not_installed_is_named_before_the_screen_is_gone(
    demo_home: Path, programs: Path
) -> None:
    (programs / "claude").unlink()

    async def test(ui: Driver) -> None:
        await choose_flaky(ui)
        await ui.press("ctrl+g")
        await ui.until(lambda: "1 Claude Code         not installed" in ui.text)
        await ui.press("1")
        await ui.until(lambda: "claude is not on PATH" in ui.said)
        assert ui.chosen == FLAKY

    drive(demo_home, test)


def test_names_and_commands_are_copied(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await choose_flaky(ui)
        row = ui.entries[0].row
        name = f"claude-code:{row.id}"
        expected = [
            name,
            f"aj resume {name}",
            f"cd {row.project_path} && claude --resume {row.id}",
        ]
        for number, text in enumerate(expected, 1):
            await ui.press("ctrl+y")
            await ui.until(lambda: isinstance(ui.app.screen, Choice))
            await ui.press(str(number))
            await ui.until(partial(is_copied, ui, text))
        await ui.press("ctrl+y")
        await ui.until(lambda: isinstance(ui.app.screen, Choice))
        await ui.press("escape")
        await ui.until(lambda: not isinstance(ui.app.screen, Choice))

    drive(demo_home, test)


def test_messages_and_commands_are_copied(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.read(FLAKY)
        await ui.press("y")
        await ui.until(lambda: isinstance(ui.app.screen, Choice))
        await ui.press("1")
        await ui.until(lambda: ui.app.clipboard.endswith("fix the code, not the test."))
        await ui.press("d")
        await ui.until(lambda: "Bash pytest" in ui.talk)
        await ui.press_until("j", lambda: "Bash" in ui.current)
        await ui.press("y")
        await ui.until(lambda: isinstance(ui.app.screen, Choice))
        await ui.press("2")
        command = "pytest tests/test_retry.py -k deadline --count 30 -q"
        await ui.until(lambda: ui.app.clipboard == command)

    drive(demo_home, test)


@pytest.mark.parametrize(("key", "ending"), [("1", ".html"), ("2", ".md"), ("3", ".json")])
def test_a_session_is_exported_into_the_folder(
    demo_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, ending: str
) -> None:
    monkeypatch.chdir(tmp_path)

    async def test(ui: Driver) -> None:
        await choose_flaky(ui)
        await ui.press("ctrl+e")
        await ui.until(lambda: isinstance(ui.app.screen, Choice))
        await ui.press(key)
        await ui.until(lambda: "written: " in ui.said)
        await ui.press("ctrl+e")
        await ui.until(lambda: isinstance(ui.app.screen, Choice))
        await ui.press(key)
        await ui.until(lambda: ui.said.startswith("already exists: flaky-retry"))

    drive(demo_home, test)
    (written,) = tmp_path.iterdir()
    assert written.suffix == ending
    assert "Two suspects" in written.read_text(encoding="utf-8")


def test_stars_and_tags_are_given_and_taken(own_home: Path) -> None:
    def marks() -> tuple[bool, list[str]]:
        with open_journal(own_home) as journal:
            row = next(row for row in journal.rows() if row.title == FLAKY)
        return row.starred_at is not None, row.own_tag_names()

    async def test(ui: Driver) -> None:
        await choose_flaky(ui)
        await ui.press("ctrl+s")
        await ui.until(lambda: marks()[0])
        await ui.until(lambda: "★ Flaky" in ui.text)
        await ui.press("ctrl+s")
        await ui.until(lambda: not marks()[0])
        await ui.press("ctrl+t")
        await ui.until(lambda: isinstance(ui.app.screen, Ask))
        await ui.type("ci flaky")
        await ui.press("enter")
        await ui.until(lambda: marks()[1] == ["ci", "flaky"])
        await ui.until(lambda: "#ci #flaky" in ui.preview)
        await ui.press("ctrl+t")
        await ui.until(lambda: isinstance(ui.app.screen, Ask))
        await ui.type("-ci")
        await ui.press("enter")
        await ui.until(lambda: marks()[1] == ["flaky"])
        await ui.until(lambda: "tags: #flaky" in ui.said)
        await ui.press("ctrl+t")
        await ui.until(lambda: isinstance(ui.app.screen, Ask))
        ui.app.screen.query_one(Input).value = "#slow"  # what was there is deleted
        await ui.press("enter")
        await ui.until(lambda: marks()[1] == ["slow"])
        await ui.until(lambda: "tags: #slow" in ui.said)

    drive(own_home, test)


def test_marks_in_quick_succession_are_all_written(own_home: Path) -> None:
    """Each changes what the one before has made of the session, not what the screen still shows."""
    is_free = threading.Event()

    async def test(ui: Driver) -> None:
        await choose_flaky(ui)
        row = ui.finder.chosen.row
        ui.app.writing.ask(lambda journal, search: is_free.wait(60), lambda result: None)
        ui.finder._tagged(row, "ci slow")
        ui.finder._tagged(row, "-ci")
        await ui.press("ctrl+s")
        ui.app.working.ask(lambda journal, search: "", lambda result: None)
        is_free.set()
        await ui.until(lambda: ui.said == "starred")
        is_free.clear()
        ui.app.writing.ask(lambda journal, search: is_free.wait(60), lambda result: None)
        ui.finder._tagged(row, "last")
        ui.app.exit(None)
        is_free.set()

    drive(own_home, test)
    with open_journal(own_home) as journal:
        row = next(row for row in journal.rows() if row.title == FLAKY)
    assert row.starred_at is not None
    assert row.own_tag_names() == ["last", "slow"]


def test_answers_without_a_key_have_no_number(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        names = [(Piece(f"answer {name}"),) for name in "abcdefghijkl"]
        ui.app.push_screen(Choice("Which?", names))
        await ui.until(lambda: "answer l" in ui.text)
        assert "  9 answer i" in ui.text
        assert "    answer j" in ui.text
        assert "10" not in ui.text

    drive(demo_home, test)


def test_a_result_for_a_screen_that_is_gone_ends_nothing(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        tried = []
        counted: list[int] = []

        def show_on_what_is_gone(result: object) -> None:
            tried.append(result)
            ui.app.screen.query_one("#gone")

        ui.app.working.ask(lambda journal, search: "shown", show_on_what_is_gone)
        await ui.until(lambda: tried)
        ui.app.working.ask(lambda journal, search: len(journal.rows()), counted.append)
        await ui.until(lambda: counted)
        assert counted[0] >= 17

    drive(demo_home, test)


def test_the_web_page_is_opened(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await choose_flaky(ui)
        await ui.press("ctrl+b")
        await ui.until(lambda: [row.title for row in ui.opened] == [FLAKY])
        await ui.until(lambda: "opened in the browser" in ui.said)

    drive(demo_home, test)


def test_a_page_that_no_browser_shows_has_a_whole_address(demo_home: Path) -> None:
    address = "http://127.0.0.1:8482/-/open?t=" + "x" * 43 + "&to=" + "%2F" * 20

    async def test(ui: Driver) -> None:
        await choose_flaky(ui)
        await ui.press("ctrl+b")
        await ui.until(lambda: isinstance(ui.app.screen, Choice))
        await ui.until(lambda: address in re.sub(r"[\s│]", "", ui.text))
        await ui.press("enter")
        await ui.until(lambda: is_copied(ui, address))

    page = Page("no browser could be opened", address)
    drive(demo_home, test, size=(80, 24), page=page)


@pytest.mark.parametrize("name", ["/usr/bin/lynx", "w3m", "www-browser"])
def test_a_browser_of_the_terminal_is_not_opened(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda address: True)
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser(name))
    assert not open_in_browser("http://127.0.0.1/")
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("firefox"))
    assert open_in_browser("http://127.0.0.1/")
