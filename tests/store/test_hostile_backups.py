"""Backups that somebody has changed: nothing is written elsewhere, nothing lacks unnoticed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_journal.errors import JournalError
from agent_journal.store.backup.folder import back_up_to_folder
from agent_journal.store.backup.restoring import restore_journal, unpack
from agent_journal.store.backup.tarball import back_up_to_file
from tests.support.journals import aj, write_claude


def quiet(done: int, total: int, name: str) -> None:
    """Nobody looks at the progress."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal with one session that has a star."""
    home = tmp_path_factory.mktemp("home")
    write_claude(home)
    assert aj(home, "sync").returncode == 0
    assert aj(home, "star", "s1").returncode == 0
    return home


def back_up(home: Path, folder: Path, with_index: bool = False) -> None:
    journal = str(home / ".agent-journal")
    index = os.path.join(journal, "index")
    back_up_to_folder(journal, index, str(folder), with_index=with_index, tell=quiet)


@pytest.fixture
def backup(home: Path, tmp_path: Path) -> Path:
    """A backup in a folder."""
    folder = tmp_path / "backup"
    journal = home / ".agent-journal"
    back_up_to_folder(
        str(journal), str(journal / "index"), str(folder), with_index=False, tell=quiet
    )
    return folder


def change_list(backup: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change which files a backup says it has."""
    path = backup / "backup.json"
    content = json.loads(path.read_text())
    change(content["files"])
    path.write_text(json.dumps(content))


def part(data: bytes) -> list[dict[str, Any]]:
    """How the list describes a file."""
    return [{"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}]


@pytest.mark.parametrize(
    "name", ["../../planted", "archive/../../../planted", "web.key", "write.lock", "x\0y", "", "."]
)
def test_a_name_that_no_backup_has_is_left_out(backup: Path, tmp_path: Path, name: str) -> None:
    (tmp_path.parent / "planted").write_bytes(b"evil")
    (backup / "web.key").write_bytes(b"evil")
    (backup / "write.lock").write_bytes(b"evil")
    change_list(backup, lambda files: files.update({name: part(b"evil")}))
    target = tmp_path / "a" / "b" / "c"
    files = restore_journal(str(backup), str(target), quiet)
    assert {file.reason for file in files} == {None}
    assert sorted(os.listdir(target)) == ["archive", "marks.jsonl", "seen.jsonl"]
    assert not list((tmp_path / "a").rglob("planted"))


def test_a_pipe_in_a_backup_is_not_waited_for(backup: Path, tmp_path: Path) -> None:
    (backup / "marks.jsonl").unlink()
    os.mkfifo(backup / "marks.jsonl")
    lacking = [file for file in unpack(str(backup), str(tmp_path / "out"), quiet) if file.reason]
    assert [(file.path, file.reason) for file in lacking] == [
        ("marks.jsonl", "the backup lacks it")
    ]


def test_a_restore_that_lacks_a_file_fails(home: Path, backup: Path, tmp_path: Path) -> None:
    (backup / "marks.jsonl").unlink()
    done = aj(home, "restore", "--from", str(backup), "-o", str(tmp_path / "out"))
    assert "marks.jsonl: the backup lacks it" in done.stderr
    assert done.returncode == 1


def test_a_file_that_lacks_something_of_its_list_says_so(home: Path, tmp_path: Path) -> None:
    import io
    import tarfile

    from backports import zstd

    journal = home / ".agent-journal"
    path = tmp_path / "journal.tar.zst"
    back_up_to_file(str(journal), str(journal / "index"), str(path), with_index=False, tell=quiet)
    smaller = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(zstd.decompress(path.read_bytes()))) as old,
        tarfile.open(fileobj=smaller, mode="w") as new,
    ):
        for member in old:
            if member.name != "marks.jsonl":
                new.addfile(member, old.extractfile(member))
    path.write_bytes(zstd.compress(smaller.getvalue()))
    files = unpack(str(path), str(tmp_path / "out"), quiet)
    assert [file.path for file in files if file.reason] == ["marks.jsonl"]


@pytest.mark.parametrize("text", ['{"format": Infinity}', "[" * 100_000])
def test_a_list_that_is_none_is_called_damaged(backup: Path, tmp_path: Path, text: str) -> None:
    (backup / "backup.json").write_text(text)
    with pytest.raises(JournalError, match="is damaged"):
        restore_journal(str(backup), str(tmp_path / "out"), quiet)


def test_folders_of_others_stay_where_a_journal_is_restored(
    home: Path, backup: Path, tmp_path: Path
) -> None:
    journal = home / ".agent-journal"
    back_up_to_folder(
        str(journal), str(journal / "index"), str(backup), with_index=True, tell=quiet
    )
    target = tmp_path / "out"
    for name in ("restoring", "index", "photos"):
        (target / name).mkdir(parents=True)
        (target / name / "mine").write_text("precious")
    restore_journal(str(backup), str(target), quiet)
    assert [(target / name / "mine").read_text() for name in ("restoring", "index", "photos")] == [
        "precious"
    ] * 3
    assert (target / "index/journal.db").exists()


def test_files_of_others_are_never_overwritten(backup: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    (target / "restoring").mkdir(parents=True)
    (target / "marks.jsonl").write_text("mine")
    with pytest.raises(JournalError, match="there is a journal"):
        restore_journal(str(backup), str(target), quiet)
    assert (target / "marks.jsonl").read_text() == "mine"
