"""Sessions in OpenClaw's database: only their rows are kept, and only changed ones are read."""

from __future__ import annotations

import base64
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors.base import Env, Extract, FoundFile
from agent_journal.connectors.openclaw import CONNECTOR
from agent_journal.connectors.pi import CONNECTOR as PI
from tests.support.journals import aj, aj_json, open_journal

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

DATABASE = ".openclaw/agents/main/agent/openclaw-agent.sqlite"
MAIN = "6f000000-0000-4000-8000-00000000000a"
CHILD = "6f000000-0000-4000-8000-00000000000b"
TABLES = """
    CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT,
        created_at INTEGER, event_zstd BLOB, PRIMARY KEY (session_id, seq)) STRICT;
    CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT,
        previous_session_id TEXT, created_at INTEGER, updated_at INTEGER, spawned_by TEXT) STRICT;
    CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, created_via TEXT, label TEXT) STRICT;
    CREATE TABLE auth_profile_store (store_json TEXT) STRICT;
    INSERT INTO auth_profile_store VALUES ('{"token":"kept-nowhere"}');
"""


def entry(kind: str, number: int, **more: Any) -> dict[str, Any]:
    parent = str(number - 1) if number else None
    return {"type": kind, "id": str(number), "parentId": parent, **more}


def said(number: int, role: str, text: str) -> dict[str, Any]:
    return entry("message", number, message={"role": role, "content": text})


def session(session_id: str) -> dict[str, Any]:
    return {"type": "session", "version": 4, "id": session_id, "cwd": "/home/sam/garden"}


def add(db: sqlite3.Connection, session_id: str, *events: dict[str, Any], pack: bool) -> None:
    """Adds entries, and says that the session changed."""
    query = "SELECT count(*) FROM transcript_events WHERE session_id = ?"
    (start,) = db.execute(query, (session_id,)).fetchone()
    for seq, event in enumerate(events, start):
        text = json.dumps(event)
        packed = zstd.compress(text.encode()) if pack else None
        row = (session_id, seq, None if pack else text, seq, packed)
        db.execute("INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?)", row)
    change = "UPDATE session_windows SET updated_at = updated_at + 1 WHERE session_id = ?"
    db.execute(change, (session_id,))
    db.commit()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / DATABASE
    found.parent.mkdir(parents=True)
    with closing(sqlite3.connect(found)) as db:
        db.executescript(TABLES)
        main = (MAIN, "agent:main:main", None, 10, 20, None)
        child = (CHILD, "agent:main:subagent:1", None, 12, 20, "agent:main:main")
        db.executemany("INSERT INTO session_windows VALUES (?, ?, ?, ?, ?, ?)", [main, child])
        db.execute("INSERT INTO session_nodes VALUES ('agent:main:main', 'operator', 'Garden')")
        add(db, MAIN, session(MAIN), said(1, "user", "Count the weeds."), pack=False)
        add(db, MAIN, said(2, "assistant", "Seven."), pack=True)
        add(db, CHILD, session(CHILD), said(1, "user", "Find weeds."), pack=False)
    return found


def extracts(path: Path, kept: dict[str, tuple[int, int, int]]) -> list[Extract]:
    found = []
    for extract in CONNECTOR.extract_changes(str(path), kept):
        assert isinstance(extract, Extract)
        data = extract.data
        found.append(extract._replace(data=None if data is None else b"".join(data)))  # type: ignore[arg-type]
    return found


def test_the_rows_of_a_session_are_lines(path: Path) -> None:
    main, _ = extracts(path, {})
    lines = [json.loads(line) for line in (main.data or b"").splitlines()]  # type: ignore[union-attr]
    assert lines[0]["window"]["label"] == "Garden"
    assert [line["type"] for line in lines[1:]] == ["session", "message", "message"]
    assert lines[3]["message"]["content"] == "Seven."


def test_an_entry_that_is_cut_off_or_damaged_is_kept_as_it_is(path: Path) -> None:
    packed = zstd.compress(b'{"type":"message"}' * 100000)
    odd = [packed[:-9], b"no frame", b""]
    with closing(sqlite3.connect(path)) as db:
        for seq, blob in enumerate(odd, 10):
            row = (MAIN, seq, None, seq, blob)
            db.execute("INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?)", row)
        db.commit()
    main, _ = extracts(path, {})
    lines = [json.loads(line) for line in (main.data or b"").splitlines()[-3:]]  # type: ignore[union-attr]
    assert [line["type"] for line in lines] == ["openclaw.damaged"] * 3
    assert [base64.b64decode(line["base64"]) for line in lines] == odd


def test_only_changed_sessions_are_read(path: Path) -> None:
    kept = {extract.name: extract.stamp for extract in extracts(path, {}) if extract.stamp}
    assert [extract.data for extract in extracts(path, kept)] == [None, None]
    with closing(sqlite3.connect(path)) as db:
        add(db, MAIN, said(3, "user", "And the roses?"), pack=False)
    changed = [extract.session_id for extract in extracts(path, kept) if extract.data is not None]
    assert changed == [MAIN]


def test_sessions_are_kept_and_credentials_are_not(tmp_path: Path, path: Path) -> None:
    assert aj(tmp_path, "sync").returncode == 0
    with closing(sqlite3.connect(path)) as db:
        add(db, MAIN, said(3, "user", "And the roses?"), pack=False)
    assert aj(tmp_path, "sync").returncode == 0
    with open_journal(tmp_path) as journal:
        main = journal.session(MAIN)
        assert (main.title, main.project_path) == ("Garden", "/home/sam/garden")
        texts = [message.text for message in main.messages]
        assert texts == ["Count the weeds.", "Seven.", "And the roses?"]
        child = journal.session(CHILD)
        assert (child.parent_id, child.messages[0].kind) == (MAIN, "injected")
    assert aj(tmp_path, "verify").returncode == 0
    out = tmp_path / "restored"
    assert aj(tmp_path, "restore", "--all", "-o", str(out)).returncode == 0
    restored = [file for file in out.rglob("*") if file.is_file()]
    assert not any(b"kept-nowhere" in file.read_bytes() for file in restored)
    found = CONNECTOR.discover(str(out / ".openclaw"))
    ids = [file.session_id for file in found if isinstance(file, FoundFile)]
    assert ids == [MAIN, CHILD]


def test_prune_names_the_size_of_what_was_kept(tmp_path: Path, path: Path) -> None:
    aj(tmp_path, "sync")
    (source,) = aj_json(tmp_path, "sources", "--agent", "openclaw", "--files")["items"]
    kept = {file["session"]: file["size"] for file in source["files"]}
    pruned = aj_json(tmp_path, "prune", MAIN, "--yes")["items"]
    sizes = {item["session"]: item["size"] for item in pruned}
    assert sizes[MAIN] == kept[MAIN] + kept[CHILD]  # its sub-agent goes with it


def test_a_damaged_database_is_a_problem(tmp_path: Path, path: Path) -> None:
    path.write_bytes(path.read_bytes()[:600] + b"\0" * 500)
    with pytest.raises(ValueError, match="not a readable SQLite database"):
        extracts(path, {})
    assert (
        "not a readable SQLite database"
        in aj(tmp_path, "sync").stderr + aj(tmp_path, "doctor").stdout
    )


def test_another_schema_has_no_sessions(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE notes (text TEXT)")
    assert extracts(path, {}) == []


def test_folders_of_older_names_are_found(tmp_path: Path) -> None:
    (tmp_path / ".clawdbot").mkdir()
    env = Env(str(tmp_path), {}, "linux")
    assert CONNECTOR.roots(env) == [f"{tmp_path}/.openclaw", f"{tmp_path}/.clawdbot"]
    moved = env._replace(variables={"OPENCLAW_STATE_DIR": "/else"})
    assert CONNECTOR.roots(moved) == ["/else"]


def test_credentials_are_not_listed(tmp_path: Path, path: Path) -> None:
    (path.parent / "auth-profiles.json").write_text("{}")
    found = CONNECTOR.discover(str(tmp_path / ".openclaw"))
    assert [file.role for file in found if isinstance(file, FoundFile)] == ["rows"]


def test_entries_without_a_place_stop_nothing(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE transcript_events (session_id, seq, event_json)")
        rows = [("a", None, "{}"), ("b", "last", "{}"), ("c", 9e999, "{}"), ("d", 3, "{}")]
        db.executemany("INSERT INTO transcript_events VALUES (?, ?, ?)", rows)
        db.commit()
    assert [extract.session_id for extract in extracts(path, {})] == ["a", "b", "c", "d"]


def test_a_log_in_a_folder_of_openclaw_is_its_log(tmp_path: Path) -> None:
    """The lines are those of Pi; where they lie tells whose they are."""
    line = (
        b'{"type":"session","version":3,"id":"s1","timestamp":"2026-05-02T06:00:00Z","cwd":"/g"}\n'
    )
    path = "/copy/agents/main/sessions/s1.jsonl"
    found = CONNECTOR.recognise(path, line)
    assert found is not None
    assert found.role == "log"
    assert PI.recognise(path, line) is None
    assert PI.recognise("/copy/.pi/agent/sessions/--g--/2026_s1.jsonl", line) is not None
