"""The databases of Amazon Q CLI and Kiro CLI, which hold credentials."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import Env
from tests.support.journals import aj, open_journal
from tests.support.paths import CASES
from tests.support.row_databases import extracted, rows_in, write_rows, written_rows

PEAR = CASES / "amazon_q/conversation/home/.local/share/amazon-q"
FIG = CASES / "kiro/conversation/home/.local/share/kiro-cli"
SECRET = "orchard-token-0123456789"
FIRST = "5a0c11e2-0000-4000-8000-000000000001"


def database_of(path: Path, folder: Path) -> Path:
    write_rows(path, rows_in(folder) | {"auth_kv": [{"key": "token", "value": SECRET}]})
    return path


@pytest.mark.parametrize(("agent", "folder"), [("amazon-q", PEAR), ("kiro", FIG)])
def test_rows_are_extracted_as_the_cases_have_them(
    agent: str, folder: Path, tmp_path: Path
) -> None:
    path = database_of(tmp_path / "data.sqlite3", folder)
    assert extracted(agent, path) == written_rows(folder, "data.sqlite3")
    (found,) = get_connector(agent).discover(str(tmp_path))
    assert getattr(found, "role", None) == "rows"
    head = next(iter(written_rows(folder, "data.sqlite3").values()))
    (name,) = folder.glob("*.jsonl")
    agents = [get_connector(each).recognise(str(name), head) for each in ("amazon-q", "kiro")]
    assert [each is not None for each in agents] == [agent == "amazon-q", agent == "kiro"]


def test_a_conversation_that_was_replaced_stays_in_the_journal(tmp_path: Path) -> None:
    """Amazon Q has one conversation for each folder."""
    path = database_of(tmp_path / ".local/share/amazon-q/data.sqlite3", PEAR)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        assert journal.session(FIRST).project_path == "/home/sam/work/pear"
    value = json.dumps({"conversation_id": "next", "history": []})
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE conversations SET value = ?", (value,))
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        session = journal.session(FIRST)
        assert [message.text for message in session.messages if message.kind == "prompt"] == [
            "An earlier question",
            "Prune the pear",
            "No, water it",
            "Go on",
        ]
        assert session.usage == ()
    kept = b"".join(file.read_bytes() for file in (tmp_path / ".agent-journal").rglob("*.pack"))
    assert kept
    assert SECRET.encode() not in kept
    assert aj(tmp_path, "verify").returncode == 0


def test_a_conversation_in_two_folders_is_kept_twice(tmp_path: Path) -> None:
    """One that was saved and loaded in another folder goes on there with the same id."""

    def row(folder: str, *prompts: str) -> dict[str, Any]:
        turns = [{"user": {"content": {"Prompt": {"prompt": prompt}}}} for prompt in prompts]
        return {"key": folder, "value": {"conversation_id": "c1", "history": turns}}

    path = tmp_path / ".local/share/amazon-q/data.sqlite3"
    write_rows(path, {"conversations": [row("/b", "one", "two"), row("/a", "one", "2", "3")]})
    assert aj(tmp_path, "sync").returncode == 0
    with open_journal(tmp_path) as journal:
        (session,) = journal.sessions()
        assert session.project_path == "/a"
    out = tmp_path / "restored"
    assert aj(tmp_path, "restore", "--all", "-o", str(out)).returncode == 0
    files = [file for file in out.rglob("*") if file.is_file()]
    assert len(files) == 2
    assert any(b'"two"' in file.read_bytes() for file in files)
    home = tmp_path / "other"
    shutil.copytree(out, home / ".local/share")
    assert aj(home, "sync").returncode == 0
    with open_journal(home) as journal:
        assert [session.id for session in journal.sessions()] == ["c1"]
    assert aj(tmp_path, "verify").returncode == 0


def test_values_that_are_damaged_are_kept(tmp_path: Path) -> None:
    rows = [{"key": "/a", "value": "{"}, {"key": "/b", "value": '{"history": []}'}]
    write_rows(tmp_path / "data.sqlite3", {"conversations": rows})
    names = sorted(extracted("amazon-q", tmp_path / "data.sqlite3"))
    assert [name.partition("-")[2][:7] for name in names] == ["folder-", "folder-"]


def test_roots() -> None:
    amazon_q, kiro = get_connector("amazon-q"), get_connector("kiro")
    assert amazon_q.roots(Env("/h", {}, "linux")) == ["/h/.local/share/amazon-q"]
    assert kiro.roots(Env("/h", {}, "darwin")) == ["/h/Library/Application Support/kiro-cli"]
    assert kiro.roots(Env("/h", {"LOCALAPPDATA": "/l"}, "win32")) == ["/l/kiro-cli"]
