"""Accidents and attacks that once lost, mixed up or hid something, or stopped everything."""

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
    aj_json,
    claude_line,
    journal_digest,
    open_journal,
    variables,
    write_claude,
)


def texts(home: Path, session: str = "s1") -> list[str]:
    with open_journal(home) as journal:
        return [message.text for message in journal.session(session).messages]


def append(path: Path, *lines: dict[str, Any] | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as out:
        out.writelines(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)


def pack_of(home: Path) -> Path:
    return home / ".agent-journal/archive/000001.pack"


def assert_like_a_fresh_journal(home: Path) -> None:
    grown = journal_digest(home)
    assert aj(home, "verify").returncode == 0
    shutil.rmtree(home / ".agent-journal")
    aj(home, "sync")
    assert journal_digest(home) == grown


# -- the archive -------------------------------------------------------------------------------


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


def test_a_kept_file_that_is_lost_is_told(tmp_path: Path) -> None:
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


def test_a_journal_that_nobody_can_write_can_be_read(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    from agent_journal.store.catalog import store

    index = str(tmp_path / ".agent-journal/index")
    assert store._read_mode(index) == "ro"
    real, store.os.access = store.os.access, lambda *_: False  # type: ignore[assignment]
    try:
        assert store._read_mode(index) == "ro&immutable=1"
        connection = store.open_reader(index)
        assert connection is not None
        assert connection.execute("SELECT count(*) FROM sessions").fetchone() == (1,)
        connection.close()
    finally:
        store.os.access = real  # type: ignore[assignment]


# -- reading in parts --------------------------------------------------------------------------


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


# -- odd names, links and parents --------------------------------------------------------------


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
def test_what_stands_in_place_of_a_session_is_told_and_not_kept(tmp_path: Path) -> None:
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


def test_a_file_that_never_said_anything_is_told_as_it_is_now(tmp_path: Path) -> None:
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
