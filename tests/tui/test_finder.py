"""The list: what it shows, and what every key of it does."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from agent_journal.tui.doors import Outcome
from agent_journal.tui.finder import Finder
from agent_journal.tui.help import Help
from agent_journal.tui.lines import Piece
from agent_journal.tui.lines_view import LinesView, strip_of
from agent_journal.tui.reader import Reader
from agent_journal.tui.result_list import ResultList
from tests.support.tui_screens import Driver, drive

FLAKY = "Flaky retry test: clock and jitter"


def test_the_newest_sessions_are_there_before_anything_is_typed(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        assert len(ui.entries) == 20
        assert ui.chosen == ui.titles[0]
        assert "20 · everything" in ui.text
        await ui.until(lambda: "You" in ui.preview)
        assert ui.chosen[:40] in ui.preview

    drive(demo_home, test)


def test_typing_searches_and_the_preview_shows_the_hit(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.type("jitter")
        await ui.until(lambda: ui.chosen == FLAKY)
        await ui.until(lambda: FLAKY in ui.preview)
        view = ui.finder.query_one("#preview", LinesView)
        await ui.until(lambda: view.scroll_offset.y > 0)
        shown = view.lines[view.scroll_offset.y :][: view.size.height]
        marked = [piece.text.lower() for line in shown for piece in line if piece.look == "hit"]
        assert "jitter" in " ".join(marked)

    drive(demo_home, test)


def test_the_whole_query_language_works(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.search("agent:codex")
        assert [entry.row.agent for entry in ui.entries] == ["codex"]
        await ui.search("agent:claude-code branch:fix/retry-deadline", 1)
        assert ui.titles == [FLAKY]

    drive(demo_home, test)


def test_a_word_is_found_before_it_is_typed_to_its_end(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.search("jitt")
        assert ui.chosen == FLAKY
        assert "not found" not in ui.said
        await ui.search("jitt ")  # the space says that the word is whole
        assert "not found: jitt" in ui.said
        await ui.search("deadline xqzzy")  # begins nothing
        assert "not found: xqzzy" in ui.said

    drive(demo_home, test)


def test_conditions_alone_list_what_the_list_has(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        everything = ui.titles
        await ui.search("agent:claude-code")
        assert ui.titles == [title for title in everything if title in ui.titles]
        assert "4 · everything" in ui.text  # no sub-agents, as in `aj ls`
        await ui.search("is:subagent", 2)
        assert not set(ui.titles) & set(everything)

    drive(demo_home, test)


def test_a_query_that_cannot_be_read_says_where(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.type("retry OR")
        await ui.until(lambda: "nothing after this OR" in ui.said)
        assert ui.entries == []
        await ui.press("backspace", "backspace", "backspace")
        await ui.until(lambda: ui.entries and "Enter" in ui.said)

    drive(demo_home, test)


def test_words_from_the_command_line_are_searched(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.until(lambda: ui.chosen == FLAKY)
        assert ui.finder.query_one(Input).value == "jitter deadline"

    drive(demo_home, test, text="jitter deadline")


def test_enter_waits_for_the_answer(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        ui.finder.query_one(Input).value = "jitter deadline"
        await ui.press("enter")
        await ui.until(lambda: isinstance(ui.app.screen, Reader))
        assert ui.reader.row.title == FLAKY

    drive(demo_home, test)


def test_an_empty_list_says_why(demo_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo_home.parent)

    async def test(ui: Driver) -> None:
        await ui.search("agent:nobody")
        await ui.until(lambda: "nothing found; Esc clears the query" in ui.said)
        await ui.press("ctrl+r")
        await ui.until(lambda: "nothing in this folder; ^R looks elsewhere" in ui.said)

    drive(demo_home, test)


def test_a_journal_without_sessions_says_what_to_press(tmp_path: Path) -> None:
    async def test(ui: Driver) -> None:
        assert "no sessions yet; F5 reads them" in ui.said

    drive(tmp_path, test)


def test_keys_move_through_the_list(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        for key, place in (
            ("down", 1),
            ("ctrl+n", 2),
            ("up", 1),
            ("ctrl+p", 0),
            ("up", 0),
            ("pagedown", 19),
            ("down", 19),
            ("pageup", 0),
        ):
            await ui.press(key)
            assert ui.finder.query_one(ResultList).place == place, key

    drive(demo_home, test, size=(120, 40))


def test_the_chosen_session_stays_on_a_small_screen(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        listed = ui.finder.query_one(ResultList)
        assert listed.size.height < 12
        await ui.press(*["down"] * 17)
        await ui.until(lambda: ui.chosen[:20] in ui.text)
        await ui.press(*["up"] * 17)
        await ui.until(lambda: listed.scroll_offset.y == 0)

    drive(demo_home, test, size=(80, 24))


def test_the_scope_goes_round(demo_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo_home)

    async def test(ui: Driver) -> None:
        await ui.press("ctrl+r")
        await ui.until(lambda: "this folder" in ui.text)
        # The demo's Aider history is the only session of its home folder
        await ui.until(lambda: [entry.row.agent for entry in ui.entries] == ["aider"])
        await ui.press("ctrl+r")
        await ui.until(lambda: "this project" in ui.text)
        await ui.press("ctrl+r")
        await ui.until(lambda: len(ui.entries) == 20)

    drive(demo_home, test)


def test_the_order_changes(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        first = ui.titles
        await ui.press("f2")
        await ui.until(lambda: "newest" in ui.text)
        await ui.press("f2")
        await ui.until(lambda: ui.titles[0] == first[-1])
        assert ui.titles == first[::-1]
        await ui.press("f2", "f2")
        await ui.until(lambda: "· messages" in ui.text)
        counts = sorted((entry.row.message_count for entry in ui.entries), reverse=True)
        await ui.until(lambda: [entry.row.message_count for entry in ui.entries] == counts)

    drive(demo_home, test)


def test_agents_are_toggles(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.press("f3")
        await ui.until(lambda: "[ ] codex" in ui.text)
        place = ui.text.split("[ ] codex")[0].splitlines()[-1].strip(" │▌")
        await ui.press(place.strip())
        await ui.until(lambda: {entry.row.agent for entry in ui.entries} == {"codex"})
        await ui.press("f3")
        await ui.until(lambda: "[x] codex" in ui.text)
        await ui.press("1")  # all agents
        await ui.until(lambda: len(ui.entries) == 20)

    drive(demo_home, test)


def test_emoji_are_drawn_as_wide_as_on_every_terminal() -> None:
    family, coder, hindi = "👨\u200d👩\u200d👧", "👩\u200d💻", "क\u094d\u200dष"
    strip = strip_of((Piece(f"{family} {coder} ❤\ufe0f\u200d🔥 👍🏽 ⚠\ufe0f {hindi}"),), 40)
    assert strip.text.rstrip() == f"👨👩👧 👩💻 ❤🔥 👍 ⚠ {hindi}"
    assert strip.cell_length == 40


def test_tab_completes_fields_agents_and_projects(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        query = ui.finder.query_one(Input)
        await ui.type("age")
        await ui.press("tab")
        await ui.until(lambda: query.value == "agent:")
        await ui.type("cla")
        await ui.press("tab")
        await ui.until(lambda: query.value == "agent:claude-code ")
        await ui.until(lambda: {entry.row.agent for entry in ui.entries} == {"claude-code"})
        await ui.type("project:rel")
        await ui.press("tab")
        await ui.until(lambda: query.value == "agent:claude-code project:relay ")
        await ui.type("agent:c")
        await ui.press("tab")
        await ui.until(lambda: "codex" in ui.said)
        await ui.press("tab")
        assert query.value.endswith("agent:claude-code")
        await ui.press("tab")
        assert query.value.endswith("agent:cline")
        await ui.search("agent:", 0)
        await ui.until(lambda: "no value" in ui.said)
        await ui.press("tab")
        await ui.until(lambda: "claude-code  cline  codex" in ui.said)
        await ui.type("claude-code nothing:x")
        await ui.press("tab")
        await ui.until(lambda: "nothing to complete" in ui.said)

    drive(demo_home, test)


def test_the_preview_is_hidden_and_scrolled(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        view = ui.finder.query_one("#preview", LinesView)
        await ui.until(lambda: len(view.lines) > view.size.height)
        await ui.press("shift+down")
        await ui.until(lambda: view.scroll_offset.y > 0)
        await ui.press("shift+up")
        await ui.until(lambda: view.scroll_offset.y == 0)
        await ui.press("ctrl+o")
        await ui.until(lambda: not view.display)
        await ui.press("ctrl+o")
        await ui.until(lambda: view.display)

    drive(demo_home, test, size=(80, 24))


def test_the_preview_is_below_the_list_on_a_narrow_screen(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        listed = ui.finder.query_one(ResultList)
        view = ui.finder.query_one("#preview", LinesView)
        assert view.region.x > listed.region.x
        assert view.region.y == listed.region.y
        await ui.pilot.resize_terminal(109, 40)
        await ui.until(lambda: view.region.y > listed.region.y)
        assert view.region.x == listed.region.x
        await ui.pilot.resize_terminal(110, 40)
        await ui.until(lambda: view.region.y == listed.region.y)

    drive(demo_home, test)


def test_escape_clears_the_query_and_then_leaves(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.search("jitter")
        await ui.press("escape")
        await ui.until(lambda: len(ui.entries) == 20)
        await ui.press("escape")

    assert drive(demo_home, test) is None


def test_print_leaves_with_the_chosen_session(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.search("jitter deadline")
        await ui.press("enter")

    outcome = drive(demo_home, test, is_printing=True)
    assert isinstance(outcome, Outcome)
    assert (outcome.row.title, outcome.is_resumed) == (FLAKY, False)


def test_help_names_every_key(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.press("f1")
        await ui.until(lambda: isinstance(ui.app.screen, Help))
        await ui.until(lambda: "search as you type" in ui.text)
        await ui.press("escape")
        await ui.until(lambda: isinstance(ui.app.screen, Finder))

    drive(demo_home, test)


def test_help_begins_with_the_keys_of_the_screen(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.read(FLAKY)
        await ui.press("f1")
        await ui.until(lambda: "next and previous prompt" in ui.text)
        shown = ui.text
        assert shown.index(" A session") < shown.index(" The list")

    drive(demo_home, test)


def test_the_mouse_chooses_and_opens(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.pilot.click(ResultList, offset=(20, 4))
        await ui.until(lambda: ui.chosen == ui.titles[4])
        await ui.pilot.double_click(ResultList, offset=(20, 4))
        await ui.until(lambda: ui.app.screen is not ui.finder)
        assert ui.reader.row.title == ui.titles[4]

    drive(demo_home, test)


def test_a_sync_can_be_started(demo_home: Path) -> None:
    synced: list[int] = []

    async def test(ui: Driver) -> None:
        await ui.press("f5")
        await ui.until(lambda: synced)

    drive(demo_home, test, synced=synced)
    assert synced == [1]
