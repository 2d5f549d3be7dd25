"""Cursor: what each database, store and transcript becomes. What a case says in full is in its
`expected.json`.

AJ_WRITE_EXPECTED=1 writes those anew; look at the difference before it is committed.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_journal.connectors.base import Env, FileIdentity, FoundFile, Pause
from agent_journal.connectors.cursor import CONNECTOR
from agent_journal.connectors.cursor.script import unwrapped
from agent_journal.connectors.cursor.talk import rich_text
from agent_journal.connectors.sqlite import opened
from agent_journal.model import Event, FileEdit, HistoryEntry, Message, Session, ToolCall
from tests.support.assemble import Assembly, DiskContent
from tests.support.cursor_home import CASES, TABLES, build, extracts, files_of, write_database
from tests.support.journals import aj, aj_json, open_journal

GLOBAL = ".config/Cursor/User/globalStorage/state.vscdb"
WORKSPACE = ".config/Cursor/User/workspaceStorage/0123456789abcdef0123456789abcdef"
TALK = "a0000000-0000-4000-8000-000000000001"
STORED = "11111111-0000-4000-8000-000000000001"


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    return assembled(build("editor", tmp_path_factory.mktemp("editor")))


def assembled(home: Path) -> Assembly:
    found = Assembly()
    for file in files_of(home):
        found.read(CONNECTOR, file)
    return found


def message(assembly: Assembly, key: str, session: str = TALK) -> Message:
    return assembly.messages[session, key]


def session(assembly: Assembly, session_id: str) -> list[Session]:
    return [one for one in assembly.sessions if one.id == session_id]


def edits(assembly: Assembly, call_id: str) -> list[FileEdit]:
    return [one for one in assembly.others if isinstance(one, FileEdit) and one.call_id == call_id]


# -- cases -------------------------------------------------------------------------------------


def told(home: Path, file: FoundFile) -> dict[str, Any]:
    """Everything a reader makes of a file."""
    reader = CONNECTOR.reader(FileIdentity(file.name, file.path, file.role, file.session_id), None)
    pieces = [
        piece for piece in reader.read(DiskContent(file.path)) if not isinstance(piece, Pause)
    ]
    found = {
        "role": file.role,
        "completeness": reader.completeness,
        "sessions": list(reader.sessions()),
        "pieces": [[type(piece).__name__, piece] for piece in pieces],
        "ledger": sorted([*entry, *sums] for entry, sums in reader.ledger.counts.items()),
        "troubles": reader.ledger.troubles,
    }
    text = json.dumps(msgspec.to_builtins(found), ensure_ascii=False)
    return json.loads(text.replace(str(home), "HOME"))  # type: ignore[no-any-return]


@pytest.mark.parametrize("case", sorted(path.parent.name for path in CASES.glob("*/home")))
def test_case(case: str, tmp_path: Path) -> None:
    found = {file.name: told(tmp_path, file) for file in files_of(build(case, tmp_path))}
    expected = CASES / case / "expected.json"
    if os.environ.get("AJ_WRITE_EXPECTED"):
        expected.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n")
    assert found == json.loads(expected.read_text())


# -- where the files are -----------------------------------------------------------------------


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
def test_settled_root(path: str, root: str) -> None:
    assert CONNECTOR.normalize_root(path) == root


def test_settled_root_around_the_user_folder(tmp_path: Path) -> None:
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
        f"{folder}/words.txt": ("session", "words"),
        "conversations/seed.jsonl": ("log", "seed"),
    }


# -- rows --------------------------------------------------------------------------------------


def test_messages_come_in_the_order_of_the_headers(editor: Assembly) -> None:
    said = [key for session_id, key in editor.messages if session_id == TALK]
    assert said == [
        "u1",
        "t1",
        "r1",
        "w1",
        "d1",
        "s1",
        "m1",
        "n1",
        "x1",
        "a1",
        "u2",
        "k1",
        "p1",
        "f1",
        f"{TALK}/summary",
        "left",
    ]


def test_a_message_the_headers_do_not_name_is_hidden(editor: Assembly) -> None:
    assert message(editor, "left").state == "hidden"
    assert message(editor, "a1").state is None


def test_a_missing_row_is_a_gap(editor: Assembly) -> None:
    (gap,) = [one for one in editor.others if isinstance(one, Event) and one.type == "gap"]
    assert (gap.session_id, gap.id) == (TALK, "gone")


def test_zero_tokens_are_unknown(editor: Assembly) -> None:
    assert message(editor, "t1").usage is None
    usage = message(editor, "a1").usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == (120, 34)


def test_outcomes_of_tools(editor: Assembly) -> None:
    found = {
        call.id: (call.kind, call.status, call.approval, call.exit_code, call.result)
        for call in editor.calls.values()
        if call.session_id == TALK and call.id not in ("call_edit", "call_diff")
    }
    assert found == {
        "call_read": ("read", "ok", None, None, "x = 1\n"),
        "call_shell": ("shell", "failed", None, 2, "1 failed\n"),
        "call_mcp": ("mcp", "ok", None, None, "[]"),
        "call_no": ("shell", "denied", "denied", None, ""),
        "call_err": ("read", "error", None, None, "no such folder"),
        "call_task": (
            "agent",
            "ok",
            None,
            None,
            '{"agentId":"c0000000-0000-4000-8000-000000000003"}',
        ),
        "call_patch": ("edit", "ok", None, None, '{"ok":true}'),
    }
    assert editor.calls[TALK, "call_no"].arguments == "{not json"
    assert editor.calls[TALK, "call_mcp"].server == "linear"


def test_edits_with_both_texts(editor: Assembly) -> None:
    (edit,) = edits(editor, "call_edit")
    assert (edit.path, edit.before, edit.after) == ("/home/u/app/a.py", "x = 1\n", "x = 2\n")
    assert (edit.lines_added, edit.lines_removed) == (1, 1)
    assert [(one.kind, one.path) for one in edits(editor, "call_patch")] == [
        ("create", "n.py"),
        ("delete", "o.py"),
    ]


def test_the_folder_comes_from_the_workspace(editor: Assembly) -> None:
    """From the header's workspace, from the list in the workspace's own database, from the message."""
    child = "c0000000-0000-4000-8000-000000000003"
    assert {one.project_path for one in session(editor, child) if not one.is_hint} == {
        "/home/u/app"
    }
    inline = session(editor, "b0000000-0000-4000-8000-000000000002")
    assert [(one.is_hint, one.project_path, one.title) for one in inline] == [
        (True, "/home/u/app", "Sidebar"),
        (False, None, "Add a sidebar"),
    ]


def test_a_sub_agent_has_its_parent(editor: Assembly) -> None:
    found = session(editor, "c0000000-0000-4000-8000-000000000003")
    assert {(one.is_hint, one.parent_id) for one in found} == {(True, TALK), (False, None)}


def test_nothing_but_our_values_is_taken_out_of_the_item_table(tmp_path: Path) -> None:
    home = build("editor", tmp_path)
    data = b"".join(
        data or b""
        for place in (GLOBAL, f"{WORKSPACE}/state.vscdb")
        for _, data in extracts(home / place)
    )
    assert b"secret" not in data
    assert b"checkpointId" not in data


def test_values_that_are_no_json_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    rows = [
        ["bubbleId:c:1", b"\xff\xfe"],
        ["bubbleId:c:2", '{\n"type":1,\n"text":"two lines"}'],
        ["bubbleId:c:3", 7],
    ]
    write_database(path, {"cursorDiskKV": rows})
    ((extract, data),) = extracts(path)
    assert extract.session_id == "c"
    assert data == (
        b'{"key":"bubbleId:c:1","base64":"//4="}\n'
        b'{"key":"bubbleId:c:2","text":"{\\n\\"type\\":1,\\n\\"text\\":\\"two lines\\"}"}\n'
        b'{"key":"bubbleId:c:3","value":7}\n'
    )


def test_only_changed_conversations_are_read(tmp_path: Path) -> None:
    path = build("editor", tmp_path) / GLOBAL
    kept = {extract.name: extract.stamp for extract, _ in extracts(path) if extract.stamp}
    assert len(kept) == 6
    assert [data for _, data in extracts(path, kept)] == [None] * 6
    name = f"conversation-{TALK}.jsonl"
    write_database(
        path, {"cursorDiskKV": [[f"bubbleId:{TALK}:a1", {"type": 2, "text": "Another"}]]}
    )
    assert [extract.name for extract, data in extracts(path, kept) if data is not None] == [name]


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM cursorDiskKV WHERE key = 'bubbleId:{0}:r1'",
        "UPDATE cursorDiskKV SET value = value || ' ' WHERE key = 'composerData:{0}'",
        "INSERT OR REPLACE INTO cursorDiskKV SELECT key, value FROM cursorDiskKV WHERE key = 'bubbleId:{0}:u1'",
        "INSERT INTO cursorDiskKV VALUES ('bubbleId:{0}:new', NULL)",
        "UPDATE composerHeaders SET lastUpdatedAt = 7",
    ],
)
def test_what_the_stamp_sees(tmp_path: Path, change: str) -> None:
    talk = TALK if "Headers" not in change else "c0000000-0000-4000-8000-000000000003"
    path = build("editor", tmp_path) / GLOBAL
    kept = {extract.name: extract.stamp for extract, _ in extracts(path) if extract.stamp}
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(change.format(talk))
    assert [one.name for one, data in extracts(path, kept) if data is not None] == [
        f"conversation-{talk}.jsonl"
    ]


def test_no_value_is_read_to_see_what_changed(tmp_path: Path) -> None:
    path = build("editor", tmp_path) / GLOBAL
    with closing(sqlite3.connect(path)) as db:
        for query in (
            "key >= 'bubbleId:' AND key < 'bubbleId;'",
            "key >= 'composerData:' AND key < 'composerData;'",
        ):
            plan = db.execute(
                f"EXPLAIN QUERY PLAN SELECT key, rowid FROM cursorDiskKV WHERE {query}"
            ).fetchall()
            assert "COVERING INDEX" in plan[0][3]


def test_a_table_without_rowids_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE cursorDiskKV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID")
        db.execute("""INSERT INTO cursorDiskKV VALUES ('bubbleId:c:1', '{"type":1,"text":"hi"}')""")
    ((extract, data),) = extracts(path)
    assert extract.stamp is None
    assert data == b'{"key":"bubbleId:c:1","value":{"type":1,"text":"hi"}}\n'


# -- databases in use --------------------------------------------------------------------------


def test_the_log_of_a_running_cursor_is_read_in_place(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(TABLES["cursorDiskKV"])
        db.execute(
            """INSERT INTO cursorDiskKV VALUES ('bubbleId:c:1', '{"type":1,"text":"only in the log"}')"""
        )
        assert b"only in the log" not in path.read_bytes()
        before = sorted((file.name, file.stat().st_mtime_ns) for file in tmp_path.iterdir())
        ((_, data),) = extracts(path)
        assert data is not None
        assert b"only in the log" in data
        assert sorted((file.name, file.stat().st_mtime_ns) for file in tmp_path.iterdir()) == before


@pytest.mark.parametrize("left", [("-wal", "-shm"), ("-wal",)])
def test_the_log_of_a_dead_cursor_is_read(tmp_path: Path, left: tuple[str, ...]) -> None:
    path, dead = tmp_path / "state.vscdb", tmp_path / "dead"
    dead.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(TABLES["cursorDiskKV"])
        db.execute(
            """INSERT INTO cursorDiskKV VALUES ('bubbleId:c:1', '{"type":1,"text":"only in the log"}')"""
        )
        assert b"only in the log" not in path.read_bytes()
        for suffix in ("", *left):
            (dead / f"state.vscdb{suffix}").write_bytes(Path(f"{path}{suffix}").read_bytes())
    ((_, data),) = extracts(dead / "state.vscdb")
    assert data is not None
    assert b"only in the log" in data
    assert sorted(file.name for file in dead.iterdir()) == sorted(
        f"state.vscdb{suffix}" for suffix in ("", *left)
    )


def test_a_database_that_changes_is_told(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    write_database(path, {"ItemTable": [["a", "b"]]})
    with pytest.raises(ValueError, match="changed while it was read"), opened(str(path)):
        write_database(path, {"ItemTable": [["a" * 9000, "c"]]})


# -- transcripts -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("<user_query>\n a \n</user_query>", "prompt", "a"),
        ("<x>y</x>\n<user_query>a</user_query>\n<user_query>b</user_query>", "prompt", "a\n\nb"),
        (
            "<user_info>\nOS\n</user_info>\n<rules>r</rules>",
            "injected",
            "<user_info>\nOS\n</user_info>\n<rules>r</rules>",
        ),
        ("look at <b>this</b>", "prompt", "look at <b>this</b>"),
        ("[Previous conversation summary]\nx", "compaction", "[Previous conversation summary]\nx"),
    ],
)
def test_what_a_person_typed(text: str, kind: str, words: str) -> None:
    assert unwrapped(text)[:2] == (kind, words)


def test_rich_text_of_any_shape() -> None:
    assert rich_text(7) == rich_text("[") == rich_text("[]") == rich_text('{"root":3}') == ""


# -- the journal -------------------------------------------------------------------------------


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


def test_an_empty_conversation_leaves_the_transcript_in_force(tmp_path: Path) -> None:
    home = build("transcripts", tmp_path)
    write_database(
        home / GLOBAL,
        {"cursorDiskKV": [["composerData:main", {"composerId": "main", "name": "Named"}]]},
    )
    synced(home)
    (item,) = [item for item in aj_json(home, "ls")["items"] if item["id"] == "main"]
    assert item["title"] == "run the tests"


def test_a_changed_conversation_is_the_only_one_read_anew(tmp_path: Path) -> None:
    home = build("editor", tmp_path)
    synced(home)
    rows = [[f"bubbleId:{TALK}:a1", {"type": 2, "text": "Another end"}]]
    write_database(home / GLOBAL, {"cursorDiskKV": rows})
    assert aj_json(home, "sync")["items"][0]["changed_files"] == 1
    synced(home)
    with open_journal(home) as journal:
        texts = [one.text for one in journal.session(f"cursor:{TALK}").messages]
    assert "Another end" in texts
    assert "Done: x is two." not in texts


def test_a_change_without_a_trace_is_found_by_a_full_sync(tmp_path: Path) -> None:
    home = build("editor", tmp_path)
    synced(home)
    with closing(sqlite3.connect(home / GLOBAL)) as db, db:
        update = "UPDATE cursorDiskKV SET value = replace(value, 'Done: x is two.', 'Done: x is 2.') WHERE key = ?"
        db.execute(update, (f"bubbleId:{TALK}:a1",))
    synced(home)
    assert not aj_json(home, "search", "--no-sync", '"x is 2"')["items"]
    synced(home, "--full")
    assert aj_json(home, "search", "--no-sync", '"x is 2"')["items"]


def test_a_deleted_conversation_stays(tmp_path: Path) -> None:
    home = build("editor", tmp_path)
    synced(home)
    with closing(sqlite3.connect(home / GLOBAL)) as db, db:
        db.execute("DELETE FROM cursorDiskKV WHERE key GLOB ?", (f"*{TALK}*",))
    synced(home)
    assert TALK in [item["id"] for item in aj_json(home, "ls")["items"]]


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


def test_a_damaged_page_costs_one_conversation(tmp_path: Path) -> None:
    path = tmp_path / GLOBAL
    words = {name: (name * 3000) for name in ("p", "q", "r")}
    rows = [[f"bubbleId:{name}:1", {"type": 1, "text": text}] for name, text in words.items()]
    write_database(path, {"cursorDiskKV": rows})
    data = bytearray(path.read_bytes())
    at = data.index(b"q" * 2000) // 4096 * 4096
    data[at : at + 4] = b"\xff\xff\xff\xff"  # the number of the page that goes on with it
    path.write_bytes(data)
    assert aj(tmp_path, "sync").returncode == 0
    assert {item["id"] for item in aj_json(tmp_path, "ls")["items"]} == {"p", "r"}
    (found,) = [item for item in aj_json(tmp_path, "doctor")["items"] if item["agent"] == "cursor"]
    assert [trouble["reason"] for trouble in found["troubles"]] == [
        "conversation-q.jsonl: database disk image is malformed"
    ]


def test_the_folders_of_cursor_are_imported(tmp_path: Path) -> None:
    there = build("editor", tmp_path / "laptop")
    build("stores", tmp_path / "laptop")
    (there / ".config/Code/User/globalStorage").mkdir(parents=True)
    write_database(
        there / ".config/Code/User/globalStorage/state.vscdb", {"ItemTable": [["x", "y"]]}
    )
    done = aj(tmp_path, "import", str(there))
    assert done.returncode == 0, done.stderr
    assert {TALK, STORED} <= {item["id"] for item in aj_json(tmp_path, "ls")["items"]}
    with open_journal(tmp_path) as journal:
        assert journal.db is not None
        paths = journal.db.execute("SELECT path FROM files WHERE agent = 'cursor'").fetchall()
    assert not [path for (path,) in paths if "/Code/" in path]
    assert aj(tmp_path, "verify").returncode == 0


def test_prompts_are_history(editor: Assembly) -> None:
    found = [
        (one.text, one.timestamp is not None)
        for one in editor.others
        if isinstance(one, HistoryEntry)
    ]
    assert found == [("How?", True), ("Only typed", False)]


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
        calls = [call for one in journal.session("cursor:c").messages for call in one.tool_calls]
    assert [call.result for call in calls] == [result]
    assert isinstance(calls[0], ToolCall)
