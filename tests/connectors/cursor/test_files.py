"""Cursor: where its files are, and which of them are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.connectors.base import Env
from agent_journal.connectors.cursor import CONNECTOR
from tests.support.cursor_home import CASES


def test_roots_where_nothing_is() -> None:
    assert CONNECTOR.roots(Env("/h", {}, "linux")) == ["/h/.config/Cursor/User", "/h/.cursor"]
    mac = "/h/Library/Application Support/Cursor/User"
    assert CONNECTOR.roots(Env("/h", {}, "darwin")) == [mac, "/h/.cursor"]
    windows = Env("/h", {"APPDATA": "/h/AppData/Roaming"}, "win32")
    assert CONNECTOR.roots(windows) == ["/h/AppData/Roaming/Cursor/User", "/h/.cursor"]


def test_roots_follow_the_environment(tmp_path: Path) -> None:
    places = (
        "given",
        "x/cursor",
        ".cursor",
        "x/Cursor/User",
        "x/Cursor Nightly/User",
        ".cursor-server/data/User",
    )
    for place in places:
        (tmp_path / place).mkdir(parents=True)
    variables = {
        "CURSOR_CONFIG_DIR": str(tmp_path / "given"),
        "XDG_CONFIG_HOME": str(tmp_path / "x"),
    }
    found = CONNECTOR.roots(Env(str(tmp_path), variables, "linux"))
    assert sorted(found) == sorted(str(tmp_path / place) for place in places)


@pytest.mark.parametrize(
    ("path", "root"),
    [
        ("/h/.cursor/conversations", "/h/.cursor"),
        ("/h/.cursor/projects/", "/h/.cursor"),
        ("/h/.cursor", "/h/.cursor"),
        ("/h/User/globalStorage", "/h/User"),
        ("/h/User/globalStorage/state.vscdb", "/h/User"),
        ("/h/User/workspaceStorage/w/state.vscdb", "/h/User"),
        ("/h/elsewhere", "/h/elsewhere"),
    ],
)
def test_normalize_root(path: str, root: str) -> None:
    assert CONNECTOR.normalize_root(path) == root


def test_normalize_root_around_the_user_folder(tmp_path: Path) -> None:
    (tmp_path / "Cursor/User").mkdir(parents=True)
    assert CONNECTOR.normalize_root(str(tmp_path / "Cursor")) == str(tmp_path / "Cursor/User")


def test_only_files_with_conversations_are_listed() -> None:
    root = CASES / "transcripts/home/.cursor"
    found = {file.name: (file.role, file.session_id) for file in CONNECTOR.discover(str(root))}  # type: ignore[union-attr]
    folder = "projects/home-u-app/agent-transcripts"
    assert found == {
        "projects/agent-transcripts/loose/loose.jsonl": ("log", "loose"),
        f"{folder}/flat.jsonl": ("log", "flat"),
        f"{folder}/main/main.jsonl": ("log", "main"),
        f"{folder}/main/subagents/sub.jsonl": ("log", "sub"),
        f"{folder}/pair.json": ("session", "pair"),
        f"{folder}/pair.txt": ("session", "pair"),
        f"{folder}/plain.txt": ("session", "plain"),
        f"{folder}/words.txt": ("session", "words"),
        "conversations/seed.jsonl": ("log", "seed"),
    }
