"""Files that grow, change, come and go between syncs: the journal is like one read at once."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.support.journals import (
    aj,
    aj_json,
    append,
    assert_like_a_fresh_journal,
    claude_line,
    texts,
    write_claude,
)


@pytest.mark.parametrize("second", [{"requestId": "other"}, {"requestId": None}])
def test_a_response_with_another_request_id_counts_once(
    tmp_path: Path, second: dict[str, Any]
) -> None:
    path = write_claude(tmp_path, count=2)
    aj(tmp_path, "sync")
    again = claude_line("assistant", 1, "more of it", **second)
    append(path, {**again, "uuid": "another"})
    aj(tmp_path, "sync")
    assert aj_json(tmp_path, "ls")["items"][0]["output_tokens"] == 5
    assert_like_a_fresh_journal(tmp_path)


@pytest.mark.parametrize(
    "rest",
    [
        "garbage\n",
        '{"type":"user","mess' + json.dumps(claude_line("user", 7, "glued")) + "\n",
        "\0\0\n",
        "{\n",
    ],
)
def test_a_whole_last_line_that_goes_on_later(tmp_path: Path, rest: str) -> None:
    path = write_claude(tmp_path, count=2)
    append(path, json.dumps(claude_line("user", 2, "without line end")))
    aj(tmp_path, "sync")
    append(path, rest, claude_line("user", 3, "after"))
    aj(tmp_path, "sync")
    assert "without line end" in texts(tmp_path)
    assert "after" in texts(tmp_path)
    assert_like_a_fresh_journal(tmp_path)


def test_copies_that_come_and_go(tmp_path: Path) -> None:
    first = write_claude(tmp_path, count=4)
    second = write_claude(tmp_path, count=6, project="-work-b")
    os.utime(first, ns=(10**18, 10**18))
    aj(tmp_path, "sync")
    second.unlink()
    aj(tmp_path, "sync")
    assert len(texts(tmp_path)) == 6
    assert aj(tmp_path, "verify").returncode == 0
    third = tmp_path / ".claude/projects/-work-c/s1.jsonl"
    third.parent.mkdir()
    first.rename(third)
    aj(tmp_path, "sync")
    third.rename(first)
    aj(tmp_path, "sync")
    assert aj(tmp_path, "verify").returncode == 0


def test_a_fork_whose_origin_is_rewritten_is_a_fork_no_more(tmp_path: Path) -> None:
    origin = write_claude(tmp_path, "s1", count=4)
    fork = tmp_path / ".claude/projects/-work-app/s2.jsonl"
    append(
        fork, *(dict(json.loads(line), sessionId="s2") for line in origin.read_text().splitlines())
    )
    append(fork, claude_line("user", 9, "own words", "s2"))
    aj(tmp_path, "sync")
    forks = {item["id"]: item["fork_of"] for item in aj_json(tmp_path, "ls")["items"]}
    assert forks == {"s1": None, "s2": "s1"}
    origin.write_text(json.dumps(claude_line("user", 50, "something else", "s1")) + "\n")
    aj(tmp_path, "sync")
    assert aj_json(tmp_path, "show", "s2")["items"][0].get("fork_of") is None
    assert aj(tmp_path, "verify").returncode == 0


def test_a_database_that_breaks_keeps_what_it_said(tmp_path: Path) -> None:
    folder = tmp_path / ".copilot/session-state/c1"
    start = {
        "sessionId": "c1",
        "version": 1,
        "producer": "x",
        "copilotVersion": "1",
        "startTime": "2026-01-01T00:00:00Z",
    }
    append(
        folder / "events.jsonl",
        {"type": "session.start", "id": "e1", "timestamp": "2026-01-01T00:00:00Z", "data": start},
    )
    append(folder / "events.jsonl", {"type": "user.message", "id": "e2", "data": {"content": "hi"}})
    with sqlite3.connect(folder / "session.db") as db:
        db.execute("CREATE TABLE todos (id TEXT PRIMARY KEY, title TEXT, status TEXT)")
        db.execute("INSERT INTO todos VALUES ('t1', 'keep me', 'pending')")
    db.close()
    aj(tmp_path, "sync")
    (folder / "session.db").write_bytes(b"SQLite format 3\0 but not really" * 40)
    assert "1 problem" in aj(tmp_path, "sync").stderr
    assert [todo["content"] for todo in aj_json(tmp_path, "show", "c1")["items"][0]["todos"]] == [
        "keep me"
    ]
    assert aj(tmp_path, "verify").returncode == 0


def test_a_queued_prompt_that_comes_again_in_a_later_sync(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=2)
    queued = {"type": "queue-operation", "operation": "enqueue", "content": "water the roses"}
    append(path, queued)
    aj(tmp_path, "sync")
    assert texts(tmp_path).count("water the roses") == 1
    append(path, claude_line("user", 2, "water the roses"))
    aj(tmp_path, "sync")
    assert texts(tmp_path).count("water the roses") == 1
    assert len(aj_json(tmp_path, "search", "roses")["items"]) == 1
    assert_like_a_fresh_journal(tmp_path)
