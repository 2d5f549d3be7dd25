"""A session on the whole screen: what it shows, and what every key of it does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_journal.tui.finder import Finder
from agent_journal.tui.reader import Reader
from agent_journal.tui.talk import Talk
from tests.support.journals import aj, write_claude
from tests.support.tui_screens import Driver, drive

FLAKY = "Flaky retry test: clock and jitter"


def test_the_depths_show_more_and_more(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.read(FLAKY)
        assert "8 steps · TaskCreate, TaskUpdate, Edit · 1 file changed" in ui.talk
        assert "1 step · Bash · 1 failed" in ui.talk
        assert "def delay" not in ui.talk
        await ui.press("d")
        await ui.until(lambda: "Steps" in ui.head)
        await ui.until(lambda: "Bash pytest tests/test_retry.py -k deadline" in ui.talk)
        assert "return min(self.cap, self.base * 2**attempt) * self.jitter()" in ui.talk
        assert "2 failed, 28 passed" not in ui.talk
        await ui.press("d")
        await ui.until(lambda: "Everything" in ui.head)
        await ui.until(lambda: "2 failed, 28 passed" in ui.talk)
        await ui.press("d")
        await ui.until(lambda: "Story" in ui.head)

    drive(demo_home, test)


def test_steps_open_in_place(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.read(FLAKY)
        await ui.press("j", "j")
        assert ui.reader.query_one(Talk).current.key.endswith(":steps")  # type: ignore[union-attr]
        for key in ("enter", "f"):
            await ui.press(key)
            await ui.until(lambda: "Read /home/sam/work/relay/src/relay/retry.py" in ui.talk)
            await ui.press(key)
            await ui.until(lambda: "retry.py  ✓" not in ui.talk)
        await ui.press("k")
        current = ui.reader.query_one(Talk).current
        assert current is not None
        assert current.text.startswith("I'll read the retry code")

    drive(demo_home, test)


def test_prompts_are_jumped_to(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.read(FLAKY)
        talk = ui.reader.query_one(Talk)
        texts = []
        for key in ("J", "J", "K", "K"):
            await ui.press(key)
            assert talk.current is not None
            texts.append(talk.current.text[:20])
        assert texts == ["/rename Flaky retry ", "Good. Add it to the ", texts[0], texts[3]]
        assert texts[3].startswith("tests/test_retry.py")

    drive(demo_home, test, size=(80, 24))


def test_words_are_found_also_in_folded_calls(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.read(FLAKY)
        talk = ui.reader.query_one(Talk)
        await ui.press("slash")
        await ui.type("2 failed")
        await ui.press("enter")
        await ui.until(lambda: "2 failed, 28 passed" in ui.talk)
        marked = [piece.text for line in talk.lines for piece in line if piece.look == "hit"]
        assert "failed" in marked
        assert talk.current is not None
        place = talk.current.position
        await ui.press("n")
        await ui.until(lambda: "on from the other end" in ui.said)
        assert talk.current.position == place
        await ui.press("slash", "escape")
        assert talk.has_focus
        assert isinstance(ui.app.screen, Reader)

    drive(demo_home, test)


def test_what_is_in_sight_is_found_first_and_what_is_nowhere_is_said(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.read(FLAKY)
        talk = ui.reader.query_one(Talk)
        await ui.press("J", "J", "slash")
        await ui.until(lambda: ui.current.startswith("You"))
        here = talk.current
        assert here is not None
        await ui.type("good")
        await ui.press("enter")
        await ui.until(lambda: "looking" not in ui.said)
        assert talk.current is not None
        assert talk.current.position == here.position
        await ui.press("slash")
        await ui.press(*["backspace"] * 4)
        await ui.type("quintessence")
        await ui.press("enter")
        await ui.until(lambda: "no message of this session has quintessence" in ui.said)

    drive(demo_home, test)


def test_keys_go_on_from_what_is_in_sight(tmp_path: Path) -> None:
    write_claude(tmp_path, count=60)
    aj(tmp_path, "sync")

    async def test(ui: Driver) -> None:
        await ui.read("user text 0 of s1")
        talk = ui.reader.query_one(Talk)
        for key in ("J", "j", "d"):
            await ui.press("g", "pagedown", "pagedown")
            await ui.until(lambda: talk.scroll_offset.y > 40)
            await ui.press(key)
            await ui.until(lambda: talk.current.position > 10)  # type: ignore[union-attr]
        await ui.press("G")
        await ui.until(talk.is_at_end)
        await ui.press("K")
        await ui.until(lambda: ui.current.startswith("You") and "58 of s1" in ui.chosen_text)

    drive(tmp_path, test, size=(80, 24))


def test_a_hit_opens_the_session_where_it_is(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.search('"28 passed"', 1)
        await ui.press("enter")
        await ui.until(lambda: isinstance(ui.app.screen, Reader) and "28 passed" in ui.text)

    drive(demo_home, test, size=(80, 24))


def test_changes_and_usage_are_panes(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.read(FLAKY)
        await ui.press("c")
        await ui.until(lambda: "2 files, 3 edits" in ui.talk)
        assert "+- Retries never sleep past their deadline." in ui.talk
        await ui.press("u")
        await ui.until(lambda: "responses" in ui.talk)
        assert "claude-opus-5-5" in ui.talk
        assert "$0.07" in ui.talk
        head, numbers = [line.split() for line in ui.talk.splitlines()[2:4]]
        assert head == ["model", "responses", "input", "cached", "output", "cost"]
        assert numbers[2:4] == ["192,576", "190,941"]
        await ui.press("escape")
        await ui.until(lambda: "▾ You" in ui.talk)
        await ui.press("c")
        await ui.until(lambda: "2 files, 3 edits" in ui.talk)
        await ui.press("c")
        await ui.until(lambda: "▾ You" in ui.talk)
        await ui.press("q")
        await ui.until(lambda: isinstance(ui.app.screen, Finder))

    drive(demo_home, test)


def test_a_sub_agent_is_read_from_its_line(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.read("Per-host connection limit")
        await ui.until(lambda: "Sub-agent" in ui.talk)
        talk = ui.reader.query_one(Talk)
        await ui.press_until("j", lambda: talk.current and talk.current.child)
        parent = ui.reader
        await ui.press("enter")
        await ui.until(lambda: ui.app.screen is not parent)
        assert ui.reader.row.title == "Map the connection pool"
        await ui.press("escape")
        await ui.until(lambda: ui.app.screen is parent)

    drive(demo_home, test)


def test_pictures_are_named(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.search("has:image")
        for entry in ui.entries[:1]:
            await ui.read(entry.row.title)
            await ui.until(lambda: "[image: " in ui.talk)

    drive(demo_home, test)


def test_a_session_that_grows_is_followed_at_its_end(tmp_path: Path) -> None:
    write_claude(tmp_path, count=60)
    aj(tmp_path, "sync")

    async def test(ui: Driver) -> None:
        await ui.read("user text 0 of s1")
        await ui.press("G")
        talk = ui.reader.query_one(Talk)
        await ui.until(talk.is_at_end)
        write_claude(tmp_path, count=2, start=60)
        aj(tmp_path, "sync")
        await ui.until(lambda: "assistant text 61 of s1" in ui.text)
        await ui.press("g")
        await ui.until(lambda: talk.scroll_offset.y == 0)
        write_claude(tmp_path, count=4, start=62)
        aj(tmp_path, "sync")
        await ui.until(lambda: "● 4 new ↓" in ui.head)
        assert talk.scroll_offset.y == 0

    drive(tmp_path, test)


def test_a_message_that_grows_is_followed_at_its_end(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=60)
    aj(tmp_path, "sync")

    async def test(ui: Driver) -> None:
        await ui.read("user text 0 of s1")
        await ui.press("G")
        talk = ui.reader.query_one(Talk)
        await ui.until(talk.is_at_end)
        # Claude Code writes every part of an answer as a record with the same id
        record = json.loads(path.read_text().splitlines()[-1])
        record["uuid"] = "more"
        record["message"]["content"] = [{"type": "text", "text": "more\n" * 9 + "the rest"}]
        with path.open("a") as out:
            out.write(json.dumps(record) + "\n")
        aj(tmp_path, "sync")
        await ui.until(lambda: "the rest" in ui.text)
        assert "60/60" in ui.head

    drive(tmp_path, test, size=(80, 24))


def test_a_change_elsewhere_moves_nothing(tmp_path: Path) -> None:
    write_claude(tmp_path, count=1_000)
    aj(tmp_path, "sync")

    async def test(ui: Driver) -> None:
        await ui.read("user text 0 of s1")
        talk = ui.reader.query_one(Talk)
        await ui.press_until("pagedown", lambda: "text 190 of" in ui.text)
        top = talk.scroll_offset.y
        shown = ui.text
        write_claude(tmp_path, "s2", count=2)
        aj(tmp_path, "sync")
        seen = ui.app.state
        await ui.until(lambda: ui.app.state != seen)
        await ui.until(lambda: not ui.reader.is_loading_more)
        assert (talk.scroll_offset.y, ui.text) == (top, shown)

    drive(tmp_path, test)


def test_a_long_session_is_loaded_in_parts(tmp_path: Path) -> None:
    write_claude(tmp_path, count=1_200)
    aj(tmp_path, "sync")

    async def test(ui: Driver) -> None:
        await ui.read("user text 0 of s1")
        talk = ui.reader.query_one(Talk)
        assert "1/1,200" in ui.head
        assert len({block.position for block in talk.page.blocks}) == 80
        await ui.press_until("pagedown", lambda: "text 300 of" in ui.text)
        assert len({block.position for block in talk.page.blocks}) <= 400
        await ui.press("end")
        await ui.until(lambda: "assistant text 1199 of s1" in ui.text)
        assert len({block.position for block in talk.page.blocks}) == 80
        await ui.press_until("pageup", lambda: "text 1050 of" in ui.text)
        await ui.press("home")
        await ui.until(lambda: " 1/1,200" in ui.head)
        await ui.press("slash")
        await ui.type("777")
        await ui.press("enter")
        await ui.until(lambda: "assistant text 777 of s1" in ui.text)
        assert "77" in ui.head

    drive(tmp_path, test)


def test_keys_leave_a_pane_in_its_place(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.read(FLAKY)
        await ui.press("j", "j")
        talk = ui.reader.query_one(Talk)
        current, before = talk.current, talk.scroll_offset.y
        await ui.press("c")
        await ui.until(lambda: "Changes" in ui.talk)
        pane = ui.talk
        for key in ("j", "k", "J", "K", "G", "g", "d", "n", "N", "slash", "enter", "f"):
            await ui.press(key)
            assert ui.talk == pane, key
        await ui.press("G")
        assert talk.scroll_offset.y == talk.max_scroll_y
        await ui.press("escape")
        await ui.until(lambda: "▾ You" in ui.talk)
        assert (talk.current, talk.scroll_offset.y) == (current, before)

    drive(demo_home, test, size=(80, 24))


@pytest.mark.parametrize("action", ["depth", "end"])
def test_a_pane_does_not_stop_what_is_loading(tmp_path: Path, action: str) -> None:
    write_claude(tmp_path, count=400)
    aj(tmp_path, "sync")

    async def test(ui: Driver) -> None:
        await ui.read("user text 0 of s1")
        await ui.reader.run_action(action)
        await ui.reader.run_action("pane('usage')")  # at once
        await ui.until(lambda: "from first to last message" in ui.talk)
        await ui.until(lambda: not ui.reader.is_loading_more)
        assert "from first to last message" in ui.talk
        await ui.press("escape")
        await ui.until(lambda: f"text {399 if action == 'end' else 1} of" in ui.text)
        await ui.press("G")
        await ui.until(lambda: "text 399 of" in ui.text)
        await ui.press_until("pageup", lambda: "text 290 of" in ui.text)

    drive(tmp_path, test, size=(80, 24))


def test_a_pane_may_be_opened_and_left_before_anything_is_loaded(demo_home: Path) -> None:
    async def test(ui: Driver) -> None:
        await ui.search("jitter deadline")
        await ui.until(lambda: ui.entries)
        ui.finder.action_read()
        await ui.until(lambda: isinstance(ui.app.screen, Reader) and ui.reader.query("#hints"))
        await ui.reader.run_action("pane('usage')")
        await ui.until(lambda: "Usage" in ui.talk)
        await ui.press("escape")
        await ui.until(lambda: "▾ You" in ui.talk)
        await ui.until(lambda: "jitter" in ui.text)

    drive(demo_home, test)
