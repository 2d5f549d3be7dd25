"""Copies of an Aider history in several folders: each one is looked at as long as it is there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.support.aider_histories import RUN, history
from tests.support.journals import aj, aj_json

_FIRST = RUN + "#### first  \n\nDone.\n\n"
_SECOND = _FIRST.replace("09:15", "10:15").replace("first", "second")
_THIRD = _FIRST.replace("09:15", "11:15").replace("first", "third")


def titles(home: Path) -> list[str]:
    return sorted(item["title"] for item in aj_json(home, "ls", "--all")["items"])


def projects(home: Path) -> set[str]:
    return {item["project_path"] for item in aj_json(home, "ls", "--all")["items"]}


def sync_in(home: Path, folder: Path) -> None:
    done = aj(home, "sync", cwd=folder)
    assert done.returncode == 0, done.stderr


def vanished_files(home: Path) -> int:
    """How many files a sync found to be gone."""
    found: int = aj_json(home, "sync", cwd=home)["items"][0]["vanished_files"]
    return found


def assert_verified(home: Path) -> None:
    done = aj(home, "verify")
    assert done.returncode == 0, done.stdout


def test_a_history_is_still_read_when_a_copy_of_it_was_imported(tmp_path: Path) -> None:
    live = history(tmp_path / "proj", _FIRST)
    sync_in(tmp_path, live.parent)
    aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "zbackup"))
    aj(tmp_path, "import", str(tmp_path / "zbackup"))
    assert projects(tmp_path) == {str(live.parent)}
    history(live.parent, _FIRST + _SECOND)
    sync_in(tmp_path, tmp_path)
    assert titles(tmp_path) == ["first", "second"]
    assert_verified(tmp_path)


def test_both_copies_of_a_history_are_still_read(tmp_path: Path) -> None:
    first = history(tmp_path / "a/app", _FIRST)
    sync_in(tmp_path, first.parent)
    shutil.copytree(tmp_path / "a/app", tmp_path / "b/app")
    sync_in(tmp_path, tmp_path / "b/app")
    history(tmp_path / "a/app", _FIRST + _SECOND)
    history(tmp_path / "b/app", _FIRST + _THIRD)
    sync_in(tmp_path, tmp_path)
    assert titles(tmp_path) == ["first", "second", "third"]
    assert_verified(tmp_path)


def test_an_imported_file_of_another_name_is_not_gone(tmp_path: Path) -> None:
    live = history(tmp_path / "proj", _FIRST + _SECOND)
    sync_in(tmp_path, live.parent)
    copy = tmp_path / "notes/old-chat.md"
    copy.parent.mkdir()
    shutil.copy2(live, copy)
    aj(tmp_path, "import", str(copy))
    assert vanished_files(tmp_path) == 0
    os.unlink(copy)
    live.unlink()
    assert vanished_files(tmp_path) == 2
