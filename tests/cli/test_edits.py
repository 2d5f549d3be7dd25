"""The commands that show edits and files: `aj show --edits` and `aj show --file`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_journal.cli.views.edits import edit_lines
from agent_journal.model import FileEdit, Message, Session
from tests.support.file_edits import edit
from tests.support.journals import aj, aj_json, claude_line, variables

EVIL = "\x1b]52;c;aGFjaw==\x07\x1b[2J\u202e"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a session that changes files, some text of which is hostile."""
    home = tmp_path_factory.mktemp("edits")
    path = home / ".claude/projects/-work-app/s1.jsonl"
    path.parent.mkdir(parents=True)

    def write(number: int, name: str, text: str) -> list[dict[str, Any]]:
        block = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "Write",
            "input": {"file_path": name, "content": text},
        }
        answer = claude_line("assistant", number, "x")
        answer["message"]["content"] = [block]
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "done"}
        return [
            answer,
            claude_line(
                "user",
                number + 1,
                "x",
                message={"role": "user", "content": [result]},
                toolUseResult={
                    "type": "create",
                    "filePath": name,
                    "content": text,
                    "structuredPatch": [],
                },
            ),
        ]

    patch = [
        {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-one", "+two"]}
    ]
    update = write(7, "/work/app/src/a.py", "ignored")
    update[0]["message"]["content"][0] = {
        "type": "tool_use",
        "id": "t7",
        "name": "Edit",
        "input": {"file_path": "/work/app/src/a.py"},
    }
    update[1]["toolUseResult"] = {"filePath": "/work/app/src/a.py", "structuredPatch": patch}
    lines = [
        claude_line("user", 0, f"make a\nand more {EVIL}"),
        *write(1, "/work/app/src/a.py", "one\n"),
        *write(3, f"/work/app/{EVIL}/b.py", f"b{EVIL}\r\nend"),
        claude_line("user", 6, "now two"),
        *update,
        claude_line(
            "user",
            9,
            "x",
            message={"role": "user", "content": []},
            toolUseResult={"filePath": "/work/app/test/a.py"},
        ),
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert aj(home, "sync").returncode == 0
    return home


def test_the_edits_are_shown_request_by_request(home: Path) -> None:
    done = aj(home, "show", "s1", "--edits")
    lines = done.stdout.splitlines()
    assert lines[1] == "claude-code:s1 · 2 files changed by 2 requests"
    assert "▌ 1  make a" in lines
    assert "  created /work/app/src/a.py  +1 -0" in lines
    assert lines[lines.index("▌ 2  now two") + 1 :] == [
        "  edited /work/app/src/a.py  +1 -1",
        "    @@ -1,1 +1,1 @@",
        "    -one",
        "    +two",
    ]
    assert not set(done.stdout) & set("\x1b\x07\r\u202e")


def test_diffs_are_coloured_by_their_marks() -> None:
    session = Session(
        agent="vscode-chat",
        id="s",
        messages=(Message(session_id="s", id="r1", role="user", kind="prompt", text="go"),),
        file_edits=(
            edit("r1", "-- x\n", "++ y\x1b[2J\n", state="kept"),
            FileEdit(session_id="s", path="/w/n.ipynb"),
        ),
    )
    lines = list(edit_lines(session, colour=True))
    assert lines[3:] == [
        "\x1b[32;1m▌ 1  go\x1b[0m",
        "\x1b[1m  edited /w/f  kept\x1b[0m",
        "\x1b[2m    --- a/w/f\x1b[0m",
        "\x1b[2m    +++ b/w/f\x1b[0m",
        "\x1b[36m    @@ -1,1 +1,1 @@\x1b[0m",
        "\x1b[31m    --- x\x1b[0m",
        "\x1b[32m    +++ y\x1b[0m",
        "\x1b[1m  edited /w/n.ipynb\x1b[0m",
        "\x1b[2m    (what changed in it is not recorded)\x1b[0m",
    ]
    assert not any("\x1b" in line for line in edit_lines(session, colour=False))


def test_the_edits_as_json(home: Path) -> None:
    answer = aj_json(home, "show", "s1", "--edits")
    assert (answer["schema"], answer["kind"], answer["session"]) == (1, "edits", "claude-code:s1")
    assert answer["page"] == {"state": "complete", "total": 3, "limit": None}
    last = answer["items"][-1]
    assert (last["request"], last["prompt"], last["kind"], last["lines_added"]) == (
        2,
        "now two",
        "edit",
        1,
    )


def test_a_file_is_printed_as_it_was(home: Path) -> None:
    def printed(*args: str) -> bytes:
        command = [sys.executable, "-m", "agent_journal", "show", "s1", "--file", *args]
        return subprocess.run(command, env=variables(home), capture_output=True, check=True).stdout

    assert printed("/work/app/src/a.py") == b"two\n"
    assert printed("src/a.py", "--at", "1") == b"one\n"
    assert printed("a.py", "--at", "2") == b"two\n"
    assert printed("b.py") == f"b{EVIL}\r\nend".encode()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--file", "x.py"], ["no file 'x.py'", "/work/app/src/a.py"]),
        (["--file", "py"], ["no file 'py'"]),
        (["--file", "a.py", "--at", "3"], ["no request 3", "2 requests"]),
        (["--file", "a.py", "--at", "0"], ["does not exist after request 0", "--edits"]),
        (["--at", "1"], ["--file PATH"]),
        (["--edits", "--raw"], ["--raw or --edits"]),
        (["--edits", "--file", "a.py"], ["--edits or --file"]),
        (["--file", "a.py", "--json"], ["--file or --json"]),
    ],
)
def test_what_cannot_be_shown_is_an_error_with_a_hint(
    home: Path, args: list[str], words: list[str]
) -> None:
    done = aj(home, "show", "s1", *args)
    assert (done.returncode, done.stdout if "--json" not in args else "") == (2, "")
    printed = done.stdout + done.stderr
    assert all(word in printed for word in words), printed
    assert not set(printed) & set("\x1b\x07\r\u202e")


def test_a_session_without_edits(tmp_path: Path) -> None:
    path = tmp_path / ".claude/projects/-w/s2.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(claude_line("user", 0, "hello", "s2")) + "\n")
    aj(tmp_path, "sync")
    done = aj(tmp_path, "show", "s2", "--edits")
    assert (done.returncode, done.stdout) == (0, "")
    assert "no file was changed" in done.stderr
    assert aj_json(tmp_path, "show", "s2", "--edits")["items"] == []
    assert "no file was changed" in aj(tmp_path, "show", "s2", "--file", "x").stderr
