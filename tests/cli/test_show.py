"""`aj show`: depths, raw records, earlier versions."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from agent_journal.cli.views.marking import marked_line
from agent_journal.search.marks import Marker
from tests.support.journals import (
    aj,
    aj_json,
    claude_line,
    variables,
    write_claude,
)
from tests.support.terminals import on_terminal


def test_raw_prints_the_original_bytes(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    aj(tmp_path, "sync")
    done = subprocess.run(
        [sys.executable, "-m", "agent_journal", "show", "s1", "--raw"],
        env=variables(tmp_path),
        capture_output=True,
        check=True,
    )
    assert done.stdout == path.read_bytes()


def test_raw_of_a_thread_inside_anothers_log(demo: Path) -> None:
    children = [item for item in aj_json(demo, "ls", "--all")["items"] if item["parent_id"]]
    child = next(item for item in children if item["agent"] == "copilot-cli")
    lines = aj(demo, "show", child["id"], "--raw").stdout.splitlines()
    agents = {json.loads(line).get("agentId") for line in lines}
    assert agents == {child["id"].rpartition("/")[2]}


def test_depths(demo: Path) -> None:
    shown = {
        depth: aj(demo, "show", "last", "--depth", depth).stdout
        for depth in ("user", "assistant", "tool", "all")
    }
    sizes = [len(text) for text in shown.values()]
    assert sizes == sorted(sizes)
    assert "▌ agent" not in shown["user"]
    assert "→" not in shown["assistant"]
    assert "→" in shown["tool"]


def test_a_message_is_shown_by_its_position(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    assert aj(tmp_path, "show", "s1", "--message", "0").returncode == 0
    done = aj(tmp_path, "show", "s1", "--message", "9999")
    assert done.returncode == 2
    assert "no message at position 9999; positions are 0 to " in done.stderr


def test_totals_with_sub_agents(demo: Path) -> None:
    everything = aj_json(demo, "ls", "--all")
    assert everything["page"] == {"state": "complete", "total": 22, "limit": None}
    some = aj_json(demo, "ls", "--all", "-n", "4")
    assert len(some["items"]) == 4
    assert some["page"] == {"state": "more", "total": 22, "limit": 4}


def test_days_durations_and_diffs_are_shown(tmp_path: Path) -> None:
    path = tmp_path / ".claude/projects/-work-app/s1.jsonl"
    path.parent.mkdir(parents=True)
    edit = {
        "type": "tool_use",
        "id": "t1",
        "name": "Edit",
        "input": {"file_path": "/a.py", "old_string": "a  b"},
    }
    patch = [
        {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a  b", "+c  d"]}
    ]
    lines = [
        claude_line("user", 0, "first"),
        {
            **claude_line("assistant", 1, "x"),
            "message": {"id": "m1", "role": "assistant", "content": [edit]},
        },
        claude_line(
            "user",
            2,
            "x",
            message={
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "done"}],
            },
            toolUseResult={"filePath": "/a.py", "structuredPatch": patch},
            timestamp="2026-11-01T00:02:00Z",
        ),
        claude_line("user", 3, "next day", timestamp="2026-11-20T12:00:00Z"),
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    aj(tmp_path, "sync")
    text = aj(tmp_path, "show", "s1").stdout
    assert "── 2026-11-20 ──" in text
    assert "│ -a  b" in text
    assert "│ +c  d" in text
    assert "old_string: a  b" in aj(tmp_path, "show", "s1", "--depth", "all").stdout


def test_a_log_the_agent_rewrote_is_shown_in_both_versions(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=6)
    old = path.read_bytes()
    aj(tmp_path, "sync")
    path.write_bytes(b"".join(old.splitlines(keepends=True)[:2]))
    done = aj(tmp_path, "sync")
    assert "1 file rewritten by the agent (the earlier version is kept)" in done.stderr
    assert "-" not in done.stderr.split("new")[0]
    assert "2 versions are kept" in aj(tmp_path, "show", "s1").stdout
    assert "user text 4" not in aj(tmp_path, "show", "s1").stdout
    assert "user text 4" in aj(tmp_path, "show", "s1", "--version", "1").stdout
    assert aj(tmp_path, "show", "s1", "--version", "1", "--raw").stdout.encode() == old
    assert len(aj_json(tmp_path, "show", "s1", "--version", "1")["items"][0]["messages"]) == 6
    assert aj(tmp_path, "show", "s1", "--version", "3").returncode == 2


def test_messages_around_a_place_or_a_word(tmp_path: Path) -> None:
    write_claude(tmp_path, count=9)
    aj(tmp_path, "sync")

    def shown(*args: str) -> list[str]:
        text = aj(tmp_path, "show", "s1", *args).stdout
        return re.findall(r"text (\d) of s1$", text, re.MULTILINE)[1:]  # the first is the title

    assert shown("--message", "4") == ["2", "3", "4", "5", "6"]
    assert shown("-m", "4", "-C", "0") == ["4"]
    assert shown("-m", "4", "-C", "1", "--find", "nothing like it") == ["3", "4", "5"]
    assert shown("--find", "text 4") == ["4"]
    assert shown("--find", "text 4", "-C", "1") == ["3", "4", "5"]
    done = aj(tmp_path, "show", "s1", "-C", "1")
    assert (done.returncode, "-C needs --message or --find" in done.stderr) == (2, True)


def test_the_message_that_was_asked_for_is_marked(tmp_path: Path) -> None:
    write_claude(tmp_path, count=9)
    aj(tmp_path, "sync")

    def marked(*args: str) -> list[str]:
        text = aj(tmp_path, "show", "s1", *args).stdout
        return re.findall(r"^▶ .*\n.*text (\d) of s1$", text, re.MULTILINE)

    assert marked("-m", "4") == ["4"]
    assert marked("-m", "0", "-C", "3") == ["0"]
    assert marked("-m", "4", "--find", "text 3") == ["4"]
    assert marked("--find", "text 4", "-C", "1") == []


def test_words_are_marked_on_a_terminal(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    marked = "user \x1b[33;1mtext\x1b[0m 2 of s1"
    assert marked in on_terminal(tmp_path, "show", "s1", "--message", "2", "--find", "text")
    assert marked in on_terminal(tmp_path, "show", "s1", "--find", "text")
    assert marked not in on_terminal(tmp_path, "show", "s1", "--message", "2")
    for args in (["--find", "text"], ["--message", "2", "--find", "text"]):
        assert "\x1b" not in aj(tmp_path, "show", "s1", *args).stdout


def test_a_mark_leaves_the_style_of_its_line() -> None:
    line = "plain pool \x1b[2mdim pool, dim\x1b[0m plain"
    marked = "\x1b[33;1mpool\x1b[0m"
    expected = f"plain {marked} \x1b[2mdim {marked}\x1b[2m, dim\x1b[0m plain"
    assert marked_line(line, Marker(["pool"])) == expected
