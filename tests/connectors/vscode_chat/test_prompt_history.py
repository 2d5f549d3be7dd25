"""The prompts in `state.vscdb` that the arrow keys bring back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors.vscode_chat import CONNECTOR, rows
from agent_journal.model import HistoryEntry
from tests.support.journals import aj_json
from tests.support.vscode import assert_verified, place, read_extract, state_db, sync, write

KEY = "memento/interactive-session"
TYPED = {
    "history": {
        "copilot": [
            "from 2023",
            {
                "text": "fix the parser",
                "state": {"chatContextAttachments": [], "chatMode": "agent"},
            },
            {"inputText": "explain it", "attachments": [{"kind": "paste", "code": "x = 1"}]},
            {"text": ""},
            {"text": "fix the parser", "state": {}},
        ],
        "editor": [{"text": "explain it"}, {"text": "rename this"}],
    }
}


def entries(tmp_path: Path, value: Any) -> list[HistoryEntry]:
    chat = read_extract(state_db(tmp_path / "state.vscdb", {KEY: value}), None)
    assert chat.sessions == []
    return chat.of(HistoryEntry)


def test_each_prompt_is_an_entry_once_the_oldest_first(tmp_path: Path) -> None:
    found = entries(tmp_path, TYPED)
    assert [(entry.position, entry.text, entry.pasted) for entry in found] == [
        (0, "from 2023", None),
        (1, "fix the parser", None),
        (2, "explain it", "x = 1"),
        (3, "rename this", None),
    ]


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"history": None},
        {"history": {"copilot": {"0": "x"}}},
        {"history": {"copilot": [None, 5, [], {"text": 5}, {"text": " \n"}, {"state": "x"}]}},
    ],
)
def test_a_history_of_another_shape_has_no_prompts(tmp_path: Path, value: Any) -> None:
    assert entries(tmp_path, value) == []


def test_prompts_are_found_by_search_with_their_project(tmp_path: Path) -> None:
    write(tmp_path, "workspaceStorage/w/workspace.json", {"folder": "file:///work/app"})
    state_db(place(tmp_path, "workspaceStorage/w/state.vscdb"), {KEY: TYPED, "other": "secret"})
    assert sync(tmp_path).problems == 0
    answer = aj_json(tmp_path, "search", "parser")
    assert [hit["message"]["kind"] for hit in answer["items"]] == ["history"]
    (project,) = {row["project"] for row in _history_rows(tmp_path)}
    assert project == "/work/app"
    assert_verified(tmp_path)


def test_a_newer_reader_finds_more_in_an_unchanged_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state_db(place(tmp_path, "workspaceStorage/w/state.vscdb"), {KEY: TYPED})
    with monkeypatch.context() as older:
        older.setattr(rows, "_KEYS", {})
        older.setattr(type(CONNECTOR), "version", CONNECTOR.version - 1)
        sync(tmp_path)
    assert _history_rows(tmp_path) == []
    sync(tmp_path)
    assert len(_history_rows(tmp_path)) == 4


def _history_rows(home: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = aj_json(home, "sql", "SELECT * FROM history")["items"]
    return rows
