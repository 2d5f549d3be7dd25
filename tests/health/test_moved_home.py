"""Damage after a home was moved: what is kept under the new path heals what is kept of the old."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_journal.store.archive import Archive
from agent_journal.store.catalog.files import Files
from agent_journal.store.content import KeptContent
from tests.support.journals import aj, open_journal, pack_of, write_claude


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """A home that was another user's; one log had grown there, so it is kept in two frames."""
    old = tmp_path / "alice"
    write_claude(old, "s1", count=3)
    write_claude(old, "s2", count=2)
    with open_journal(old) as journal:
        journal.sync()
    write_claude(old, "s1", count=3, start=3)
    with open_journal(old) as journal:
        journal.sync()
    new = tmp_path / "bob"
    old.rename(new)
    with open_journal(new) as journal:
        journal.sync()
    return new


def flip_every_frame(pack: Path) -> None:
    data = bytearray(pack.read_bytes())
    for entry in Archive(str(pack.parent)).scan(1, 0):
        if entry.place.stored:
            data[entry.place.offset + entry.place.stored // 2] ^= 255
    pack.write_bytes(data)


def flip_the_first_frame(pack: Path) -> None:
    data = bytearray(pack.read_bytes())
    first = next(Archive(str(pack.parent)).scan(1, 0))
    data[first.place.offset + 20] ^= 255
    pack.write_bytes(data)


def cut_in_half(pack: Path) -> None:
    os.truncate(pack, pack.stat().st_size // 2)


def delete(pack: Path) -> None:
    pack.unlink()


DAMAGES = [flip_the_first_frame, flip_every_frame, cut_in_half, delete]


def kept_bytes(home: Path) -> dict[tuple[str, int], bytes]:
    """The bytes of every version, by path and number."""
    found = {}
    with open_journal(home) as journal:
        files = Files(journal.db)
        for row in files.all():
            for version in files.versions(row.id):
                content = KeptContent(files, journal.archive, row, version)
                found[row.path, version.number] = b"".join(content.chunks())
    return found


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_version_is_healed(moved: Path, damage: Callable[[Path], None]) -> None:
    before = kept_bytes(moved)
    damage(pack_of(moved))
    assert aj(moved, "verify").returncode == 1
    assert "repaired" in aj(moved, "sync").stderr
    found = aj(moved, "verify")
    assert found.returncode == 0, found.stdout
    assert kept_bytes(moved) == before
    assert "problem" not in aj(moved, "sync").stderr


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_archive_alone_knows_what_was_healed(
    moved: Path, damage: Callable[[Path], None]
) -> None:
    before = kept_bytes(moved)
    damage(pack_of(moved))
    aj(moved, "sync", "--full")
    shutil.rmtree(moved / ".agent-journal/index")
    shutil.rmtree(moved / ".claude")
    assert aj(moved, "sync").returncode == 0
    assert kept_bytes(moved) == before
    found = aj(moved, "verify")
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("damage", DAMAGES[1:])  # the first one leaves the frame of the new path
def test_what_is_really_lost_is_named(moved: Path, damage: Callable[[Path], None]) -> None:
    (moved / ".claude/projects/-work-app/s1.jsonl").unlink()
    damage(pack_of(moved))
    aj(moved, "sync", "--full")
    for _ in range(2):
        found = aj(moved, "verify")
        assert found.returncode == 1
        assert "s1.jsonl: version 1: " in found.stdout
        assert "s2.jsonl: version 1: " not in found.stdout
        aj(moved, "sync")


def test_files_with_the_same_bytes_have_entries_of_their_own_again(tmp_path: Path) -> None:
    log = write_claude(tmp_path, "s1")
    copy = tmp_path / ".claude/projects/-work-copy/s1.jsonl"
    copy.parent.mkdir()
    shutil.copy(log, copy)
    aj(tmp_path, "sync")
    before = kept_bytes(tmp_path)
    pack_of(tmp_path).unlink()
    aj(tmp_path, "sync")
    shutil.rmtree(tmp_path / ".agent-journal/index")
    shutil.rmtree(tmp_path / ".claude")
    aj(tmp_path, "sync")
    assert kept_bytes(tmp_path) == before
    assert len(before) == 2


def test_a_file_that_changed_since_does_not_fill_what_was_lost(tmp_path: Path) -> None:
    """Its first bytes are those that are left; those that were lost were others."""
    log = write_claude(tmp_path, "s1", count=2)
    aj(tmp_path, "sync")
    write_claude(tmp_path, "s1", count=2, start=2)
    aj(tmp_path, "sync")
    before = log.read_bytes()
    second = list(Archive(str(pack_of(tmp_path).parent)).scan(1, 0))[1]
    os.truncate(pack_of(tmp_path), second.start)
    log.write_bytes(before.replace(b"text 3", b"TEXT 3"))
    aj(tmp_path, "sync")
    found = aj(tmp_path, "verify")
    assert (found.returncode, "s1.jsonl: version 1: " in found.stdout) == (1, True)
    log.write_bytes(before)
    aj(tmp_path, "sync", "--full")
    assert "version 1: " not in aj(tmp_path, "verify").stdout
