"""The database of Zed, with compressed threads."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import Env, FoundFile
from agent_journal.sync.extracts import extracts_of
from tests.support.journals import aj, open_journal, write_claude
from tests.support.paths import CASES
from tests.support.row_databases import (
    extracted,
    rows_in,
    stamps_of,
    write_rows,
    written_rows,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FOLDER = ".local/share/zed/threads"
TALK = CASES / "zed/conversation/home" / FOLDER
MAIN = "5a0c11e2-0000-4000-8000-000000000001"


def compress(path: Path) -> None:
    """Compress the threads of a database, as Zed does."""
    with closing(sqlite3.connect(path)) as db, db:
        for rowid, data in db.execute("SELECT rowid, data FROM threads").fetchall():
            values = (zstd.compress(data.encode()), rowid)
            db.execute("UPDATE threads SET data = ?, data_type = 'zstd' WHERE rowid = ?", values)


def test_rows_are_extracted_as_the_cases_have_them(tmp_path: Path) -> None:
    path = tmp_path / "threads.db"
    write_rows(path, rows_in(TALK))
    assert extracted("zed", path) == written_rows(TALK, "threads.db")
    compress(path)
    assert extracted("zed", path) == written_rows(TALK, "threads.db")
    assert set(extracted("zed", path, stamps_of("zed", path)).values()) == {None}


def test_a_thread_that_cannot_be_decompressed_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "threads.db"
    write_rows(path, rows_in(TALK))
    compress(path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE threads SET data = substr(data, 1, 60) WHERE id = ?", (MAIN,))
    found = list(extracts_of(get_connector("zed"), str(path), {}))
    problems = [each for each in found if isinstance(each, str)]
    assert problems == [f"session-{MAIN}.jsonl: cannot be decompressed: it is cut off"]
    assert len(found) == 3


def test_a_journal_with_zed(tmp_path: Path) -> None:
    path = tmp_path / FOLDER / "threads.db"
    write_rows(path, rows_in(TALK))
    compress(path)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        session = journal.session(MAIN)
        assert session.project_path == "/home/sam/work/pear"
        assert sum(usage.input_tokens or 0 for usage in session.usage) == 700
        assert [edit.lines_added for edit in session.file_edits] == [1]
        assert len(journal.sessions()) == 2
    assert aj(tmp_path, "verify").returncode == 0
    with closing(sqlite3.connect(path)) as db, db:
        text = json.dumps({"version": "0.3.0", "title": "Another", "messages": []})
        db.execute("UPDATE threads SET data = ?, data_type = 'json' WHERE id = ?", (text, MAIN))
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        assert journal.session(MAIN).title == "Another"


def test_threads_of_the_first_versions(tmp_path: Path) -> None:
    """The results of calls were in the message after them, and texts were not in segments."""
    write_rows(tmp_path / FOLDER / "threads.db", rows_in(CASES / "zed/old/home" / FOLDER))
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        first = journal.session("5a0c11e2-0000-4000-8000-000000000005")
        second = journal.session("5a0c11e2-0000-4000-8000-000000000006")
    calls = [call for each in first.messages for call in each.tool_calls]
    assert [(call.result, call.status) for call in calls] == [("wet", "ok"), ("dry", "error")]
    prompts = [each.text for each in first.messages if each.kind == "prompt"]
    assert prompts == ["Water the quince"]
    assert [each.text for each in second.messages] == ["Ask the medlar", "It says nothing."]


def test_roots() -> None:
    zed = get_connector("zed")
    assert zed.roots(Env("/h", {}, "linux")) == ["/h/.local/share/zed"]
    assert zed.roots(Env("/h", {}, "darwin")) == ["/h/Library/Application Support/Zed"]
    assert zed.roots(Env("/h", {"LOCALAPPDATA": "/l"}, "win32")) == ["/l/Zed"]
    assert zed.normalize_root("/h/.local/share/zed/threads") == "/h/.local/share/zed"
    files = [file for file in zed.discover(str(TALK.parent)) if isinstance(file, FoundFile)]
    assert {file.role for file in files} == {"session"}


def test_a_thread_whose_id_is_no_text_hides_no_other(tmp_path: Path) -> None:
    path = tmp_path / FOLDER / "threads.db"
    write_rows(path, rows_in(TALK))
    write_rows(path, {"threads": [{"summary": "no id", "data": "{}"}, {"id": 7, "data": "{}"}]})
    with open_journal(tmp_path) as journal:
        assert journal.sync(index=False).problems == 2
        assert len(journal.sessions()) == 2
    assert aj(tmp_path, "verify").returncode == 0


def test_a_mistake_in_a_reader_of_databases_stops_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rows(tmp_path / FOLDER / "threads.db", rows_in(TALK))
    write_claude(tmp_path)
    monkeypatch.setattr("agent_journal.connectors.zed.extracts._COLUMNS", None)
    with open_journal(tmp_path) as journal:
        assert journal.sync(index=False).problems == 1
        assert len(journal.sessions()) == 1
    assert "the Zed reader failed: TypeError" in aj(tmp_path, "doctor").stdout
