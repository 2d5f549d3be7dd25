"""What is never written, what stays private, and what is given back."""

from __future__ import annotations

import stat
from pathlib import Path

from agent_journal.demo import write_demo_home
from agent_journal.text.dates import parse_bound
from tests.support.journals import (
    aj,
    flip_a_byte_of_the_archive,
    write_claude,
)


def test_an_empty_home_and_no_journal(tmp_path: Path) -> None:
    for args in (
        [],
        ["ls"],
        ["sources"],
        ["doctor"],
        ["verify"],
        ["sync"],
        ["ls", "--json"],
        ["config", "show"],
    ):
        done = aj(tmp_path, *args)
        assert done.returncode == 0, (args, done.stderr)
        assert "Traceback" not in done.stderr
    assert aj(tmp_path, "show", "last").returncode == 2
    assert aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "out")).returncode == 0


def test_looking_at_an_empty_home_leaves_nothing_behind(tmp_path: Path) -> None:
    for args in ([], ["ls"], ["sources"], ["doctor"], ["config", "show"]):
        aj(tmp_path, *args)
    assert list(tmp_path.iterdir()) == []


def test_everything_is_private(demo: Path) -> None:
    journal = demo / ".agent-journal"
    for path in [journal, *journal.rglob("*")]:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_the_agents_folders_are_never_written(tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), parse_bound("now"))

    def state() -> dict[str, tuple[int, int]]:
        folders = [tmp_path / ".claude", tmp_path / ".copilot"]
        found = [path for folder in folders for path in [folder, *folder.rglob("*")]]
        return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in found}

    before = state()
    for args in (["sync"], ["sync", "--full"], ["verify"], ["doctor"], ["show", "last"], ["ls"]):
        aj(tmp_path, *args)
    assert state() == before


def test_restore_never_overwrites_other_content(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    out = tmp_path / "out"
    assert aj(tmp_path, "restore", "s1", "-o", str(out)).returncode == 0
    again = aj(tmp_path, "restore", "s1", "-o", str(out))
    assert "1 file already there with the same content" in again.stderr
    (out / ".claude/projects/-work-app/s1.jsonl").write_text("mine")
    done = aj(tmp_path, "restore", "s1", "-o", str(out))
    assert done.returncode == 1
    assert "has other bytes" in done.stderr
    assert (out / ".claude/projects/-work-app/s1.jsonl").read_text() == "mine"


def test_restore_and_raw_leave_out_damaged_files(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write_claude(tmp_path, name, count=60)
    aj(tmp_path, "sync")
    flip_a_byte_of_the_archive(tmp_path)
    done = aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "out"))
    assert done.returncode == 1
    assert "2 files written" in done.stderr
    assert "not written: " in done.stderr
    written = sorted(path for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert [path.name for path in written] == ["a.jsonl", "c.jsonl"]
    for path in written:
        assert (
            path.read_bytes() == (tmp_path / ".claude/projects/-work-app" / path.name).read_bytes()
        )
    assert aj(tmp_path, "show", "b", "--raw").returncode == 1
    done = aj(tmp_path, "sync", "--full")
    assert "1 damaged part of the archive repaired" in done.stderr
    assert aj(tmp_path, "show", "b", "--raw").returncode == 0


def test_a_lost_index_is_not_an_empty_journal(tmp_path: Path) -> None:
    import shutil

    write_claude(tmp_path)
    aj(tmp_path, "sync")
    shutil.rmtree(tmp_path / ".agent-journal/index")
    for args in (["verify"], ["show", "last"], ["restore", "--all", "-o", "x"]):
        done = aj(tmp_path, *args)
        assert (done.returncode, "the index is missing" in done.stderr) == (1, True), args
    assert "The index is missing" in aj(tmp_path).stdout
    aj(tmp_path, "sync")
    assert aj(tmp_path, "verify").returncode == 0


def test_demo_leaves_nothing_behind_unless_kept(tmp_path: Path) -> None:
    done = aj(tmp_path, "demo", env={"TMPDIR": str(tmp_path)})
    assert done.returncode == 0
    assert list(tmp_path.iterdir()) == []
    kept = tmp_path / "kept"
    assert aj(tmp_path, "demo", "--keep", str(kept)).returncode == 0
    assert {path.name for path in kept.iterdir()} == {"home", "journal"}
    assert aj(tmp_path, "demo", "--keep", str(kept)).returncode == 2


def test_an_id_is_one_word_on_one_line(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    path.rename(path.parent / "a\nb;touch x.jsonl")
    aj(tmp_path, "sync")
    assert len(aj(tmp_path, "ls").stdout.splitlines()) == 1
    found = aj(tmp_path, "search", "text").stdout
    assert "aj show 'claude-code:a b;touch x' -m 0" in found
    head = aj(tmp_path, "show", "last").stdout.splitlines()[1]
    assert head.startswith("claude-code:a b;touch x ")
    assert aj(tmp_path, "usage", "session").stdout.splitlines()[1].startswith("a b;touc")
