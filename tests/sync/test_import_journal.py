"""`aj import-journal`: the journals of two machines become one, and nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from pathlib import Path
from typing import Any

import pytest

from agent_journal.demo import write_demo_home
from agent_journal.text.dates import parse_bound
from tests.support.aider_histories import RUN, history
from tests.support.journals import (
    aj,
    aj_json,
    append,
    claude_line,
    flip_a_byte_of_the_archive,
    journal_digest,
    open_journal,
    texts,
    write_claude,
)
from tests.support.killing import in_child, kill_at, quietly


def sessions_of(home: Path) -> set[str]:
    """Every session of a journal, also of sub-agents."""
    return {f"{row['agent']}:{row['id']}" for row in aj_json(home, "ls", "--all")["items"]}


def journal_of(home: Path) -> str:
    return str(home / ".agent-journal")


def merge(home: Path, source: Path | str) -> dict[str, Any]:
    """Import a journal; everything verifies then."""
    item: dict[str, Any] = aj_json(home, "import-journal", str(source))["items"][0]
    verified = aj(home, "verify")
    assert verified.returncode == 0, verified.stdout
    assert item["proven_files"] == item["files"] - item["pruned_files"]
    return item


def adds_nothing(home: Path, source: Path | str) -> None:
    """A second import leaves every byte of the archive as it is."""
    before = {path: path.read_bytes() for path in (home / ".agent-journal/archive").iterdir()}
    digest = journal_digest(home)
    item = merge(home, source)
    assert (item["new_files"], item["versions"], item["bytes"], item["marks"]) == (0, 0, 0, 0)
    assert item["sessions_before"] == item["sessions"]
    after = {path: path.read_bytes() for path in (home / ".agent-journal/archive").iterdir()}
    assert after == before
    assert journal_digest(home) == digest


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Path, Path]:
    """Two homes of one person under two user names; two sessions are on both."""
    ann = tmp_path / "home/ann"
    bob = tmp_path / "home/bob"
    for home in (ann, bob):
        write_claude(home, "same", count=6)
        write_claude(home, "longer-there", count=4)
    write_claude(ann, "only-here", count=4)
    write_claude(bob, "only-there", count=4)
    write_claude(bob, "longer-there", start=4, count=6)
    for home in (ann, bob):
        assert aj(home, "sync").returncode == 0
    return ann, bob


@pytest.mark.parametrize("kind", ["journal", "folder", "file"])
def test_two_journals_become_one(machines: tuple[Path, Path], tmp_path: Path, kind: str) -> None:
    ann, bob = machines
    sources = {
        "journal": Path(journal_of(bob)),
        "folder": tmp_path / "backup",
        "file": tmp_path / "b.tar.zst",
    }
    source = sources[kind]
    if kind != "journal":
        assert aj(bob, "backup", str(source)).returncode == 0
    union = sessions_of(ann) | sessions_of(bob)
    theirs = journal_digest(bob)
    item = merge(ann, source)
    assert sessions_of(ann) == union
    assert (item["sessions_before"], item["sessions"]) == (3, 4)
    assert item["files"] == 3
    assert len(texts(ann, "longer-there")) == 10  # the one with more is shown
    assert len(texts(ann, "same")) == 6
    name = "claude-code:only-there"
    assert journal_digest(ann)[name] == theirs[name]
    assert journal_digest(bob) == theirs  # the other one is only read
    adds_nothing(ann, source)
    shutil.rmtree(ann / ".agent-journal/index")
    assert aj(ann, "sync").returncode == 0
    assert sessions_of(ann) == union
    assert aj(ann, "verify").returncode == 0


def test_equal_bytes_are_kept_once(machines: tuple[Path, Path]) -> None:
    ann, bob = machines
    size = sum(path.stat().st_size for path in (ann / ".agent-journal/archive").iterdir())
    for session in ("longer-there", "only-there"):
        (bob / f".claude/projects/-work-app/{session}.jsonl").unlink()
    shutil.rmtree(bob / ".agent-journal")
    aj(bob, "sync")
    merge(ann, journal_of(bob))
    grown = sum(path.stat().st_size for path in (ann / ".agent-journal/archive").iterdir())
    assert grown - size < 500  # a header


def test_an_empty_journal_becomes_the_other_one(
    machines: tuple[Path, Path], tmp_path: Path
) -> None:
    _, bob = machines
    new = tmp_path / "new machine"
    new.mkdir()
    merge(new, journal_of(bob))
    assert journal_digest(new) == journal_digest(bob)
    first = aj_json(bob, "sources", "--files")["items"]
    again = aj_json(new, "sources", "--files")["items"]
    kept = [file for item in first for file in item["files"]]
    assert [file for item in again for file in item["files"]] == kept  # with their dates


def test_an_empty_file_is_added_once(machines: tuple[Path, Path]) -> None:
    ann, bob = machines
    (bob / ".claude/projects/-work-app/moved-away.jsonl").write_bytes(b"")
    assert aj(bob, "sync").returncode == 0
    merge(ann, journal_of(bob))
    assert "claude-code:moved-away" in sessions_of(ann)
    adds_nothing(ann, journal_of(bob))


def test_the_demo_in_two_halves_is_the_demo(tmp_path: Path) -> None:
    """Sessions of all agents, some on both machines."""
    ann = tmp_path / "ann"
    bob = tmp_path / "bob"
    for home in (ann, bob):
        write_demo_home(str(home), parse_bound("2026-11-16 12:00"))
    everything = tmp_path / "all"
    shutil.copytree(bob, everything)
    for home, digit in ((ann, "0123456"), (bob, "9abcdef")):
        for path in sorted((home / ".claude/projects").rglob("*.jsonl")):
            if path.name[0] in digit:
                path.unlink()
    shutil.rmtree(ann / ".codex")
    shutil.rmtree(bob / ".gemini")
    for home in (ann, bob):
        assert aj(home, "sync").returncode == 0
    here, there = sessions_of(ann), sessions_of(bob)
    assert here - there
    assert there - here
    assert here & there
    merge(ann, journal_of(bob))
    assert sessions_of(ann) == here | there
    adds_nothing(ann, journal_of(bob))


# -- the same paths on both machines -----------------------------------------------------------


def other_journal(home: Path) -> Path:
    """A copy of the journal, from before the agent goes on."""
    copy = home.parent / "other-journal"
    shutil.copytree(home / ".agent-journal", copy)
    return copy


def versions(home: Path, name: str = "s1.jsonl") -> list[int]:
    """The sizes of the kept versions of a file."""
    with open_journal(home) as journal:
        rows = journal.db.execute(
            "SELECT v.size FROM versions v JOIN files f ON f.id = v.file_id "
            "WHERE f.path LIKE '%' || ? ORDER BY v.number",
            (name,),
        )
        return [size for (size,) in rows]


def test_a_file_that_went_on_goes_on(tmp_path: Path) -> None:
    home = tmp_path / "home"
    path = write_claude(home, count=4)
    aj(home, "sync")
    old = other_journal(home)
    write_claude(home, start=4, count=4)
    aj(home, "sync")
    size = path.stat().st_size
    adds_nothing(home, old)  # it has less
    other = tmp_path / "other home"
    other.mkdir()
    shutil.move(old, other / ".agent-journal")
    merge(other, journal_of(home))
    assert versions(other) == [size]
    assert len(texts(other)) == 8


@pytest.mark.parametrize("newer", ["here", "there"])
def test_of_two_versions_the_newer_one_is_shown(tmp_path: Path, newer: str) -> None:
    home = tmp_path / "home"
    path = write_claude(home, count=2)
    aj(home, "sync")
    other = tmp_path / "other"
    other.mkdir()
    shutil.copytree(home / ".agent-journal", other / ".agent-journal")
    times = {"here": 1_900_000_000, "there": 1_800_000_000}
    if newer == "there":
        times = {"here": 1_800_000_000, "there": 1_900_000_000}
    for where, journal in (("there", other), ("here", home)):
        path.unlink()
        append(path, claude_line("user", 0, f"written {where}"))
        os.utime(path, (times[where], times[where]))
        aj(home, "sync", env={"AJ_HOME": str(journal / ".agent-journal")})
    path.unlink()
    merge(home, journal_of(other))
    assert texts(home) == [f"written {newer}"]
    assert len(set(versions(home))) >= 2
    with open_journal(home) as journal:
        shown = aj(home, "restore", "--all", "--all-versions", "-o", str(tmp_path / "out"))
        assert shown.returncode == 0
        assert journal.exists
    restored = "".join(file.read_text() for file in (tmp_path / "out").rglob("s1.jsonl*"))
    assert "written here" in restored
    assert "written there" in restored
    adds_nothing(home, journal_of(other))


def test_lists_of_prompts_of_both_are_read(tmp_path: Path) -> None:
    home = tmp_path / "home"
    prompts = home / ".claude/history.jsonl"

    def prompt(number: int) -> dict[str, Any]:
        return {"display": f"prompt {number}", "timestamp": number * 10**12, "project": "/work/app"}

    append(prompts, prompt(1))
    write_claude(home)
    aj(home, "sync")
    old = other_journal(home)
    append(prompts, prompt(2))
    aj(home, "sync")
    prompts.unlink()
    append(prompts, prompt(1), prompt(3))
    aj(home, "sync", env={"AJ_HOME": str(old)})
    merge(home, old)
    rows = aj_json(home, "sql", "SELECT display FROM history ORDER BY 1")["items"]
    assert [row["display"] for row in rows] == ["prompt 1", "prompt 2", "prompt 3"]
    adds_nothing(home, old)


def test_histories_with_many_sessions_give_the_sessions_of_both(tmp_path: Path) -> None:
    home = tmp_path / "home"
    runs = [RUN.replace("09:15", f"{hour}:15") + f"#### at {hour}  \n" for hour in (10, 11, 12)]
    path = history(home, runs[0])
    aj(home, "sync")
    old = other_journal(home)
    path.write_text(runs[0] + runs[1])
    aj(home, "sync")
    path.write_text(runs[0] + runs[2])
    aj(home, "sync", env={"AJ_HOME": str(old)})
    path.unlink()
    merge(home, old)
    titles = {row["title"] for row in aj_json(home, "ls")["items"]}
    assert titles == {"at 10", "at 11", "at 12"}
    assert len(aj_json(home, "ls")["items"]) == 3
    adds_nothing(home, old)


# -- what users said ---------------------------------------------------------------------------


def mark_line(at: int, session: str, value: str) -> bytes:
    mark = [at, "claude-code", session, "title", value, True]
    text = json.dumps(mark, separators=(",", ":")).encode()
    return b"%08x " % zlib.crc32(text) + text + b"\n"


def test_marks_are_merged(machines: tuple[Path, Path]) -> None:
    ann, bob = machines
    ours, theirs = (home / ".agent-journal/marks.jsonl" for home in machines)
    common = mark_line(1, "same", "on both")
    ours.write_bytes(common + mark_line(3, "same", "here"))
    theirs.write_bytes(common + mark_line(2, "same", "there") + b"damaged line\n")
    assert merge(ann, journal_of(bob))["marks"] == 1
    lines = ours.read_bytes().splitlines(keepends=True)
    assert lines == [common, mark_line(3, "same", "here"), mark_line(2, "same", "there")]
    adds_nothing(ann, journal_of(bob))


def test_marks_go_with_a_session_that_is_deleted(machines: tuple[Path, Path]) -> None:
    ann, _ = machines
    marks = ann / ".agent-journal/marks.jsonl"
    marks.write_bytes(mark_line(1, "same", "secret") + mark_line(2, "only-here", "kept"))
    aj(ann, "prune", "same", "--purge", "--yes")
    assert b"secret" not in marks.read_bytes()
    assert mark_line(2, "only-here", "kept") in marks.read_bytes()


def test_what_was_pruned_is_merged(machines: tuple[Path, Path]) -> None:
    ann, bob = machines
    aj(bob, "prune", "same", "--yes")
    aj(bob, "prune", "longer-there", "--purge", "--yes")
    merge(ann, journal_of(bob))
    assert sessions_of(ann) == {"claude-code:only-here", "claude-code:only-there"}
    aj(ann, "prune", "--undo", "all")
    assert len(texts(ann, "longer-there")) == 4  # what was here
    assert len(texts(ann, "same")) == 6
    assert aj(ann, "verify").returncode == 0


def test_what_was_deleted_here_stays_away(machines: tuple[Path, Path]) -> None:
    ann, bob = machines
    aj(ann, "prune", "same", "--purge", "--yes")
    done = aj(ann, "import-journal", journal_of(bob))
    assert "left out 1 file" in done.stderr
    assert "claude-code:same" not in sessions_of(ann)
    aj(ann, "prune", "--forget", "same")
    merge(ann, journal_of(bob))
    assert "claude-code:same" in sessions_of(ann)


# -- damage, kills, refusals -------------------------------------------------------------------


def test_a_damaged_journal_gives_what_it_has(machines: tuple[Path, Path]) -> None:
    ann, bob = machines
    flip_a_byte_of_the_archive(bob)
    done = aj(ann, "import-journal", journal_of(bob))
    assert done.returncode == 1
    assert "lacking:" in done.stderr
    assert sessions_of(ann) >= {"claude-code:only-here", "claude-code:same"}
    again = aj_json(ann, "import-journal", journal_of(bob))["items"][0]
    assert (again["new_files"], again["bytes"]) == (0, 0)
    assert again["lacking"]


def test_an_import_that_is_killed_is_completed_by_the_next_one(
    machines: tuple[Path, Path], tmp_path: Path
) -> None:
    ann, bob = machines
    (bob / ".agent-journal/marks.jsonl").write_bytes(mark_line(1, "same", "x"))
    peace = tmp_path / "peace"
    shutil.copytree(ann, peace)
    merge(peace, journal_of(bob))
    expected = journal_digest(peace)
    work = tmp_path / "try"
    for number in range(1, 400):
        shutil.copytree(ann / ".agent-journal", work / ".agent-journal")

        def killed(number: int = number) -> None:
            os.environ.update(HOME=str(work), AJ_HOME=str(work / ".agent-journal"))
            kill_at(number)
            quietly(["import-journal", journal_of(bob)])

        has_ended = in_child(killed)
        if number % 6 == 0 or has_ended:
            assert aj(work, "sync").returncode == 0
            assert aj(work, "verify").returncode == 0
        done = aj(work, "import-journal", journal_of(bob))
        assert done.returncode == 0, (number, done.stderr)
        assert journal_digest(work) == expected, number
        shutil.rmtree(work)
        if has_ended:
            break
    assert number > 10


@pytest.mark.parametrize("source", [".agent-journal", ".claude", "missing"])
def test_what_is_no_other_journal_is_refused(machines: tuple[Path, Path], source: str) -> None:
    ann, _ = machines
    before = journal_digest(ann)
    assert aj(ann, "import-journal", str(ann / source)).returncode == 2
    assert journal_digest(ann) == before
