"""Odd names, links, pipes and parents: they stop nothing, and steer nothing."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.journals import (
    aj,
    aj_json,
    append,
    claude_line,
    variables,
    write_claude,
)


def test_links_in_circles_and_to_other_places(tmp_path: Path) -> None:
    write_claude(tmp_path)
    secret = tmp_path / ".ssh"
    secret.mkdir()
    (secret / "id_rsa").write_text("PRIVATE")
    copilot = tmp_path / ".copilot/session-state"
    (copilot / "c1").mkdir(parents=True)
    (copilot / "loop").symlink_to("loop")
    (copilot / "c1/plan.md").symlink_to(secret / "id_rsa")
    (tmp_path / ".claude/file-history").mkdir()
    (tmp_path / ".claude/file-history/x").symlink_to(secret)
    (tmp_path / ".claude/projects/round").symlink_to(tmp_path / ".claude/projects")
    (tmp_path / ".claude/plans").mkdir()
    (tmp_path / ".claude/plans/p.md").symlink_to(secret / "id_rsa")
    done = aj(tmp_path, "sync")
    assert done.returncode == 0, done.stderr
    assert "id_rsa" not in aj(tmp_path, "sources", "--files").stdout
    aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "out"))
    assert all(
        "PRIVATE" not in file.read_text()
        for file in (tmp_path / "out").rglob("*")
        if file.is_file()
    )


def test_parents_in_a_circle_and_a_long_way_down(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1")
    folder = tmp_path / ".claude/projects/-work-app/s1/subagents"
    for number in range(1200):
        append(
            folder / f"agent-a{number}.jsonl",
            claude_line("assistant", 1, "deep", "s1", isSidechain=True),
        )
        meta = {"agentType": "x", "parentAgentId": f"a{number + 1}"}
        append(folder / f"agent-a{number}.meta.json", json.dumps(meta))
    append(
        folder / "agent-a1200.jsonl", claude_line("assistant", 1, "deepest", "s1", isSidechain=True)
    )
    append(
        folder / "agent-a1200.meta.json", json.dumps({"agentType": "x", "parentAgentId": "a1199"})
    )
    aj(tmp_path, "sync")
    assert len(aj_json(tmp_path, "ls", "--all")["items"]) == 1202
    assert aj(tmp_path, "restore", "s1", "-o", str(tmp_path / "out")).returncode == 0


def test_times_at_the_end_of_the_calendar(tmp_path: Path) -> None:
    path = tmp_path / ".claude/projects/-work-app/s1.jsonl"
    for number, when in enumerate(
        ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "not a time", 1e300, -5)
    ):
        append(path, claude_line("user", number, "hi", timestamp=when))
    aj(tmp_path, "sync")
    for zone in ("America/New_York", "Asia/Tokyo", "UTC"):
        for args in (["show", "s1"], ["ls"], []):
            done = aj(tmp_path, *args, env={"TZ": zone})
            assert (done.returncode, "went wrong" in done.stderr) == (0, False), (zone, args)
    for args in (
        ["--since", "0001-01-01T00:00+14:00"],
        ["--until", "9999-12-31T23:59-14:00"],
        ["-n", "9" * 19],
    ):
        done = aj(tmp_path, "ls", *args)
        assert (done.returncode, "went wrong" in done.stderr) == (2, False), args


def test_a_name_as_long_as_allowed_comes_back(tmp_path: Path) -> None:
    paste = tmp_path / ".claude/paste-cache" / ("n" * 251 + ".txt")
    paste.parent.mkdir(parents=True)
    paste.write_text("long")
    aj(tmp_path, "sync")
    assert aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "out")).returncode == 0
    assert (tmp_path / "out/.claude/paste-cache" / paste.name).read_text() == "long"


def test_restore_goes_on_after_what_it_cannot_write(tmp_path: Path) -> None:
    write_claude(tmp_path, "a")
    write_claude(tmp_path, "b")
    aj(tmp_path, "sync")
    blocked = tmp_path / "out/.claude/projects/-work-app/a.jsonl"
    blocked.mkdir(parents=True)
    done = aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "out"))
    assert done.returncode == 1
    assert "not written: " in done.stderr
    assert (tmp_path / "out/.claude/projects/-work-app/b.jsonl").is_file()


def test_errors_cannot_steer_the_terminal(tmp_path: Path) -> None:
    for name in ("x\x1b]52;c;aGk=\x07-1", "x\x1b]52;c;aGk=\x07-2"):
        write_claude(tmp_path, name)
    meta = tmp_path / ".claude/projects/-work-app/s9/subagents/agent-a1.meta.json"
    append(meta, json.dumps({"agentType": "\x1b[2Jevil", "description": "\x1b[2J"}))
    append(
        meta.with_name("agent-a1.jsonl"),
        claude_line("assistant", 1, "x", "s9", isSidechain=True, version="\x1b[31m"),
    )
    append(meta.with_name("agent-a1.jsonl"), {"type": "new\x1b[2J", "version": "\x1b[2J"})
    aj(tmp_path, "sync")
    for args in (
        ["show", "x"],
        ["ls", "--all"],
        ["doctor"],
        ["show", "agent-a1", "--depth", "all"],
    ):
        done = aj(tmp_path, *args)
        assert "\x1b" not in done.stdout + done.stderr, args


def test_a_full_output_is_one_line(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    for args in ("ls", "ls --json", "show last", "show last --json"):
        command = f"'{sys.executable}' -m agent_journal {args} >/dev/full"
        done = subprocess.run(
            ["bash", "-c", command],
            env=variables(tmp_path),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert "went wrong" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")
def test_what_takes_the_place_of_a_session_is_reported_and_not_kept(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text('{"type":"user"} TOPSECRET\n')
    moved = tmp_path / "elsewhere/a.jsonl"
    append(
        moved,
        json.dumps(
            {"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": {"type": "x"}}
        ),
    )
    codex = tmp_path / ".codex/sessions/2026"
    claude = tmp_path / ".claude/projects/-p"
    for folder in (codex, claude):
        folder.mkdir(parents=True)
        for name in ("secret", "gone", "pipe", "folder", "moved"):
            path = folder / f"rollout-{name}.jsonl"
            if name == "pipe":
                os.mkfifo(path)
            elif name == "folder":
                path.mkdir()
            else:
                path.symlink_to(
                    {"secret": tmp_path / "secret.txt", "moved": moved}.get(
                        name, tmp_path / "nowhere"
                    )
                )
    (tmp_path / ".codex/session_index.jsonl").symlink_to(moved)
    (tmp_path / ".aider.chat.history.md").symlink_to(tmp_path / "secret.txt")
    for _ in range(2):
        aj(tmp_path, "sync")
    with sqlite3.connect(tmp_path / ".agent-journal/index/journal.db") as db:
        rows = db.execute("SELECT path, reason FROM problems WHERE kind = 'folder'").fetchall()
    db.close()
    found = {
        (Path(path).parent.name, Path(path).name.removeprefix("rollout-")): reason.removeprefix(
            "cannot be listed: "
        )
        for path, reason in rows
    }
    assert len(rows) == len(found)  # each once
    reasons = {
        "secret.jsonl": "a link to a file of another kind, which is not followed",
        "gone.jsonl": "a link that leads nowhere",
        "pipe.jsonl": "not a plain file",
    }
    assert found == {
        **{
            (folder.name, name): reason
            for folder in (codex, claude)
            for name, reason in reasons.items()
        },
        (".codex", "session_index.jsonl"): "a link in place of a file, which is not followed",
        (
            tmp_path.name,
            ".aider.chat.history.md",
        ): "a link to a file of another kind, which is not followed",
    }
    kept = aj(tmp_path, "sources", "--files").stdout
    assert kept.count("rollout-moved.jsonl") == 2
    assert "rollout-secret" not in kept
