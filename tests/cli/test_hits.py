"""Hits on a terminal: at most three lines that never wrap, the words marked, a pager."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from agent_journal.text.width import display_width
from tests.support.journals import aj, aj_json, claude_line
from tests.support.terminals import on_terminal

STYLES = re.compile(r"\x1b\[[0-9;]*m")
NOTES = ("1 hit", "2 hits", "3 hits", "4 hits")
SESSIONS = {
    "aaaaaaaa-0001": "Why does the walrus pool run out of connections when nobody uses it at all?",
    "bbbbbbbb-0002": "全文検索エンジンの walrus を最新の状態にアップデートしてください。" * 4,
    "cccccccc-0003": "🚀🚀 walrus " + "e\u0301" * 200 + " \x1b[31m\u202ewalrus",
}


def call_lines(session: str, name: str, arguments: dict[str, object], result: str) -> list[object]:
    call = {"type": "tool_use", "id": f"t-{session}", "name": name, "input": arguments}
    answer = {"id": f"m-{session}", "role": "assistant", "content": [call]}
    returned = {"type": "tool_result", "tool_use_id": f"t-{session}", "content": result}
    return [
        claude_line("user", 0, "Please look at it", session),
        {**claude_line("assistant", 1, "", session), "message": answer},
        {
            **claude_line("user", 2, "", session),
            "message": {"role": "user", "content": [returned]},
        },
        claude_line("assistant", 3, "It is done, as you asked", session),
    ]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hits")
    folder = path / ".claude/projects/-work-app"
    folder.mkdir(parents=True)
    sessions: dict[str, list[object]] = {
        session: [claude_line("user", 0, text, session)] for session, text in SESSIONS.items()
    }
    output = "ok\n" * 200 + "FAILED test_walrus: no needle\n" + "ok\n" * 200
    shell = {"command": "make walrus", "timeout": 600, "description": "Run it"}
    sessions["dddddddd-0004"] = call_lines("dddddddd-0004", "Bash", shell, output)
    for session, lines in sessions.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{session}.jsonl").write_text(text)
    assert aj(path, "sync").returncode == 0
    return path


def shown(home: Path, *args: str, columns: int, lines: int = 60) -> list[str]:
    """The lines of hits on a terminal, without styles and notes."""
    seen = STYLES.sub("", on_terminal(home, *args, columns=columns, lines=lines))
    return [line for line in seen.splitlines() if not line.startswith(NOTES)]


@pytest.mark.parametrize("columns", [40, 80, 100, 120, 160])
def test_hits_have_at_most_three_lines_and_none_wraps(home: Path, columns: int) -> None:
    lines = shown(home, "search", "--no-sync", "walrus", columns=columns)
    assert max(map(display_width, lines)) <= columns
    titles = [number for number, line in enumerate(lines) if not line.startswith("    ")]
    assert len(titles) == 4
    assert max(end - start for start, end in pairwise([*titles, len(lines)])) <= 3
    assert len(re.findall(r"aj show \w{8}(?: -m \d)?$", "\n".join(lines), re.MULTILINE)) == 4


def test_a_hit_says_whose_it_is_and_how_to_open_it(home: Path) -> None:
    title, text, *_ = shown(home, "search", "--no-sync", "nobody is:prompt", columns=120)
    assert title.startswith("Why does the walrus pool run out of connections")
    assert "  claude-code · app · 2026-11-01  " in title
    assert title.endswith("aj show aaaaaaaa -m 0")
    assert text == f"    you  {SESSIONS['aaaaaaaa-0001']}"


def test_words_are_marked_in_colour(home: Path) -> None:
    seen = on_terminal(home, "search", "--no-sync", "nobody is:prompt", columns=120)
    assert "when \x1b[33;1mnobody\x1b[0m uses" in seen
    assert "\x1b" not in aj(home, "search", "--no-sync", "nobody is:prompt").stdout


def test_a_pipe_gets_whole_titles_on_two_lines(home: Path) -> None:
    done = aj(home, "search", "--no-sync", "nobody is:prompt")
    title, text = done.stdout.splitlines()
    assert title.startswith(f"{SESSIONS['aaaaaaaa-0001']}  claude-code · app · ")
    assert text.endswith(SESSIONS["aaaaaaaa-0001"])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("make walrus", "Bash  make walrus → …FAILED test_walrus"),
        ("needle", "Bash  make walrus → …FAILED test_walrus: no needle ok"),
        ("timeout", "Bash  make walrus: description: Run it, timeout: 600"),
    ],
)
def test_calls_are_shown_as_people_write_them(home: Path, query: str, expected: str) -> None:
    [item] = aj_json(home, "search", "--no-sync", "--flat", query, "is:tool")["items"]
    text = item["snippet"]["text"]
    assert expected in text
    assert "{" not in text
    marked = {text[start:end] for start, end in item["snippet"]["marks"]}
    assert set(query.split()) <= marked | {"walrus"}


@pytest.mark.parametrize("columns", [60, 120])
def test_messages_around_a_hit_are_cut_at_words(home: Path, columns: int) -> None:
    lines = shown(home, "search", "--no-sync", "needle", "-C", "1", columns=columns)
    assert lines[1] == "    you  Please look at it"
    assert lines[2].startswith("  ▶ Bash  make walrus → ")
    assert lines[-1] == "    agent  It is done, as you asked"
    assert max(map(display_width, lines)) <= columns


def test_a_hit_without_a_session_says_whose_it_is(tmp_path: Path) -> None:
    line = {"display": "the ibex line", "timestamp": 1762768800000, "project": "/work/shop"}
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/history.jsonl").write_text(json.dumps(line) + "\n")
    aj(tmp_path, "sync")
    done = aj(tmp_path, "search", "--no-sync", "ibex")
    title, text = done.stdout.splitlines()
    assert title == "(no session)  claude-code · shop · 2025-11-10"
    assert text == "    prompt history  the ibex line"
    assert "aj show" not in done.stdout + done.stderr
    [item] = aj_json(tmp_path, "search", "--no-sync", "ibex")["items"]
    assert (item["agent"], item["project"]) == ("claude-code", "/work/shop")
    assert item["message"]["timestamp"].startswith("2025-11-10T")
    assert "session" not in item


def test_long_output_goes_through_the_pager(home: Path) -> None:
    def seen(lines: int, *args: str) -> str:
        pager = "sed s/^/paged:/"
        return on_terminal(
            home, "search", "--no-sync", "walrus", *args, columns=80, lines=lines, PAGER=pager
        )

    assert "paged:" in seen(6)
    assert "paged:" not in seen(60)
    assert "paged:" not in seen(6, "--json")


def test_a_session_with_sub_agents_has_a_short_name(tmp_path: Path) -> None:
    folder = tmp_path / ".claude/projects/-work-app"
    child = folder / "eeeeeeee-0005/subagents/agent-a1b2c3.jsonl"
    child.parent.mkdir(parents=True)
    line = claude_line("user", 0, "the gazelle", "eeeeeeee-0005")
    (folder / "eeeeeeee-0005.jsonl").write_text(json.dumps(line) + "\n")
    line = claude_line("user", 1, "a gazelle", "eeeeeeee-0005")
    line |= {"isSidechain": True, "agentId": "a1b2c3"}
    child.write_text(json.dumps(line) + "\n")
    assert aj(tmp_path, "sync").returncode == 0
    found = aj(tmp_path, "search", "--no-sync", "gazelle").stdout
    commands = re.findall(r"aj (show \S+)", found)
    assert sorted(commands) == ["show agent-a1b2c3", "show eeeeeeee"]
    for command in commands:
        assert "gazelle" in aj(tmp_path, *command.split()).stdout
