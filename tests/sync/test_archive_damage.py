"""Damage to the archive, lost and older catalogs, crashes before a commit: nothing is mixed up."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_journal.store.archive import Archive
from tests.support.journals import (
    aj,
    append,
    assert_like_a_fresh_journal,
    claude_line,
    journal_digest,
    pack_of,
    texts,
    variables,
    write_claude,
)


def test_a_damaged_entry_costs_one_file_also_when_the_index_is_lost(tmp_path: Path) -> None:
    for number in range(8):
        write_claude(tmp_path, f"s{number}")
    aj(tmp_path, "sync")
    shutil.rmtree(tmp_path / ".claude")
    shutil.rmtree(tmp_path / ".agent-journal/index")
    pack = pack_of(tmp_path)
    entries = list(Archive(str(pack.parent)).scan(1, 0))
    data = bytearray(pack.read_bytes())
    data[entries[1].start + 30] ^= 1
    pack.write_bytes(data)
    aj(tmp_path, "sync")
    assert pack.read_bytes() == bytes(data)
    assert len(aj(tmp_path, "ls").stdout.splitlines()) == 7
    write_claude(tmp_path, "later")
    aj(tmp_path, "sync")
    assert len(aj(tmp_path, "ls").stdout.splitlines()) == 8
    assert pack.read_bytes() == bytes(data)


_CRASH = """
import os, sys
from agent_journal.store.archive import Archive
flush = Archive.flush
def flush_and_die(self):
    flush(self)
    os._exit(9)
Archive.flush = flush_and_die
from agent_journal.cli.main import main
sys.argv = ["aj", "sync"]
main()
"""


def test_a_rewritten_log_and_a_crash_before_the_commit_do_not_mix(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=3)
    aj(tmp_path, "sync")
    path.unlink()
    append(path, *(claude_line("user", number, f"NEW {number}") for number in range(6)))
    crashed = subprocess.run([sys.executable, "-c", _CRASH], env=variables(tmp_path), check=False)
    assert crashed.returncode == 9
    aj(tmp_path, "sync")
    assert texts(tmp_path) == [f"NEW {number}" for number in range(6)]
    assert_like_a_fresh_journal(tmp_path)


def test_an_older_catalog_does_not_mix_versions(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=3)
    aj(tmp_path, "sync")
    index = tmp_path / ".agent-journal/index"
    shutil.copytree(index, tmp_path / "backup")
    path.unlink()
    append(path, *(claude_line("user", number, f"NEW {number}") for number in range(6)))
    aj(tmp_path, "sync")
    shutil.rmtree(index)
    shutil.copytree(tmp_path / "backup", index)
    aj(tmp_path, "sync")
    assert texts(tmp_path) == [f"NEW {number}" for number in range(6)]
    assert aj(tmp_path, "verify").returncode == 0


def test_lost_frames_are_never_taken_for_others(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=4)
    aj(tmp_path, "sync")
    path.write_text(
        "".join(json.dumps(claude_line("user", 9, "rewritten")) + "\n" for _ in range(1))
    )
    aj(tmp_path, "sync")
    pack_of(tmp_path).write_bytes(b"")
    write_claude(tmp_path, "other", count=4)
    aj(tmp_path, "sync")
    done = aj(tmp_path, "restore", "--all", "--all-versions", "-o", str(tmp_path / "out"))
    assert done.returncode == 1
    written = [file.read_text() for file in (tmp_path / "out").rglob("s1.jsonl*")]
    assert written == [path.read_text()]
    assert aj(tmp_path, "verify").returncode == 1


def test_a_kept_file_that_is_lost_is_reported(tmp_path: Path) -> None:
    paste = tmp_path / ".claude/paste-cache/a.txt"
    paste.parent.mkdir(parents=True)
    paste.write_text("pasted text")
    aj(tmp_path, "sync")
    paste.unlink()
    pack_of(tmp_path).unlink()
    aj(tmp_path, "sync")
    done = aj(tmp_path, "verify")
    assert done.returncode == 1
    assert "a.txt" in done.stdout
    assert aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "out")).returncode == 1
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").rglob("*.txt"))


def test_stray_files_in_the_archive_are_left_alone(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    for name in ("._000001.pack", "000001 (conflicted copy).pack", "notes.txt"):
        (pack_of(tmp_path).parent / name).write_text("not ours")
    assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "verify").returncode == 0


def accounts(home: Path) -> list[Any]:
    with sqlite3.connect(home / ".agent-journal/index/journal.db") as db:
        rows = [
            sorted(
                db.execute(
                    f"SELECT {what} FROM files f JOIN {table} t ON t.file_id = f.id"
                ).fetchall()
            )
            for table, what in (
                ("ledger", "name, t.status, kind, reason, count, bytes"),
                ("problems", "name, kind, reason"),
            )
        ]
    db.close()
    return rows


def test_a_file_that_never_said_anything_is_reported_as_it_is_now(tmp_path: Path) -> None:
    chat = tmp_path / ".gemini/tmp/p/chats/session-2026-01-01T00-00-0000000a.json"
    whole = json.dumps({"sessionId": "x", "notes": ["y" * 300]})
    for text in (whole[:200], whole[:300], whole):
        chat.parent.mkdir(parents=True, exist_ok=True)
        chat.write_text(text)
        aj(tmp_path, "sync")
    grown = accounts(tmp_path)
    assert len(grown[1]) == 1
    assert aj(tmp_path, "verify").returncode == 0
    shutil.rmtree(tmp_path / ".agent-journal/index")
    aj(tmp_path, "sync")
    assert accounts(tmp_path) == grown
    assert_like_a_fresh_journal(tmp_path)
    assert accounts(tmp_path) == grown


def test_an_empty_file_is_known_to_the_archive_alone(tmp_path: Path) -> None:
    write_claude(tmp_path)
    folder = tmp_path / ".claude/projects/-work-app"
    for name in ("empty", "later"):
        (folder / f"{name}.jsonl").touch()
    aj(tmp_path, "sync")
    append(folder / "later.jsonl", claude_line("user", 1, "hi", "later"))
    aj(tmp_path, "sync")
    before = journal_digest(tmp_path)
    shutil.rmtree(tmp_path / ".agent-journal/index")
    shutil.rmtree(tmp_path / ".claude")
    aj(tmp_path, "sync")
    assert journal_digest(tmp_path) == before
    assert "empty.jsonl" in aj(tmp_path, "sources", "--files").stdout
    assert aj(tmp_path, "verify").returncode == 0
    aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "out"))
    assert {path.name: path.stat().st_size > 0 for path in (tmp_path / "out").rglob("*.jsonl")} == {
        "empty.jsonl": False,
        "later.jsonl": True,
        "s1.jsonl": True,
    }


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_a_pack_that_is_no_file_is_a_lost_pack(tmp_path: Path, kind: str) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    pack = pack_of(tmp_path)
    pack.unlink()
    if kind == "folder":
        pack.mkdir()
    else:
        os.mkfifo(pack)
    assert aj(tmp_path, "verify").returncode == 1
    assert aj(tmp_path, "sync").returncode == 0
    found = aj(tmp_path, "verify")
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_a_catalog_that_is_no_file_is_rebuilt(tmp_path: Path, kind: str) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    before = journal_digest(tmp_path)
    catalog = tmp_path / ".agent-journal/index/journal.db"
    catalog.unlink()
    if kind == "folder":
        catalog.mkdir()
        (catalog / "file").write_text("of someone else")
    else:
        os.mkfifo(catalog)
    done = aj(tmp_path, "ls")
    assert done.returncode == 1
    assert "it is not a file" in done.stderr
    assert aj(tmp_path, "sync").returncode == 0
    assert journal_digest(tmp_path) == before
