"""Arguments of tool calls as a person would write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent_journal.model.arguments import parse_arguments, split_arguments, written_out


@pytest.mark.parametrize(
    ("kind", "arguments", "main", "others"),
    [
        ("shell", {"command": "make test", "timeout": 9}, "make test", {"timeout": 9}),
        ("shell", {"cmd": ["bash", "-lc", "sed -n 1,20p a.py"]}, "sed -n 1,20p a.py", {}),
        ("shell", {"command": ["rg", "-n", "wen"]}, "rg -n wen", {}),
        ("read", {"file_path": "src/app.py", "limit": 5}, "src/app.py", {"limit": 5}),
        ("other", {"repo": "a/b", "count": 2}, "repo=a/b, count=2", None),
        ("edit", "*** Begin Patch", "*** Begin Patch", None),
        ("shell", {"command": []}, "command=[]", None),
    ],
)
def test_the_main_argument_is_apart(kind: str, arguments: Any, main: str, others: Any) -> None:
    assert split_arguments(kind, arguments) == (main, others)


def test_values_are_written_out_without_json() -> None:
    value = {"all": True, "edits": [{"old": "a", "new": ""}, "b"], "note": "x", "none": None}
    assert written_out(value) == "edits: old: a, b,\nnote: x,\nall: true"
    assert written_out({}) == ""


@pytest.mark.parametrize("depth", [30, 900, 100_000])
def test_deep_values_do_no_harm(depth: int) -> None:
    value = parse_arguments('{"a":' * depth + "1" + "}" * depth)
    assert "a" in written_out(value)
    assert "a" in split_arguments("other", value).main


def test_what_is_not_json_is_itself() -> None:
    assert parse_arguments("{not json") == "{not json"
    assert json.loads(split_arguments("other", [1, 2]).main) == [1, 2]
