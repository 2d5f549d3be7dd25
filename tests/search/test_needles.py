"""Commands and texts full of signs are found as they are typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.journals import aj, aj_json
from tests.support.talks import hits, record, talk, write

NEEDLES = [
    "rm -rf",
    "tar -xzf",
    "git push -f",
    "git commit --no-verify",
    "find . -name x",
    "java -version",
    "foo::bar()",
    "$HOME/.cfg",
    "0x7f",
    r"C:\x",
    "--flag=value",
    "E0308",
    "TS2345",
    "ERR_MODULE_NOT_FOUND",
    "ENOENT: no such file",
    "std::vector<int>",
    "a.b.c()",
    "@scope/pkg",
    "user@host",
    "#123",
    "v1.2.3",
    "192.168.0.1",
    "foo(bar, baz)",
    "x => y",
    "2>&1",
    "a && b",
    "p->next",
    "key: value",
    "[error] (code 5)",
    "src/**/*.test.ts",
    "arr[0] != null;",
    "100%",
    "a|b",
    "'single'",
    "C++",
    "-rf",
    "-Wextra-semi",
    "-Wno-unused",
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("needles")
    # Around each needle are words of its own, so that no needle is found in another's session.
    talk(path, *(f"hay{at}before {needle} hay{at}after" for at, needle in enumerate(NEEDLES)))
    assert aj(path, "sync").returncode == 0
    return path


def sessions(home: Path, query: str) -> list[str]:
    found = hits(home, "--mode", "lexical", query)
    return [hit["session"].partition(":")[2] for hit in found]


@pytest.mark.parametrize("needle", NEEDLES)
def test_a_needle_is_found_as_it_is_typed(home: Path, needle: str) -> None:
    at = NEEDLES.index(needle)
    assert f"t{at}" in sessions(home, needle)
    assert sessions(home, f"hay{at}before {needle}")[0] == f"t{at}"
    assert sessions(home, f'"{needle}" hay{at}after') == [f"t{at}"]


@pytest.mark.parametrize("needle", ["&&", "||", "=>", "-", "->", "()", "::", "$", "{}", ";"])
def test_signs_alone_are_no_error(home: Path, needle: str) -> None:
    """They are in no index, so they narrow nothing."""
    quoted = f'"{needle}"'
    assert sessions(home, f"hay0before {quoted}") == ["t0"]
    if needle != "()":  # an empty group, as the message says
        assert sessions(home, f"hay0before {needle}") == ["t0"]
        assert sessions(home, needle) == []


def test_words_of_a_shell_are_one_query(home: Path) -> None:
    for args in (
        ["rm", "-rf"],
        ["git", "push", "-f"],
        ["--", "--no-verify"],
        ["--no-verify hay3after"],
    ):
        done = aj(home, "search", "--no-sync", "--json", "--mode", "lexical", *args)
        found = json.loads(done.stdout)
        assert found["without"] == []
        assert found["items"], args


def test_an_option_of_another_program_is_text(home: Path) -> None:
    done = aj(home, "search", "--no-sync", "git", "commit", "--no-verify")
    assert done.returncode == 0
    assert "--no-verify is not an option of 'aj search'; searching for it as text" in done.stderr
    assert "t3" in done.stdout


def test_a_misspelt_option_is_an_error_that_names_both_remedies(home: Path) -> None:
    done = aj(home, "search", "x", "--jsn")
    assert done.returncode == 2
    assert "--json" in done.stderr
    assert "aj search -- --jsn" in done.stderr


def test_what_is_excluded_is_said(home: Path) -> None:
    done = aj(home, "search", "--no-sync", "E0308 -docker -(a OR b)")
    assert "without: docker, a OR b\n" in done.stderr
    assert "without: docker\n" in aj(home, "ls", "E0308 -docker").stderr
    target = f"{home}/out"
    done = aj(home, "export", "--all", "E0308 -docker", "-f", "json", "-o", target)
    assert "without: docker\n" in done.stderr
    assert excluded(home, "E0308 -docker -tool:bash") == ["docker", "tool:bash"]
    assert excluded(home, "rm -rf --exclude-current") == []
    assert excluded(home, "rm -rf", "--exclude-current") == []


def excluded(home: Path, *args: str) -> Any:
    return aj_json(home, "search", "--no-sync", *args)["without"]


def test_lists_take_words_with_a_dash(home: Path) -> None:
    def listed(*args: str) -> set[str]:
        return {row["id"] for row in aj_json(home, "ls", *args)["items"]}

    assert listed("hay0before", "-rf") == {"t0"}
    assert listed("-has:image", "hay0before", "-docker") == {"t0"}
    assert listed("hay0before", "-n0") == set()
    assert listed("-name:x hay0before") == {"t0"}
    done = aj(home, "ls", "--no-verify")
    assert done.returncode == 2
    assert "no option" in done.stderr


def test_a_command_comes_before_talk_about_it(tmp_path: Path) -> None:
    """Also where only the output of a tool has it, and everybody else talks of its words."""
    talk(
        tmp_path,
        "You must run npm run lint before you commit, and it must be clean",
        "Now run the tests and lint",
        "Fix what lint says, then run the tests and lint again",
    )
    print_in_a_tool(tmp_path, "Build: `npm run build`. Lint: `npm run lint --fix`.")
    assert aj(tmp_path, "sync").returncode == 0
    for query in ("npm run lint -- --fix", "npm run lint --fix", "npm run lint fix"):
        assert hits(tmp_path, query)[0]["session"] == "claude-code:has", query


def test_a_long_command_comes_before_talk_about_it(tmp_path: Path) -> None:
    talk(
        tmp_path,
        "Is main behind origin? Look at git log origin/main --oneline -3 and at the last commits",
        "Fetch origin, then tell me what git log says about main",
        "What does git log say about origin/main? Show me 3 commits",
    )
    command = "git log -p -n 3 origin/main -- src/app"
    print_in_a_tool(tmp_path, f"What changed lately: `{command}`.")
    assert aj(tmp_path, "sync").returncode == 0
    for query in ("git log -p -n 3 origin/main", command):
        assert hits(tmp_path, query)[0]["session"] == "claude-code:has", query


def print_in_a_tool(home: Path, text: str) -> None:
    """Write the session `has`, in which only the long output of a tool has a text."""
    listing = f"Commands of this project. {text}" + " More." * 300
    asked = {"type": "tool_use", "id": "u1", "name": "Bash", "input": {"command": "cat README"}}
    printed = {"type": "tool_result", "tool_use_id": "u1", "content": listing}
    records = [
        record("user", "a1", "Show me the instructions"),
        record("assistant", "a2", [asked]),
        record("user", "a3", [printed]),
    ]
    lines = [{**one, "sessionId": "has", "cwd": "/w"} for one in records]
    write(home, lines, ".claude/projects/-w/has.jsonl")
