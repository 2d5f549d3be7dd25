"""Every field holds for all hits, also for those that are found by meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.journals import aj
from tests.support.search_records import call
from tests.support.talks import hits, record, write

PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
WORDS = "erase document repository"
MODES = ("hybrid", "semantic")


def answer(name: str, text: str, model: str, tokens: int) -> dict[str, Any]:
    line = record("assistant", name, [{"type": "text", "text": text}])
    line["message"]["model"] = model
    line["message"]["usage"] = {"input_tokens": tokens, "output_tokens": 0}
    return line


def session(name: str, *lines: dict[str, Any], **more: str) -> list[dict[str, Any]]:
    asked = "How do I delete a file from the git repository?"
    told = "You delete the file from the repository with git rm"
    talk = [
        record("user", f"{name}-p", [{"type": "text", "text": asked}]),
        answer(f"{name}-a", told, f"model-{name}", {"full": 9_000_000, "bare": 1_000_000}[name]),
    ]
    return [{**line, "sessionId": name, **more} for line in [*talk, *lines]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions about the same thing, of which one has everything that a field asks for."""
    path = tmp_path_factory.mktemp("meaning")
    failed = {"type": "tool_result", "tool_use_id": "t-x", "content": "no", "is_error": True}
    full = session(
        "full",
        record("user", "pic", [PICTURE, {"type": "text", "text": "see the picture"}]),
        *call("c1", "Bash", {"command": "git rm erased"}, "ok"),
        *call(
            "c2",
            "Write",
            {"file_path": "/w/full/app.py", "content": "x"},
            "ok",
            toolUseResult={"type": "create", "filePath": "/w/full/app.py", "content": "x"},
        ),
        *call("c3", "TodoWrite", {"todos": [{"content": "later", "status": "pending"}]}, "ok"),
        *call("c4", "ExitPlanMode", {"plan": "delete the files"}, "ok"),
        record("assistant", "x", [{"type": "tool_use", "id": "t-x", "name": "Run", "input": {}}]),
        record("user", "y", [failed]),
        cwd="/w/full",
        gitBranch="branch-full",
        timestamp="2026-11-10T10:00:00.000Z",
    )
    bare = session("bare", cwd="/w/bare", gitBranch="main", timestamp="2026-03-10T10:00:00.000Z")
    write(path, full, ".claude/projects/-w/full.jsonl")
    write(path, bare, ".claude/projects/-w/bare.jsonl")
    config = path / ".agent-journal" / "config.toml"
    config.parent.mkdir()
    prices = (f'[pricing."model-{name}"]\ninput = 1.0\noutput = 1.0\n' for name in ("full", "bare"))
    config.write_text("".join(prices))
    assert aj(path, "sync").returncode == 0
    return path


def by_session(home: Path, mode: str, query: str) -> set[str]:
    found = hits(home, "--flat", "--mode", mode, f"{WORDS} {query}")
    return {hit["session"].partition(":")[2] for hit in found}


@pytest.mark.parametrize("mode", MODES)
def test_without_a_field_both_are_found_by_meaning(home: Path, mode: str) -> None:
    assert by_session(home, mode, "") == {"full", "bare"}
    found = hits(home, "--flat", "--mode", mode, WORDS)
    assert {hit["by"] for hit in found} >= {"meaning"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "field",
    [
        "session:full",
        "project:/w/full",
        "branch:branch-full",
        "model:model-full",
        "is:edited",
        "has:edit",
        "has:image",
        "has:error",
        "has:todo",
        "has:plan",
        "cost:>5",
        "messages:>2",
        "date:2026-11",
        "since:november",
        "since:2026-10",
    ],
)
def test_fields_of_sessions_hold(home: Path, mode: str, field: str) -> None:
    if field == "since:november":
        field = 'since:"november 2026"'
    assert by_session(home, mode, field) == {"full"}
    assert by_session(home, mode, f"-{field}") == {"bare"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("field", ["agent:codex", "repo:acme", "-agent:claude", "is:subagent"])
def test_what_no_session_has_finds_nothing(home: Path, mode: str, field: str) -> None:
    assert by_session(home, mode, field) == set()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("field", "key", "value"),
    [
        ("is:prompt", "kind", "prompt"),
        ("is:answer", "kind", "answer"),
        ("kind:answer", "kind", "answer"),
        ("role:user", "role", "user"),
        ("role:assistant", "role", "assistant"),
        ("kind:plan", "kind", "plan"),
    ],
)
def test_fields_of_messages_hold(home: Path, mode: str, field: str, key: str, value: str) -> None:
    found = hits(home, "--flat", "--mode", mode, f"{WORDS} {field}")
    assert {hit["message"][key] for hit in found} == {value}
    others = hits(home, "--flat", "--mode", mode, f"{WORDS} -{field}")
    assert others
    assert value not in {hit["message"][key] for hit in others}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "field",
    ["tool:bash", "tool:Bash(git rm)", "file:app.py", "is:tool", "is:failed", "is:reasoning"],
)
def test_what_has_no_vector_is_not_found_by_meaning(home: Path, mode: str, field: str) -> None:
    found = hits(home, "--flat", "--mode", mode, f"{WORDS} {field}")
    assert all(hit["by"] == "words" for hit in found)
    assert mode == "hybrid" or not found


@pytest.mark.parametrize("mode", MODES)
def test_exclusions_hold(home: Path, mode: str) -> None:
    for excluded in ("-delete", 'NOT "delete the file"', "-/delet.*/", "-(delete OR rm)"):
        found = hits(home, "--flat", "--mode", mode, f"{WORDS} {excluded}")
        assert not [
            hit for hit in found if "delete the file from" in hit["snippet"]["text"].lower()
        ]
