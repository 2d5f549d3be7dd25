"""The databases of OpenCode and Kilo, and the tree of files before them."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import Env, FoundFile
from agent_journal.errors import UsageError
from agent_journal.sync.report import Report
from tests.support.journals import aj, aj_json, journal_digest, open_journal
from tests.support.paths import CASES
from tests.support.row_databases import (
    extracted,
    rows_in,
    stamps_of,
    write_rows,
    written_rows,
)

FOLDER = ".local/share/opencode"
TALK = CASES / "opencode/conversation/home" / FOLDER
FORK = CASES / "opencode/fork/home" / FOLDER
TREE = CASES / "opencode/tree/home" / FOLDER
KILO = CASES / "kilo/conversation/home/.local/share/kilo"
SECRET = "sk-orchard-0123456789"


def sync(home: Path, *files: Path) -> Report:
    with open_journal(home) as journal:
        return journal.sync(files=files or None, index=False)


def database_of(home: Path, *cases: Path) -> Path:
    """A database with the sessions of these cases, and with a table of credentials."""
    path = home / FOLDER / "opencode.db"
    for case in cases:
        write_rows(path, rows_in(case))
    write_rows(path, {"credential": [{"id": "1", "token": SECRET}]})
    return path


@pytest.mark.parametrize(
    ("agent", "folder", "name"),
    [
        ("opencode", TALK, "opencode.db"),
        ("opencode", FORK, "opencode-beta.db"),
        ("kilo", KILO, "kilo.db"),
    ],
)
def test_rows_are_extracted_as_the_cases_have_them(
    agent: str, folder: Path, name: str, tmp_path: Path
) -> None:
    write_rows(tmp_path / name, rows_in(folder))
    assert extracted(agent, tmp_path / name) == written_rows(folder, name.replace("-beta", ""))
    (found,) = get_connector(agent).discover(str(tmp_path))
    assert isinstance(found, FoundFile)
    assert (found.name, found.role, found.companions) == (name, "rows", ("-wal",))


def test_a_session_that_did_not_change_is_not_read_again(tmp_path: Path) -> None:
    path = database_of(tmp_path, TALK, FORK)
    kept = stamps_of("opencode", path)
    assert set(extracted("opencode", path, kept).values()) == {None}
    with closing(sqlite3.connect(path)) as db, db:
        query = "UPDATE part SET data = '{}', time_updated = time_updated + 5 WHERE id = 'prt_k030'"
        assert db.execute(query).rowcount == 1
    changed = {name for name, data in extracted("opencode", path, kept).items() if data}
    assert changed == {"session-ses_03fork.jsonl"}
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM message WHERE id = 'msg_b01'")
    assert "session-ses_01main.jsonl" in {
        name for name, data in extracted("opencode", path, kept).items() if data
    }


def test_old_databases_have_fewer_columns_and_tables(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    tables = rows_in(TALK)
    del tables["todo"]
    write_rows(path, tables, without=("agent", "model", "cost", "revert"))
    first = (extracted("opencode", path)["session-ses_01main.jsonl"] or b"").partition(b"\n")[0]
    row = json.loads(first)
    assert (row["id"], "cost" in row, "agent" in row) == ("ses_01main", False, False)


def test_another_database_has_no_sessions(tmp_path: Path) -> None:
    write_rows(tmp_path / "opencode.db", {"account": [{"id": 1}]})
    assert extracted("opencode", tmp_path / "opencode.db") == {}
    damaged = tmp_path / FOLDER / "opencode.db"
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"not a database at all, but long enough for one" * 9)
    assert sync(tmp_path).problems == 1


def test_the_journal_grows_with_the_database(tmp_path: Path) -> None:
    """In steps it holds what it holds at once, and never a credential."""
    path = database_of(tmp_path, FORK)
    sync(tmp_path)
    tables = rows_in(TALK)
    messages = tables["message"]
    for part in (messages[:3], messages[3:9], messages[9:]):
        ids = {row["id"] for row in part}
        parts = [row for row in tables["part"] if row["message_id"] in ids]
        write_rows(path, {"message": part, "part": parts})
        if part[0] is messages[0]:
            write_rows(path, {"session": tables["session"], "todo": tables["todo"]})
        sync(tmp_path)
    assert aj(tmp_path, "verify").returncode == 0
    in_steps = journal_digest(tmp_path)
    shutil.rmtree(tmp_path / ".agent-journal")
    sync(tmp_path)
    assert journal_digest(tmp_path) == in_steps
    with open_journal(tmp_path) as journal:
        main = journal.session("ses_01main")
        assert [todo.status for todo in main.todos] == ["completed", "pending"]
        assert journal.session("ses_02child").parent_id == "ses_01main"
    kept = b"".join(file.read_bytes() for file in (tmp_path / ".agent-journal").rglob("*.pack"))
    assert kept
    assert SECRET.encode() not in kept
    assert aj(tmp_path, "restore", "ses_01main", "-o", str(tmp_path / "out")).returncode == 0
    restored = sorted((tmp_path / "out").rglob("*.jsonl"))
    assert len(restored) == 2  # with the sub-agent
    for file in restored:
        assert file.read_bytes() == (TALK / file.name).read_bytes()


def test_a_fork_does_not_count_again_what_it_copied(tmp_path: Path) -> None:
    """Its messages have new ids; the answer of 900 tokens is that of the first session."""
    database_of(tmp_path, TALK, FORK)
    sync(tmp_path)
    (sums,) = aj_json(tmp_path, "usage", "agent")["items"]
    assert sums["input_tokens"] == 700 + 800 + 900 + 950 + 1000 + 300 + 910 + 10
    assert sums["output_tokens"] == 52 + 50 + 52 + 20 + 80 + 10 + 30 + 4
    assert aj(tmp_path, "verify").returncode == 0


def test_the_tree_is_read_like_a_database(tmp_path: Path) -> None:
    shutil.copytree(TREE, tmp_path / FOLDER)
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        session = journal.session("ses_06tree")
        assert session.title == "Water the plum"
        assert [message.text for message in session.messages] == [
            "Water the plum",
            "I ask somebody.\n\nIt is wet.",
        ]
        assert [call.result for call in session.messages[1].tool_calls] == ["watered"]
        assert [todo.content for todo in session.todos] == ["Fetch water"]
        assert [document.kind for document in session.documents] == ["diff"]
        # Versions with a tree counted the reasoning as output
        assert [usage.output_tokens for usage in session.usage] == [61]


def test_changes_of_the_tree_are_seen(tmp_path: Path) -> None:
    shutil.copytree(TREE, tmp_path / FOLDER)
    sync(tmp_path)
    assert sync(tmp_path).changed_files == 0
    storage = tmp_path / FOLDER / "storage"
    part = storage / "part/msg_t2/prt_t2x.json"
    part.write_text(part.read_text().replace("It is wet", "It is as wet as a fish"))
    sync(tmp_path)
    message = json.loads((storage / "message/ses_06tree/msg_t1.json").read_text())
    (storage / "message/ses_06tree/msg_t3.json").write_text(
        json.dumps(message | {"id": "msg_t3"}, indent=2)
    )
    text = {"id": "prt_t3", "messageID": "msg_t3", "type": "text", "text": "Thank you"}
    (storage / "part/msg_t3").mkdir()
    (storage / "part/msg_t3/prt_t3.json").write_text(json.dumps(text, indent=2))
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        texts = [message.text for message in journal.session("ses_06tree").messages]
        assert texts[1:] == ["I ask somebody.\n\nIt is as wet as a fish.", "Thank you"]
    assert aj(tmp_path, "verify").returncode == 0


def test_files_of_the_tree_stand_for_their_session(tmp_path: Path) -> None:
    """What a watcher names are messages and parts, not the session."""
    shutil.copytree(TREE, tmp_path / FOLDER)
    sync(tmp_path)
    storage = tmp_path / FOLDER / "storage"
    session = storage / "session/global/ses_06tree.json"
    message = storage / "message/ses_06tree/msg_t1.json"
    part = storage / "part/msg_t1/prt_t10.json"
    todo = storage / "todo/ses_06tree.json"
    for path, old, new in (
        (session, '"Water the plum"', '"Plums"'),
        (message, '"created": ', '"created":  '),
        (storage / "part/msg_t2/prt_t2x.json", "It is wet", "It is dry"),
        (todo, "Fetch water", "Fetch a can"),
    ):
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
        assert sync(tmp_path, path).changed_files == 1, path
        assert sync(tmp_path, path).changed_files == 0, path
        assert sync(tmp_path).changed_files == 0, path
    part.unlink()
    assert sync(tmp_path, part).changed_files == 1
    assert sync(tmp_path).changed_files == 0
    with open_journal(tmp_path) as journal:
        found = journal.session("ses_06tree")
        assert found.title == "Plums"
        assert [message.text for message in found.messages] == ["I ask somebody.\n\nIt is dry."]
        assert [todo.content for todo in found.todos] == ["Fetch a can"]


def test_a_part_that_comes_after_the_next_message_is_seen(tmp_path: Path) -> None:
    """As when a tree is copied while `aj sync` runs."""
    shutil.copytree(TREE, tmp_path / FOLDER)
    part = tmp_path / FOLDER / "storage/part/msg_t1/prt_t10.json"
    text = part.read_bytes()
    part.unlink()
    sync(tmp_path)
    part.write_bytes(text)
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        assert journal.session("ses_06tree").messages[0].text == "Water the plum"


def test_a_message_without_its_session_belongs_to_nothing(tmp_path: Path) -> None:
    shutil.copytree(TREE, tmp_path / FOLDER)
    storage = tmp_path / FOLDER / "storage"
    (storage / "session/global/ses_06tree.json").unlink()
    for name in ("message/ses_06tree/msg_t1.json", "part/msg_t1/prt_t10.json"):
        with pytest.raises(UsageError, match="no agent has a file"):
            sync(tmp_path, storage / name)
    elsewhere = tmp_path / "other/storage"
    shutil.copytree(TREE / "storage", elsewhere)
    with pytest.raises(UsageError, match="no agent has a file"):
        sync(tmp_path, elsewhere / "message/ses_06tree/msg_t1.json")


def test_files_of_the_tree_follow_from_the_lines() -> None:
    """As OpenCode prints them: without the blanks; in any other way: as a text."""
    path = TREE / "storage/session/global/ses_06tree.json"
    data = extracted("opencode", path)["session-ses_06tree.jsonl"] or b""
    lines = [json.loads(line) for line in data.splitlines()]
    assert json.dumps(lines[0]["data"], indent=2) == path.read_text()
    parts = {part["id"]: part["data"] for part in lines[2]["parts"]}
    odd = "storage/part/msg_t2/prt_t2x.json"
    assert parts["prt_t2x"] == (TREE / odd).read_text()


def test_links_in_the_tree_are_not_followed(tmp_path: Path) -> None:
    shutil.copytree(TREE, tmp_path / "opencode")
    (tmp_path / "secret.json").write_text('{"type": "text", "text": "secret"}')
    link = tmp_path / "opencode/storage/part/msg_t2/prt_t2z.json"
    link.symlink_to(tmp_path / "secret.json")
    path = tmp_path / "opencode/storage/session/global/ses_06tree.json"
    assert b"secret" not in (extracted("opencode", path)["session-ses_06tree.jsonl"] or b"")


def test_of_a_session_in_both_the_database_counts(tmp_path: Path) -> None:
    shutil.copytree(TREE, tmp_path / FOLDER)
    tables = {
        name: [json.loads(json.dumps(row).replace("ses_03fork", "ses_06tree")) for row in rows]
        for name, rows in rows_in(FORK).items()
    }
    write_rows(tmp_path / FOLDER / "opencode.db", tables)
    sync(tmp_path)
    assert {item["title"] for item in aj_json(tmp_path, "ls", "--all")["items"]} == {
        "Prune the pear tree (fork #1)",
        "Why is the apple red?",
    }


def test_exports_are_imported(tmp_path: Path) -> None:
    rows = [
        json.loads(line)
        for line in (TALK / "opencode.db#rows-session-ses_01main.jsonl").read_text().splitlines()
    ]
    info = {
        "id": "ses_01main",
        "projectID": "p",
        "title": "Pear",
        "time": {"created": 1794000000000},
    }
    messages = [
        {
            "info": row["data"] | {"id": row["id"]},
            "parts": [part["data"] | {"id": part["id"]} for part in row["parts"]],
        }
        for row in rows
        if row["table"] == "message"
    ]
    (tmp_path / "export.json").write_text(json.dumps({"info": info, "messages": messages}))
    done = aj(tmp_path, "import", "export.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (session,) = aj_json(tmp_path, "ls", "--all")["items"]
    assert (session["agent"], session["title"], session["prompt_count"]) == ("opencode", "Pear", 4)
    aj(tmp_path, "import", str(TALK / "opencode.db#rows-session-ses_01main.jsonl"))
    (session,) = aj_json(tmp_path, "ls", "--all")["items"]
    assert session["title"] == "Prune the pear tree"  # the rows say more than the export


def test_roots() -> None:
    opencode, kilo = get_connector("opencode"), get_connector("kilo")
    assert opencode.roots(Env("/home/sam", {}, "linux")) == ["/home/sam/.local/share/opencode"]
    assert kilo.roots(Env("/home/sam", {"XDG_DATA_HOME": "/data"}, "darwin")) == ["/data/kilo"]
    variables = {"OPENCODE_DB": "/backup/work.db"}
    assert opencode.roots(Env("/home/sam", variables, "linux"))[1:] == ["/backup/work.db"]
    assert len(opencode.roots(Env("/home/sam", {"OPENCODE_DB": ":memory:"}, "linux"))) == 1
    assert opencode.normalize_root("/data/opencode/storage/") == "/data/opencode"


def test_a_database_with_another_name_is_found(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    write_rows(path, rows_in(FORK))
    (found,) = get_connector("opencode").discover(str(path))
    assert isinstance(found, FoundFile)
    assert (found.name, found.role) == ("work.db", "rows")
    assert list(get_connector("opencode").discover(str(tmp_path))) == []


def test_odd_ids_and_times_of_rows_hide_no_other_rows(tmp_path: Path) -> None:
    path = database_of(tmp_path, TALK, FORK)
    sync(tmp_path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE message SET id = NULL WHERE id = 'msg_b01'")
        db.execute("UPDATE part SET time_updated = 'soon' WHERE id = 'prt_k030'")
        db.execute("UPDATE part SET time_updated = 9e999 WHERE id = 'prt_k010'")
        data = json.dumps({"role": "user", "time": {"created": 1}})
        db.execute(
            "INSERT INTO message (id, session_id, time_created, data) VALUES (7, ?, 1, ?)",
            ("ses_01main", data),
        )
    assert sync(tmp_path).problems == 0
    with open_journal(tmp_path) as journal:
        assert journal.session("ses_03fork").messages
        assert journal.session("ses_01main").messages
    assert b'"id":7' in (extracted("opencode", path)["session-ses_01main.jsonl"] or b"")
    assert aj(tmp_path, "verify").returncode == 0


def test_a_tree_in_a_folder_is_imported_as_one_agents(tmp_path: Path) -> None:
    shutil.copytree(TREE, tmp_path / "backup")
    assert aj(tmp_path, "import", str(tmp_path / "backup")).returncode == 0
    found = aj_json(tmp_path, "ls", "--all")["items"]
    assert [(item["agent"], item["id"]) for item in found] == [("opencode", "ses_06tree")]
