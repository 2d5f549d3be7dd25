"""The databases of Crush and of the program before it, in the folders of projects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import Env, FoundFile
from tests.support.journals import aj, aj_json, open_journal
from tests.support.paths import CASES
from tests.support.row_databases import extracted, rows_in, write_rows, written_rows

TALK = CASES / "crush/conversation/home/.crush"
OLD = CASES / "crush/old/home/.crush"
MAIN = "5a0c11e2-0000-4000-8000-000000000001"


@pytest.mark.parametrize(("folder", "name"), [(TALK, "crush.db"), (OLD, "opencode.db")])
def test_rows_are_extracted_as_the_cases_have_them(folder: Path, name: str, tmp_path: Path) -> None:
    write_rows(tmp_path / name, rows_in(folder) | {"secrets": [{"key": "k"}]})
    assert extracted("crush", tmp_path / name) == written_rows(folder, name)
    (found,) = get_connector("crush").discover(str(tmp_path))
    assert isinstance(found, FoundFile)
    assert (found.name, found.role, found.companions) == (name, "rows", ("-wal",))


def test_databases_of_listed_and_known_projects_are_found(tmp_path: Path) -> None:
    write_rows(tmp_path / "pear/.crush/crush.db", rows_in(TALK))
    write_rows(tmp_path / "plum/.opencode/opencode.db", rows_in(OLD))
    listed = {"projects": [{"path": str(tmp_path / "pear"), "data_dir": ".crush"}]}
    data = tmp_path / ".local/share/crush/projects.json"
    data.parent.mkdir(parents=True)
    data.write_text(json.dumps(listed))
    connector = get_connector("crush")
    env = Env(str(tmp_path), {}, "linux", projects=(str(tmp_path / "plum"), "/gone/.crush"))
    assert connector.roots(env) == [
        str(tmp_path / "pear/.crush"),
        str(tmp_path / "plum/.opencode"),
        "/gone/.crush",
    ]
    data.write_text('{"projects": [1]}')
    assert connector.roots(env._replace(projects=())) == []
    assert connector.normalize_root(str(tmp_path / "pear")) == str(tmp_path / "pear/.crush")
    assert connector.normalize_root("/a/.crush/crush.db") == "/a/.crush"


def test_a_journal_with_crush(tmp_path: Path) -> None:
    write_rows(tmp_path / "pear/.crush/crush.db", rows_in(TALK))
    write_rows(tmp_path / "pear/.opencode/opencode.db", rows_in(OLD))
    with open_journal(tmp_path, AJ_STORAGE_SOURCES_CRUSH=str(tmp_path / "pear/.crush")) as journal:
        journal.sync(index=False)
        session = journal.session(MAIN)
        assert session.project_path == str(tmp_path / "pear")
        assert [edit.call_id for edit in session.file_edits] == ["c2", None]
        assert journal.session("m4$$c4").parent_call_id == "c4"
    (sums,) = aj_json(tmp_path, "usage", "agent")["items"]
    assert sums["cost_micro_usd"] == 250_000  # which has that of the sub-agent
    assert sums["input_tokens"] is None  # of the last call only: not the sum
    assert aj(tmp_path, "verify").returncode == 0
    why = get_connector("crush").why_not_resumable("s", ["opencode.db#rows-session-s.jsonl"])
    assert "older program" in (why or "")


@pytest.mark.parametrize("code", [2**70, "7", True, -(2**64)])
def test_an_exit_code_that_is_none_costs_no_session(tmp_path: Path, code: object) -> None:
    part = {"type": "shell_command", "data": {"command": "make", "exit_code": code}}
    rows = {
        "sessions": [{"id": "s", "title": "Make"}],
        "messages": [
            {"session_id": "s", "id": "m", "role": "user", "parts": [part], "created_at": 1}
        ],
    }
    write_rows(tmp_path / "pear/.crush/crush.db", rows)
    with open_journal(tmp_path, AJ_STORAGE_SOURCES_CRUSH=str(tmp_path / "pear/.crush")) as journal:
        journal.sync(index=False)
        (message,) = journal.session("s").messages
    assert [call.exit_code for call in message.tool_calls] == [None]
