"""Fields of whole sessions and of tool calls: `has:`, `cost:`, `messages:`, `tool:Bash(make)`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.journals import aj, aj_json
from tests.support.search_records import call
from tests.support.talks import record, write

PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}


def answer(name: str, tokens: int) -> dict[str, Any]:
    line = record("assistant", name, [{"type": "text", "text": "an answer"}])
    line["message"]["model"] = "priced-model"
    line["message"]["usage"] = {"input_tokens": tokens, "output_tokens": 0}
    return line


LINES = "".join(f"line {number} of a long text\n" for number in range(20))
SESSIONS: dict[str, list[dict[str, Any]]] = {
    "image": [record("user", "i1", [PICTURE, {"type": "text", "text": "look"}])],
    "bare": [record("user", "b1", [PICTURE])],
    "screen": [
        record("user", "x1", "screen"),
        record("assistant", "x2", [{"type": "tool_use", "id": "t-x", "name": "Shot", "input": {}}]),
        record("user", "x3", [{"type": "tool_result", "tool_use_id": "t-x", "content": [PICTURE]}]),
    ],
    "calls": [
        record("user", "c1", "run it"),
        *call("c2", "Bash", {"command": "cd app\nmake test", "description": "Test"}, "git push"),
        *call("c3", "Bash", {"command": "git push -f origin"}, "make"),
        *call(
            "c4", "Edit", {"file_path": "/w/app.py", "old_string": "make", "new_string": ""}, "ok"
        ),
        *call("c5", "TodoWrite", {"todos": [{"content": "later", "status": "pending"}]}, "ok"),
        *call("c6", "ExitPlanMode", {"plan": "think first"}, "ok"),
    ],
    "long": [
        record("user", "l1", "write it"),
        *call("l2", "Bash", {"command": f"{LINES}deploy the shop"}, "shop the deploy; undo it"),
        *call("l3", "Write", {"file_path": "/w/shop.py", "content": f"{LINES}sell the shop"}, "ok"),
        *call("l4", "Patch", {"patch": f"{LINES}shop, sell, the"}, "ok: sell the shop"),
    ],
    "failed": [
        record("user", "f1", "try"),
        record("assistant", "f2", [{"type": "tool_use", "id": "t-f", "name": "Bash", "input": {}}]),
        record(
            "user",
            "f3",
            [{"type": "tool_result", "tool_use_id": "t-f", "content": "no", "is_error": True}],
        ),
    ],
    "cheap": [record("user", "k1", "hi"), answer("k2", 500_000)],
    "dear": [record("user", "d1", "hi"), answer("d2", 6_000_000), answer("d3", 1_000_000)],
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fields")
    for name, records in SESSIONS.items():
        lines = [{**line, "sessionId": name} for line in records]
        write(path, lines, f".claude/projects/-w/{name}.jsonl")
    config = path / ".agent-journal" / "config.toml"
    config.parent.mkdir()
    config.write_text('[pricing."priced-model"]\ninput = 1.0\noutput = 1.0\n')
    assert aj(path, "sync").returncode == 0
    return path


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("has:image", {"image", "bare", "screen"}),
        ("has:todo", {"calls"}),
        ("has:plan", {"calls"}),
        ("has:error", {"failed"}),
        ("has:plan,error", {"calls", "failed"}),
        ("-has:image -has:todo (hi OR try)", {"cheap", "dear", "failed"}),
        ("is:prompt -has:image", {"calls", "long", "failed", "cheap", "dear"}),
        ("cost:>5", {"dear"}),
        ("cost:>=7", {"dear"}),
        ("cost:>7", set()),
        ("cost:<1", {"cheap"}),
        ("cost:<$1", {"cheap"}),
        ("cost:0.5", {"cheap"}),
        ("cost:0.1..10", {"cheap", "dear"}),
        ("messages:3 is:prompt", {"dear"}),
        ("messages:>2 is:prompt", {"calls", "long", "dear"}),
        ("messages:>100", set()),
        ("tool:Bash(make)", {"calls"}),
        ("tool:bash(nomake)", set()),
    ],
)
def test_sessions(home: Path, query: str, expected: set[str]) -> None:
    found = aj_json(home, "search", "--no-sync", query)["items"]
    assert {hit["session"].partition(":")[2] for hit in found} == expected
    assert {row["id"] for row in aj_json(home, "ls", query)["items"]} == expected


def test_edits(home: Path) -> None:
    edited = {row["id"] for row in aj_json(home, "ls", "is:edited")["items"]}
    assert {row["id"] for row in aj_json(home, "ls", "has:edit")["items"]} == edited


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("tool:Bash(make)", ["cd app"]),
        ("tool:bash(MAKE test)", ["cd app"]),
        ("tool:Bash(git push)", ["git push -f origin"]),
        ("tool:Bash(git push:*)", ["git push -f origin"]),
        ("tool:Bash(push git)", []),
        ("tool:Edit(app.py)", ["app.py"]),
        ("tool:Edit(make)", ["app.py"]),
        ("tool:Ba*(make)", ["cd app"]),
        ("tool:Bash() make -tool:Bash(push)", ["cd app"]),
        ("tool:Bash(make),Edit(app.py)", ["app.py", "cd app"]),
        ("make -f nothing OR tool:Bash(make)", ["cd app"]),
    ],
)
def test_calls_with_words_of_their_command(home: Path, query: str, expected: list[str]) -> None:
    found = aj_json(home, "search", "--no-sync", "--flat", "--mode", "lexical", query)["items"]
    texts = [hit["snippet"]["text"] for hit in found]
    assert len(texts) == len(expected)
    assert all(any(part in text for text in texts) for part in expected)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # Of a command, the order of all words is known
        ("tool:Bash(deploy the shop)", ["Bash"]),
        ("tool:Bash(the deploy)", []),
        ("tool:Bash(undo)", []),
        ("tool:Write(sell)", ["Write"]),
        ("tool:Write(sell the shop)", ["Write"]),
        ("tool:Write(the sell)", []),
        ("tool:Write(shop.py)", ["Write"]),
        # It has these words in another order, and in a row only in the result
        ("tool:Patch(sell the shop)", ["Patch"]),
        ("tool:Patch(ok)", []),
        ("tool:Patch(shop the)", []),
        ("-tool:Write(sell the shop) tool:Bash,Write", ["Bash"]),
    ],
)
def test_calls_with_words_of_long_texts(home: Path, query: str, expected: list[str]) -> None:
    query = f"session:long {query}"
    found = aj_json(home, "search", "--no-sync", "--flat", "--mode", "lexical", query)["items"]
    assert sorted(hit["snippet"]["text"].split()[0] for hit in found) == expected


def test_a_word_after_a_line_break_of_a_command_is_found(home: Path) -> None:
    found = aj_json(home, "search", "--no-sync", "--flat", "--mode", "lexical", "tool:bash make")
    assert any("cd app" in hit["snippet"]["text"] for hit in found["items"])
    assert found["matched"] == "all"


def test_exports_take_the_same_fields(home: Path, tmp_path: Path) -> None:
    done = aj(home, "export", "--all", "cost:>5", "-f", "json", "-o", f"{tmp_path}/out/", "--json")
    assert done.returncode == 0, done.stderr
    assert "dear" in done.stdout
    assert "cheap" not in done.stdout
