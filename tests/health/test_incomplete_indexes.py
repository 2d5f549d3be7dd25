"""An index that was made while the archive was damaged is rebuilt when the archive is whole."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from agent_journal.search.lexical import NAME
from tests.support.journals import aj, append, claude_line, flip_a_byte_of_the_archive

SUM = "SELECT sum(length(result)) AS n FROM tool_calls"
MISSING = "the archive was damaged when it was made"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A journal whose indexes were made when the archive had lost the long result of a call."""
    call = claude_line("assistant", 1, "")
    tool_use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat big"}}
    call["message"]["content"] = [tool_use]
    result = claude_line("user", 2, "")
    text = "needle " + os.urandom(4000).hex()
    tool_result = {"type": "tool_result", "tool_use_id": "t1", "content": text}
    result["message"]["content"] = [tool_result]
    path = tmp_path / ".claude/projects/-work-app/s1.jsonl"
    append(path, claude_line("user", 0, "read it"), call, result)
    aj(tmp_path, "sync")
    path.unlink()
    aj(tmp_path, "sync")
    flip_a_byte_of_the_archive(tmp_path)
    shutil.rmtree(tmp_path / f".agent-journal/index/{NAME}")
    aj(tmp_path, "sync")
    return tmp_path


def length(home: Path) -> str:
    return aj(home, "sql", "--csv", SUM).stdout.split()[-1]


def test_searches_and_queries_say_that_something_is_missing(home: Path) -> None:
    assert MISSING in aj(home, "search", "needle").stderr
    assert MISSING in aj(home, "sql", SUM).stderr
    assert MISSING in aj(home, "sql", SUM).stderr


def test_they_are_rebuilt_when_the_archive_is_whole(home: Path) -> None:
    assert length(home) != "8007"
    flip_a_byte_of_the_archive(home)
    verified = aj(home, "verify")
    assert verified.returncode == 1
    for what in ("the search index: ", "the tables of aj sql: "):
        assert f"{what}made while the archive was damaged: run 'aj sync'" in verified.stdout
    aj(home, "sync")
    assert aj(home, "verify").returncode == 0
    assert length(home) == "8007"
    found = aj(home, "search", "needle", "--mode", "lexical")
    assert "needle" in found.stdout
    assert MISSING not in found.stderr


def test_nothing_is_rebuilt_while_the_archive_is_damaged(home: Path) -> None:
    made = home / f".agent-journal/index/{NAME}/finished"
    before = made.stat().st_ino, made.stat().st_mtime_ns
    aj(home, "sync")
    assert (made.stat().st_ino, made.stat().st_mtime_ns) == before
