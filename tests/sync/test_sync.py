"""What sync does with files that appear, grow, change, move, vanish or cannot be read."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from agent_journal.connectors import get_connector
from agent_journal.query.tree import Query
from agent_journal.sync import capture
from agent_journal.sync.report import Report
from tests.support.journals import (
    aj,
    aj_json,
    claude_line,
    journal_digest,
    open_journal,
    write_claude,
)
from tests.support.paths import CASES


def texts(home: Path, session: str = "s1") -> list[str]:
    with open_journal(home) as journal:
        return [message.text for message in journal.session(session).messages]


def sync(home: Path, full: bool = False, index: bool = True) -> Report:
    with open_journal(home) as journal:
        return journal.sync(full=full, index=index)


def is_verified(home: Path) -> bool:
    done = aj(home, "verify")
    assert "Traceback" not in done.stderr
    return done.returncode == 0


def test_second_sync_has_nothing_to_do(tmp_path: Path) -> None:
    write_claude(tmp_path)
    first, second = sync(tmp_path), sync(tmp_path)
    assert (first.sessions, first.new_sessions, first.changed_files) == (1, 1, 1)
    assert (second.sessions, second.new_sessions, second.changed_files) == (1, 0, 0)


LOGS = sorted(CASES.glob("*/*/home/**/*.jsonl"))
AGENTS = sorted({log.relative_to(CASES).parts[0] for log in LOGS})


@pytest.mark.parametrize("agent", AGENTS)
def test_growing_step_by_step_equals_reading_at_once(tmp_path: Path, agent: str) -> None:
    """Steps cut lines in two, and split messages and calls from their results."""
    home = tmp_path / "home"
    for log in LOGS:
        if log.relative_to(CASES).parts[0] != agent:
            continue
        data = log.read_bytes()
        (case,) = (folder for folder in log.parents if folder.name == "home")
        target = home / log.relative_to(case)
        target.parent.mkdir(parents=True)
        for cut in sorted({len(data) * part // 3 for part in range(1, 4)}):
            target.write_bytes(data[:cut])
            sync(home, index=False)
        stepwise = journal_digest(home)
        shutil.rmtree(home / ".agent-journal")
        sync(home, index=False)
        assert stepwise == journal_digest(home), log
        shutil.rmtree(home)


def test_an_append_reads_only_the_appended_bytes(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=200)
    sync(tmp_path)
    size = path.stat().st_size
    write_claude(tmp_path, count=1, start=200)
    assert sync(tmp_path).read_bytes == path.stat().st_size - size
    assert len(texts(tmp_path)) == 201
    assert is_verified(tmp_path)


def test_half_a_line_waits_for_the_other_half(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=2)
    line = json.dumps(claude_line("user", 2, "the third")) + "\n"
    with path.open("a") as out:
        out.write(line[:50])
    sync(tmp_path)
    assert len(texts(tmp_path)) == 2
    assert is_verified(tmp_path)
    with path.open("a") as out:
        out.write(line[50:])
    sync(tmp_path)
    assert texts(tmp_path)[-1] == "the third"
    assert is_verified(tmp_path)


def test_a_rewritten_file_is_read_again_and_the_old_one_kept(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=6)
    old = path.read_bytes()
    sync(tmp_path)
    lines = old.splitlines(keepends=True)
    new = b"".join(
        [lines[0], lines[1].replace(b"assistant text 1", b"another answer  "), *lines[3:]]
    )
    path.write_bytes(new)
    sync(tmp_path)
    assert [text for text in texts(tmp_path) if "another" in text] == ["another answer   of s1"]
    assert len(texts(tmp_path)) == 5
    aj(tmp_path, "restore", "--all", "--all-versions", "-o", str(tmp_path / "out"))
    assert (tmp_path / "out/.claude/projects/-work-app/s1.jsonl").read_bytes() == new
    assert (tmp_path / "out/.claude/projects/-work-app/s1.jsonl.v1").read_bytes() == old
    assert is_verified(tmp_path)


def test_a_truncated_file_is_read_again(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=6)
    sync(tmp_path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    sync(tmp_path)
    assert len(texts(tmp_path)) == 2
    assert is_verified(tmp_path)


def test_a_change_of_the_same_size_is_seen(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=2)
    sync(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"user text 0", b"USER TEXT 0"))
    sync(tmp_path)
    assert texts(tmp_path)[0] == "USER TEXT 0 of s1"


def test_a_change_in_the_middle_of_a_grown_file_is_seen_by_a_full_sync(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=200)
    sync(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"user text 100 ", b"USER TEXT 100 "))
    write_claude(tmp_path, count=1, start=200)
    sync(tmp_path, full=True)
    assert "USER TEXT 100 of s1" in texts(tmp_path)
    assert is_verified(tmp_path)


def test_a_moved_file_is_one_session(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=4)
    sync(tmp_path)
    new = tmp_path / ".claude/projects/-work-moved/s1.jsonl"
    new.parent.mkdir()
    path.rename(new)
    sync(tmp_path)
    write_claude(tmp_path, count=2, start=4, project="-work-moved")
    sync(tmp_path)
    assert len(texts(tmp_path)) == 6
    with open_journal(tmp_path) as journal:
        assert len(journal.sessions(Query(include_all=True))) == 1
    assert is_verified(tmp_path)


def test_a_file_left_empty_where_the_session_was_does_not_hide_it(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=4)
    sync(tmp_path)
    path.write_bytes(b"")
    sync(tmp_path)
    assert len(texts(tmp_path)) == 4
    assert is_verified(tmp_path)


@pytest.mark.parametrize("old", ["-work-aaa", "-work-zzz"])
def test_an_empty_file_beside_the_moved_session_is_no_session_of_its_own(
    tmp_path: Path, old: str
) -> None:
    write_claude(tmp_path, count=4)
    empty = tmp_path / ".claude/projects" / old / "s1.jsonl"
    empty.parent.mkdir()
    empty.write_bytes(b"")
    sync(tmp_path)
    (item,) = aj_json(tmp_path, "ls", "--all")["items"]
    assert (item["message_count"], item["project_dir"]) == (4, "-work-app")
    assert is_verified(tmp_path)


def test_every_transcript_is_listed_with_all(tmp_path: Path) -> None:
    folder = write_claude(tmp_path, count=4).parent
    (folder / "empty.jsonl").write_bytes(b"")
    (folder / "titles.jsonl").write_text(
        '{"type":"summary","summary":"of another","leafUuid":"x"}\n'
    )
    sync(tmp_path)
    assert [item["id"] for item in aj_json(tmp_path, "ls")["items"]] == ["s1"]
    assert {item["id"] for item in aj_json(tmp_path, "ls", "--all")["items"]} == {
        "s1",
        "empty",
        "titles",
    }


def test_two_copies_of_a_session_count_once(tmp_path: Path) -> None:
    old = write_claude(tmp_path, count=4)
    write_claude(tmp_path, count=6, project="-work-other")
    os.utime(old, ns=(10**18, 10**18))
    sync(tmp_path)
    assert len(texts(tmp_path)) == 6
    sessions = aj_json(tmp_path, "ls", "--all")["items"]
    assert [(item["id"], item["message_count"]) for item in sessions] == [("s1", 6)]
    assert is_verified(tmp_path)


def test_vanished_sources_stay_and_come_back_identical(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=6)
    data, mtime = path.read_bytes(), path.stat().st_mtime_ns
    sync(tmp_path)
    shutil.rmtree(tmp_path / ".claude")
    assert sync(tmp_path).vanished_files == 1
    assert len(texts(tmp_path)) == 6
    assert "s1" in aj(tmp_path, "ls").stdout
    assert aj(tmp_path, "restore", "s1", "-o", str(tmp_path / "out")).returncode == 0
    back = tmp_path / "out/.claude/projects/-work-app/s1.jsonl"
    assert back.read_bytes() == data
    assert back.stat().st_mtime_ns == mtime
    assert is_verified(tmp_path)


def test_a_file_that_cannot_be_opened_is_a_problem_not_a_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_claude(tmp_path, "bad")
    write_claude(tmp_path, "good")
    real = capture._open_regular

    def refuse(path: str) -> int:
        if path.endswith("bad.jsonl"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(capture, "_open_regular", refuse)
    report = sync(tmp_path)
    assert (report.sessions, report.problems) == (1, 1)
    monkeypatch.undo()
    report = sync(tmp_path)
    assert (report.sessions, report.problems) == (2, 0)


def test_a_name_that_is_not_utf8_is_reported(tmp_path: Path) -> None:
    write_claude(tmp_path)
    folder = os.fsencode(tmp_path / ".claude/projects/-work-app")
    with open(folder + b"/caf\xe9.jsonl", "wb") as out:
        out.write(b"{}\n")
    done = aj(tmp_path, "sync")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert "rename it" in aj(tmp_path, "doctor").stdout


def test_absurd_numbers_cost_a_field_not_a_session(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=2)
    usage = {"input_tokens": 10**30, "output_tokens": -5, "cache_read_input_tokens": 7}
    line = claude_line("assistant", 3, "odd", costUSD=1e300)
    line["message"]["usage"] = usage
    with path.open("a") as out:
        out.write(json.dumps(line) + "\n")
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        message = journal.session("s1").messages[-1]
    assert message.text == "odd"
    assert message.usage is not None
    assert (
        message.usage.input_tokens,
        message.usage.output_tokens,
        message.usage.cache_read_tokens,
    ) == (None, None, 7)
    assert is_verified(tmp_path)


def test_a_fifo_named_like_a_session_does_not_hang(tmp_path: Path) -> None:
    write_claude(tmp_path)
    os.mkfifo(tmp_path / ".claude/projects/-work-app/fifo.jsonl")
    assert sync(tmp_path).sessions == 1


def test_odd_files_are_kept_and_accounted_for(tmp_path: Path) -> None:
    folder = tmp_path / ".claude/projects/-work-app"
    folder.mkdir(parents=True)
    odd = {
        "empty": b"",
        "binary": bytes(range(256)) * 40,
        "latin1": '{"type":"user","message":{"content":"caf\xe9"},"uuid":"u"}\n'.encode("latin-1"),
        "deep": b'{"type":"user","message":{"content":' + b"[" * 100_000 + b"]" * 100_000 + b"}}\n",
        "nul": b"\0" * 5000,
        "words": b"not json at all\n" * 3,
        "long": b'{"type":"user","uuid":"u","message":{"content":"' + b"x" * 3_000_000 + b'"}}\n',
    }
    for name, data in odd.items():
        (folder / f"{name}.jsonl").write_bytes(data)
    done = aj(tmp_path, "sync")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert is_verified(tmp_path)
    aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "out"))
    for name, data in odd.items():
        assert (tmp_path / f"out/.claude/projects/-work-app/{name}.jsonl").read_bytes() == data
    assert texts(tmp_path, "long") == ["x" * 3_000_000]
    assert texts(tmp_path, "latin1") == ["caf\ufffd"]


def test_a_reader_that_fails_costs_one_file_and_no_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = write_claude(tmp_path, "bad")
    write_claude(tmp_path, "good")
    kind = type(get_connector("claude-code"))
    real = kind.reader

    def broken(self: object, file: object, state: bytes | None) -> object:
        if "bad" in file.name:  # type: ignore[attr-defined]
            raise RuntimeError("a mistake")
        return real(self, file, state)  # type: ignore[arg-type]

    monkeypatch.setattr(kind, "reader", broken)
    report = sync(tmp_path)
    assert (report.sessions, report.problems) == (1, 1)
    aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "out"))
    assert (tmp_path / "out/.claude/projects/-work-app/bad.jsonl").read_bytes() == bad.read_bytes()


def test_a_newer_reader_reads_the_archive_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_claude(tmp_path)
    sync(tmp_path)
    shutil.rmtree(tmp_path / ".claude")
    monkeypatch.setattr(type(get_connector("claude-code")), "version", 99)
    sync(tmp_path)
    assert len(texts(tmp_path)) == 4
    with open_journal(tmp_path) as journal:
        assert journal.db.execute("SELECT DISTINCT reader_version FROM files").fetchall() == [(99,)]
