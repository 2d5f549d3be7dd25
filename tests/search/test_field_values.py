"""Values of fields that nothing has: a search without hits names them, and the nearest one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from agent_journal.model.structs import MessageKind
from agent_journal.search.field_values import KINDS
from tests.support.journals import aj
from tests.support.paths import ROOT
from tests.support.talks import record, write

CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("values")
    answer = record("assistant", "a1", [CALL])
    answer["message"]["model"] = "claude-opus-5"
    write(path, [record("user", "u1", "list the files"), answer])
    assert aj(path, "sync").returncode == 0
    return path


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("tool:bsah", "no tool called bsah was found; did you mean Bash?"),
        ("tool:bsah(ls) files", "no tool called bsah was found; did you mean Bash?"),
        ("tool:xylophone", "no tool called xylophone was found\n"),
        ("kind:promt", "no kind of message called promt was found; did you mean prompt?"),
        ("branch:yakbranhc", "no branch called yakbranhc was found; did you mean yakbranch?"),
        (
            "model:claude-opsu-5",
            "no model called claude-opsu-5 was found; did you mean claude-opus-5?",
        ),
        (
            "project:zebraprojetc",
            "no project called zebraprojetc was found; did you mean zebraproject?",
        ),
        ("repo:nothing", "no repository called nothing was found\n"),
        ("tool:bash,bsah nosuchword", "no tool called bsah was found; did you mean Bash?"),
    ],
)
def test_a_value_that_nothing_has_is_named(home: Path, query: str, expected: str) -> None:
    done = aj(home, "search", "--no-sync", "--mode", "lexical", query)
    assert (done.returncode, done.stdout) == (0, "")
    assert expected in done.stderr


@pytest.mark.parametrize(
    "query",
    ["tool:bash", "tool:ba*", "kind:hook", "branch:yak*", "model:opus", "project:zebra"],
)
def test_a_value_that_something_has_is_not_named(home: Path, query: str) -> None:
    done = aj(home, "search", "--no-sync", "--mode", "lexical", query, "nosuchword")
    assert done.stdout == ""
    assert "no hits for" in done.stderr
    assert "is called" not in done.stderr


def test_the_manual_lists_all_kinds() -> None:
    (line,) = re.findall(r"^\| `kind:command` .*$", (ROOT / "docs/query.md").read_text(), re.M)
    assert set(re.findall(r"`(\w+)`", line)) == set(KINDS)
    assert set(get_args(MessageKind)) < set(KINDS)
