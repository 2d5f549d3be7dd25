"""What becomes of tasks, beyond the cases: tokens, matches, growth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors import get_connector
from agent_journal.connectors.cline.edits import diff_of_blocks
from agent_journal.connectors.cline.results import outcome_of, written_results
from tests.support.assemble import Assembly, read_root
from tests.support.journals import aj, aj_json
from tests.support.paths import CASES

TS = 1763000000000


def entry(number: int, kind: str, text: Any = "", **more: Any) -> dict[str, Any]:
    if not isinstance(text, str):
        text = json.dumps(text)
    return {"ts": TS + number, "type": "say", "say": kind, "text": text, **more}


def task(home: Path, entries: list[dict[str, Any]], sent: list[Any] | None = None) -> Assembly:
    folder = home / "tasks/t1"
    folder.mkdir(parents=True)
    (folder / "ui_messages.json").write_text(json.dumps(entries))
    if sent is not None:
        (folder / "api_conversation_history.json").write_text(json.dumps(sent))
    return read_root(get_connector("cline"), home)


@pytest.mark.parametrize(
    ("agent", "used", "fresh"),
    [
        ("cline", {"tokensIn": 5000, "cacheReads": 4000}, 5000),
        ("roo-code", {"tokensIn": 5000, "cacheReads": 4000}, 1000),
        ("roo-code", {"tokensIn": 5000, "cacheReads": 3000, "cacheWrites": 2000}, 0),
        ("roo-code", {"tokensIn": 500, "cacheReads": 4000}, 500),
        ("roo-code", {"tokensIn": 5000, "cacheReads": 4000, "apiProtocol": "anthropic"}, 5000),
        ("kilo-code", {"tokensIn": 5000, "cacheReads": 4000, "apiProtocol": "openai"}, 1000),
        ("cline", {"tokensIn": 0, "tokensOut": 0}, 0),
    ],
)
def test_input_is_fresh_input(tmp_path: Path, agent: str, used: dict[str, Any], fresh: int) -> None:
    folder = tmp_path / "tasks/t1"
    folder.mkdir(parents=True)
    entries = [entry(0, "text", "Go."), entry(1, "api_req_started", used)]
    (folder / "ui_messages.json").write_text(json.dumps(entries))
    found = read_root(get_connector(agent), tmp_path)
    (usage,) = [message.usage for message in found.messages.values() if message.usage]
    assert usage.input_tokens == fresh


def test_a_request_without_numbers_used_an_unknown_amount(tmp_path: Path) -> None:
    found = task(tmp_path, [entry(0, "task", "Go."), entry(1, "api_req_started", {"request": ""})])
    assert [message.usage for message in found.messages.values()] == [None]


def test_calls_are_matched_in_their_order(tmp_path: Path) -> None:
    def call(name: str, path: str) -> dict[str, Any]:
        block = {"type": "tool_use", "id": name, "name": "read_file", "input": {"path": path}}
        return {"role": "assistant", "content": [block]}

    shown = [
        entry(number, "tool", {"tool": "readFile", "path": path})
        for number, path in enumerate(["a.py", "src/b.py", "a.py"], start=1)
    ]
    sent = [call("one", "a.py"), call("two", "/home/sam/src/b.py"), call("three", "other.py")]
    found = task(tmp_path, [entry(0, "task", "Look."), *shown], sent)
    assert [call.id for call in found.calls.values()] == ["one", "two", f"{TS + 3}#read_file"]


def test_blocks_become_a_diff() -> None:
    blocks = (
        "------- SEARCH\na\nb\n=======\nc\n+++++++ REPLACE\n"
        "<<<<<<< SEARCH\n:start_line:9\n-------\nd\n=======\n>>>>>>> REPLACE"
    )
    assert diff_of_blocks(blocks) == "@@ @@\n-a\n-b\n+c\n@@ @@\n-d"
    assert diff_of_blocks("@@ -1 +1 @@\n-a\n+b") == "@@ -1 +1 @@\n-a\n+b"


def test_results_in_texts() -> None:
    found = written_results(["[ls for 'a'] Result:\none", "[ls] Result:", "two", "three"])
    assert [outcome.text for outcome in found.results] == ["one", "two"]
    assert found.others == ["three"]


def test_of_several_commands_none_has_the_exit_code() -> None:
    part = {"query": "false", "error": "Command exited with code 1", "success": False}
    assert outcome_of({"content": [part]}).exit_code == 1
    both = outcome_of({"content": [part, {"query": "ls", "result": "a", "success": True}]})
    assert (both.status, both.exit_code) == ("failed", None)


def test_a_task_that_grows_is_read_as_at_once(tmp_path: Path) -> None:
    case = CASES / "cline/tasks/home/.cline/data/tasks/1763000000000"
    shown = json.loads((case / "ui_messages.json").read_text())
    sent = json.loads((case / "api_conversation_history.json").read_text())
    folder = tmp_path / "step-wise/.cline/data/tasks/1763000000000"
    folder.mkdir(parents=True)
    for share in (0, 5, 12, len(shown)):
        (folder / "ui_messages.json").write_text(json.dumps(shown[:share]))
        answered = sent[: share * len(sent) // len(shown)]
        (folder / "api_conversation_history.json").write_text(json.dumps(answered))
        assert aj(tmp_path / "step-wise", "sync", "--no-index").returncode == 0
    at_once = tmp_path / "all-at-once/.cline/data/tasks/1763000000000"
    at_once.mkdir(parents=True)
    for file in folder.iterdir():
        (at_once / file.name).write_bytes(file.read_bytes())
    assert aj(tmp_path / "all-at-once", "sync", "--no-index").returncode == 0
    grown, read_at_once = (
        json.dumps(aj_json(tmp_path / home, "show", "17630000")["items"]).replace(home, "home")
        for home in ("step-wise", "all-at-once")
    )
    assert grown == read_at_once


def test_what_was_sent_is_a_session_until_something_is_shown(tmp_path: Path) -> None:
    folder = tmp_path / ".cline/data/tasks/1763000000000"
    folder.mkdir(parents=True)
    sent = [{"role": "user", "content": "<task>\nGo.\n</task>"}]
    (folder / "api_conversation_history.json").write_text(json.dumps(sent))
    shown = folder / "ui_messages.json"
    texts = []
    for entries in (None, [], [entry(0, "task", "Go on.")]):
        if entries is not None:
            shown.write_text(json.dumps(entries))
        assert aj(tmp_path, "sync", "--no-index").returncode == 0
        (session,) = aj_json(tmp_path, "show", "17630000")["items"]
        texts.append([message["text"] for message in session["messages"]])
    assert texts == [["Go."], ["Go."], ["Go on."]]
    assert aj(tmp_path, "verify").returncode == 0
