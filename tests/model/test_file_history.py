"""Diffs that can be applied exactly, files as they stood, and the commands that show both."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_journal.cli.views.edits import edit_lines
from agent_journal.model import FileEdit, Message, Session, ToolCall
from agent_journal.model.file_history import (
    Differ,
    apply_diff,
    edits_of,
    file_at,
    header_name,
    requests_of,
    standing_at,
    timeline,
)
from tests.support.journals import aj, aj_json, claude_line, variables
from tests.support.paths import ROOT

# Texts that differ in a few lines, with every kind of line end and of last line.
LINES = st.lists(
    st.sampled_from(
        ["", "a", "b", "c", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "\\ No", "ü\U0001f600"]
    )
)
TEXTS = st.one_of(
    st.text(),
    LINES.map("\n".join),
    LINES.map(lambda lines: "".join(line + "\n" for line in lines)),
    st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "\r", "\x0b", "\x85", "\u2028"])).map(
        "".join
    ),
)


def diff(before: str | None, after: str | None, path: str = "/w/f") -> str:
    return Differ().diff(path, path, before, after).text


def edit(
    request: str | None, before: str | None, after: str | None, path: str = "/w/f", **more: Any
) -> FileEdit:
    kind = "create" if before is None else "delete" if after is None else "edit"
    given_before = before if more.pop("tells", False) else None
    return FileEdit(
        **{
            "session_id": "s",
            "path": path,
            "kind": kind,
            "message_id": request,
            "diff": diff(before, after, path),
            "before": given_before,
            "origin": "editing-session",
            **more,
        }
    )


# -- diffs -------------------------------------------------------------------------------------


@given(TEXTS, TEXTS)
def test_a_diff_turns_one_text_into_the_other(before: str, after: str) -> None:
    made = Differ().diff("/w/f", "/w/f", before, after)
    assert apply_diff(before, made.text) == after
    hunks = made.text.partition("@@")[1:]
    assert bool(hunks[0]) == (before != after)
    old, new = before.split("\n"), after.split("\n")
    assert made.added - made.removed == len(new) - len(old) + (not old[-1]) - (not new[-1])


@given(TEXTS, TEXTS, st.integers(0, 40))
def test_a_diff_that_ran_out_of_steps_is_still_right(before: str, after: str, steps: int) -> None:
    assert apply_diff(before, Differ(steps).diff("f", "f", before, after).text) == after


@given(TEXTS, TEXTS, TEXTS)
def test_a_diff_of_another_text_is_refused_or_changes_only_what_it_shows(
    before: str, after: str, other: str
) -> None:
    made = diff(before, after)
    try:
        result = apply_diff(other, made)
    except ValueError:
        return
    assert apply_diff(result, diff(result, other)) == other
    assert len(result) - len(other) == len(after) - len(before)


@given(TEXTS, TEXTS)
def test_our_diffs_are_what_patch_understands(before: str, after: str) -> None:
    """Every line has a mark, and the counts of each hunk are those of its lines."""
    lines = diff(before, after).split("\n")[2:-1]
    left = [0, 0]
    for line in lines:
        found = re.fullmatch(r"@@ -\d+,(\d+) \+\d+,(\d+) @@", line)
        if left == [0, 0] and found:
            left = [int(found[1]), int(found[2])]
            continue
        assert line[0] in " +-\\"
        left[0] -= line[0] in " -"
        left[1] -= line[0] in " +"
    assert left == [0, 0]


def test_a_diff_as_people_know_it() -> None:
    before = "".join(f"{n}\n" for n in range(20))
    after = before.replace("3\n", "three\n", 1).replace("19\n", "19")
    assert diff(before, after, "/w/a b.txt") == (
        "--- a/w/a b.txt\n+++ b/w/a b.txt\n"
        "@@ -1,7 +1,7 @@\n 0\n 1\n 2\n-3\n+three\n 4\n 5\n 6\n"
        "@@ -17,4 +17,4 @@\n 16\n 17\n 18\n-19\n+19\n\\ No newline at end of file\n"
    )
    assert diff(None, "a\n") == "--- /dev/null\n+++ b/w/f\n@@ -0,0 +1,1 @@\n+a\n"
    assert diff("a\n", None) == "--- a/w/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"
    assert diff(None, "") == "--- /dev/null\n+++ b/w/f\n"


def test_patch_itself_applies_our_diffs(tmp_path: Path) -> None:
    before, after = (
        "a\nb\n" * 30 + "end",
        "x\n" + "a\nb\n" * 10 + "a\nc\n" + "a\nb\n" * 19 + "end\n",
    )
    (tmp_path / "f").write_text(before)
    try:
        subprocess.run(
            ["patch", "-p1", "-s"],
            input=diff(before, after, "f"),
            text=True,
            cwd=tmp_path,
            check=True,
        )
    except FileNotFoundError:
        pytest.skip("no patch here")
    assert (tmp_path / "f").read_text() == after


@pytest.mark.parametrize(
    "path", ["/w/a\n+++ b/evil", "c:\\Users\\me\\x.py", "/w/\u202egnp.exe", "/w/ü b"]
)
def test_a_path_cannot_leave_its_line(path: str) -> None:
    made = diff("a\n", "b\n", path)
    assert len(made.split("\n")) == 6
    assert apply_diff("a\n", made) == "b\n"


@pytest.mark.parametrize(
    "broken",
    [
        "no diff at all",
        "@@ @@\n-a\n+b",
        "@@ -1,1 +1,1 @@\n-a",
        "@@ -1,1 +1,1 @@\n-x\n+b",
        "@@ -5,1 +5,1 @@\n-a\n+b",
        "@@ -1,1 +1,1 @@\n*a\n+b",
        "@@ -1,1 +1,1 @@\n-a\n-c\n+b",
        "@@ -1,1 +1,1 @@\n-a\n+b\n\\ No newline at end",
        "@@ -1,1 +1,1 @@\n-a\n+b\n@@ -1,1 +1,1 @@\n-a\n+b",
    ],
)
def test_a_diff_that_does_not_fit_is_refused(broken: str) -> None:
    with pytest.raises(ValueError, match=r"diff|hunk"):
        apply_diff("a\nz\n", broken)


@given(st.text(), st.text())
def test_any_text_as_a_diff_is_refused_or_applied(text: str, made: str) -> None:
    for candidate in (
        made,
        "@@ -1,2 +1,2 @@\n" + made,
        f"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-{text}\n+{made}",
    ):
        try:
            apply_diff(text, candidate)
        except ValueError:
            pass


def test_diffs_of_claude_and_copilot_are_understood() -> None:
    assert apply_diff("a\nb\n", "@@ -1,2 +1,2 @@\n-a\n+c\n b") == "c\nb\n"
    assert apply_diff("", "@@ -0,0 +1,2 @@\n+a\n+b") == "a\nb\n"
    git = "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1,2 +1,1 @@\n a\n-b\n"
    assert apply_diff("a\nb\n", git) == "a\n"


def test_hard_texts_do_not_take_long() -> None:
    """difflib alone needs minutes for texts whose lines all occur a hundred times."""
    hard = [f"{n * n % 150}\n" for n in range(15000)], [f"{n * 7 % 150}\n" for n in range(15000)]
    before, after = ("".join(lines) for lines in hard)
    start = time.monotonic()
    assert apply_diff(before, diff(before, after)) == after
    large = "".join(f"line {n}\n" for n in range(400_000))
    changed = "first\n" + large.replace("line 200000\n", "x\n") + "last"
    made = Differ().diff("f", "f", large, changed)
    assert apply_diff(large, made.text) == changed
    assert time.monotonic() - start < 10


def test_a_change_in_a_large_file_costs_little() -> None:
    large = "".join(f"line {n}\n" for n in range(400_000))
    made = Differ().diff("f", "f", large, large.replace("line 200000\n", "x\n"))
    assert (made.added, made.removed) == (1, 1)
    assert len(made.text) < 200


# -- files as they stood -----------------------------------------------------------------------


def test_a_file_after_each_request() -> None:
    edits = [
        edit("r1", "a\n", "b\n", tells=True),
        edit("r3", "b\n", "c\n"),
        edit("r4", "user\n", "d\n", tells=True),
    ]
    requests = ["r1", "r2", "r3", "r4"]
    assert [file_at(edits, "/w/f", requests, n) for n in range(5)] == [
        "a\n",
        "b\n",
        "b\n",
        "c\n",
        "d\n",
    ]
    assert file_at(edits, "/w/other", requests, 4) is None
    assert standing_at(edits, "/w/other", requests, 4).why == "unknown"


def test_made_deleted_and_made_again() -> None:
    edits = [edit("r1", None, "a\n"), edit("r2", "a\n", None), edit("r3", None, "b\n")]
    requests = ["r0", "r1", "r2", "r3"]
    assert [file_at(edits, "/w/f", requests, n) for n in range(1, 5)] == [None, "a\n", None, "b\n"]
    assert [standing_at(edits, "/w/f", requests, n).why for n in (1, 3)] == ["absent", "absent"]


def test_undone_edits_do_not_count() -> None:
    edits = [
        edit("r1", "a\n", "b\n", tells=True),
        edit("r2", "user\n", "c\n", tells=True, state="undone"),
        edit("r3", "mine\n", "d\n", tells=True, state="undone"),
    ]
    # Undoing gives back what the first of them found.
    assert [file_at(edits, "/w/f", ["r1", "r2", "r3"], n) for n in range(4)] == [
        "a\n",
        "b\n",
        "user\n",
        "user\n",
    ]
    edits = [edit("r1", None, "b\n", state="undone")]
    assert standing_at(edits, "/w/f", ["r1"], 1).why == "absent"


def test_a_renamed_file_is_followed_by_both_names() -> None:
    made = Differ().diff("/w/old", "/w/new", "a\n", "b\n").text
    assert made.startswith("--- a/w/old\n+++ b/w/new\n")
    edits = [
        edit("r1", "0\n", "a\n", "/w/old", tells=True),
        edit("r2", "a\n", "b\n", "/w/new", kind="rename", diff=made, tells=True),
        edit("r3", "b\n", "c\n", "/w/new"),
    ]
    requests = ["r1", "r2", "r3"]
    assert [file_at(edits, "/w/old", requests, n) for n in range(4)] == ["0\n", "a\n", None, None]
    assert [file_at(edits, "/w/new", requests, n) for n in range(4)] == [None, None, "b\n", "c\n"]
    assert standing_at(edits, "/w/old", requests, 3).why == "absent"


def test_where_the_data_does_not_allow_it() -> None:
    requests = ["r1", "r2", "r3", "r4"]
    edits = [
        edit("r1", "a\n", "b\n"),
        edit("r2", "x\n", "y\n", tells=True),
        edit("r3", "q\n", "z\n"),
    ]
    assert [file_at(edits, "/w/f", requests, n) for n in range(4)] == [None, None, "y\n", None]
    told = FileEdit(session_id="s", path="/w/f", message_id="r2", after="b\n")
    edits = [edit("r1", "a\n", "b\n", diff=None, tells=True), told]
    assert [file_at(edits, "/w/f", requests, n) for n in range(3)] == ["a\n", None, "b\n"]


def test_the_recording_counts_where_the_conversation_names_the_same_change() -> None:
    told = FileEdit(session_id="s", path="/w/f", message_id="r1", origin="response", state="undone")
    later = FileEdit(session_id="s", path="/w/f", message_id="r3", origin="response")
    other = FileEdit(session_id="s", path="/w/g", message_id="r1", origin="response")
    backup = FileEdit(session_id="s", path="/w/f", kind="backup", message_id="r1")
    recorded = edit("r1", "a\n", "b\n", tells=True)
    found = timeline([told, later, other, backup, recorded], ["r1", "r2", "r3"])
    assert [(n, e.path, e.origin, e.state) for n, e in found] == [
        (1, "/w/g", "response", None),
        (1, "/w/f", "editing-session", "undone"),
        (3, "/w/f", "response", None),
    ]
    assert file_at([told, recorded], "/w/f", ["r1"], 1) == "a\n"
    assert file_at([later, recorded], "/w/f", ["r1", "r2", "r3"], 3) is None


@given(st.lists(st.tuples(st.sampled_from("fg"), st.one_of(st.none(), TEXTS)), max_size=8))
def test_any_history_is_followed(history: list[tuple[str, str | None]]) -> None:
    texts: dict[str, str | None] = {"f": "start\n", "g": None}
    requests = [f"r{n}" for n in range(len(history))]
    edits = []
    expected = [dict(texts)]
    for request, (path, after) in zip(requests, history, strict=True):
        before = texts[path]
        if before is not None or after is not None:
            edits.append(
                edit(request, before, after, path, tells=not any(e.path == path for e in edits))
            )
        texts[path] = after
        expected.append(dict(texts))
    for path in {e.path for e in edits}:
        for n, stood in enumerate(expected):
            assert file_at(edits, path, requests, n) == stood[path]


def test_edits_find_their_request_by_message_and_call() -> None:
    arguments = json.dumps({"file_path": "/w/f", "content": "no end"})
    session = Session(
        agent="claude-code",
        id="s",
        messages=(
            Message(session_id="s", id="p1", role="user", kind="prompt", text="one"),
            Message(session_id="s", id="c1", role="user", kind="command", text="/x"),
            Message(
                session_id="s",
                id="a1",
                role="assistant",
                kind="answer",
                record_ids=("u1", "u2"),
                tool_calls=(ToolCall(session_id="s", id="t1", name="Write", arguments=arguments),),
            ),
            Message(session_id="s", id="p2", role="user", kind="prompt", text="two"),
        ),
        file_edits=(
            FileEdit(
                session_id="s",
                path="/w/f",
                kind="create",
                call_id="t1",
                diff="@@ -0,0 +1,1 @@\n+no end",
            ),
            FileEdit(session_id="s", path="/w/g", message_id="u2"),
            FileEdit(session_id="s", path="/w/h", message_id="p2"),
        ),
    )
    requests = requests_of(session)
    assert [request.id for request in requests] == ["p1", "p2"]
    edits = edits_of(session, requests)
    assert [item.message_id for item in edits] == ["p1", "p1", "p2"]
    # The diff of a new file does not tell whether its last line ended; the call does.
    assert file_at(edits, "/w/f", ["p1", "p2"], 1) == "no end"


# -- the commands ------------------------------------------------------------------------------

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
        "\x1b[32m    +++ y[2J\x1b[0m",
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
    page = (ROOT / "docs/json.md").read_text()
    (row,) = [line for line in page.splitlines() if line.startswith("| `edits` |")]
    assert all(field in row for field in last)


def test_a_file_is_printed_as_it_stood(home: Path) -> None:
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
def test_what_cannot_be_shown_is_told_with_the_cure(
    home: Path, args: list[str], words: list[str]
) -> None:
    done = aj(home, "show", "s1", *args)
    assert (done.returncode, done.stdout if "--json" not in args else "") == (2, "")
    told = done.stdout + done.stderr
    assert all(word in told for word in words), told
    assert not set(told) & set("\x1b\x07\r\u202e")


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


def test_names_in_heads_stand_below_a_and_b() -> None:
    assert header_name("a", "/w/f") == "a/w/f"
    assert header_name("b", "c:\\w\\f") == "b/c:/w/f"
