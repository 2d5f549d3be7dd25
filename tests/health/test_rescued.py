"""What `aj doctor` lists as saved: sessions read in spite of damage, and sessions their agent has
forgotten.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

from tests.support.journals import aj, aj_json
from tests.support.paths import CASES

RECOVERY = CASES / "vscode_chat/recovery/home"
WORKSPACE = ".config/Code/User/workspaceStorage/0123456789abcdef0123456789abcdef"


def index(home: Path, *sessions: str) -> None:
    """The list that VS Code shows."""
    entries = {
        name: {"sessionId": name, "title": f"Title of {name}", "lastMessageDate": 1}
        for name in sessions
    }
    path = home / WORKSPACE / "state.vscdb"
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as database:
        database.execute(
            "CREATE TABLE IF NOT EXISTS ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"
        )
        value = json.dumps({"version": 1, "entries": entries})
        database.execute(
            "INSERT INTO ItemTable VALUES ('chat.ChatSessionStore.index', ?)", (value,)
        )
    database.close()


def health(home: Path) -> dict[str, Any]:
    [found] = [item for item in aj_json(home, "doctor")["items"] if item["agent"] == "vscode-chat"]
    return dict(found)


def test_damaged_and_replaced_sessions_are_listed_as_recovered(tmp_path: Path) -> None:
    shutil.copytree(RECOVERY, tmp_path, dirs_exist_ok=True)
    assert aj(tmp_path, "sync").returncode == 0
    reasons = {item["session"]: item["reason"] for item in health(tmp_path)["recovered"]}
    assert set(reasons) == {"torn", "headless", "stub"}
    assert reasons["stub"].startswith("the newer file is empty: ")
    assert "does not begin with the session" in reasons["headless"]
    text = aj(tmp_path, "doctor").stdout
    assert "3 sessions recovered from a damaged file:" in text
    assert aj(tmp_path, "verify").returncode == 0


def test_the_transcript_of_the_extension_is_used_when_there_is_nothing_else(tmp_path: Path) -> None:
    shutil.copytree(RECOVERY, tmp_path, dirs_exist_ok=True)
    stub = tmp_path / WORKSPACE / "chatSessions/lost.jsonl"
    stub.write_text('{"kind":0,"v":{"version":3,"sessionId":"lost","requests":[]}}\n')
    assert aj(tmp_path, "sync").returncode == 0
    assert "what is left?" in aj(tmp_path, "show", "lost").stdout
    assert "lost" in {item["session"] for item in health(tmp_path)["recovered"]}
    # VS Code has written it after all: from now on its own file counts.
    turn = {
        "requestId": "request_1",
        "timestamp": 1768000000000,
        "message": "here I am",
        "response": [{"value": "ok"}],
    }
    with stub.open("a") as file:
        file.write(json.dumps({"kind": 2, "k": ["requests"], "v": [turn]}) + "\n")
    assert aj(tmp_path, "sync").returncode == 0
    shown = aj(tmp_path, "show", "lost").stdout
    assert "here I am" in shown
    assert "what is left?" not in shown
    assert aj(tmp_path, "verify").returncode == 0


def test_sessions_that_vs_code_does_not_list_are_hidden(tmp_path: Path) -> None:
    shutil.copytree(RECOVERY, tmp_path, dirs_exist_ok=True)
    assert aj(tmp_path, "sync").returncode == 0
    assert health(tmp_path)["hidden"] == []  # without a list, nothing is known about it
    index(tmp_path, "torn", "stub")
    assert aj(tmp_path, "sync").returncode == 0
    assert [item["session"] for item in health(tmp_path)["hidden"]] == ["headless"]
    index(tmp_path, "torn", "stub", "headless")
    assert aj(tmp_path, "sync").returncode == 0
    assert health(tmp_path)["hidden"] == []
    assert aj(tmp_path, "verify").returncode == 0
