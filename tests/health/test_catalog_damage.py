"""A damaged catalog: said by who reads it, rebuilt by a sync, and nothing of it lost or wrong."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_journal.errors import JournalDamaged
from agent_journal.health.verify import verify
from agent_journal.store.catalog.bodies import compress, decompress
from agent_journal.store.catalog.damage import noted_damage
from agent_journal.store.catalog.schema import SHAPE, shape_of
from tests.support.journals import aj, aj_json, journal_digest, open_journal, write_claude

PAGE = 4096
CURE = "'aj sync' rebuilds it from the archive"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A journal whose sources are gone: everything has to come from the archive."""
    write_claude(tmp_path, "s1", count=8)
    write_claude(tmp_path, "s2", count=4, project="-work-other")
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
    shutil.rmtree(tmp_path / ".claude")
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
    return tmp_path


def flip_bits(data: bytearray, rng: random.Random) -> bytes:
    for _ in range(rng.randint(1, 20)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return data


def zero_a_page(data: bytearray, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) // PAGE) * PAGE
    data[at : at + PAGE] = bytes(PAGE)
    return data


def cut_off(data: bytearray, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


DAMAGES = {"bits": (flip_bits, 28), "page": (zero_a_page, 8), "cut": (cut_off, 4)}


def database(home: Path) -> Path:
    return home / ".agent-journal/index/journal.db"


def read_everything(home: Path) -> None:
    """Either works, or says that the journal is damaged."""
    hint = CURE
    with open_journal(home) as journal:
        try:
            for row in journal.rows():
                journal.session(row.id)
        except JournalDamaged as error:
            hint = str(error.hint)
    assert hint == CURE


def is_whole(home: Path) -> bool:
    try:
        with open_journal(home) as journal:
            return not verify(journal.db, journal.archive).differences
    except JournalDamaged:
        return False


@pytest.mark.parametrize("kind", DAMAGES)
def test_damage_is_found_and_healed(home: Path, kind: str) -> None:
    damage, tries = DAMAGES[kind]
    expected = journal_digest(home)
    whole = database(home).read_bytes()
    for seed in range(tries):
        database(home).write_bytes(damage(bytearray(whole), random.Random(seed)))
        if seed % 2:
            read_everything(home)
        if is_whole(home):
            assert journal_digest(home) == expected, seed
        with open_journal(home) as journal:
            journal.sync(index=False)
        if not is_whole(home):
            with open_journal(home) as journal:
                journal.sync(index=False, rebuild=True)
        assert is_whole(home), seed
        assert journal_digest(home) == expected, seed


@pytest.mark.parametrize("found", ["empty", "foreign", "deleted", "other"])
def test_what_is_no_catalog_is_replaced(home: Path, found: str) -> None:
    expected = journal_digest(home)
    path = database(home)
    path.unlink()
    if found == "empty":
        path.touch()
    elif found == "foreign":
        path.write_bytes(b"a letter to nobody\n" * 300)
    elif found == "other":
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE letters (text)")
        db.close()
    for command in ("ls", "usage", "verify"):
        done = aj(home, command)
        assert (done.returncode, CURE in done.stderr) == (1, True), (command, done.stderr)
    done = aj(home, "sync", "--no-index")
    assert (done.returncode, "rebuilt from the archive" in done.stderr) == (0, True)
    assert journal_digest(home) == expected


def test_a_sync_heals_what_only_a_reader_found(home: Path) -> None:
    """A sync with nothing to do does not look at the bodies."""
    with sqlite3.connect(database(home)) as db:
        (data,) = db.execute("SELECT data FROM blocks LIMIT 1").fetchone()
        broken = bytearray(data)
        broken[len(data) // 2] ^= 4
        db.execute("UPDATE blocks SET data = ? WHERE data = ?", (bytes(broken), data))
    db.close()
    assert "rebuilt" not in aj(home, "sync", "--no-index").stderr
    done = aj(home, "show", "s1")
    assert (done.returncode, CURE in done.stderr) == (1, True)
    assert aj_json(home, "show", "s1")["error"]["code"] == "journal-damaged"
    assert noted_damage(str(database(home).parent))
    assert "rebuilt from the archive" in aj(home, "sync", "--no-index").stderr
    assert aj(home, "show", "s1").returncode == 0
    assert "rebuilt" not in aj(home, "sync", "--no-index").stderr


def change_a_text(db: sqlite3.Connection) -> None:
    (block, data) = db.execute("SELECT id, data FROM blocks LIMIT 1").fetchone()
    said = decompress(data)
    changed = said.replace(b"user text 0 of s1", b"user text 9 of s1")
    assert changed != said
    db.execute("UPDATE blocks SET data = ? WHERE id = ?", (compress(changed), block))


def change_an_order(db: sqlite3.Connection) -> None:
    db.execute("UPDATE messages SET seq = seq + 1000 WHERE uid = (SELECT uid FROM messages)")


def swap_texts(db: sqlite3.Connection) -> None:
    query = "SELECT id, block, start, size FROM messages WHERE kind = 'prompt' LIMIT 2"
    (one, *place), (other, *other_place) = db.execute(query).fetchall()
    update = "UPDATE messages SET block = ?, start = ?, size = ? WHERE id = ?"
    db.execute(update, (*other_place, one))
    db.execute(update, (*place, other))


@pytest.mark.parametrize("change", [change_a_text, change_an_order, swap_texts])
def test_other_texts_in_rows_that_are_the_same_are_found(
    home: Path, change: Callable[[sqlite3.Connection], None]
) -> None:
    """What no checksum can see, since it was written as it is."""
    with sqlite3.connect(database(home)) as db:
        change(db)
    db.close()
    done = aj(home, "verify")
    assert done.returncode == 1
    assert "claude-code:s1: differs from what the archive says" in done.stdout


def test_text_that_is_not_utf_8_is_damage(home: Path) -> None:
    with sqlite3.connect(database(home)) as db:
        db.execute("UPDATE sessions SET git_branch = CAST(x'6d61ff6e' AS TEXT)")
    db.close()
    done = aj(home, "ls")
    assert (done.returncode, CURE in done.stderr) == (1, True)
    assert "rebuilt from the archive" in aj(home, "sync", "--no-index").stderr
    assert aj(home, "ls").returncode == 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE messages SET kind = 'answer' WHERE kind = 'prompt'",
        "UPDATE sessions SET title = 'another one' WHERE uid = 's1'",
        "UPDATE usage SET output_tokens = output_tokens + 1",
        "UPDATE files SET completeness = completeness + 1",
        "UPDATE files SET rank = rank + 1",
        "UPDATE versions SET mtime_ns = mtime_ns + 1",
        "DELETE FROM dependencies",
        "UPDATE version_frames SET frame_id = (SELECT max(id) FROM frames)",
    ],
)
def test_a_wrong_value_is_found_by_verify_and_healed_by_its_cure(home: Path, change: str) -> None:
    expected = journal_digest(home)
    with sqlite3.connect(database(home)) as db:
        changed = db.execute(change).rowcount
    db.close()
    assert is_whole(home) == (not changed)
    with open_journal(home) as journal:
        journal.sync(index=False, rebuild=True)
    assert is_whole(home)
    assert journal_digest(home) == expected


def test_few_catalogs_are_set_aside(home: Path) -> None:
    for _ in range(5):
        with open_journal(home) as journal:
            journal.sync(index=False, rebuild=True)
    kept = list(database(home).parent.glob("journal.db.set-aside-*"))
    assert len([path for path in kept if not path.name.endswith("-wal")]) == 3


@pytest.mark.parametrize("options", [[], ["--rebuild"]])
def test_a_newer_catalog_is_never_touched(home: Path, options: list[str]) -> None:
    with sqlite3.connect(database(home)) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    (database(home).parent / "damaged").write_text("an older version said so")
    before = database(home).read_bytes()
    done = aj(home, "sync", *options)
    assert (done.returncode, "newer agent-journal" in done.stderr) == (1, True)
    assert database(home).read_bytes() == before


def test_the_shape_of_the_tables_is_known(home: Path) -> None:
    """After a change of a migration: the number to set SHAPE to."""
    with sqlite3.connect(database(home)) as db:
        assert shape_of(db) == SHAPE
    db.close()
