"""Rows of databases that were restored as files: `aj import` reads them again."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.connectors.base import ROWS_MARK
from tests.export.test_round_trip import everything
from tests.support import cursor_home
from tests.support.journals import aj, aj_json
from tests.support.vscode import document, place, state_db, turn, write
from tests.sync.test_moved import side_rows

_ODD_ID = "an id/with odd:letters"


def cursor(home: Path) -> None:
    """Conversations of the editor and of the command line, tabs, lists, prompts."""
    for case in ("editor", "stores"):
        cursor_home.build(case, home)
    path = home / cursor_home.GLOBAL
    composer = {"fullConversationHeadersOnly": [{"bubbleId": "b1", "type": 1}]}
    rows = [
        [f"composerData:{_ODD_ID}", composer],
        [f"bubbleId:{_ODD_ID}:b1", {"type": 1, "text": "odd"}],
    ]
    cursor_home.write_database(path, {"cursorDiskKV": rows})


def vscode(home: Path) -> None:
    """Sessions of old versions, the list of sessions, and prompts."""
    write(home, "workspaceStorage/w1/workspace.json", {"folder": "file:///work/app"})
    sessions = [document(turn(1), sessionId="row"), document(turn(2), sessionId=_ODD_ID)]
    entry = {"sessionId": "row", "title": "A title of the list", "lastMessageDate": 1768000000000}
    history = {"history": {"copilot": [{"text": "typed once"}]}}
    state_db(
        place(home, "workspaceStorage/w1/state.vscdb"),
        {
            "interactive.sessions": sessions,
            "chat.ChatSessionStore.index": {"version": 1, "entries": {"row": entry}},
            "memento/interactive-session": history,
        },
    )
    window = [document(turn(3), sessionId="window")]
    state_db(place(home, "globalStorage/state.vscdb"), {"interactive.sessions": window})


@pytest.mark.parametrize("build", [cursor, vscode])
def test_everything_that_is_restored_can_be_imported(tmp_path: Path, build: object) -> None:
    here, there, back = (tmp_path / name for name in ("here", "there", "back"))
    assert callable(build)
    build(here)
    assert aj(here, "sync", "--no-index").returncode == 0
    restored = aj(here, "restore", "--all", "-o", str(back))
    assert restored.returncode == 0, restored.stderr
    assert f"agents do not read them, 'aj import {back}' does" in restored.stderr
    imported = aj(there, "import", str(back))
    assert imported.returncode == 0, imported.stdout
    assert everything(there) == everything(here)
    assert side_rows(there) == side_rows(here)
    assert aj(there, "verify").returncode == 0


@pytest.mark.parametrize("build", [cursor, vscode])
def test_one_file_of_rows_is_the_session_that_it_was(tmp_path: Path, build: object) -> None:
    here, back = tmp_path / "here", tmp_path / "back"
    assert callable(build)
    build(here)
    assert aj(here, "sync", "--no-index").returncode == 0
    known = everything(here)
    aj(here, "restore", "--all", "-o", str(back))
    files = [path for path in back.rglob(f"*{ROWS_MARK}*") if path.is_file()]
    kinds = set()
    for number, path in enumerate(sorted(files)):
        (item,) = aj_json(tmp_path / str(number), "import", str(path))["items"]
        key = (item["agent"], item["session"])
        if key not in known:  # no conversation, or one that was deleted
            continue
        session = everything(tmp_path / str(number))[key]
        original = known[key]
        assert [message.text for message in session.messages] == [
            message.text for message in original.messages
        ]
        kinds.add(path.name.partition(ROWS_MARK)[2].partition("-")[0])
    expected = {"interactive.sessions"}
    if build is cursor:
        expected = {"conversation", "store.jsonl", "chat", "composer"}
    assert kinds == expected


def test_rows_are_not_read_beside_their_database(tmp_path: Path) -> None:
    vscode(tmp_path)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    before = everything(tmp_path)
    restored = aj(tmp_path, "restore", "--all", "-o", str(tmp_path / ".config"))
    assert restored.returncode == 0, restored.stderr
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    assert everything(tmp_path) == before
    assert aj(tmp_path, "verify").returncode == 0
