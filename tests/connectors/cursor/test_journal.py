"""Cursor: its conversations in a journal."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_journal.model import ToolCall
from tests.support.cursor_home import CONVERSATION, GLOBAL, build, write_database
from tests.support.journals import aj, aj_json, open_journal

STORED = "11111111-0000-4000-8000-000000000001"


def synced(home: Path, *options: str) -> None:
    done = aj(home, "sync", *options)
    assert done.returncode == 0, done.stderr
    verified = aj(home, "verify")
    assert verified.returncode == 0, verified.stdout + verified.stderr


def statuses(home: Path) -> dict[str, str]:
    with open_journal(home) as journal:
        assert journal.db is not None
        rows = journal.db.execute(
            "SELECT name, status FROM files WHERE agent = 'cursor' AND session IS NOT NULL"
        )
        return dict(rows.fetchall())


@pytest.mark.parametrize("case", ["editor", "transcripts", "stores"])
def test_a_case_in_the_journal(tmp_path: Path, case: str) -> None:
    synced(build(case, tmp_path))


def test_one_session_of_a_pair_of_transcripts(tmp_path: Path) -> None:
    synced(build("transcripts", tmp_path))
    folder = "projects/home-u-app/agent-transcripts"
    found = statuses(tmp_path)
    assert (found[f"{folder}/pair.json"], found[f"{folder}/pair.txt"]) == ("read", "copy")


def test_the_database_wins_over_store_and_transcript(tmp_path: Path) -> None:
    home = build("stores", tmp_path)
    transcript = home / f".cursor/projects/home-u-app/agent-transcripts/{STORED}/{STORED}.jsonl"
    transcript.parent.mkdir(parents=True)
    line = {
        "role": "user",
        "message": {"content": [{"type": "text", "text": "from the transcript"}]},
    }
    transcript.write_text((json.dumps(line) + "\n") * 40)
    synced(home)
    store = next(name for name in statuses(home) if name.endswith("store.db#rows-store.jsonl"))
    name = f"projects/home-u-app/agent-transcripts/{STORED}/{STORED}.jsonl"
    assert (statuses(home)[store], statuses(home)[name]) == ("read", "copy")
    rows = [
        [f"bubbleId:{STORED}:1", {"type": 1, "text": "from the database"}],
        [f"composerData:{STORED}", {}],
    ]
    write_database(home / GLOBAL, {"cursorDiskKV": rows})
    synced(home)
    part = f"globalStorage/state.vscdb#rows-conversation-{STORED}.jsonl"
    assert {key: statuses(home)[key] for key in (store, name, part)} == {
        store: "copy",
        name: "copy",
        part: "read",
    }
    (item,) = [item for item in aj_json(home, "ls")["items"] if item["id"] == STORED]
    assert item["title"] == "from the database"


def test_a_transcript_is_read_when_the_conversation_is_empty(tmp_path: Path) -> None:
    home = build("transcripts", tmp_path)
    write_database(
        home / GLOBAL,
        {"cursorDiskKV": [["composerData:main", {"composerId": "main", "name": "Named"}]]},
    )
    synced(home)
    (item,) = [item for item in aj_json(home, "ls")["items"] if item["id"] == "main"]
    assert item["title"] == "run the tests"


def test_only_a_changed_conversation_is_read_again(tmp_path: Path) -> None:
    home = build("editor", tmp_path)
    synced(home)
    rows = [[f"bubbleId:{CONVERSATION}:a1", {"type": 2, "text": "Another end"}]]
    write_database(home / GLOBAL, {"cursorDiskKV": rows})
    assert aj_json(home, "sync")["items"][0]["changed_files"] == 1
    synced(home)
    with open_journal(home) as journal:
        texts = [message.text for message in journal.session(f"cursor:{CONVERSATION}").messages]
    assert "Another end" in texts
    assert "Done: x is two." not in texts


def test_a_full_sync_finds_a_change_that_left_no_trace(tmp_path: Path) -> None:
    home = build("editor", tmp_path)
    synced(home)
    with closing(sqlite3.connect(home / GLOBAL)) as db, db:
        db.execute(
            "UPDATE cursorDiskKV SET value = replace(value, 'x is two', 'x is 2') WHERE key = ?",
            (f"bubbleId:{CONVERSATION}:a1",),
        )
    synced(home)
    assert not aj_json(home, "search", "--no-sync", '"x is 2"')["items"]
    synced(home, "--full")
    assert aj_json(home, "search", "--no-sync", '"x is 2"')["items"]


def test_a_deleted_conversation_stays(tmp_path: Path) -> None:
    home = build("editor", tmp_path)
    synced(home)
    with closing(sqlite3.connect(home / GLOBAL)) as db, db:
        db.execute("DELETE FROM cursorDiskKV WHERE key GLOB ?", (f"*{CONVERSATION}*",))
    synced(home)
    assert CONVERSATION in [item["id"] for item in aj_json(home, "ls")["items"]]


def test_a_damaged_database_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / GLOBAL
    path.parent.mkdir(parents=True)
    path.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    assert aj(tmp_path, "sync").returncode == 0
    (found,) = [item for item in aj_json(tmp_path, "doctor")["items"] if item["agent"] == "cursor"]
    assert found["trouble_count"] == 1
    assert "database" in found["troubles"][0]["reason"]


def test_the_backup_of_a_damaged_database_is_read(tmp_path: Path) -> None:
    path = tmp_path / GLOBAL
    write_database(
        Path(f"{path}.backup"), {"cursorDiskKV": [["bubbleId:c:1", {"type": 1, "text": "saved"}]]}
    )
    path.write_bytes(b"no database")
    assert aj(tmp_path, "sync").returncode == 0
    assert [item["title"] for item in aj_json(tmp_path, "ls")["items"]] == ["saved"]
    (found,) = [item for item in aj_json(tmp_path, "doctor")["items"] if item["agent"] == "cursor"]
    assert "its backup was read instead" in found["troubles"][0]["reason"]


def test_of_a_damaged_page_one_conversation_is_lost(tmp_path: Path) -> None:
    path = tmp_path / GLOBAL
    words = {name: (name * 3000) for name in ("p", "q", "r")}
    rows = [[f"bubbleId:{name}:1", {"type": 1, "text": text}] for name, text in words.items()]
    write_database(path, {"cursorDiskKV": rows})
    data = bytearray(path.read_bytes())
    at = data.index(b"q" * 2000) // 4096 * 4096
    data[at : at + 4] = b"\xff\xff\xff\xff"  # the number of the next page of the value
    path.write_bytes(data)
    assert aj(tmp_path, "sync").returncode == 0
    assert {item["id"] for item in aj_json(tmp_path, "ls")["items"]} == {"p", "r"}
    (found,) = [item for item in aj_json(tmp_path, "doctor")["items"] if item["agent"] == "cursor"]
    assert [trouble["reason"] for trouble in found["troubles"]] == [
        "conversation-q.jsonl: database disk image is malformed"
    ]


def test_the_folders_of_cursor_are_imported(tmp_path: Path) -> None:
    laptop = build("editor", tmp_path / "laptop")
    build("stores", tmp_path / "laptop")
    (laptop / ".config/Code/User/globalStorage").mkdir(parents=True)
    write_database(
        laptop / ".config/Code/User/globalStorage/state.vscdb", {"ItemTable": [["x", "y"]]}
    )
    done = aj(tmp_path, "import", str(laptop))
    assert done.returncode == 0, done.stderr
    assert {CONVERSATION, STORED} <= {item["id"] for item in aj_json(tmp_path, "ls")["items"]}
    with open_journal(tmp_path) as journal:
        assert journal.db is not None
        paths = journal.db.execute("SELECT path FROM files WHERE agent = 'cursor'").fetchall()
    assert not [path for (path,) in paths if "/Code/" in path]
    assert aj(tmp_path, "verify").returncode == 0


def test_long_results_are_quoted(tmp_path: Path) -> None:
    result = json.dumps({"lines": ["é" * 40] * 60}, ensure_ascii=False)
    tool = {
        "name": "grep_search",
        "toolCallId": "t",
        "status": "completed",
        "params": "{}",
        "result": result,
    }
    rows = [
        ["bubbleId:c:1", {"type": 2, "toolFormerData": tool}],
        ["bubbleId:c:0", {"type": 1, "text": "find"}],
    ]
    write_database(tmp_path / GLOBAL, {"cursorDiskKV": rows})
    synced(tmp_path)
    with open_journal(tmp_path) as journal:
        messages = journal.session("cursor:c").messages
        calls = [call for message in messages for call in message.tool_calls]
    assert [call.result for call in calls] == [result]
    assert isinstance(calls[0], ToolCall)


def test_a_sub_agent_that_its_parent_names_later(tmp_path: Path) -> None:
    child = [
        ["bubbleId:child:1", {"type": 1, "text": "look around"}],
        ["bubbleId:child:2", {"type": 2, "text": "nothing here"}],
        ["composerData:child", {"composerId": "child"}],
    ]
    parent = [
        ["bubbleId:parent:1", {"type": 1, "text": "find it"}],
        ["composerData:parent", {"composerId": "parent", "subagentComposerIds": ["child"]}],
    ]
    write_database(tmp_path / GLOBAL, {"cursorDiskKV": child})
    synced(tmp_path)
    assert listed(tmp_path) == {"child": (None, 1)}
    write_database(tmp_path / GLOBAL, {"cursorDiskKV": parent})
    for _ in range(2):
        synced(tmp_path)
        assert listed(tmp_path) == {"child": ("parent", 0), "parent": (None, 1)}
    synced(tmp_path, "--full")
    assert listed(tmp_path) == {"child": ("parent", 0), "parent": (None, 1)}


def listed(home: Path) -> dict[str, tuple[str | None, int]]:
    items = aj_json(home, "ls", "--all")["items"]
    return {item["id"]: (item["parent_id"], item["prompt_count"]) for item in items}
