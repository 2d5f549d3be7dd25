"""Links inside a folder that is written into: never followed, whatever they lead to."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from agent_journal.store.atomic import write_private
from tests.support.journals import aj, write_claude


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_claude(tmp_path)
    (tmp_path / ".claude/projects/-work-app/s1/subagents").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    return tmp_path


def outside(home: Path) -> list[str]:
    return os.listdir(home / "outside")


@pytest.mark.parametrize("place", [".claude", ".claude/projects", ".claude/projects/-work-app"])
def test_restore_follows_no_link_to_a_folder(home: Path, place: str) -> None:
    link = home / "out" / place
    link.parent.mkdir(parents=True)
    link.symlink_to(home / "outside")
    done = aj(home, "restore", "--all", "-o", str(home / "out"))
    assert done.returncode == 1
    assert "it is a symbolic link" in done.stderr
    assert outside(home) == []
    link.unlink()
    assert aj(home, "restore", "--all", "-o", str(home / "out")).returncode == 0


def test_restore_follows_no_link_to_a_file(home: Path) -> None:
    source = home / ".claude/projects/-work-app/s1.jsonl"
    place = home / "out/.claude/projects/-work-app/s1.jsonl"
    place.parent.mkdir(parents=True)
    for target in (source, home / "outside/new"):  # the same bytes, and nowhere
        place.symlink_to(target)
        done = aj(home, "restore", "--all", "-o", str(home / "out"))
        assert done.returncode == 1
        assert "exists and has other bytes" in done.stderr
        assert place.is_symlink()
        place.unlink()
    os.mkfifo(place)
    assert aj(home, "restore", "--all", "-o", str(home / "out")).returncode == 1
    assert outside(home) == []


def test_the_folder_itself_may_be_a_link(home: Path) -> None:
    (home / "out").symlink_to(home / "outside")
    assert aj(home, "restore", "--all", "-o", str(home / "out")).returncode == 0
    assert outside(home) == [".claude"]


def test_export_follows_no_link(home: Path) -> None:
    (home / "outside/kept").write_text("mine")
    for name in ("a.md", "b.html", "c.json"):
        (home / name).symlink_to(home / "outside/kept")
        assert aj(home, "export", "s1", "-o", str(home / name)).returncode == 2
        assert aj(home, "export", "s1", "-o", str(home / name), "--force").returncode == 0
        assert not (home / name).is_symlink()
    assert (home / "outside/kept").read_text() == "mine"


@pytest.mark.parametrize("target", ["claude-code", "copilot-cli", "codex", "gemini"])
def test_convert_follows_no_link(home: Path, target: str) -> None:
    assert aj(home, "convert", "s1", "--to", target, "-o", str(home / "real")).returncode == 0
    (first,) = (path for path in (home / "real").iterdir() if path.is_dir())
    (home / "out").mkdir()
    (home / "out" / first.name).symlink_to(home / "outside")
    for force in ([], ["--force"]):
        done = aj(home, "convert", "s1", "--to", target, "-o", str(home / "out"), *force)
        assert done.returncode == 1
        assert "symbolic link" in done.stderr
    assert outside(home) == []


def test_a_disk_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "file"
    assert write_private(str(path), [b"new"], overwrite=False) == 3
    with pytest.raises(FileExistsError):
        write_private(str(path), [b"other"], overwrite=False)
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["file"]
