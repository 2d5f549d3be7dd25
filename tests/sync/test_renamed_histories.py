"""An Aider history whose folder is renamed has the same sessions, as long as it is moved."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.aider_histories import CHAT, RUN, history
from tests.support.journals import aj, aj_json

_FIRST = RUN + "#### first  \n\nDone.\n\n"
_SECOND = _FIRST.replace("09:15", "10:15").replace("first", "second")
_THIRD = _FIRST.replace("09:15", "11:15").replace("first", "third")


def listed(home: Path) -> dict[str, str]:
    """The ids of all sessions by title; two of one title are an error."""
    items = aj_json(home, "ls", "--all")["items"]
    assert len({item["title"] for item in items}) == len(items)
    return {item["title"]: item["id"] for item in items}


def projects(home: Path) -> set[str]:
    return {item["project_path"] for item in aj_json(home, "ls", "--all")["items"]}


def sync_in(home: Path, folder: Path) -> None:
    done = aj(home, "sync", cwd=folder)
    assert done.returncode == 0, done.stderr


def assert_sound(home: Path) -> None:
    """What verify derives in another order is the same, and so is a rebuilt journal."""
    done = aj(home, "verify")
    assert done.returncode == 0, done.stdout
    before = (listed(home), projects(home))
    assert aj(home, "sync", "--rebuild", cwd=home).returncode == 0
    assert (listed(home), projects(home)) == before


def renamed(home: Path, new: str = "shop") -> Path:
    """A synced history, and the folder it was moved to afterwards."""
    live = history(home / "app", _FIRST + _SECOND)
    sync_in(home, live.parent)
    return live.parent.rename(home / new)


def test_a_renamed_folder_has_the_same_sessions(tmp_path: Path) -> None:
    for name in ("shop", "aaa"):
        home = tmp_path / name
        folder = renamed(home, name)
        before = listed(home)
        sync_in(home, folder)
        assert listed(home) == before
        assert projects(home) == {str(folder)}
        assert_sound(home)


def test_a_renamed_history_goes_on(tmp_path: Path) -> None:
    folder = renamed(tmp_path)
    before = listed(tmp_path)
    history(folder, _FIRST + _SECOND + _THIRD)
    sync_in(tmp_path, folder)
    after = listed(tmp_path)
    assert set(after) == {"first", "second", "third"}
    assert after | before == after
    assert_sound(tmp_path)


def test_a_folder_that_is_renamed_twice_and_back(tmp_path: Path) -> None:
    folder = renamed(tmp_path)
    before = listed(tmp_path)
    for name in ("third", "app", "fourth"):
        sync_in(tmp_path, folder)
        folder = folder.rename(tmp_path / name)
        sync_in(tmp_path, folder)
        assert listed(tmp_path) == before
        assert projects(tmp_path) == {str(folder)}
    assert_sound(tmp_path)


def test_a_copy_whose_original_is_deleted_later(tmp_path: Path) -> None:
    live = history(tmp_path / "app", _FIRST + _SECOND)
    sync_in(tmp_path, live.parent)
    before = listed(tmp_path)
    shutil.copytree(live.parent, tmp_path / "copy")
    sync_in(tmp_path, tmp_path / "copy")
    shutil.rmtree(live.parent)
    sync_in(tmp_path, tmp_path)
    assert listed(tmp_path) == before
    assert projects(tmp_path) == {str(tmp_path / "copy")}
    assert_sound(tmp_path)


def test_a_new_history_at_the_old_path_is_another_one(tmp_path: Path) -> None:
    folder = renamed(tmp_path)
    before = listed(tmp_path)
    new = history(tmp_path / "app", _THIRD)
    sync_in(tmp_path, folder)
    sync_in(tmp_path, new.parent)
    after = listed(tmp_path)
    assert set(after) == {"first", "second", "third"}
    assert after | before == after
    assert_sound(tmp_path)


def test_runs_of_a_script_in_folders_that_exist_are_different(tmp_path: Path) -> None:
    for name in ("one", "two"):
        history(tmp_path / name, _FIRST)
        sync_in(tmp_path, tmp_path / name)
    items = aj_json(tmp_path, "ls", "--all")["items"]
    assert len({item["id"] for item in items}) == 2
    assert (tmp_path / "one" / CHAT).exists()
