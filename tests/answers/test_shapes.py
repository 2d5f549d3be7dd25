"""JSON answers have the shapes of `agent_journal.answers`, and docs/json.md lists every field."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_journal.answers.shapes import EXTRA, ITEMS
from agent_journal.demo import write_demo_home
from agent_journal.text.dates import parse_bound
from tests.support.journals import aj, aj_json, write_claude
from tests.support.mcp_servers import mcp_server
from tests.support.paths import ROOT
from tests.support.repositories import ClaudeSession, Repository
from tests.support.shapes import Field, faults, fields_of

PAGE = (ROOT / "docs/json.md").read_text(encoding="utf-8")
ENVELOPE = {"schema", "kind", "items", "page", "problems"}
SECRET = "AKIA" + "QZ7NPL4XW2MVTR3K"


def documented(text: str) -> list[Field]:
    """The rows of a table of fields."""
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \| [^|]+ \|$", text, re.MULTILINE)
    return [Field(name, type_name) for name, type_name in rows]


def section(kind: str) -> tuple[list[Field], list[Field]]:
    """The fields of the items of a kind, and the extra ones, as the page has them."""
    _, found, text = PAGE.partition(f"\n### {kind}\n")
    assert found, f"docs/json.md has no section about {kind}"
    items, _, extra = text.partition("\n### ")[0].partition("Beside the items:")
    return documented(items), documented(extra)


def test_every_kind_is_in_the_table_of_kinds() -> None:
    _, _, table = PAGE.partition("\n## Kinds\n")
    kinds = re.findall(r"^\| `(\w+)` \| `aj", table, re.MULTILINE)
    assert kinds == list(ITEMS)
    assert re.findall(r"^### (\w+)$", PAGE, re.MULTILINE) == list(ITEMS)


@pytest.mark.parametrize("kind", ITEMS)
def test_the_page_lists_every_field_and_no_other(kind: str) -> None:
    items, extra = section(kind)
    shape = ITEMS[kind]
    expected = [] if shape is dict else list(fields_of(shape))
    assert items == expected
    if kind in EXTRA:
        assert extra == list(fields_of(EXTRA[kind], parents=(shape,)))
    else:
        assert extra == []


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with sessions of every agent, one that contains a secret, and a crontab."""
    home = tmp_path_factory.mktemp("shapes")
    write_demo_home(str(home), parse_bound("now"))
    path = write_claude(home, "leaky")
    path.write_text(path.read_text().replace("user text 0", f"use {SECRET} please"))
    (home / "notes.txt").write_text("not a session\n")
    repository = Repository(home / "shop")
    session = ClaudeSession(home, "coder", repository.root)
    session.prompt("greet")
    session.write("greet.py", "print('good morning')\n")
    repository.commit(
        "greet\n\nCo-authored-by: Claude <c@example.org>",
        10,
        **{"greet.py": "print('good morning')\nby_hand = True\n"},
    )
    done = aj(home, "sync")
    assert done.returncode == 0, done.stderr
    aj(home, "tag", "leaky", "secret")
    aj(home, "title", "leaky", "A title of one's own")
    aj(home, "backup", home / "backup")
    programs = home / "programs"
    programs.mkdir()
    (programs / "crontab").write_text(
        "#!/bin/sh\necho '0 0 * * * aj sync >/dev/null # agent-journal'\n"
    )
    (programs / "crontab").chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(programs), prepend=os.pathsep)
        yield home


ANSWERS = [
    ("sync", ["sync"]),
    ("sessions", ["ls", "--all"]),
    ("hits", ["search", "retry", "-C", "1", "--flat"]),
    ("session", ["show", "last"]),
    ("marks", ["star", "leaky"]),
    ("marks", ["title"]),
    ("tags", ["tag"]),
    ("edits", ["show", "7cce39d6", "--edits"]),
    ("sources", ["sources"]),
    ("sources", ["sources", "--files"]),
    ("restored", ["restore", "--all", "-o", "{home}/restored"]),
    ("backup", ["backup", "{home}/another-backup"]),
    ("restored", ["restore", "--from", "{home}/backup", "-o", "{home}/again"]),
    ("exported", ["export", "last", "-o", "{home}/last.html"]),
    ("exported", ["export", "last", "-o", "{home}/split.html", "--split", "2"]),
    ("converted", ["convert", "last", "--to", "claude-code", "-o", "{home}/converted"]),
    ("converted", ["convert", "last", "--to", "vscode", "-o", "{home}/chat.json", "--strict"]),
    ("resume", ["resume", "leaky", "--with", "copilot-cli"]),
    ("imported", ["import", "{home}/.claude", "{home}/notes.txt"]),
    ("verify", ["verify"]),
    ("doctor", ["doctor"]),
    ("rows", ["sql", "SELECT 1 AS a, 2 AS a, agent FROM sessions"]),
    ("tables", ["sql"]),
    ("blame", ["blame", "{home}/shop/greet.py", "--why", "--all"]),
    ("commit", ["commit", "--repo", "{home}/shop"]),
    ("file_log", ["log", "{home}/shop/greet.py"]),
    ("provenance", ["provenance", "--repo", "{home}/shop", "--by", "session"]),
    ("usage", ["usage"]),
    ("usage", ["usage", "session"]),
    ("blocks", ["usage", "blocks"]),
    ("stats", ["stats"]),
    ("secrets", ["doctor", "--secrets"]),
    ("expiring", ["doctor", "--expiring"]),
    ("config", ["config", "show"]),
    ("config", ["config", "get", "search.max_results"]),
    ("schedule", ["schedule", "status"]),
    ("installed", ["hooks", "status"]),
    ("installed", ["mcp", "status", "claude-code"]),
    ("installed", ["statusline", "status"]),
    ("merged", ["import-journal", "{home}/backup"]),
    ("pruned", ["prune", "leaky", "--yes"]),
    ("pruned", ["prune", "--list"]),
]


TOOL_ANSWERS: list[tuple[str, str, dict[str, Any]]] = [
    ("fixes", "find_fix", {"error": "AssertionError retry"}),
    ("commands", "how_run", {"what": "pytest"}),
    ("file_history", "file_history", {"path": "*.py", "diff": True}),
    ("why", "why", {"file": "shop/greet.py", "line": 1, "end": 2}),
    ("hits", "search", {"query": "retry"}),
    ("session", "read", {"session": "818f4c1f", "depth": "everything", "max_chars": 40_000}),
    ("sessions", "list_sessions", {}),
    ("usage", "usage", {}),
]


def test_every_kind_is_answered_below() -> None:
    """Except what `aj watch` prints, which does not end: tests/cli/test_watch.py has it."""
    kinds = [*ANSWERS, *TOOL_ANSWERS]
    assert {kind for kind, *_ in kinds} == set(ITEMS) - {"changes"}


@pytest.mark.parametrize(("kind", "args"), ANSWERS, ids=lambda value: str(value))
def test_real_answers_have_their_shape(demo: Path, kind: str, args: list[str]) -> None:
    assert_shape(aj_json(demo, *(arg.format(home=demo) for arg in args)), kind)


@pytest.mark.parametrize(("kind", "tool", "given"), TOOL_ANSWERS)
def test_real_answers_of_tools_have_their_shape(
    demo: Path, kind: str, tool: str, given: dict[str, Any]
) -> None:
    with mcp_server(demo) as server:
        assert_shape(server.data(tool, **given), kind)


def assert_shape(answer: dict[str, Any], kind: str) -> None:
    assert answer.get("kind") == kind, answer
    assert answer["schema"] == 1
    assert answer["items"]
    for item in answer["items"]:
        if ITEMS[kind] is not dict:
            assert list(faults(item, ITEMS[kind], kind)) == []
    extra: dict[str, Any] = {key: answer[key] for key in answer if key not in ENVELOPE}
    assert set(answer) >= ENVELOPE
    if kind in EXTRA:
        assert list(faults(extra, EXTRA[kind], kind)) == []
    else:
        assert extra == {}


def test_the_example_of_an_answer_is_one() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert set(json.loads(example)) == ENVELOPE


def test_a_missing_or_an_extra_key_is_a_fault() -> None:
    shape = ITEMS["resume"]
    item = {"agent": "a", "session": "s", "argv": ["x"], "cwd": None}
    assert list(faults(item, shape)) == []
    assert list(faults(item | {"more": 1}, shape)) == ["item.more is not in the shape"]
    assert list(faults({"agent": "a", "session": "s", "argv": ["x"]}, shape)) == [
        "item.cwd is missing"
    ]
    assert list(faults(item | {"argv": [1]}, shape))
