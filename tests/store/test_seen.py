"""What is in no archive survives a lost catalog: dates, vanished files, projects."""

from __future__ import annotations

import random
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_journal.demo.vscode_chat import write_vscode_chat
from agent_journal.store.catalog.file_rows import source_rows
from agent_journal.store.seen_file import SeenFile, append_facts
from tests.support.journals import aj, aj_json, open_journal, write_claude

Row = tuple[object, ...]


def database(home: Path) -> Path:
    return home / ".agent-journal/index/journal.db"


def sync(home: Path, **options: bool) -> None:
    with open_journal(home) as journal:
        journal.sync(index=False, **options)


def facts(home: Path) -> list[Row]:
    """All that the journal knows of its files, and of the folders of sessions."""
    with open_journal(home) as journal:
        known: list[Row] = [tuple(row) for row in source_rows(journal.db)]
        known += journal.db.execute(
            "SELECT f.path, v.number, v.captured_at FROM versions v "
            "JOIN files f ON f.id = v.file_id"
        )
        known += journal.db.execute("SELECT path, project FROM projects")
    return sorted(known, key=repr)


def first_seen(home: Path) -> list[tuple[str, str, int | None]]:
    with open_journal(home) as journal:
        rows = [(row.path, row.role, row.first_seen) for row in source_rows(journal.db)]
    return sorted(rows, key=repr)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A journal with a file that vanished, two versions of another, and a project that is gone."""
    project = tmp_path / "app"
    (project / ".git").mkdir(parents=True)
    (project / ".git/config").write_text(
        '[remote "origin"]\nurl = https://host.example/sam/app.git\n'
    )
    path = write_claude(tmp_path, "s1", count=4)
    path.write_text(path.read_text().replace("/work/app", str(project)))
    write_claude(tmp_path, "s2", count=2, project="-work-other")
    sync(tmp_path)
    shutil.rmtree(project)
    path.write_text(path.read_text().replace("s1-u1", "s1-x1"))
    (tmp_path / ".claude/projects/-work-other/s2.jsonl").unlink()
    sync(tmp_path)
    return tmp_path


@pytest.mark.parametrize("how", ["deleted", "zeroed", "rebuild"])
def test_a_rebuilt_catalog_knows_what_it_knew(home: Path, how: str) -> None:
    before = facts(home)
    assert any("sam/app" in str(row[-1]) for row in before)
    if how == "deleted":
        shutil.rmtree(home / ".agent-journal/index")
    elif how == "zeroed":
        database(home).write_bytes(bytes(20_000))
    sync(home, rebuild=how == "rebuild")
    assert facts(home) == before
    assert aj(home, "verify").returncode == 0


def test_databases_of_which_only_rows_are_kept(tmp_path: Path) -> None:
    write_vscode_chat(str(tmp_path), datetime(2026, 11, 16, tzinfo=UTC))
    sync(tmp_path)
    before = first_seen(tmp_path)
    assert any(role == "rows" for _, role, _ in before)
    shutil.rmtree(tmp_path / ".agent-journal/index")
    sync(tmp_path)
    assert first_seen(tmp_path) == before


def test_a_journal_without_the_file_gets_one(home: Path) -> None:
    """As journals of earlier versions are."""
    before = facts(home)
    (home / ".agent-journal/seen.jsonl").unlink()
    sync(home)
    database(home).unlink()
    sync(home)
    assert facts(home) == before


def test_the_old_catalog_is_asked_where_there_is_no_file(home: Path) -> None:
    before = facts(home)
    (home / ".agent-journal/seen.jsonl").unlink()
    sync(home, rebuild=True)
    assert facts(home) == before


def test_a_file_that_came_back_is_not_gone(home: Path) -> None:
    """The log of a database counts or not, depending on whether it is gone."""
    seen = home / ".agent-journal/seen.jsonl"
    path = home / ".claude/projects/-work-other/s2.jsonl"
    subject = ("vanished", "claude-code", str(path))
    assert SeenFile(str(seen)).facts[subject] != (None,)
    write_claude(home, "s2", count=2, project="-work-other")
    sync(home)
    assert SeenFile(str(seen)).facts[subject] == (None,)


def test_lines_are_added_and_not_written_again(home: Path) -> None:
    seen = home / ".agent-journal/seen.jsonl"
    before = seen.read_bytes()
    sync(home)
    assert seen.read_bytes() == before
    write_claude(home, "s3", count=2)
    sync(home)
    after = seen.read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == before.count(b"\n") + 2


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_line_is_found_and_written_again(home: Path, seed: int) -> None:
    before = facts(home)
    seen = home / ".agent-journal/seen.jsonl"
    data = bytearray(seen.read_bytes())
    data[random.Random(seed).randrange(len(data))] ^= 1
    seen.write_bytes(data)
    (difference,) = aj_json(home, "verify")["items"][0]["differences"]
    assert "the next 'aj sync' writes them again" in difference["what"]
    sync(home)
    assert aj(home, "verify").returncode == 0
    database(home).unlink()
    sync(home)
    assert facts(home) == before


@pytest.mark.parametrize("lines", [0, 1, -1])
def test_a_file_that_was_cut_off_is_found_and_completed(home: Path, lines: int) -> None:
    before = facts(home)
    seen = home / ".agent-journal/seen.jsonl"
    whole = seen.read_bytes()
    seen.write_bytes(b"".join(whole.splitlines(keepends=True)[:lines]))
    (difference,) = aj_json(home, "verify")["items"][0]["differences"]
    assert "the next 'aj sync' writes them again" in difference["what"]
    sync(home)
    assert sorted(seen.read_bytes().splitlines()) == sorted(whole.splitlines())
    assert aj(home, "verify").returncode == 0
    database(home).unlink()
    sync(home)
    assert facts(home) == before


def test_a_fact_is_not_added_to_a_line_without_an_end(home: Path) -> None:
    seen = home / ".agent-journal/seen.jsonl"
    whole = seen.read_bytes()
    seen.write_bytes(whole[:-1])
    append_facts(str(seen), [("project", "/work/new", "sam/new")])
    assert SeenFile(str(seen)).damaged == 0
    assert seen.read_bytes().startswith(whole)


def test_a_damaged_line_is_written_again_when_all_files_are_gone(home: Path) -> None:
    shutil.rmtree(home / ".claude")
    sync(home)
    seen = home / ".agent-journal/seen.jsonl"
    data = bytearray(seen.read_bytes())
    data[len(data) // 2] ^= 1
    seen.write_bytes(data)
    assert aj(home, "verify").returncode == 1
    sync(home)
    assert aj(home, "verify").returncode == 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE files SET first_seen = first_seen + 1",
        "UPDATE files SET vanished_at = vanished_at - 1",
        "UPDATE versions SET captured_at = captured_at - 1",
        "UPDATE projects SET project = 'sam/another'",
    ],
)
def test_a_wrong_date_in_the_catalog_is_found_and_healed(home: Path, change: str) -> None:
    before = facts(home)
    with sqlite3.connect(database(home)) as db:
        db.execute(change)
    db.close()
    assert aj(home, "verify").returncode == 1
    sync(home, rebuild=True)
    assert facts(home) == before
