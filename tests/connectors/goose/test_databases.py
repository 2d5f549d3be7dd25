"""The database of Goose, and the logs that it was made of."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import Env, FoundFile
from tests.support.journals import aj, open_journal
from tests.support.paths import CASES
from tests.support.row_databases import (
    extracted,
    rows_in,
    stamps_of,
    write_rows,
    written_rows,
)

FOLDER = ".local/share/goose/sessions"
TALK = CASES / "goose/conversation/home" / FOLDER
NEWER = CASES / "goose/newer/home" / FOLDER
LOG = CASES / "goose/log/home" / FOLDER / "20250620_013617.jsonl"


def test_rows_are_extracted_as_the_cases_have_them(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    write_rows(path, rows_in(TALK))
    assert extracted("goose", path) == written_rows(TALK, "sessions.db")
    kept = stamps_of("goose", path)
    assert set(extracted("goose", path, kept).values()) == {None}
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE sessions SET name = 'Prune it' WHERE id = '20261106_1'")
    changed = {name for name, data in extracted("goose", path, kept).items() if data}
    assert changed == {"session-20261106_1.jsonl"}


def test_a_message_that_grows_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    write_rows(path, rows_in(TALK))
    kept = stamps_of("goose", path)
    with closing(sqlite3.connect(path)) as db, db:
        grown = json.dumps([{"type": "text", "text": "and the last word"}])
        newest = "SELECT max(id) FROM messages WHERE session_id = '20261106_1'"
        db.execute(f"UPDATE messages SET content_json = ? WHERE id = ({newest})", (grown,))
    found = extracted("goose", path, kept)
    changed = [name for name, data in found.items() if data is not None]
    assert changed == ["session-20261106_1.jsonl"]
    assert b"and the last word" in (found[changed[0]] or b"")


def test_a_sub_agent_is_listed_with_its_session(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir(parents=True)
    tables = rows_in(NEWER)
    write_rows(tmp_path / FOLDER / "sessions.db", tables)
    assert extracted("goose", tmp_path / FOLDER / "sessions.db") == written_rows(
        NEWER, "sessions.db"
    )
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        (row,) = journal.sessions()
        assert row.id == "20261107_1"
        assert journal.session("20261107_2").parent_id == row.id
        edits = journal.session("20261107_1").file_edits
        assert [edit.call_id for edit in edits] == ["c1", "c2"]  # the third one failed


def test_of_a_session_in_both_the_database_counts(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True)
    shutil.copy(LOG, folder)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        assert len(journal.session("20250620_013617").messages) == 3
    tables = rows_in(TALK)
    tables = json.loads(json.dumps(tables).replace("20261106_1", "20250620_013617"))
    write_rows(folder / "sessions.db", tables)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        session = journal.session("20250620_013617")
        assert session.title == "Prune the pear"
        assert sum(usage.input_tokens or 0 for usage in session.usage) == 600 + 700 + 800
        assert sum(usage.cache_read_tokens or 0 for usage in session.usage) == 300
        assert len(journal.sessions()) == 2  # the sub-agent's has no parent and is automated
    assert aj(tmp_path, "verify").returncode == 0


def test_a_log_is_imported(tmp_path: Path) -> None:
    done = aj(tmp_path, "import", str(LOG))
    assert done.returncode == 0, done.stderr
    with open_journal(tmp_path) as journal:
        assert journal.session("goose:20250620_013617").title == "Prune the old pear"


def test_roots() -> None:
    goose = get_connector("goose")
    assert goose.roots(Env("/home/sam", {}, "darwin")) == ["/home/sam/.local/share/goose"]
    assert goose.roots(Env("/h", {"GOOSE_PATH_ROOT": "/g"}, "linux")) == ["/g/data"]
    (windows,) = goose.roots(Env("/h", {"APPDATA": "/a"}, "win32"))
    assert windows == "/a/Block/goose/data"
    assert goose.normalize_root("/g/data/sessions") == "/g/data"
    found = [file for file in goose.discover(str(LOG.parent.parent)) if isinstance(file, FoundFile)]
    assert [(file.name, file.role) for file in found] == [
        ("sessions/20250620_013617.jsonl", "replay")
    ]
