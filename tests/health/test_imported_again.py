"""Damage to what was imported: the files are still there, although no agent's folder has them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_journal.store.archive import Archive
from tests.support.journals import (
    aj,
    flip_a_byte_of_the_archive,
    journal_digest,
    pack_of,
    write_claude,
)

FILE = ".claude/projects/-work-app/s1.jsonl"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A journal with an imported session only."""
    elsewhere = tmp_path / "elsewhere"
    write_claude(elsewhere, "s1", count=3)
    assert aj(tmp_path, "import", str(elsewhere / FILE)).returncode == 0
    assert aj(tmp_path, "sync").returncode == 0
    return tmp_path


def cut_the_archive(home: Path) -> None:
    pack = pack_of(home)
    first = next(iter(Archive(str(pack.parent)).scan(1, 0)))
    os.truncate(pack, first.start)


@pytest.mark.parametrize("damage", [flip_a_byte_of_the_archive, cut_the_archive])
def test_the_sync_after_verify_keeps_it_again(home: Path, damage: object) -> None:
    before = journal_digest(home)
    assert callable(damage)
    damage(home)
    assert aj(home, "verify").returncode == 1
    assert aj(home, "sync").returncode == 0
    healed = aj(home, "verify")
    assert healed.returncode == 0, healed.stdout
    assert journal_digest(home) == before


@pytest.mark.parametrize("damage", [flip_a_byte_of_the_archive, cut_the_archive])
def test_a_rebuild_loses_nothing(home: Path, damage: object) -> None:
    before = journal_digest(home)
    assert callable(damage)
    damage(home)
    assert aj(home, "sync", "--rebuild").returncode == 0
    assert aj(home, "show", "s1").returncode == 0
    assert aj(home, "verify").returncode == 0
    assert journal_digest(home) == before


def test_another_file_in_its_place_heals_nothing(home: Path) -> None:
    """Its size is the same: what the journal has of the old one is not given up."""
    flip_a_byte_of_the_archive(home)
    path = home / "elsewhere" / FILE
    path.write_bytes(path.read_bytes().replace(b"user text 0", b"USER TEXT 0"))
    refused = aj(home, "sync", "--rebuild")
    assert (refused.returncode, "only the catalog has the text" in refused.stderr) == (1, True)
    assert "user text 0" in aj(home, "show", "s1").stdout
