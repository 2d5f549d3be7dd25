"""Streams, exit codes, pipes and terminals, through real processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.journals import (
    aj,
    claude_line,
    variables,
    write_claude,
)
from tests.support.terminals import on_terminal


def test_data_goes_to_stdout_and_notes_to_stderr(demo: Path) -> None:
    done = aj(demo, "ls")
    assert len(done.stdout.splitlines()) == 20
    assert done.stderr == ""
    done = aj(demo, "sync")
    assert done.stdout == ""
    assert "20 sessions, 0 new" in done.stderr


def test_a_closed_pipe_is_silent(demo: Path) -> None:
    command = f"'{sys.executable}' -m agent_journal show last --depth all | head -1"
    done = subprocess.run(
        ["bash", "-c", command], env=variables(demo), capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1
    command = f"set -o pipefail; {command}"
    assert (
        subprocess.run(
            ["bash", "-c", command], env=variables(demo), capture_output=True, check=False
        ).returncode
        == 0
    )


@pytest.mark.parametrize("args", [["ls"], ["show", "last"], ["sync"], [], ["doctor"]])
def test_closed_streams_do_no_harm(demo: Path, args: list[str]) -> None:
    for closed in (">&-", "2>&-", ">&- 2>&-", "<&-"):
        command = f"'{sys.executable}' -m agent_journal {' '.join(args)} {closed}"
        done = subprocess.run(
            ["bash", "-c", command],
            env=variables(demo),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, "went wrong" in done.stderr) == (0, False), (
            args,
            closed,
            done.stderr,
        )


def test_session_text_cannot_control_the_terminal(tmp_path: Path) -> None:
    evil = "\x1b]52;c;aGFjaw==\x07\x1b[2J\x9b31m\u202egnp.exe\x08\r"
    path = tmp_path / ".claude/projects/-evil/e1.jsonl"
    path.parent.mkdir(parents=True)
    lines: list[dict[str, Any]] = [
        claude_line(
            "user", 0, f"prompt {evil}", "e1", cwd=f"/work/{evil}", gitBranch=evil, version=evil
        ),
        claude_line("assistant", 1, f"answer {evil}", "e1"),
        {"type": "custom-title", "customTitle": f"title {evil}", "sessionId": "e1"},
        {"type": f"odd{evil}", "sessionId": "e1", "uuid": "x"},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    aj(tmp_path, "sync")
    for args in (
        ["ls", "--all"],
        ["show", "e1", "--depth", "all"],
        ["doctor"],
        ["sources", "--files"],
        ["verify"],
    ):
        for output in (aj(tmp_path, *args).stdout, on_terminal(tmp_path, *args, NO_COLOR="1")):
            kept = output.replace("\r\n", "\n").replace("\x1b[2K", "")
            assert not set(kept) & set("\x1b\x07\x08\x9b\r\u202e"), args


def test_colour_only_on_a_terminal_and_never_under_no_color(demo: Path) -> None:
    assert "\x1b[" in on_terminal(demo, "ls")
    assert "\x1b[" not in on_terminal(demo, "ls", NO_COLOR="1")
    assert "\x1b[" not in on_terminal(demo, "ls", TERM="dumb")
    refused = on_terminal(demo, "tui", TERM="dumb")
    assert "cannot draw on this terminal: TERM is 'dumb' or not set" in " ".join(refused.split())
    assert "\x1b[" not in aj(demo, "ls").stdout


def test_ascii_terminals_work(demo: Path) -> None:
    done = aj(
        demo,
        "show",
        "last",
        env={"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    latin = {"PYTHONIOENCODING": "latin-1"}
    assert aj(demo, "show", "last", env=latin, encoding="latin-1").returncode == 0
    done = aj(demo, "ls", "--json", env={"PYTHONIOENCODING": "ascii"})
    assert len(json.loads(done.stdout)["items"]) == 20


def test_strict_exits_with_3_when_something_could_not_be_read(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    assert aj(tmp_path, "sync", "--strict").returncode == 0
    with path.open("a") as out:
        out.write("not json\n")
    assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "sync", "--strict").returncode == 3
