"""Chats put into a workspace of VS Code: listed, backed up, and nothing else changed."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors import sqlite_writing
from agent_journal.convert.target import Converted
from agent_journal.convert.vscode import TARGET, place, workspaces
from agent_journal.convert.vscode.place import Placed
from agent_journal.errors import CannotWrite, UsageError
from tests.support import vscode_validator
from tests.support.conversions import fresh, said, talk
from tests.support.journals import aj, aj_json, write_claude
from tests.support.paths import ROOT

KEY = "chat.ChatSessionStore.index"
OLD = {"sessionId": "old", "title": "Old", "lastMessageDate": 1}


class Code:
    """A `User` folder with one workspace."""

    def __init__(self, folder: Path, index: Any = None, product: str = "Code") -> None:
        self.project = folder / "project"
        self.project.mkdir(exist_ok=True)
        self.root = folder / ".config" / product / "User"
        self.storage = self.root / "workspaceStorage/0123456789abcdef0123456789abcdef"
        self.storage.mkdir(parents=True)
        (self.storage / "workspace.json").write_text(json.dumps({"folder": self.project.as_uri()}))
        self.database = self.storage / "state.vscdb"
        with closing(sqlite3.connect(self.database)) as db:
            db.execute("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
            db.execute("INSERT INTO ItemTable VALUES ('other', 'stays')")
            if index is not None:
                db.execute("INSERT INTO ItemTable VALUES (?, ?)", (KEY, index))
            db.commit()

    def items(self, path: Path | None = None) -> dict[str, Any]:
        with closing(sqlite3.connect(path or self.database)) as db:
            return dict(db.execute("SELECT key, value FROM ItemTable"))

    def entries(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.items()[KEY])["entries"]
        return found

    def chats(self) -> list[str]:
        return [path.name for path in (self.storage / "chatSessions").glob("*")]


def chat(number: int = 1) -> Converted:
    session = talk(
        said("user", "prompt", "hi"), said("assistant", "answer", "hello"), title="Greetings"
    )
    return TARGET.convert([session], fresh(number))


def put(code: Code, wanted: str | Path | None = None, number: int = 1) -> Placed:
    return place.place(chat(number), str(wanted or code.project), [str(code.root)])


@pytest.fixture
def code(tmp_path: Path) -> Code:
    return Code(tmp_path, json.dumps({"version": 1, "entries": {"old": OLD}}))


def test_a_chat_is_listed_beside_those_that_are_there(code: Code) -> None:
    placed = put(code)
    entries = code.entries()
    assert entries["old"] == OLD
    entry = entries[fresh().session_id]
    assert (entry["sessionId"], entry["title"], entry["isEmpty"]) == (
        fresh().session_id,
        "Greetings",
        False,
    )
    assert isinstance(entry["lastMessageDate"], int)
    assert code.items()["other"] == "stays"
    assert json.loads(Path(placed.path).read_text())["sessionId"] == entry["sessionId"]
    assert json.loads(code.items(Path(placed.backup))[KEY])["entries"] == {"old": OLD}


def test_the_journal_reads_a_placed_chat(tmp_path: Path, code: Code) -> None:
    put(code)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    (session,) = aj_json(tmp_path, "ls")["items"]
    assert (session["agent"], session["title"]) == ("vscode-chat", "Greetings")


@pytest.mark.parametrize("which", ["folder", "storage", "id"])
def test_a_workspace_is_named_by_its_folder_or_its_storage(code: Code, which: str) -> None:
    wanted = {"folder": code.project, "storage": code.storage, "id": code.storage.name}[which]
    assert put(code, wanted).path.startswith(str(code.storage))


def test_the_first_chat_of_a_workspace_makes_the_list(tmp_path: Path) -> None:
    code = Code(tmp_path)
    put(code)
    assert list(code.entries()) == [fresh().session_id]


def test_chats_of_one_run_share_a_backup_which_the_next_run_replaces(code: Code) -> None:
    backups: dict[str, str] = {}
    roots = [str(code.root)]
    first = place.place(chat(1), str(code.project), roots, backups)
    second = place.place(chat(2), str(code.project), roots, backups)
    assert (first.listed, second.listed) == (2, 3)
    assert first.backup == second.backup
    assert list(json.loads(code.items(Path(first.backup))[KEY])["entries"]) == ["old"]
    third = put(code, number=3)
    assert len(json.loads(code.items(Path(third.backup))[KEY])["entries"]) == 3
    copies = [path.name for path in code.storage.iterdir() if "before-aj" in path.name]
    assert copies == ["state.vscdb.before-aj"]


def test_the_storage_used_last_counts(code: Code) -> None:
    other = code.storage.with_name("f" * 32)
    other.mkdir()
    (other / "workspace.json").write_bytes((code.storage / "workspace.json").read_bytes())
    (other / "state.vscdb").write_bytes(code.database.read_bytes())
    os.utime(code.database, (1, 1))
    assert put(code).path.startswith(str(other))


# -- refusals: nothing is written --------------------------------------------------------------


def refused(
    code: Code, reason: str, wanted: str | Path | None = None, error: Any = UsageError
) -> None:
    before = code.database.read_bytes()
    with pytest.raises(error, match=reason) as caught:
        put(code, wanted)
    assert caught.value.hint
    assert code.chats() == []
    assert code.database.read_bytes() == before


def test_an_unknown_folder_is_refused(tmp_path: Path, code: Code) -> None:
    refused(code, "no storage for", tmp_path)
    refused(code, "no storage for", "../../etc")


def test_a_workspace_without_its_database_is_refused(code: Code) -> None:
    code.database.rename(code.storage / "moved")
    with pytest.raises(UsageError, match=r"state\.vscdb is missing"):
        put(code)
    assert code.chats() == []


def test_the_same_folder_in_two_products_is_refused(tmp_path: Path, code: Code) -> None:
    other = Code(tmp_path, product="VSCodium")
    with pytest.raises(UsageError, match="several products"):
        place.place(chat(), str(code.project), [str(code.root), str(other.root)])
    assert put(code).path


def test_a_remote_folder_of_the_same_path_is_another_one(code: Code) -> None:
    remote = f"vscode-remote://ssh-remote%2Bhost{code.project}"
    (code.storage / "workspace.json").write_text(json.dumps({"folder": remote}))
    refused(code, "no storage for")


def test_nothing_is_written_while_vs_code_runs(code: Code) -> None:
    lock = code.root.parent / "code.lock"
    lock.write_text(str(os.getppid()))
    refused(code, "VS Code is running")
    lock.write_text("999999999")  # left behind by a crash
    assert put(code).path


@pytest.mark.skipif(
    not os.path.isdir("/proc/self/fd"), reason="only Linux tells who has a file open"
)
def test_a_process_that_has_the_database_open_counts(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    with code.database.open("rb"):
        monkeypatch.setattr(
            workspaces.os, "getpid", lambda: 0
        )  # as if it were another process's handle
        refused(code, "VS Code is running")


@pytest.mark.parametrize("index", ["{", "[]", '{"version":2,"entries":{}}', '{"version":1}'])
def test_a_list_that_is_not_understood_is_not_touched(tmp_path: Path, index: str) -> None:
    refused(Code(tmp_path, index), "does not know")


def test_a_damaged_database_is_not_touched(code: Code) -> None:
    code.database.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    refused(code, "cannot be changed", error=CannotWrite)


def test_a_database_that_is_held_is_not_touched(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_writing, "_WAIT", 0.1)
    monkeypatch.setattr(place, "running", lambda _: None)
    with closing(sqlite3.connect(code.database)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(CannotWrite, match="locked"):
            put(code)
    assert code.chats() == []


# -- crashes -----------------------------------------------------------------------------------


def test_a_crash_before_the_list_is_changed_leaves_it_as_it_was(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Crash(BaseException):
        pass

    def crash(*_: Any, **__: Any) -> None:
        raise Crash

    before = code.items()
    for name in ("_back_up", "_make", "write_file", "_flush", "_list"):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, crash)
            with pytest.raises(Crash):
                put(code)
        assert code.items() == before, name
        assert code.chats() == [], name
    assert put(code).path


KILLED = """
import os, sys
from agent_journal.convert.vscode import place
from tests.convert.test_vscode_place import chat
calls = []
place.running = lambda _: os._exit(9) if calls else calls.append(1)
place.place(chat(), sys.argv[1], sys.argv[2:])
"""


def test_a_process_killed_inside_the_transaction_leaves_the_list_as_it_was(code: Code) -> None:
    before = code.items()
    paths = os.pathsep.join([*sys.path, str(ROOT)])
    killed = [sys.executable, "-c", KILLED]
    done = subprocess.run(
        [*killed, str(code.project), str(code.root)], env={"PYTHONPATH": paths}, check=False
    )
    assert done.returncode == 9
    assert len(code.chats()) == 1  # a chat that is not in the list is only not shown
    assert code.items() == before
    put(code, number=2)
    assert len(code.entries()) == 2


def test_vs_code_started_meanwhile_is_noticed(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([None, "process 1"])
    monkeypatch.setattr(place, "running", lambda _: next(answers))
    before = code.items()
    with pytest.raises(UsageError, match="is running"):
        put(code)
    assert (code.items(), code.chats()) == (before, [])


def test_from_the_command_line(code: Code, tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    asked = ("convert", "s1", "--to", "vscode", "--into", str(code.project))
    assert "--yes does it without asking" in aj(tmp_path, *asked).stderr
    assert code.chats() == []
    before = aj_json(tmp_path, "usage")["totals"]
    (item,) = aj_json(tmp_path, *asked, "--yes")["items"]
    assert set(code.entries()) == {"old", item["new_session"]}
    assert code.chats() == [f"{item['new_session']}.json"]
    assert vscode_validator.problems(json.loads(Path(item["path"]).read_text())) == []
    aj(tmp_path, "sync", "--no-index")
    found = {one["agent"] for one in aj_json(tmp_path, "ls")["items"]}
    assert found == {"claude-code", "vscode-chat"}
    assert aj_json(tmp_path, "usage")["totals"]["total_tokens"] == before["total_tokens"]


def test_a_document_gets_a_name_of_ones_own(code: Code, tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    done = aj(tmp_path, "convert", "s1", "--to", "vscode", "-o", str(tmp_path / "chat.json"))
    assert "Chat: Import Chat..." in done.stderr
    assert vscode_validator.problems(json.loads((tmp_path / "chat.json").read_text())) == []
    again = aj(tmp_path, "convert", "s1", "--to", "vscode", "-o", str(tmp_path / "chat.json"))
    assert (again.returncode, "already exists" in again.stderr) == (2, True)
    wrong = aj(tmp_path, "convert", "s1", "--to", "claude-code", "--into", str(code.project))
    assert (wrong.returncode, "--into is for VS Code" in wrong.stderr) == (2, True)


def test_vs_codes_own_chat_comes_out_as_it_was(code: Code, tmp_path: Path) -> None:
    kept = json.loads(Path(put(code).path).read_text())
    aj(tmp_path, "sync", "--no-index")
    asked = ("convert", kept["sessionId"], "--to", "vscode", "-o", str(tmp_path / "x.json"))
    (item,) = aj_json(tmp_path, *asked)["items"]
    assert item["is_original"]
    given = json.loads((tmp_path / "x.json").read_text())
    assert given["requests"][0]["requestId"] == kept["requests"][0]["requestId"]
    assert given["sessionId"] != kept["sessionId"]
