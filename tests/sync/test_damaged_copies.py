"""A file that changes is kept and read, also when another copy of its session is damaged."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_journal.store.catalog.files import Files
from agent_journal.store.content import KeptContent
from tests.support.journals import (
    aj,
    claude_line,
    flip_a_byte_of_the_archive,
    open_journal,
    write_claude,
)

LOG = ".claude/projects/-work-app/s1.jsonl"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that was moved; the archive has the one log of both places, damaged."""
    old = tmp_path / "one"
    write_claude(old, "s1", count=60)
    aj(old, "sync")
    new = tmp_path / "two"
    old.rename(new)
    aj(new, "sync")
    flip_a_byte_of_the_archive(new)
    return new


def rewrite(home: Path) -> bytes:
    """Makes the log shorter than it was, with a new prompt."""
    log = home / LOG
    lines = log.read_text().splitlines(keepends=True)[:10]
    lines.append(json.dumps(claude_line("user", 10, "zebraword")) + "\n")
    log.write_text("".join(lines))
    return log.read_bytes()


def forget_the_reader(home: Path) -> None:
    """Has everything read from its beginning, as after an upgrade."""
    with closing(sqlite3.connect(home / ".agent-journal/index/journal.db")) as db:
        db.execute("UPDATE files SET reader_version = 0, is_current = 0")
        db.commit()


def newest_kept(home: Path) -> bytes:
    with open_journal(home) as journal:
        files = Files(journal.db)
        row = files.find("claude-code", str(home / LOG))
        assert row is not None
        return b"".join(KeptContent(files, journal.archive, row).chunks())


def test_a_rewritten_file_is_kept_and_read_instead_of_a_damaged_copy(home: Path) -> None:
    expected = rewrite(home)
    done = aj(home, "sync")
    assert newest_kept(home) == expected
    assert "zebraword" in aj(home, "show", "s1").stdout
    assert "1 problem" in done.stderr  # the copy, which could not be read
    assert f"{home.parent}/one/{LOG}: cannot be read from the archive" in aj(home, "doctor").stdout
    assert "1 file read" not in aj(home, "sync").stderr
    assert "zebraword" in aj(home, "show", "s1").stdout


def test_no_version_without_bytes_is_left(home: Path) -> None:
    rewrite(home)
    aj(home, "sync")
    aj(home, "sync", "--full")
    with open_journal(home) as journal:
        files = Files(journal.db)
        sizes = [version.size for row in files.all() for version in files.versions(row.id)]
    assert len(sizes) == 3
    assert min(sizes) > 0


def test_a_damaged_copy_is_read_again_when_it_is_whole(home: Path) -> None:
    whole = (home / LOG).read_bytes()
    rewrite(home)
    aj(home, "sync")
    backup = home.parent / "one" / LOG
    backup.parent.mkdir(parents=True)
    backup.write_bytes(whole)
    env = {"AJ_HOME": str(home / ".agent-journal")}
    assert "repaired" in aj(home.parent / "one", "sync", env=env).stderr
    assert "user text 58 of s1" in aj(home, "show", "s1").stdout
    assert "problem" not in aj(home, "sync").stderr


def test_appended_bytes_are_kept_where_the_beginning_cannot_be_read(tmp_path: Path) -> None:
    log = write_claude(tmp_path, "s1", count=60)
    aj(tmp_path, "sync")
    forget_the_reader(tmp_path)
    flip_a_byte_of_the_archive(tmp_path)
    write_claude(tmp_path, "s1", count=2, start=60)
    aj(tmp_path, "sync")
    with open_journal(tmp_path) as journal:
        row = Files(journal.db).find("claude-code", str(log))
        assert row is not None
        version = Files(journal.db).version(row.version_id)
        assert version is not None
        assert version.size == log.stat().st_size
    assert "1 damaged part of the archive repaired" in aj(tmp_path, "sync").stderr
    assert "user text 60 of s1" in aj(tmp_path, "show", "s1").stdout


@pytest.mark.parametrize("is_verified", [False, True])
def test_a_lost_version_of_a_rewritten_file_is_not_called_kept(
    home: Path, is_verified: bool
) -> None:
    if is_verified:
        aj(home, "verify")
    rewrite(home)
    said = aj(home, "sync").stderr
    assert "1 file rewritten by the agent (the archive has lost bytes of the earlier" in said
    assert "is kept" not in said


def test_an_earlier_version_that_the_same_sync_heals_is_called_kept(home: Path) -> None:
    old = home.parent / "one" / LOG
    old.parent.mkdir(parents=True)
    old.write_bytes((home / LOG).read_bytes())
    aj(home, "verify")
    rewrite(home)
    source = {"AJ_STORAGE_SOURCES_CLAUDE_CODE": f"{home}/.claude:{home.parent}/one/.claude"}
    said = aj(home, "sync", env=source).stderr
    assert "1 file rewritten by the agent (the earlier version is kept)" in said


def test_a_file_that_is_back_is_not_called_deleted(home: Path) -> None:
    data = rewrite(home)
    aj(home, "sync")
    (home / LOG).unlink()
    aj(home, "sync")
    assert "deleted by the agent" in listed_file(home)
    (home / LOG).write_bytes(data)
    aj(home, "sync")
    assert "2 versions" in listed_file(home)
    assert "deleted by the agent" not in listed_file(home)


def listed_file(home: Path) -> str:
    """The line of the log in `aj sources --files`."""
    lines = aj(home, "sources", "--files").stdout.splitlines()
    (line,) = (line for line in lines if f"~/{LOG}" in line)
    return line
