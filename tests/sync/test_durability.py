"""Crashes, two writers, full disks, damaged and foreign journals: nothing is lost, doubled or
silently wrong.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_journal.store.catalog.items import last_item, watermark
from agent_journal.sync.run import sync
from tests.support.journals import (
    aj,
    flip_a_byte_of_the_archive,
    journal_digest,
    open_journal,
    variables,
    wait_until,
    write_claude,
)

# Small batches, so that a kill can fall between two commits and in the middle of a file.
_SYNC = (
    "import agent_journal.sync.batches as batches; batches.BATCH_BYTES = 200_000\n"
    "import agent_journal.store.archive as archive\n"
    "archive.PACK_LIMIT = 300_000; archive.CHUNK = 50_000\n"
    "import agent_journal.sync.capture as capture; capture.CHUNK = 50_000\n"
    "from agent_journal.cli.main import main; import sys; sys.argv = ['aj', 'sync']; main()"
)


def start_sync(home: Path, errors: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _SYNC],
        env=variables(home),
        stdout=subprocess.DEVNULL,
        stderr=errors,
        text=True,
    )


def make_home(home: Path) -> None:
    for number in range(24):
        write_claude(home, f"s{number}", count=40 + 30 * (number % 5))
    write_claude(home, "large", count=2500)


def digest_in_peace(home: Path) -> dict[str, str]:
    """What the journal says when nothing disturbs it; the journal is then taken away again."""
    make_home(home)
    assert start_sync(home).wait() == 0
    digest = journal_digest(home)
    shutil.rmtree(home / ".agent-journal")
    return digest


SEEDS = 6 if os.environ.get("AJ_ALL_CUTS") else 3


@pytest.mark.parametrize("seed", range(SEEDS))
def test_kill_9_at_random_moments(tmp_path: Path, seed: int) -> None:
    """Five kills per seed: fifteen in all, thirty with `make test-all`."""
    rng = random.Random(seed)
    expected = digest_in_peace(tmp_path)
    for _ in range(5):
        process = start_sync(tmp_path)
        time.sleep(rng.uniform(0.1, 0.7))
        process.kill()
        process.wait()
    assert start_sync(tmp_path).wait() == 0
    assert journal_digest(tmp_path) == expected
    done = aj(tmp_path, "verify")
    assert done.returncode == 0, done.stdout


def test_two_syncs_at_once(tmp_path: Path) -> None:
    expected = digest_in_peace(tmp_path)
    both = [start_sync(tmp_path), start_sync(tmp_path)]
    assert [process.wait() for process in both] == [0, 0]
    assert journal_digest(tmp_path) == expected
    assert aj(tmp_path, "verify").returncode == 0


def test_reading_while_syncing(tmp_path: Path) -> None:
    make_home(tmp_path)
    process = start_sync(tmp_path)
    while process.poll() is None:
        done = aj(tmp_path, "ls")
        assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert len(aj(tmp_path, "ls").stdout.splitlines()) == 25


def test_ctrl_c_leaves_an_intact_journal(tmp_path: Path) -> None:
    make_home(tmp_path)
    pack = tmp_path / ".agent-journal/archive/000001.pack"
    process = start_sync(tmp_path, subprocess.PIPE)
    wait_until(lambda: pack.exists() or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert "Traceback" not in errors
    assert process.returncode in (0, 130)
    assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "verify").returncode == 0


@pytest.mark.parametrize("limit", [20_000, 150_000, 400_000])
def test_a_full_disk_is_one_clear_line(tmp_path: Path, limit: int) -> None:
    make_home(tmp_path)

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    done = aj(tmp_path, "sync", preexec_fn=small_files)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert str(tmp_path / ".agent-journal") in done.stderr
    assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "verify").returncode == 0
    assert len(aj(tmp_path, "ls").stdout.splitlines()) == 25


def test_readers_never_make_tables(tmp_path: Path) -> None:
    """A reader that comes between the first sync's making the file and its tables once made them a
    second time.
    """
    db = tmp_path / ".agent-journal/index/journal.db"
    db.parent.mkdir(parents=True)
    db.touch()
    assert aj(tmp_path, "ls").returncode == 0
    assert db.stat().st_size == 0
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    with sqlite3.connect(db) as connection:
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    done = aj(tmp_path, "ls")
    assert done.returncode == 1
    assert "'aj sync' upgrades it" in done.stderr


def test_a_journal_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    with sqlite3.connect(tmp_path / ".agent-journal/index/journal.db") as db:
        db.execute("PRAGMA user_version = 99")
    for command in ("sync", "ls", "verify", "doctor"):
        done = aj(tmp_path, command)
        assert done.returncode == 1
        assert "newer agent-journal" in done.stderr
        assert "pip install --upgrade" in done.stderr


def test_a_damaged_catalog_says_what_to_do_and_comes_back_from_the_archive(tmp_path: Path) -> None:
    write_claude(tmp_path, count=6)
    aj(tmp_path, "sync")
    before = journal_digest(tmp_path)
    shutil.rmtree(tmp_path / ".claude")
    db = tmp_path / ".agent-journal/index/journal.db"
    for beside in db.parent.glob("journal.db-*"):
        beside.unlink()
    db.write_bytes(b"this is not a database, " * 500)
    done = aj(tmp_path, "ls")
    assert done.returncode == 1
    assert "is damaged" in done.stderr
    assert "'aj sync' rebuilds it from the archive" in done.stderr
    done = aj(tmp_path, "sync")
    assert done.returncode == 0
    assert "the catalog was rebuilt from the archive" in done.stderr
    assert journal_digest(tmp_path) == before
    assert aj(tmp_path, "verify").returncode == 0


def test_a_torn_end_of_a_pack_is_cut_off(tmp_path: Path) -> None:
    write_claude(tmp_path, count=6)
    aj(tmp_path, "sync")
    pack = tmp_path / ".agent-journal/archive/000001.pack"
    whole = pack.read_bytes()
    pack.write_bytes(whole + whole[: len(whole) // 2])
    write_claude(tmp_path, count=2, start=6)
    assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "verify").returncode == 0
    with open_journal(tmp_path) as journal:
        assert len(journal.session("s1").messages) == 8


@pytest.mark.parametrize("length", [0, 3000])
def test_a_lost_part_of_the_archive_is_kept_again_where_the_source_exists(
    tmp_path: Path, length: int
) -> None:
    write_claude(tmp_path, "a", count=30)
    aj(tmp_path, "sync")
    write_claude(tmp_path, "a", count=30, start=30)
    write_claude(tmp_path, "b", count=30)
    aj(tmp_path, "sync")
    before = journal_digest(tmp_path)
    pack = tmp_path / ".agent-journal/archive/000001.pack"
    if length:
        pack.write_bytes(pack.read_bytes()[:length])
    else:
        pack.unlink()
    assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "verify").returncode == 0
    assert journal_digest(tmp_path) == before


def test_a_lost_part_of_the_archive_is_reported_where_the_source_is_gone(tmp_path: Path) -> None:
    write_claude(tmp_path, "a", count=30)
    aj(tmp_path, "sync")
    shutil.rmtree(tmp_path / ".claude")
    pack = tmp_path / ".agent-journal/archive/000001.pack"
    pack.write_bytes(pack.read_bytes()[:-10])
    assert aj(tmp_path, "sync").returncode == 0
    done = aj(tmp_path, "verify")
    assert done.returncode == 1
    assert "a.jsonl" in done.stdout


def test_a_full_sync_mends_a_damaged_archive(tmp_path: Path) -> None:
    write_claude(tmp_path, count=60)
    aj(tmp_path, "sync")
    flip_a_byte_of_the_archive(tmp_path)
    assert aj(tmp_path, "verify").returncode == 1
    assert aj(tmp_path, "sync", "--full").returncode == 0
    assert aj(tmp_path, "verify").returncode == 0


def test_an_older_catalog_beside_a_newer_archive_catches_up(tmp_path: Path) -> None:
    write_claude(tmp_path, "a", count=10)
    aj(tmp_path, "sync")
    index = tmp_path / ".agent-journal/index"
    shutil.copytree(index, tmp_path / "backup")
    write_claude(tmp_path, "a", count=10, start=10)
    write_claude(tmp_path, "b", count=10)
    aj(tmp_path, "sync")
    before = journal_digest(tmp_path)
    shutil.rmtree(tmp_path / ".claude")
    shutil.rmtree(index)
    shutil.copytree(tmp_path / "backup", index)
    assert aj(tmp_path, "sync").returncode == 0
    assert journal_digest(tmp_path) == before
    assert aj(tmp_path, "verify").returncode == 0


def test_two_catalogs_on_one_archive(tmp_path: Path) -> None:
    other = {"AJ_INDEX_PATH": str(tmp_path / "other")}
    write_claude(tmp_path, "a", count=10)
    aj(tmp_path, "sync")
    aj(tmp_path, "sync", env=other)
    write_claude(tmp_path, "a", count=10, start=10)
    aj(tmp_path, "sync", env=other)
    write_claude(tmp_path, "b", count=10)
    aj(tmp_path, "sync")
    aj(tmp_path, "sync", env=other)
    for env in ({}, other):
        done = aj(tmp_path, "verify", env=env)
        assert done.returncode == 0, done.stdout
        assert len(aj(tmp_path, "ls", env=env).stdout.splitlines()) == 2


def test_verify_finds_a_flipped_byte_in_the_archive(tmp_path: Path) -> None:
    write_claude(tmp_path, count=60)
    aj(tmp_path, "sync")
    flip_a_byte_of_the_archive(tmp_path)
    done = aj(tmp_path, "verify")
    assert done.returncode == 1
    assert "s1.jsonl" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("DELETE FROM messages WHERE id = (SELECT max(id) FROM messages)", "claude-code:s1"),
        ("UPDATE sessions SET title = 'another'", "claude-code:s1"),
        ("UPDATE usage SET counted = 0", "claude-code:s1"),
        ("UPDATE ledger SET bytes = bytes - 1 WHERE kind = 'user'", "s1.jsonl"),
        ("UPDATE versions SET size = size + 1", "s1.jsonl"),
    ],
)
def test_verify_finds_a_changed_catalog(tmp_path: Path, change: str, named: str) -> None:
    write_claude(tmp_path, count=6)
    aj(tmp_path, "sync")
    assert aj(tmp_path, "verify").returncode == 0
    with sqlite3.connect(tmp_path / ".agent-journal/index/journal.db") as db:
        db.execute(change)
    done = aj(tmp_path, "verify")
    assert done.returncode == 1
    assert named in done.stdout


class _FakeIndex:
    """An index in memory that can crash between its own commit and the watermark."""

    name = "fake"
    path = "in memory"  # no folder
    trouble = ""

    def __init__(self) -> None:
        self.tell: Callable[[float], None] = lambda _: None
        self.ids: list[int] = []
        self.crashes = False

    def reached(self, db: sqlite3.Connection) -> int:
        return watermark(db, self.name)

    def drop(self) -> None:
        self.ids = []

    def catch_up(self, db: sqlite3.Connection, watermark: int, gone: list[int]) -> int:
        self.ids = [i for i in self.ids if i <= watermark and i not in gone]
        self.ids += [
            row[0]
            for row in db.execute("SELECT id FROM messages WHERE id > ? ORDER BY id", (watermark,))
        ]
        if self.crashes:
            raise KeyboardInterrupt
        return last_item(db)


def test_an_index_follows_the_catalog_also_through_a_crash(tmp_path: Path) -> None:
    index = _FakeIndex()
    path = write_claude(tmp_path, count=4)

    def sync_with_index() -> list[int]:
        with open_journal(tmp_path) as journal:
            sync(journal.config, journal.env, find_indexes=lambda: [index])
            return [row[0] for row in journal.db.execute("SELECT id FROM messages ORDER BY id")]

    assert sync_with_index() == index.ids
    write_claude(tmp_path, count=2, start=4)
    index.crashes = True
    with pytest.raises(KeyboardInterrupt):
        sync_with_index()
    index.crashes = False
    assert sync_with_index() == index.ids
    path.write_bytes(path.read_bytes()[:-40])
    ids = sync_with_index()
    assert ids == index.ids
    assert len(ids) == 5
