"""A part of a session is what the whole session has there."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from agent_journal.journal import Journal
from agent_journal.store.catalog import known_branches
from agent_journal.store.catalog.examination import signs_of_damage
from agent_journal.store.catalog.store import open_writer
from tests.support.journals import aj, append, claude_line, open_journal, write_claude

Line = dict[str, Any]
_LOG = ".claude/projects/-work-app/s1.jsonl"


class _Talk:
    """Lines of a session with rewinds, tool calls, and results whose call is nowhere."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._count = 0
        self._last: str | None = None

    def lines(self, count: int, rewinds: float) -> list[Line]:
        """So many more lines; before some, the person goes back to an earlier one."""
        return [self._line(rewinds) for _ in range(count)]

    def _line(self, rewinds: float) -> Line:
        number = self._count
        self._count += 1
        kind = self._random.choice(["prompt", "answer", "answer", "call", "result", "orphan"])
        parent = self._last
        if kind == "prompt" and number > 3 and self._random.random() < rewinds:
            parent = f"s1-u{self._random.randrange(number)}"
        line = claude_line("user", number, f"prompt {number}", parentUuid=parent)
        if kind in ("answer", "call"):
            line = claude_line("assistant", number, f"answer {number}", parentUuid=parent)
        content: dict[str, Any] = {}
        if kind == "call":
            content = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {}}
        elif kind in ("result", "orphan"):
            call = f"t{max(0, number - self._random.randrange(1, 4))}"
            if kind == "orphan":
                call = f"lost{number}"
            content = {"type": "tool_result", "tool_use_id": call, "content": f"out {number}"}
        if content:
            line["message"]["content"] = [content]
        self._last = line["uuid"]
        return line


def check_windows(journal: Journal) -> int:
    """Compare windows of every size with the whole; return how many messages are on branches."""
    whole = journal.session("s1").messages
    last = max(message.seq or 0 for message in whole)
    for first in range(0, last + 1, 7):
        for size in (1, 3, 40):
            wanted = range(first, first + size)
            expected = tuple(message for message in whole if message.seq in wanted)
            assert journal.window("s1", first, first + size - 1).messages == expected
    return sum(message.is_branch for message in whole)


@pytest.mark.parametrize("seed", range(4))
def test_a_window_has_what_the_session_has_there(seed: int, tmp_path: Path) -> None:
    append(tmp_path / _LOG, *_Talk(seed).lines(80, rewinds=0.4))
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        assert check_windows(journal) > 0


@pytest.mark.parametrize("seed", range(4))
def test_branches_of_a_long_session_are_known(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_branches, "LONG", 10)
    monkeypatch.setattr(known_branches, "_NEWEST", 8)
    monkeypatch.setattr(known_branches, "_MOST_NEW", 20)
    talk = _Talk(seed)
    branches = []
    with open_journal(tmp_path) as journal:
        for turn in range(12):
            append(tmp_path / _LOG, *talk.lines(15, rewinds=0.3 * (turn % 3 == 0)))
            journal.sync(index=False)
            branches.append(check_windows(journal))
    assert branches[-1] > branches[0]


def test_a_note_makes_reading_all_links_needless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_branches, "LONG", 10)
    monkeypatch.setattr(known_branches, "_NEWEST", 8)
    path = write_claude(tmp_path, count=60)
    append(path, claude_line("user", 60, "again", parentUuid="s1-u41"))
    write_claude(tmp_path, count=20, start=61)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        write_claude(tmp_path, count=30, start=81)
        journal.sync(index=False)
        monkeypatch.setattr(known_branches, "left_in", None)  # which needs all of them
        shown = journal.window("s1", 40, 45).messages
    assert [message.is_branch for message in shown] == [False, False, True, True, True, True]


def test_a_rewind_behind_a_note_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_branches, "LONG", 10)
    path = write_claude(tmp_path, count=400)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        append(path, claude_line("user", 400, "from the start", parentUuid="s1-u1"))
        journal.sync(index=False)
        shown = journal.window("s1", 1, 2).messages
    assert [message.is_branch for message in shown] == [False, True]


def test_a_damaged_note_is_found_and_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_branches, "LONG", 10)
    write_claude(tmp_path, count=300)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
    db = open_writer(str(tmp_path / ".agent-journal/index"))
    assert list(signs_of_damage(db)) == []
    query = "SELECT key, value FROM meta WHERE key GLOB 'branches of *'"
    [(key, value)] = db.execute(query).fetchall()
    flipped = value[:-1] + bytes([value[-1] ^ 1])
    db.execute("UPDATE meta SET value = ? WHERE key = ?", (flipped, key))
    assert list(signs_of_damage(db)) == ["1 of the notes about branches cannot be read"]
    db.close()
    with open_journal(tmp_path) as journal:
        check_windows(journal)


def test_show_of_a_position_before_the_first_message(tmp_path: Path) -> None:
    write_claude(tmp_path, count=4)
    aj(tmp_path, "sync")
    assert "text 0" in aj(tmp_path, "show", "s1", "-m", "0", "-C", "0").stdout
