"""A backup whose archive lacks kept files is not taken for a whole one: `seen.jsonl` names them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agent_journal.store.archive import Archive
from tests.support.journals import aj, aj_json, pack_of, write_claude


@pytest.fixture
def cut_backup(tmp_path: Path) -> Path:
    """A journal without its index whose pack ends after the second of four files."""
    for number in range(4):
        write_claude(tmp_path, f"s{number}")
    aj(tmp_path, "sync")
    shutil.rmtree(tmp_path / ".claude")
    aj(tmp_path, "sync")
    shutil.rmtree(tmp_path / ".agent-journal/index")
    return tmp_path


def cut(home: Path) -> bytes:
    """Cut the pack off between two entries, and return its bytes before."""
    pack = pack_of(home)
    data = pack.read_bytes()
    second = list(Archive(str(pack.parent)).scan(1, 0))[1]
    pack.write_bytes(data[: second.end])
    return data


def test_sync_verify_and_doctor_name_what_is_lost(cut_backup: Path) -> None:
    cut(cut_backup)
    synced = aj(cut_backup, "sync")
    assert "the archive lacks what was kept of " in synced.stderr
    assert "s2.jsonl and 1 other file: copy the archive from a backup" in synced.stderr
    verified = aj(cut_backup, "verify")
    assert verified.returncode == 1
    lines = verified.stdout.splitlines()
    assert ["s2.jsonl: version 1" in line for line in lines] == [True, False]
    assert ["s3.jsonl: version 1" in line for line in lines] == [False, True]
    doctor = aj_json(cut_backup, "doctor")
    assert [line for line in doctor["advice"] if "s2.jsonl and 1 other file" in line]


def test_the_whole_archive_from_a_backup_cures_it(cut_backup: Path) -> None:
    whole = cut(cut_backup)
    aj(cut_backup, "sync")
    pack_of(cut_backup).write_bytes(whole)
    assert "lacks" not in aj(cut_backup, "sync").stderr
    verified = aj(cut_backup, "verify")
    assert (verified.returncode, verified.stdout) == (0, "")
    assert not [line for line in aj_json(cut_backup, "doctor")["advice"] if "lacks" in line]


def test_what_is_lost_can_be_given_up(cut_backup: Path) -> None:
    cut(cut_backup)
    aj(cut_backup, "sync")
    (cut_backup / ".agent-journal/seen.jsonl").unlink()
    aj(cut_backup, "sync")
    assert aj(cut_backup, "verify").returncode == 0
