"""Stars, tags and titles: kept in a file of their own, and nothing but their own damage hurts."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agent_journal.errors import CannotWrite
from agent_journal.store import marking, marks_file
from agent_journal.store.catalog.marks import count_marks
from agent_journal.store.marks_file import STAR, TAG, TITLE, Mark, add_marks, read_marks
from tests.support.journals import aj, aj_json, open_journal, variables, write_claude

MARKED = {"s1": ("My own title", ["ci", "flaky"], True), "s2": (None, ["ci"], False)}


def marks_path(home: Path) -> Path:
    return home / ".agent-journal/marks.jsonl"


def marks_of(home: Path) -> dict[str, tuple[str | None, list[str], bool]]:
    """What the journal says of each session that is marked."""
    with open_journal(home) as journal:
        rows = journal.rows()
    found = {}
    for row in rows:
        own = row.title if row.title_source == "own" else None
        if own or row.own_tags or row.starred_at:
            found[row.id] = (own, row.own_tag_names(), row.starred_at is not None)
    return found


def mark(home: Path) -> None:
    """Mark two of the sessions."""
    with open_journal(home) as journal:
        path = journal.config.marks_path
        marking.star(path, [journal.row("s1")])
        marking.tag(path, [journal.row("s1")], ["flaky"])
        marking.tag(path, [journal.row("s1"), journal.row("s2")], ["ci"])
        marking.give_title(path, journal.row("s1"), "My own title")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A journal with marks that a sync has seen."""
    for name in ("s1", "s2", "s3"):
        write_claude(tmp_path, name, count=2, project=f"-work-{name}")
    with open_journal(tmp_path) as journal:
        journal.sync()
    mark(tmp_path)
    assert marks_of(tmp_path) == MARKED  # before any sync
    with open_journal(tmp_path) as journal:
        journal.sync()
    assert marks_of(tmp_path) == MARKED
    return tmp_path


# -- what they survive -------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["rebuild", "no index", "damaged catalog", "vanished", "moved"])
def test_marks_survive(home: Path, how: str) -> None:
    if how == "no index":
        shutil.rmtree(home / ".agent-journal/index")
    elif how == "damaged catalog":
        (home / ".agent-journal/index/journal.db").write_bytes(bytes(20_000))
    elif how == "vanished":
        shutil.rmtree(home / ".claude")
    elif how == "moved":
        (home / ".claude/projects/-work-s1").rename(home / ".claude/projects/-work-elsewhere")
    with open_journal(home) as journal:
        journal.sync(rebuild=how == "rebuild")
    assert marks_of(home) == MARKED
    assert aj(home, "verify").returncode == 0


def test_marks_survive_an_import_of_the_same_session(home: Path) -> None:
    source = home / ".claude/projects/-work-s1/s1.jsonl"
    copy = home / "copy.jsonl"
    shutil.copy(source, copy)
    assert aj(home, "import", str(copy)).returncode == 0
    assert marks_of(home) == MARKED


def test_a_title_is_found_by_its_words(home: Path) -> None:
    (hit, *_) = aj_json(home, "search", "own title", "--no-sync")["items"]
    assert hit["session"] == "claude-code:s1"
    assert hit["message"]["kind"] == "session"
    aj(home, "title", "s1", "--reset")
    aj(home, "sync")
    assert aj_json(home, "search", '"own title"', "--no-sync")["items"] == []
    assert aj(home, "verify").returncode == 0


def test_the_agents_title_stays_findable(home: Path) -> None:
    with open_journal(home) as journal:
        title = journal.row("s1").agent_title
    assert title == "user text 0 of s1"
    hits = aj_json(home, "search", f'"{title}" kind:session', "--no-sync")["items"]
    assert [hit["title"] for hit in hits] == ["My own title"]


def test_a_session_whose_id_changes_keeps_its_marks(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agent_journal.store.catalog import former_ids as former

    before = Mark(1, "claude-code", "an-earlier-id", TAG, "old", True)
    add_marks(str(marks_path(home)), lambda _: [before])
    with open_journal(home) as journal:
        row_id = journal.row("s3").row_id
    found = [former.FormerId("claude-code", "an-earlier-id", row_id)]
    monkeypatch.setattr(former, "former_ids", lambda db: iter(found))
    assert marks_of(home)["s3"] == (None, ["old"], False)
    with open_journal(home) as journal:
        journal.sync()
    assert marks_of(home)["s3"] == (None, ["old"], False)
    with open_journal(home) as journal:  # the present id takes it back
        marking.untag(journal.config.marks_path, [journal.row("s3")], ["OLD"])
    assert marks_of(home) == MARKED


def test_marks_in_a_journal_of_an_older_version(home: Path) -> None:
    """Its catalog has no table for them: the file alone says what there is."""
    import sqlite3

    with sqlite3.connect(home / ".agent-journal/index/journal.db") as db:
        db.execute("DROP TABLE marks")
        db.execute("DELETE FROM meta WHERE key = 'marks'")
        db.execute("PRAGMA user_version = 7")
    assert marks_of(home) == MARKED
    assert aj(home, "ls", "tag:ci").returncode == 0
    assert aj(home, "verify").returncode == 0
    with open_journal(home) as journal:
        journal.sync()
    assert marks_of(home) == MARKED


def test_a_journal_that_cannot_be_written_shows_them(home: Path) -> None:
    aj(home, "star", "s3")
    folder = home / ".agent-journal/index"
    folder.chmod(0o500)
    try:
        assert [item["id"] for item in aj_json(home, "star")["items"]] == ["s3", "s1"]
        found = aj_json(home, "ls", "is:starred", "-tag:ci")["items"]
        assert [item["id"] for item in found] == ["s3"]
    finally:
        folder.chmod(0o700)


# -- the file ----------------------------------------------------------------------------------


def test_the_file_is_private_and_keeps_the_history(home: Path) -> None:
    aj(home, "star", "s1", "--remove")
    assert stat.S_IMODE(marks_path(home).stat().st_mode) == 0o600
    found = read_marks(str(marks_path(home)))
    kinds = [(mark.kind, mark.is_set) for mark in found.marks if mark.session_id == "s1"]
    assert kinds == [(STAR, True), (TAG, True), (TAG, True), (TITLE, True), (STAR, False)]
    assert found.damaged == []


def test_every_cut_loses_only_the_last_line(home: Path) -> None:
    path = marks_path(home)
    data = path.read_bytes()
    whole = read_marks(str(path)).marks
    for length in range(len(data)):
        path.write_bytes(data[:length])
        found = read_marks(str(path))
        assert found.marks == whole[: len(found.marks)]
        assert len(found.marks) >= data[:length].count(b"\n")
        assert len(found.damaged) <= 1


def test_a_mark_after_a_torn_line_is_kept(home: Path) -> None:
    path = marks_path(home)
    path.write_bytes(path.read_bytes()[:-5])
    aj(home, "star", "s3")
    assert marks_of(home)["s3"] == (None, [], True)
    found = read_marks(str(path))
    assert len(found.damaged) == 1


def test_a_damaged_line_is_named_and_takes_no_other_with_it(home: Path) -> None:
    path = marks_path(home)
    aj(home, "star", "s3")  # which no sync has seen
    lines = path.read_bytes().splitlines(keepends=True)
    stamp = path.stat()
    lines[-1] = lines[-1].replace(b"s3", b"sX")
    path.write_bytes(b"".join(lines))
    assert stamp.st_size == path.stat().st_size
    done = aj(home, "verify")
    assert done.returncode == 1
    assert f"marks.jsonl: line {len(lines)} is damaged" in done.stdout
    assert "marks.jsonl cannot be read" in aj(home, "doctor").stdout
    assert marks_of(home) == MARKED
    assert "1 damaged line" in aj(home, "sync").stderr
    assert marks_of(home) == MARKED
    assert aj(home, "verify").returncode == 0


@pytest.mark.parametrize("how", ["deleted", "empty", "first half", "zeros", "foreign"])
def test_what_the_file_lost_comes_back_from_the_catalog(home: Path, how: str) -> None:
    path = marks_path(home)
    data = path.read_bytes()
    if how == "deleted":
        path.unlink()
    else:
        changed = {
            "empty": b"",
            "first half": data[: data.index(b"\n") + 1],
            "zeros": bytes(len(data)),
            "foreign": b"\xff{}\n" * 9,
        }
        path.write_bytes(changed[how])
    done = aj(home, "verify")
    assert done.returncode == 1
    assert "marks.jsonl" in done.stdout
    aj(home, "sync")
    assert marks_of(home) == MARKED
    assert aj(home, "verify").returncode == 0


def test_a_clock_that_was_set_back_changes_nothing(home: Path) -> None:
    future = Mark(2**52, "claude-code", "s3", STAR, "", True)
    add_marks(str(marks_path(home)), lambda _: [future])
    assert marks_of(home)["s3"][2]
    aj(home, "star", "s3", "--remove")
    assert "s3" not in marks_of(home)


def test_a_full_disk_leaves_no_half_line(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = marks_path(home).read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(marks_file.os, "fsync", full)
    with pytest.raises(CannotWrite), open_journal(home) as journal:
        marking.star(journal.config.marks_path, [journal.row("s3")])
    assert marks_path(home).read_bytes() == before


def test_several_processes_write_at_once(home: Path) -> None:
    code = (
        "import sys; from agent_journal.store.marks_file import Mark, add_marks\n"
        "for number in range(50):\n"
        "    word = f'{sys.argv[2]}-{number}'\n"
        "    add_marks(sys.argv[1], lambda _: [Mark(number, 'a', 's', 'tag', word, True)])\n"
    )
    path = str(home / "many.jsonl")
    argv = [sys.executable, "-c", code, path]
    processes = [
        subprocess.Popen([*argv, name], env=variables(home)) for name in ("one", "two", "three")
    ]
    assert [process.wait(120) for process in processes] == [0, 0, 0]
    found = read_marks(path)
    assert len(set(found.marks)) == 150
    assert found.damaged == []


def test_ten_thousand_marks(home: Path) -> None:
    many = [Mark(n, "claude-code", "s3", TAG, f"t{n}", True) for n in range(10_000)]
    add_marks(str(marks_path(home)), lambda _: many)
    assert len(marks_of(home)["s3"][1]) == 10_000
    with open_journal(home) as journal:
        journal.sync()
        assert count_marks(journal.db) == 10_005
    assert aj_json(home, "verify")["items"][0]["marks"] == 10_005
    assert [item["id"] for item in aj_json(home, "ls", "tag:t9999")["items"]] == ["s3"]
