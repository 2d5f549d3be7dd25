"""Appends are recognised by the ends of a file, and proven when it rests: no mixture is given out.

A mixture is what was kept before a change in the middle, with what was appended after it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from agent_journal.sync import capture, proofs
from agent_journal.sync.report import Report
from tests.support.journals import aj, journal_digest, open_journal, texts, write_claude

NAME = ".claude/projects/-work-app/s1.jsonl"


@pytest.fixture(autouse=True)
def small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are as large as they are in homes, compared with the window."""
    monkeypatch.setattr(capture, "_WINDOW", 100)


def sync(home: Path, full: bool = False) -> Report:
    with open_journal(home) as journal:
        return journal.sync(full=full, index=False)


def restored(home: Path) -> dict[str, bytes]:
    """What each version of the session is given back as."""
    out = home / "out"
    shutil.rmtree(out, ignore_errors=True)
    done = aj(home, "restore", "--all", "--all-versions", "-o", str(out))
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in (out / NAME).parent.iterdir()}


def change(path: Path, old: bytes, new: bytes) -> None:
    assert len(old) == len(new)
    data = path.read_bytes()
    assert data.count(old) == 1
    path.write_bytes(data.replace(old, new))


def grown(home: Path) -> Path:
    """A log that was kept in four steps."""
    for start in range(0, 8, 2):
        path = write_claude(home, count=2, start=start)
        sync(home)
    return path


def test_a_change_before_an_append_is_found_when_the_file_rests(tmp_path: Path) -> None:
    path = grown(tmp_path)
    sync(tmp_path)  # at rest: all that was kept is proven
    before = path.read_bytes()
    change(path, b"assistant text 3 of s1", b"another answer of s1!!")
    write_claude(tmp_path, count=1, start=8)
    sync(tmp_path)
    assert sync(tmp_path).rewritten_files == 1
    files = restored(tmp_path)
    assert files["s1.jsonl"] == path.read_bytes()
    assert files["s1.jsonl.v1"] == before
    assert "another answer of s1!!" in texts(tmp_path)
    assert aj(tmp_path, "verify").returncode == 0
    assert sync(tmp_path).changed_files == 0


def test_nothing_that_was_kept_is_lost_and_no_mixture_is_called_the_file(tmp_path: Path) -> None:
    """Two changes, and appends without a rest between them: which states there were is unknown."""
    path = grown(tmp_path)
    states = [path.read_bytes()[:size] for size in _line_ends(path)]
    old = path.read_bytes()
    change(path, b"assistant text 3 of s1", b"another answer of s1!!")
    change(path, b"assistant text 5 of s1", b"changed in a later one")
    write_claude(tmp_path, count=1, start=8)
    states.append(path.read_bytes())
    sync(tmp_path)
    sync(tmp_path)
    files = restored(tmp_path)
    assert files.pop("s1.jsonl") == path.read_bytes()
    assert files.pop("s1.jsonl.v1.mixed").startswith(old)
    assert files["s1.jsonl.v1"] in states
    assert list(files) == ["s1.jsonl.v1"]


def _line_ends(path: Path) -> list[int]:
    return [at + 1 for at, byte in enumerate(path.read_bytes()) if byte == 10]


def test_a_mixture_is_known_when_the_catalog_is_made_again(tmp_path: Path) -> None:
    path = grown(tmp_path)
    sync(tmp_path)
    change(path, b"assistant text 3 of s1", b"another answer of s1!!")
    write_claude(tmp_path, count=1, start=8)
    sync(tmp_path)
    sync(tmp_path)
    files = restored(tmp_path)
    digest = journal_digest(tmp_path)
    shutil.rmtree(tmp_path / ".agent-journal/index")
    sync(tmp_path)
    assert restored(tmp_path) == files
    assert journal_digest(tmp_path) == digest


def test_a_small_file_is_compared_when_it_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    path = grown(tmp_path)
    before = path.read_bytes()
    change(path, b"assistant text 3 of s1", b"another answer of s1!!")
    write_claude(tmp_path, count=1, start=8)
    assert sync(tmp_path).rewritten_files == 1
    assert restored(tmp_path) == {"s1.jsonl": path.read_bytes(), "s1.jsonl.v1": before}


def test_verify_names_a_mixture_while_the_source_exists(tmp_path: Path) -> None:
    path = grown(tmp_path)
    change(path, b"assistant text 3 of s1", b"another answer of s1!!")
    write_claude(tmp_path, count=1, start=8)
    sync(tmp_path)
    done = aj(tmp_path, "verify")
    assert done.returncode == 1
    assert "s1.jsonl" in done.stdout
    assert "the next 'aj sync' keeps both" in done.stdout
    sync(tmp_path)
    assert aj(tmp_path, "verify").returncode == 0
    assert restored(tmp_path)["s1.jsonl"] == path.read_bytes()


def test_verify_names_a_change_that_left_size_and_time(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    sync(tmp_path)
    status = path.stat()
    with path.open("r+b") as file:
        file.seek(path.read_bytes().index(b"assistant text 1"))
        file.write(b"ASSISTANT TEXT 1")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert aj(tmp_path, "verify").returncode == 1
    write_claude(tmp_path, count=1, start=4)  # a file that has changed since is not compared
    assert aj(tmp_path, "verify").returncode == 0


def test_an_emptied_log_is_no_difference(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    sync(tmp_path)
    path.write_bytes(b"")
    sync(tmp_path)
    assert aj(tmp_path, "verify").returncode == 0


def test_a_file_that_grows_is_compared_once_it_rests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[int] = []
    find = capture.Capture._first_difference

    def counted(self: capture.Capture, *args: object, **options: object) -> object:
        compared.append(self.row.id)
        return find(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(capture.Capture, "_first_difference", counted)
    grown(tmp_path)
    assert not compared
    sync(tmp_path)
    assert len(compared) == 1
    sync(tmp_path)
    assert len(compared) == 1


def test_large_files_are_compared_later_and_one_in_a_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proofs, "BUDGET", 1000)
    paths = [write_claude(tmp_path, name, count=4) for name in ("s1", "s2", "s3")]
    sync(tmp_path)
    for path in paths:
        write_claude(tmp_path, path.stem, count=2, start=4)
    sync(tmp_path)
    assert unproven(tmp_path) == 3
    sync(tmp_path)
    assert unproven(tmp_path) == 3
    for path in paths:
        os.utime(path, (1, 1))
    sync(tmp_path)  # another time: compared as a change
    assert unproven(tmp_path) == 0
    for path in paths:
        write_claude(tmp_path, path.stem, count=2, start=6)
        os.utime(path, (2, 2))
    for left in (3, 2, 1, 0):
        sync(tmp_path)
        assert unproven(tmp_path) == left


def unproven(home: Path) -> int:
    with open_journal(home) as journal:
        count: int = journal.db.execute("SELECT count(*) FROM growth").fetchone()[0]
    return count
