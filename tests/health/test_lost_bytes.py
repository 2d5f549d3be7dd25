"""Nothing says of a file that it is kept when the agent deleted it and the archive has lost it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.support.journals import (
    aj,
    flip_a_byte_of_the_archive,
    pack_of,
    write_claude,
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A journal with two sessions whose files are gone."""
    write_claude(tmp_path, "s1", count=3)
    write_claude(tmp_path, "s2", count=2)
    aj(tmp_path, "sync")
    shutil.rmtree(tmp_path / ".claude/projects/-work-app")
    aj(tmp_path, "sync")
    return tmp_path


def said(home: Path) -> str:
    """What the commands say that are about the whole journal."""
    commands = [[], ["doctor"], ["sources", "--files"]]
    return "\n".join(aj(home, *command).stdout for command in commands)


def is_called_kept(home: Path, session: str) -> bool:
    shown = aj(home, "show", session).stdout
    is_kept = "; kept here" in shown
    assert is_kept != ("the archive has lost bytes of it" in shown)
    return is_kept


def test_what_is_there_is_called_kept(home: Path) -> None:
    text = said(home)
    assert "2 files deleted from the agents' folders, kept here" in text
    assert "2 files deleted by the agent, kept here" in text
    assert "2 files kept, 2.0 KB, 2 of them deleted by the agent" in text
    assert "lost" not in text
    assert is_called_kept(home, "s1")


def test_damage_that_verify_found_is_known_to_all(home: Path) -> None:
    flip_a_byte_of_the_archive(home)  # of s1
    for command in ("verify", "sync", "verify"):
        done = aj(home, command)
        if command == "sync":
            assert "the archive has lost bytes of 1 file: see 'aj doctor'" in done.stderr
        text = said(home)
        assert "from the agents' folders, 1 kept here; the archive has lost bytes of 1\n" in text
        assert "by the agent, 1 kept here; the archive has lost bytes of 1\n" in text
        assert "848 B of sessions kept at" in text
        assert "1 file kept, 848 B, 1 of them deleted by the agent; the archive has lost" in text
        assert "s1.jsonl  log  1.1 KB  deleted by the agent, the archive has lost bytes" in text
        assert "→ the archive is damaged, and has lost bytes of some files of Claude Code" in text
        assert [is_called_kept(home, name) for name in ("s1", "s2")] == [False, True]


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_pack_that_is_gone_or_cut_off_is_noticed_at_once(home: Path, is_deleted: bool) -> None:
    if is_deleted:
        pack_of(home).unlink()
    else:
        os.truncate(pack_of(home), 10)
    for _ in range(2):  # before and after a sync has noticed it
        text = said(home)
        assert "from the agents' folders; the archive has lost bytes of 2\n" in text
        assert "deleted by the agent; the archive has lost bytes of 2\n" in text
        assert "0 B of sessions kept at" in text
        assert "0 files kept, 0 B; the archive has lost bytes of 2 more\n" in text
        assert not is_called_kept(home, "s1")
        aj(home, "sync")


def test_what_a_new_catalog_could_not_read_is_not_called_kept(home: Path) -> None:
    flip_a_byte_of_the_archive(home)
    (home / ".agent-journal/index/journal.db").unlink()
    assert aj(home, "sync").returncode == 0
    assert "from the agents' folders, 1 kept here; the archive has lost bytes of 1\n" in said(home)


def test_files_that_vanish_from_a_damaged_journal_are_not_called_kept(tmp_path: Path) -> None:
    log = write_claude(tmp_path, "s1")
    write_claude(tmp_path, "s2")
    aj(tmp_path, "sync")
    pack_of(tmp_path).unlink()
    log.unlink()
    done = aj(tmp_path, "sync").stderr
    assert "1 file deleted by the agent" in done
    assert "kept here" not in done
    assert "the archive has lost bytes of 1 file: see 'aj doctor'" in done


def test_the_doctor_does_not_call_a_damaged_file_on_disk_kept(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1")
    aj(tmp_path, "sync")
    assert "1 file, kept" in aj(tmp_path, "doctor").stdout
    flip_a_byte_of_the_archive(tmp_path)
    aj(tmp_path, "verify")
    assert "1 file, 1 not kept yet" in aj(tmp_path, "doctor").stdout
    aj(tmp_path, "sync")
    assert "1 file, kept" in aj(tmp_path, "doctor").stdout


def test_what_came_back_from_a_backup_is_called_kept_again(home: Path) -> None:
    whole = pack_of(home).read_bytes()
    flip_a_byte_of_the_archive(home)
    assert aj(home, "verify").returncode == 1
    pack_of(home).write_bytes(whole)
    assert aj(home, "verify").returncode == 0
    assert is_called_kept(home, "s1")
    assert "lost" not in said(home)
