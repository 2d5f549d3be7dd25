"""Ids, filters, wrong usage, help and completion."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.journals import (
    aj,
    aj_json,
    write_claude,
)


def test_ids_by_prefix_agent_and_last(demo: Path) -> None:
    first = aj_json(demo, "ls")["items"][0]
    for text in (
        "last",
        first["id"],
        first["id"][:6],
        f"{first['agent']}:{first['id'][:4]}",
        f"{first['agent']}:last",
    ):
        assert aj_json(demo, "show", text)["items"][0]["id"] == first["id"]
    parent = next(item for item in aj_json(demo, "ls")["items"] if item["sub_agents"])
    assert aj_json(demo, "show", parent["id"][:8])["items"][0]["id"] == parent["id"]
    child = next(
        item for item in aj_json(demo, "ls", "--all")["items"] if item["parent_id"] == parent["id"]
    )
    assert (
        aj_json(demo, "show", child["id"].rpartition("/")[2][:12])["items"][0]["id"] == child["id"]
    )


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["show", "zzzz"], "no-such-session", ["no session has the id 'zzzz'", "aj ls"]),
        (["show", ""], "no-such-session", ["no session"]),
        (["ls", "--agent", "vscode"], "usage", ["vscode-chat", "vscode-export"]),
        (["ls", "--agent", "claude-coed"], "usage", ["did you mean 'claude-code'?"]),
        (["ls", "--agent", ""], "usage", ["no agent ''", "claude-code"]),
        (["convert", "last", "--to", "co"], "usage", ["several agents: copilot-cli, codex"]),
        (["show", "co:last"], "ambiguous-session", ["several agents: codex, copilot-cli"]),
        (["ls", "--since", "soon"], "usage", ["2d", "2026-01-31"]),
        (["lst"], "usage", ["did you mean 'ls'?"]),
        (["ls", "--jsn"], "usage", ["--json"]),
        (["restore", "-o", "x"], "usage", ["--all"]),
        (["config", "get", "search.max_result"], "config", ["search.max_results"]),
        (["config", "set", "search.max_results", "many"], "config", ["max_results"]),
    ],
)
def test_wrong_usage_names_the_remedy(
    demo: Path, args: list[str], code: str, words: list[str]
) -> None:
    done = aj(demo, *args)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("aj: ")
    assert all(word in done.stderr for word in words), done.stderr
    if args[0] not in ("lst", "config") and "--jsn" not in args:
        error = json.loads(aj(demo, *args, "--json").stdout)["error"]
        assert set(error) == {"code", "message", "hint"}
        assert error["code"] == code


def test_the_beginning_of_an_agent_is_enough(demo: Path) -> None:
    """Wherever an agent is named."""
    whole = aj_json(demo, "ls", "--agent", "claude-code")
    assert whole["items"]
    assert aj_json(demo, "ls", "--agent", "claude") == whole
    assert aj_json(demo, "ls", "--agent", "Claude", "--agent", "codex") == aj_json(
        demo, "ls", "--agent", "claude-code", "--agent", "codex"
    )
    for command in (["search", "a"], ["usage"], ["stats"], ["sources"]):
        done = aj(demo, *command, "--agent", "claude", "--agent", "claud", "--json")
        assert "no agent" not in done.stdout, command
    assert aj(demo, "sync", "--agent", "gem").returncode == 0
    shown = aj_json(demo, "show", "claude:last")["items"][0]
    assert shown["id"] == aj_json(demo, "show", "claude-code:last")["items"][0]["id"]
    found = aj_json(demo, "convert", "claude:last", "--to", "gem", "-o", str(demo / "converted"))
    assert found["items"]


def test_an_ambiguous_prefix_names_the_sessions(tmp_path: Path) -> None:
    for name in ("abc-1", "abc-2"):
        write_claude(tmp_path, name)
    aj(tmp_path, "sync")
    done = aj(tmp_path, "show", "abc")
    assert done.returncode == 2
    assert "abc-1  claude-code  2026-11-01  user text 0" in done.stderr
    assert "abc-2  claude-code  2026-11-01  user text 0" in done.stderr


def test_filters(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1")
    aj(tmp_path, "sync")
    for args, count in (
        (["--project", "APP"], 1),
        (["--project", "other"], 0),
        (["--since", "2026-11-01"], 1),
        (["--until", "2026-10-31"], 0),
        (["--until", "2026-11"], 1),
        (["--agent", "copilot-cli"], 0),
        (["-n", "0"], 0),
    ):
        assert len(aj_json(tmp_path, "ls", *args)["items"]) == count, args


def test_help_has_examples(demo: Path) -> None:
    from agent_journal.cli.group import COMMANDS

    for command in COMMANDS:
        done = aj(demo, command, "--help")
        assert done.returncode == 0
        assert "Examples:" in done.stdout, command


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(demo: Path, shell: str) -> None:
    script = aj(demo, "completion", shell).stdout
    assert "_AJ_COMPLETE" in script
    env = {"_AJ_COMPLETE": "bash_complete", "COMP_WORDS": "aj sh", "COMP_CWORD": "1"}
    assert "show" in aj(demo, env=env).stdout


def test_dates_as_people_say_them(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1")
    aj(tmp_path, "sync")
    commands = (
        ["ls"],
        ["search", "text"],
        ["usage"],
        ["stats"],
        ["export", "--all", "-o", f"{tmp_path}/out"],
    )
    for command in commands:
        for since in ("last week", "3-days-ago", "in July", "yesterday"):
            done = aj(tmp_path, *command, "--since", "2 years ago", "--until", since, "--json")
            assert "is not a time" not in done.stdout + done.stderr, (command, since)
        done = aj(tmp_path, *command, "--since", "next week")
        assert done.returncode == 2
        assert "'next week' is not a time; use 2d" in done.stderr, command
        done = aj(tmp_path, *command, "--since", "-1d")
        assert done.returncode == 2
        assert "'-1d' is not a time; use 2d" in done.stderr, command
    assert aj_json(tmp_path, "ls", "--since", "november 2026", "--until", "november 2026")["items"]
    assert not aj_json(tmp_path, "ls", "--until", "october 2026")["items"]
