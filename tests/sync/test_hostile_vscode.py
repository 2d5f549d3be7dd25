"""What a hostile tester found in the VS Code part: files that break, copies that take turns,
imports that lie.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.support.journals import aj, aj_json, open_journal

USER = ".config/Code/User"
T = 1768000000000


def turn(number: int, text: str | None = None) -> dict[str, Any]:
    return {
        "requestId": f"request_{number}",
        "timestamp": T + number * 1000,
        "message": text or f"prompt {number}",
        "response": [{"value": f"answer {number}"}],
    }


def doc(session: str, count: int) -> dict[str, Any]:
    return {
        "version": 3,
        "sessionId": session,
        "requests": [turn(number) for number in range(count)],
    }


def log(session: str, count: int) -> str:
    return json.dumps({"kind": 0, "v": doc(session, count)}, separators=(",", ":")) + "\n"


def put(home: Path, name: str, value: Any, workspace: str = "w1") -> Path:
    path = home / USER / "workspaceStorage" / workspace / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def sync(home: Path) -> None:
    assert aj(home, "sync").returncode == 0


def verified(home: Path) -> None:
    done = aj(home, "verify")
    assert done.returncode == 0, done.stdout + done.stderr


def prompts(home: Path, session: str) -> list[str]:
    with open_journal(home) as journal:
        return [
            message.text for message in journal.session(session).messages if message.role == "user"
        ]


def database(path: Path, value: str, key: str = "interactive.sessions") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"
        )
        connection.execute("INSERT INTO ItemTable VALUES (?, ?)", (key, value))
    connection.close()


# -- imports -----------------------------------------------------------------------------------


def test_another_chat_under_the_same_name_is_another_session(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    for number in (1, 2):
        path.write_text(json.dumps({"responderUsername": "x", "requests": [turn(number)]}))
        assert aj(tmp_path, "import", str(path)).returncode == 0
    assert sorted(
        prompts(tmp_path, item["id"])[0] for item in aj_json(tmp_path, "ls")["items"]
    ) == [
        "prompt 1",
        "prompt 2",
    ]
    verified(tmp_path)


def test_a_folder_called_projects_is_not_claudes(tmp_path: Path) -> None:
    old = tmp_path / "old"
    (old / "projects/foo").mkdir(parents=True)
    (old / "projects/foo/train.jsonl").write_text('{"text": "a dataset"}\n')
    (old / "Downloads").mkdir()
    (old / "Downloads/chat.json").write_text(
        json.dumps({"responderUsername": "x", "requests": [turn(1)]})
    )
    put(old, "chatSessions/s.json", doc("s", 2))
    assert aj(tmp_path, "import", str(old)).returncode == 0
    assert sorted(item["agent"] for item in aj_json(tmp_path, "ls")["items"]) == [
        "vscode-chat",
        "vscode-export",
    ]


def test_odd_files_do_not_stop_an_import(tmp_path: Path) -> None:
    there = tmp_path / "in"
    there.mkdir()
    (there / "good.json").write_text(json.dumps(doc("good", 1)))
    (there / "odd.jsonl").write_text('{"type":"session.start","data":{"sessionId":{"a":1}}}\n')
    os.mkfifo(there / "pipe.json")
    Path(os.fsdecode(os.fsencode(there) + b"/\xff.json")).write_text("{}")
    done = aj(tmp_path, "import", str(there))
    assert "good" in done.stdout, done.stderr
    assert aj(tmp_path, "import", str(there / "pipe.json")).returncode == 1


def test_what_sync_reads_can_be_imported(tmp_path: Path) -> None:
    big = tmp_path / "big.jsonl"
    huge = {**doc("big", 1), "inputState": {"inputText": "x" * (9 * 2**20)}}
    big.write_text(
        json.dumps({"kind": 0, "v": huge}) + "\n" + '{"kind":1,"k":["customTitle"],"v":"Big"}\n'
    )
    cut = tmp_path / "cut.json"
    cut.write_text(json.dumps(doc("cut", 1)).replace("prompt 0", "cut \\ud83d"))
    assert aj(tmp_path, "import", str(big), str(cut)).returncode == 0
    assert prompts(tmp_path, "cut") == ["cut \ufffd"]
    assert {item["title"] for item in aj_json(tmp_path, "ls")["items"]} == {"Big", "cut \ufffd"}


def test_a_file_imported_by_name_finds_its_place_with_the_next_sync(tmp_path: Path) -> None:
    path = put(tmp_path, "chatSessions/s.json", doc("s", 1))
    put(tmp_path, "workspace.json", {"folder": "file:///p/q"})
    assert aj(tmp_path, "import", str(path)).returncode == 0
    sync(tmp_path)
    aj(tmp_path, "sync", "--full")
    with open_journal(tmp_path) as journal:
        assert journal.session("s").project_path == "/p/q"
    verified(tmp_path)


# -- files that break --------------------------------------------------------------------------


@pytest.mark.parametrize("broken", ["", "\0" * 400, "\n\n\n", '{"broken'])
@pytest.mark.parametrize("name", ["s.jsonl", "s.json"])
def test_a_file_that_breaks_keeps_what_it_said(tmp_path: Path, name: str, broken: str) -> None:
    path = put(tmp_path, f"chatSessions/{name}", log("s", 2) if name.endswith("l") else doc("s", 2))
    sync(tmp_path)
    path.write_text(broken)
    sync(tmp_path)
    assert prompts(tmp_path, "s") == ["prompt 0", "prompt 1"]
    verified(tmp_path)
    shutil.rmtree(tmp_path / ".agent-journal/index")
    sync(tmp_path)
    assert prompts(tmp_path, "s") == ["prompt 0", "prompt 1"]
    verified(tmp_path)


def test_no_version_that_never_was(tmp_path: Path) -> None:
    path = put(tmp_path, "chatSessions/s.json", doc("s", 1))
    sync(tmp_path)
    path.write_text('{"broken')
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        query = (
            "SELECT v.size > 0 FROM versions v JOIN files f ON f.id = v.file_id "
            "WHERE f.role = 'session'"
        )
        assert journal.db.execute(query).fetchall() == [(1,), (1,)]


@pytest.mark.parametrize("broken", ["", '{"folder'])
def test_a_workspace_that_breaks_keeps_its_project(tmp_path: Path, broken: str) -> None:
    put(tmp_path, "chatSessions/s.json", doc("s", 1))
    put(tmp_path, "workspace.json", {"folder": "file:///p/q"})
    sync(tmp_path)
    put(tmp_path, "workspace.json", broken)
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        assert journal.session("s").project_path == "/p/q"
    verified(tmp_path)


def test_a_project_reaches_a_session_whose_file_is_damaged(tmp_path: Path) -> None:
    put(tmp_path, "chatSessions/s.json", doc("s", 1))
    sync(tmp_path)
    put(tmp_path, "chatSessions/s.json", '{"x')
    sync(tmp_path)
    put(tmp_path, "workspace.json", {"folder": "file:///p/q"})
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        assert journal.session("s").project_path == "/p/q"
    verified(tmp_path)


def test_a_name_that_cannot_be_written_costs_only_itself(tmp_path: Path) -> None:
    hexed = json.dumps({"hostPath": "\ud800"}).encode().hex()
    put(tmp_path, "workspace.json", {"folder": f"vscode-remote://dev-container%2B{hexed}/w"})
    put(tmp_path, "chatSessions/s.json", doc("s", 1))
    sync(tmp_path)
    assert prompts(tmp_path, "s") == ["prompt 0"]


def test_ids_that_look_like_ours_stay_apart(tmp_path: Path) -> None:
    names = ["a", *("a" + "~2" * count for count in range(1, 1500)), "a", "a.2"]
    turns = [
        {**turn(number), "requestId": name, "responseId": f"r{number}"}
        for number, name in enumerate(names)
    ]
    put(tmp_path, "chatSessions/s.json", {"requests": turns})
    sync(tmp_path)
    assert len(prompts(tmp_path, "s")) == len(names)


# -- copies ------------------------------------------------------------------------------------


def test_the_better_copy_is_read_also_after_the_index_was_lost_or_is_old(tmp_path: Path) -> None:
    put(tmp_path, "chatSessions/s.json", doc("s", 1), "a")
    put(tmp_path, "chatSessions/s.json", doc("s", 2), "c")
    sync(tmp_path)
    index, backup = tmp_path / ".agent-journal/index", tmp_path / "index.bak"
    shutil.copytree(index, backup)
    put(tmp_path, "chatSessions/s.json", doc("s", 3), "a")
    put(tmp_path, "chatSessions/s.json", doc("s", 6), "c")
    sync(tmp_path)
    for lost in (False, True):
        shutil.rmtree(index)
        if not lost:
            shutil.copytree(backup, index)
        sync(tmp_path)
        assert len(prompts(tmp_path, "s")) == 6
        verified(tmp_path)


def test_a_copy_is_compared_again_when_what_it_is_read_with_changes(tmp_path: Path) -> None:
    put(tmp_path, "chatSessions/t.jsonl", log("t", 2), "b")
    sync(tmp_path)
    push = {"kind": 2, "k": ["requests"], "v": [turn(1)]}
    put(tmp_path, "chatSessions/t.jsonl", json.dumps(push) + "\n", "a")
    sync(tmp_path)
    put(tmp_path, "chatSessions/t.json", doc("t", 9), "a")
    sync(tmp_path)
    verified(tmp_path)


# -- rows --------------------------------------------------------------------------------------


def test_a_damaged_list_of_sessions_loses_only_the_damaged_one(tmp_path: Path) -> None:
    rows = [json.dumps(doc(f"r{number}", 1)) for number in range(3)]
    rows[1] = rows[1][:-9] + " oops"
    database(tmp_path / USER / "workspaceStorage/w1/state.vscdb", f"[{', '.join(rows)}]")
    sync(tmp_path)
    assert sorted(item["id"] for item in aj_json(tmp_path, "ls")["items"]) == ["r0", "r2"]
    assert "a damaged list of sessions" in aj(tmp_path, "doctor").stdout
    verified(tmp_path)


def test_rows_that_are_being_written_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / USER / "workspaceStorage/w1/state.vscdb"
    old, new = (
        json.dumps([{**doc("s", 0), "requests": [turn(0, letter * 300_000)]}]) for letter in "AB"
    )
    database(path, old)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA cache_size = 1")
    writer.execute("BEGIN")
    writer.execute("UPDATE ItemTable SET value = ?", (new,))
    sync(tmp_path)
    assert {letter for text in prompts(tmp_path, "s") for letter in text} == {"A"}
    writer.execute("COMMIT")
    writer.close()
    sync(tmp_path)
    assert {letter for text in prompts(tmp_path, "s") for letter in text} == {"B"}
    assert not [name for name in os.listdir(path.parent) if name not in ("state.vscdb",)]


def test_the_same_row_twice_and_ids_alike(tmp_path: Path) -> None:
    path = tmp_path / USER / "workspaceStorage/w1/state.vscdb"
    ids = ["s", "s", "a/b", "a_b", "x" * 300, "\U00020000" * 80]
    for count in (1, 2):
        database(path, json.dumps([doc(name, count) for name in ids]))
        sync(tmp_path)
    assert len(aj_json(tmp_path, "ls")["items"]) == 5
    assert aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "back")).returncode == 0
    verified(tmp_path)


# -- verify ------------------------------------------------------------------------------------


def test_verify_misses_nothing_that_was_taken_away(tmp_path: Path) -> None:
    put(tmp_path, "chatSessions/s.json", doc("s", 1))
    sync(tmp_path)
    put(tmp_path, "chatSessions/s.json", doc("s", 2))
    put(tmp_path, "chatSessions/t.json", doc("t", 1))
    sync(tmp_path)
    verified(tmp_path)
    index = tmp_path / ".agent-journal/index/journal.db"
    kept = index.read_bytes()
    with sqlite3.connect(index) as catalog:
        catalog.execute(
            "DELETE FROM version_frames WHERE version_id IN "
            "(SELECT id FROM versions WHERE number = 1)"
        )
        catalog.execute(
            "DELETE FROM versions WHERE number = 1 "
            "AND file_id IN (SELECT id FROM files WHERE session = 's')"
        )
    catalog.close()
    assert aj(tmp_path, "verify").returncode == 1
    index.write_bytes(kept)
    with sqlite3.connect(index) as catalog:
        catalog.execute(
            "DELETE FROM version_frames WHERE version_id IN (SELECT v.id FROM versions v "
            "JOIN files f ON f.id = v.file_id WHERE f.session = 't')"
        )
        for column, owner in (
            ("file_id", "SELECT id FROM files WHERE session = 't'"),
            ("session_id", "SELECT id FROM sessions WHERE uid = 't'"),
        ):
            tables = (
                "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
                f"WHERE m.type = 'table' AND c.name = '{column}'"
            )
            for (table,) in catalog.execute(tables).fetchall():
                catalog.execute(f"DELETE FROM {table} WHERE {column} IN ({owner})")
        catalog.execute("DELETE FROM files WHERE session = 't'")
        catalog.execute("DELETE FROM sessions WHERE uid = 't'")
    catalog.close()
    done = aj(tmp_path, "verify")
    assert done.returncode == 1
    assert "is in the archive but not in the catalog" in done.stdout + done.stderr


# -- the second round --------------------------------------------------------------------------


def test_a_lesser_copy_that_is_cut_short_verifies(tmp_path: Path) -> None:
    put(tmp_path, "chatSessions/t.json", doc("t", 2), "b")
    path = put(tmp_path, "chatSessions/t.json", doc("t", 1), "a")
    sync(tmp_path)
    path.write_text(path.read_text()[:-1])
    sync(tmp_path)
    verified(tmp_path)


def test_a_session_is_cut_and_its_workspace_changes_at_once(tmp_path: Path) -> None:
    path = put(tmp_path, "chatSessions/t.json", doc("t", 2))
    sync(tmp_path)
    path.write_text(path.read_text()[:-30])
    put(tmp_path, "workspace.json", {"folder": "file:///p2"})
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        assert journal.session("t").project_path == "/p2"
    verified(tmp_path)


def test_everything_comes_back_from_the_archive_alone(tmp_path: Path) -> None:
    path = put(tmp_path, "chatSessions/t.json", doc("t", 2))
    sync(tmp_path)
    put(tmp_path, "workspace.json", {"folder": "file:///p1"})
    sync(tmp_path)
    path.write_text(path.read_text()[:-30])
    put(tmp_path, "workspace.json", "{bad")
    sync(tmp_path)
    shutil.rmtree(tmp_path / ".config")
    shutil.rmtree(tmp_path / ".agent-journal/index")
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        assert journal.session("t").project_path == "/p1"
    assert prompts(tmp_path, "t") == ["prompt 0", "prompt 1"]
    verified(tmp_path)


@pytest.mark.parametrize("first", ["", "garb", "\n"])
def test_garbage_that_grows_verifies(tmp_path: Path, first: str) -> None:
    path = put(tmp_path, "chatSessions/s.jsonl", first)
    sync(tmp_path)
    path.write_text(first + "garbage")
    sync(tmp_path)
    verified(tmp_path)


def test_a_damaged_header_at_the_end_of_a_pack_is_reported(tmp_path: Path) -> None:
    put(tmp_path, "chatSessions/s.json", doc("s", 1))
    sync(tmp_path)
    verified(tmp_path)
    pack = tmp_path / ".agent-journal/archive/000001.pack"
    data = bytearray(pack.read_bytes())
    data[20] ^= 1
    pack.write_bytes(data)
    assert aj(tmp_path, "verify").returncode == 1
