"""Damaged headers of the archive: found, written again while the catalog knows them, and noted."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_journal.store.archive import Archive, Entry
from tests.support.journals import aj, journal_digest, pack_of, write_claude


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for number in range(4):
        write_claude(tmp_path, f"s{number}")
    folder = tmp_path / ".claude/projects/-work-app"
    shutil.copy(folder / "s1.jsonl", folder / "s9.jsonl")  # its bytes are kept once
    assert aj(tmp_path, "sync").returncode == 0
    return tmp_path


def entries(home: Path) -> list[Entry]:
    return list(Archive(str(pack_of(home).parent)).scan(1, 0))


def flip(home: Path, *places: int) -> None:
    pack = pack_of(home)
    data = bytearray(pack.read_bytes())
    for place in places:
        data[place] ^= 1
    pack.write_bytes(data)


def healed(home: Path) -> None:
    """Checks that damage is found, that a sync heals it, and that the archive is complete again."""
    before = journal_digest(home)
    assert aj(home, "verify").returncode == 1
    done = aj(home, "sync")
    assert "of the archive repaired" in done.stderr
    assert "every file was compared with its kept bytes" in done.stderr
    found = aj(home, "verify")
    assert found.returncode == 0, found.stdout
    shutil.rmtree(home / ".agent-journal/index")
    shutil.rmtree(home / ".claude", ignore_errors=True)
    assert aj(home, "sync").returncode == 0
    assert journal_digest(home) == before
    found = aj(home, "verify")
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("place", [5, 30])
@pytest.mark.parametrize("number", [1, -1])
def test_a_damaged_header_is_written_again(home: Path, place: int, number: int) -> None:
    flip(home, entries(home)[number].start + place)
    shutil.rmtree(home / ".claude")
    healed(home)


def test_several_headers_and_a_frame(home: Path) -> None:
    found = entries(home)
    flip(home, found[0].start, found[1].start, found[1].place.offset + 9, found[3].start + 40)
    healed(home)


def test_damage_beside_damage_that_was_healed(home: Path) -> None:
    found = entries(home)
    flip(home, found[1].start)
    assert aj(home, "sync", "--full").returncode == 0
    flip(home, found[0].start, found[2].start)
    healed(home)


def swap_blocks(data: bytes) -> bytes:
    """Headers and frames are torn apart, and what is found of them has other sizes."""
    return data[1024:2048] + data[:1024] + data[2048:]


def swap_small_blocks(data: bytes) -> bytes:
    """No entry of the first two stays whole."""
    return data[512:1024] + data[:512] + data[1024:]


def replace(data: bytes) -> bytes:
    return b"this is not what was here before\n" * 40


def add_garbage(data: bytes) -> bytes:
    return data + bytes(range(256)) * 3


@pytest.mark.parametrize("damage", [swap_blocks, swap_small_blocks, replace, add_garbage])
def test_gaps_are_settled_when_everything_is_kept_again(
    home: Path, damage: Callable[[bytes], bytes]
) -> None:
    before = journal_digest(home)
    pack = pack_of(home)
    pack.write_bytes(damage(pack.read_bytes()))
    assert aj(home, "verify").returncode == 1
    assert aj(home, "sync").returncode == 0
    found = aj(home, "verify")
    assert found.returncode == 0, found.stdout
    shutil.rmtree(home / ".agent-journal/index")
    shutil.rmtree(home / ".claude")
    assert aj(home, "sync").returncode == 0
    assert journal_digest(home) == before
    found = aj(home, "verify")
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("damage", [swap_small_blocks, replace])
def test_what_is_lost_stays_reported(home: Path, damage: Callable[[bytes], bytes]) -> None:
    pack = pack_of(home)
    pack.write_bytes(damage(pack.read_bytes()))
    (home / ".claude/projects/-work-app/s0.jsonl").unlink()
    for _ in range(2):
        assert aj(home, "verify").returncode == 1
        assert aj(home, "sync").returncode == 0
    found = aj(home, "verify")
    assert found.returncode == 1
    assert "s0.jsonl: version 1: " in found.stdout


def test_what_nobody_knows_stays_reported(home: Path) -> None:
    flip(home, entries(home)[1].start)
    shutil.rmtree(home / ".agent-journal/index")
    for _ in range(2):
        assert aj(home, "sync", "--full").returncode == 0
        assert aj(home, "verify").returncode == 1


def test_a_frame_that_is_lost_with_its_header_stays_reported(home: Path) -> None:
    entry = entries(home)[0]
    flip(home, entry.start, entry.place.offset + 9)
    shutil.rmtree(home / ".claude")
    for _ in range(2):
        assert aj(home, "sync", "--full").returncode == 0
        done = aj(home, "verify")
        assert done.returncode == 1
        assert "are not an entry" in done.stdout


def test_damage_of_any_bit_of_a_prefix_costs_no_neighbour(home: Path) -> None:
    found = entries(home)
    data = pack_of(home).read_bytes()
    damaged = found[1]
    others = [entry for entry in found if entry != damaged]
    for place in range(damaged.start, damaged.start + 17):
        for bit in range(8):
            changed = bytearray(data)
            changed[place] ^= 1 << bit
            pack_of(home).write_bytes(changed)
            assert entries(home) == others, (place - damaged.start, bit)


def test_a_damaged_last_entry_is_no_torn_end(home: Path) -> None:
    flip(home, entries(home)[-1].start + 30)
    shutil.rmtree(home / ".claude")
    shutil.rmtree(home / ".agent-journal/index")
    assert aj(home, "sync").returncode == 0
    done = aj(home, "verify")
    assert done.returncode == 1
    assert "there is no entry of the archive from byte" in done.stdout


@pytest.mark.parametrize("end", [-1, -300, -700])
def test_a_torn_end_is_no_damage(home: Path, end: int) -> None:
    pack = pack_of(home)
    pack.write_bytes(pack.read_bytes()[:end])
    assert aj(home, "sync", "--full").returncode == 0
    found = aj(home, "verify")
    assert found.returncode == 0, found.stdout


def test_an_end_torn_behind_a_header_is_no_entry(home: Path) -> None:
    last = next(entry for entry in reversed(entries(home)) if entry.place.stored)
    pack = pack_of(home)
    data = pack.read_bytes()
    for end in range(last.start, last.place.offset + 1):
        pack.write_bytes(data[:end])
        assert entries(home)[-1].end == last.start, end
        assert end == last.start or Archive(str(pack.parent)).is_torn(1, last.start), end


@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_rebuild_loses_nothing_behind_a_damaged_header(home: Path, is_damaged: bool) -> None:
    flip(home, entries(home)[1].start + 30)
    shutil.rmtree(home / ".claude")
    before = journal_digest(home)
    if is_damaged:
        (home / ".agent-journal/index/damaged").write_text("it is damaged\n")
        assert aj(home, "sync").returncode == 0
    else:
        assert aj(home, "sync", "--rebuild").returncode == 0
    assert journal_digest(home) == before
    found = aj(home, "verify")
    assert found.returncode == 0, found.stdout
