"""What becomes of sessions of Continue, beyond the cases."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import Env
from agent_journal.sync.recognition import recognise
from tests.support.assemble import read_root
from tests.support.journals import aj, aj_json
from tests.support.paths import CASES

HOME = CASES / "continue_dev/cli/home"
SESSION = "c213670a-39c6-40cf-980f-8f3d101c1250"


def test_the_list_says_when_a_session_began(tmp_path: Path) -> None:
    shutil.copytree(HOME, tmp_path, dirs_exist_ok=True)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    (session,) = aj_json(tmp_path, "ls", "--agent", "continue")["items"]
    assert session["started_at"] == "2026-11-16T12:23:24.925000Z"
    assert (session["title"], session["title_source"]) == ("Plant a pear.", "prompt")
    assert (session["input_tokens"], session["cache_read_tokens"]) == (2810, 1200)
    assert session["cost_micro_usd"] == 5000


@pytest.mark.parametrize(
    ("place", "folder"),
    [
        ("/home/sam/elm", "/home/sam/elm"),
        ("file:///home/sam/old%20elm", "/home/sam/old elm"),
        ("vscode-remote://ssh-remote%2Bhost/home/sam/elm", "/home/sam/elm"),
        ("", None),
    ],
)
def test_a_folder_is_a_path_or_a_uri(tmp_path: Path, place: str, folder: str | None) -> None:
    (tmp_path / "sessions").mkdir()
    history = [{"message": {"role": "user", "content": "Go."}}]
    session = {"sessionId": "s", "workspaceDirectory": place, "history": history}
    (tmp_path / "sessions/s.json").write_text(json.dumps(session))
    (found,) = read_root(get_connector("continue"), tmp_path).sessions
    assert found.project_path == folder


def test_places() -> None:
    connector = get_connector("continue")
    variables = {"CONTINUE_GLOBAL_DIR": "/c"}
    assert connector.roots(Env("/home/sam", variables, "linux")) == ["/c"]
    assert connector.roots(Env("/home/sam", {}, "linux")) == ["/home/sam/.continue"]
    assert connector.normalize_root("/c/sessions/") == "/c"
    assert connector.normalize_root(str(HOME)) == str(HOME / ".continue")


def test_files_with_keys_are_never_listed() -> None:
    found = get_connector("continue").discover(str(HOME / ".continue"))
    assert [Path(file.path).name for file in found] == [f"{SESSION}.json", "sessions.json"]


def test_a_session_is_recognised_when_it_is_imported() -> None:
    file = HOME / f".continue/sessions/{SESSION}.json"
    assert recognise(str(file))[:3] == ("continue", "session", SESSION)
