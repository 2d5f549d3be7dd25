"""Logs that grow, files that come, change and go, in a journal."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_journal.connectors.vscode_chat.mutations import apply
from tests.support.journals import aj, aj_json, journal_digest, open_journal
from tests.support.vscode import (
    FOLDER,
    GROWING,
    Doc,
    as_bytes,
    assert_verified,
    case,
    document,
    index_entry,
    initial,
    listed,
    loaded,
    place,
    placeless,
    pushed,
    state_db,
    sync,
    texts,
    turn,
    write,
)


def test_a_growing_log_equals_one_read_at_once(tmp_path: Path) -> None:
    data = as_bytes(GROWING)
    ends = [at + 1 for at, byte in enumerate(data) if byte == ord("\n")]
    path = place(tmp_path, f"{FOLDER}/s.jsonl")
    for cut in sorted({*ends, ends[2] + 7, ends[5] + 30, len(data) - 1}):
        path.write_bytes(data[:cut])
        assert sync(tmp_path).sessions <= 1
    assert texts(tmp_path) == ["prompt 1", "answer 1", "and more", "prompt 4", "answer 4"]
    assert loaded(tmp_path).title == "A title"
    stepwise = journal_digest(tmp_path)
    assert_verified(tmp_path)
    shutil.rmtree(tmp_path / ".agent-journal")
    sync(tmp_path)
    assert journal_digest(tmp_path) == stepwise


def test_a_torn_last_line_is_reported_until_it_is_complete(tmp_path: Path) -> None:
    data = as_bytes(GROWING)
    path = place(tmp_path, f"{FOLDER}/s.jsonl")
    path.write_bytes(data[:-20])
    sync(tmp_path)
    assert texts(tmp_path)[-1] == "answer 4"
    assert_verified(tmp_path)
    path.write_bytes(data)
    assert sync(tmp_path).problems == 0
    assert_verified(tmp_path)


def test_a_session_that_is_twice_in_a_row_is_read_once(tmp_path: Path) -> None:
    twice = [document(turn(1)), document(turn(1), turn(2)), document(turn(1), sessionId="t")]
    state_db(place(tmp_path, "workspaceStorage/w/state.vscdb"), {"interactive.sessions": twice})
    sync(tmp_path)
    assert [text for text in texts(tmp_path) if text.startswith("prompt")] == [
        "prompt 1",
        "prompt 2",
    ]
    assert listed(tmp_path) == ["s", "t"]
    assert_verified(tmp_path)


def test_compaction_keeps_the_session_and_the_old_log(tmp_path: Path) -> None:
    path = write(tmp_path, f"{FOLDER}/s.jsonl", GROWING)
    old = path.read_bytes()
    sync(tmp_path)
    before = [placeless(message) for message in loaded(tmp_path).messages]
    state: Doc = {}
    for entry in json.loads(json.dumps(GROWING)):
        state = apply(state, entry)
    path.write_bytes(as_bytes([{"kind": 0, "v": state}]))
    sync(tmp_path)
    assert [placeless(message) for message in loaded(tmp_path).messages] == before
    assert listed(tmp_path) == ["s"]
    assert_verified(tmp_path)
    done = aj(tmp_path, "restore", "--all", "--all-versions", "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    (kept,) = (tmp_path / "out").glob(f"**/{FOLDER}/s.jsonl.v1")
    assert kept.read_bytes() == old
    (now,) = (tmp_path / "out").glob(f"**/{FOLDER}/s.jsonl")
    assert now.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("kind", ["json", "jsonl"])
def test_an_earlier_version_can_be_shown(tmp_path: Path, kind: str) -> None:
    for last in ("first words", "other words"):
        whole = document(turn(1), turn(2, message=last))
        write(
            tmp_path, f"{FOLDER}/s.{kind}", whole if kind == "json" else [{"kind": 0, "v": whole}]
        )
        sync(tmp_path)
    assert "other words" in aj(tmp_path, "show", "s").stdout
    shown = aj(tmp_path, "show", "s", "--version", "1").stdout
    assert ("first words" in shown, "other words" in shown) == (True, False)


def test_a_workspace_file_that_comes_later_gives_the_project(tmp_path: Path) -> None:
    write(tmp_path, f"{FOLDER}/s.jsonl", [initial(), pushed(turn(1))])
    write(tmp_path, f"{FOLDER}/t.json", document(turn(1), sessionId="t"))
    sync(tmp_path)
    assert loaded(tmp_path).project_path is None
    write(
        tmp_path,
        "workspaceStorage/w/workspace.json",
        {"folder": "vscode-remote://wsl%2Bubuntu-22.04/work/app"},
    )
    sync(tmp_path)
    for session in ("s", "t"):
        assert (loaded(tmp_path, session).project_path, loaded(tmp_path, session).tags) == (
            "/work/app",
            ("remote:wsl:ubuntu-22.04",),
        )
    assert_verified(tmp_path)


def test_the_title_of_the_index_is_used(tmp_path: Path) -> None:
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1)))
    write(tmp_path, f"{FOLDER}/t.json", document(turn(1), sessionId="t", customTitle="Own title"))
    write(tmp_path, f"{FOLDER}/u.json", document(turn(1), sessionId="u"))
    entries = {
        "s": index_entry("s", "From the index"),
        "t": index_entry("t", "From the index"),
        "u": index_entry("u", "New Chat"),
        "gone": index_entry("gone", "No file"),
    }
    index = {"version": 1, "entries": entries}
    state_db(
        place(tmp_path, "workspaceStorage/w/state.vscdb"), {"chat.ChatSessionStore.index": index}
    )
    sync(tmp_path)
    assert {session: loaded(tmp_path, session).title for session in listed(tmp_path)} == {
        "s": "From the index",
        "t": "Own title",
        "u": "prompt 1",
    }
    entries["s"]["title"] = "Renamed"
    state_db(
        place(tmp_path, "workspaceStorage/w/state.vscdb"), {"chat.ChatSessionStore.index": index}
    )
    sync(tmp_path)
    assert loaded(tmp_path).title == "Renamed"
    assert_verified(tmp_path)


def test_no_other_row_of_the_database_is_kept(tmp_path: Path) -> None:
    rows = {
        "interactive.sessions": [document(turn(1))],
        "secret://x": "MARKER-1",
        "memento/other": {"x": "MARKER-2"},
        "interactive.sessions2": "MARKER-3",
        "github.auth": b"MARKER-4",
    }
    for name in ("workspaceStorage/w/state.vscdb", "globalStorage/state.vscdb"):
        with closing(sqlite3.connect(state_db(place(tmp_path, name), rows))) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("INSERT INTO ItemTable VALUES ('secret://y', 'MARKER-5')")
            db.commit()
            sync(tmp_path)  # with a -wal beside it
    sync(tmp_path)
    assert texts(tmp_path) == ["prompt 1", "answer 1"]
    assert_verified(tmp_path)
    done = aj(tmp_path, "restore", "--all", "--all-versions", "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert files
    kept = [path for path in (tmp_path / ".agent-journal").rglob("*") if path.is_file()]
    assert not [path for path in (*files, *kept) if b"MARKER" in path.read_bytes()]


def test_sessions_stay_when_their_files_go(tmp_path: Path) -> None:
    state_db(
        place(tmp_path, "workspaceStorage/w/state.vscdb"),
        {"interactive.sessions": [document(turn(1), sessionId="row")]},
    )
    write(tmp_path, "workspaceStorage/w/workspace.json", {"folder": "file:///work/app"})
    write(tmp_path, f"{FOLDER}/s.jsonl", GROWING)
    sync(tmp_path)
    shutil.rmtree(tmp_path / ".config")
    sync(tmp_path)
    items = {item["id"]: item for item in aj_json(tmp_path, "ls")["items"]}
    assert set(items) == {"row", "s"}
    assert items["s"]["project_path"] == "/work/app"
    shown = aj(tmp_path, "show", "s")
    assert (shown.returncode, "answer 4" in shown.stdout) == (0, True)
    assert "answer 1" in aj(tmp_path, "show", "vscode-chat:row").stdout
    assert_verified(tmp_path)
    shutil.rmtree(tmp_path / ".agent-journal/index")
    sync(tmp_path)
    assert listed(tmp_path) == ["row", "s"]
    assert_verified(tmp_path)


@pytest.mark.parametrize("data", [b"no database at all", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_database_is_a_problem_and_not_the_end(tmp_path: Path, data: bytes) -> None:
    write(tmp_path, "workspaceStorage/w/state.vscdb", data)
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1)))
    report = sync(tmp_path)
    assert report.problems == 1
    assert listed(tmp_path) == ["s"]
    assert_verified(tmp_path)
    place(tmp_path, "workspaceStorage/w/state.vscdb").unlink()
    rows = {"interactive.sessions": [document(turn(1), sessionId="row")]}
    state_db(place(tmp_path, "workspaceStorage/w/state.vscdb"), rows)
    assert sync(tmp_path).problems == 0
    assert listed(tmp_path) == ["row", "s"]
    assert_verified(tmp_path)


def test_a_database_that_is_damaged_later_keeps_what_it_said(tmp_path: Path) -> None:
    rows = {"interactive.sessions": [document(turn(1), sessionId="row")]}
    path = state_db(place(tmp_path, "workspaceStorage/w/state.vscdb"), rows)
    sync(tmp_path)
    path.write_bytes(b"no database at all")
    assert sync(tmp_path).problems == 1
    assert texts(tmp_path, "row") == ["prompt 1", "answer 1"]
    assert_verified(tmp_path)


def test_a_document_that_is_damaged_later_keeps_what_it_said(tmp_path: Path) -> None:
    path = write(tmp_path, f"{FOLDER}/s.json", document(turn(1)))
    sync(tmp_path)
    path.write_bytes(path.read_bytes()[:-20])
    sync(tmp_path)
    assert texts(tmp_path) == ["prompt 1", "answer 1"]
    assert_verified(tmp_path)


def test_sub_agents_are_listed_under_their_session(tmp_path: Path) -> None:
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1, response=case(25))))
    sync(tmp_path)
    assert listed(tmp_path) == ["s"]
    (item,) = aj_json(tmp_path, "ls")["items"]
    assert item["sub_agents"] == 1
    assert texts(tmp_path, "s/toolu_P") == ["Find the tests", "tests/"]
    assert loaded(tmp_path, "s/toolu_P").parent_id == "s"
    assert_verified(tmp_path)


def test_hidden_turns_are_kept_and_not_counted(tmp_path: Path) -> None:
    write(
        tmp_path,
        f"{FOLDER}/s.json",
        document(turn(1), turn(2, shouldBeRemovedOnSend={"requestId": "r2"})),
    )
    sync(tmp_path)
    (item,) = aj_json(tmp_path, "ls")["items"]
    assert (item["prompt_count"], item["message_count"]) == (1, 2)
    assert texts(tmp_path)[-1] == "answer 2"
    assert_verified(tmp_path)


def test_products_beside_each_other_are_all_read(tmp_path: Path) -> None:
    for product in ("Code", "Code - Insiders", "VSCodium"):
        path = tmp_path / ".config" / product / "User" / FOLDER / f"{product[-4:]}.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(document(turn(1), sessionId=product[-4:])))
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        hosts = {session.id: session.host_app for session in journal.sessions()}
    assert hosts == {"Code": "Code", "ders": "Code - Insiders", "dium": "VSCodium"}
    assert_verified(tmp_path)
