"""Damaged search data in use: no panic reaches the user, and nothing copies damage to new files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_journal.search import vector_files
from agent_journal.search.lexical import NAME
from agent_journal.search.panics import catching_panics
from agent_journal.search.vector_files import read_extent, write_extent
from agent_journal.store.catalog.store import open_writer
from agent_journal.sync.indexes import lexical, vectors
from tests.support.journals import aj, open_journal, write_claude
from tests.support.talks import hits

FOOTER = 94  # bytes at the end of a segment file


def segment_file(home: Path, ending: str) -> Path:
    return next((home / f".agent-journal/index/{NAME}").glob(f"*.{ending}"))


def damage(path: Path, start: int, data: bytes) -> None:
    """Overwrites a part of a file as a failing disk does: without a trace in its time."""
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(start)
        file.write(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def damage_until_it_panics(home: Path) -> None:
    path = segment_file(home, "idx")
    damage(path, 0, b"\xff" * (path.stat().st_size - FOOTER))


def test_a_panic_is_an_error_with_a_cure(tmp_path: Path) -> None:
    write_claude(tmp_path)
    assert aj(tmp_path, "sync").returncode == 0
    damage_until_it_panics(tmp_path)
    done = aj(tmp_path, "search", "--no-sync", "text")
    assert done.returncode == 1
    assert "the next 'aj sync' rebuilds it" in done.stderr
    assert "panicked" not in done.stderr
    assert "Traceback" not in done.stderr
    assert aj(tmp_path, "sync").returncode == 0
    assert hits(tmp_path, "text")


def test_a_sync_rebuilds_an_index_that_panics(tmp_path: Path) -> None:
    write_claude(tmp_path)
    assert aj(tmp_path, "sync").returncode == 0
    damage_until_it_panics(tmp_path)
    write_claude(tmp_path, "s2")
    done = aj(tmp_path, "sync")
    assert done.returncode == 0
    assert "the search index was damaged and has been rebuilt" in done.stderr
    assert "panicked" not in done.stderr
    assert len(hits(tmp_path, "--mode", "lexical", "text")) == 2


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, ValueError])
def test_only_panics_are_caught(kind: type[BaseException]) -> None:
    with pytest.raises(kind), catching_panics():
        raise kind


def test_a_merge_does_not_hide_damage(tmp_path: Path) -> None:
    folder = tmp_path / f".agent-journal/index/{NAME}"
    troubles: list[str] = []
    with open_journal(tmp_path) as journal:
        write_claude(tmp_path, "s0")
        journal.sync()
        norms = segment_file(tmp_path, "fieldnorm")
        damage(norms, 3, b"\xaa")
        for number in range(1, 12):
            write_claude(tmp_path, f"s{number}")
            troubles.append(journal.sync().trouble)
            if not norms.exists():
                break
        assert not norms.exists()  # tantivy merged it, or it was rebuilt
        assert "damaged" in troubles[-1]
        assert not any(troubles[:-1])
        assert lexical(journal.config).find_damage() is None
    assert not (folder / "before").exists()


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_files, "BLOCK", 8)


@pytest.mark.usefixtures("small_blocks")
def test_vectors_before_the_damage_are_kept(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1", 40)
    folder = tmp_path / ".agent-journal/index" / vector_files.NAME
    with open_journal(tmp_path) as journal:
        journal.sync()
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        made, _ = vectors(journal.config)
        assert made is not None
        damage(folder / "rows-1", 20 * 256, b"\x55" * 300)
        assert made.find_damage(journal.db) == "rows from 16 on are damaged"
        damage(folder / "sums-1", 8, b"\x55")
        assert made.find_damage(journal.db) == "rows from 8 on are damaged"
        made.condemn()
        assert made.nearest(journal.db, "text", 5) == []
        journal.sync()
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
        assert made.find_damage(journal.db) is None
        assert made.nearest(journal.db, "text", 5)


@pytest.mark.usefixtures("small_blocks")
def test_copying_vectors_does_not_hide_damage(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1", 40)
    folder = tmp_path / ".agent-journal/index" / vector_files.NAME
    with open_journal(tmp_path) as journal:
        journal.sync()
        whole = (folder / "rows-1").read_bytes()
        db = open_writer(journal.config.index_path)
        write_extent(db, read_extent(db)._replace(gone=9_999))  # so many that the rest is copied
        db.close()
        damage(folder / "rows-1", 20 * 256, b"\x55" * 300)
        write_claude(tmp_path, "s2", 1)
        assert "vectors were damaged" in journal.sync().trouble
        assert (folder / "rows-2").read_bytes().startswith(whole)
        made, _ = vectors(journal.config)
        assert made is not None
        assert made.find_damage(journal.db) is None


def test_vectors_of_earlier_versions_get_checksums(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1", 40)
    with open_journal(tmp_path) as journal:
        journal.sync()
        db = open_writer(journal.config.index_path)
        write_extent(db, read_extent(db)._replace(stride=0, rows_sum=0, ids_sum=0))
        db.close()
        made, _ = vectors(journal.config)
        assert made is not None
        assert made.find_damage(journal.db) is None
        write_claude(tmp_path, "s2", 1)
        journal.sync()
        extent = read_extent(journal.db)
        assert (extent.generation, extent.stride) == (2, 256)
        assert made.find_damage(journal.db) is None


def test_a_query_of_damaged_tables_says_so_and_the_next_one_works(tmp_path: Path) -> None:
    write_claude(tmp_path)
    query = "SELECT count(*) AS n, max(text) FROM messages"
    assert aj(tmp_path, "sql", query).returncode == 0
    part = next((tmp_path / ".agent-journal/parquet/messages").glob("*.parquet"))
    damage(part, 4, bytes(part.stat().st_size - 12))
    done = aj(tmp_path, "sql", "--no-sync", query)
    assert done.returncode == 1
    assert f"a file of the tables is damaged: {part}" in done.stderr
    assert aj(tmp_path, "sql", "--no-sync", query).returncode == 0


def test_an_index_that_is_half_removed_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_claude(tmp_path)
    with open_journal(tmp_path) as journal:
        journal.sync()
        index = lexical(journal.config)
        monkeypatch.setattr("shutil.rmtree", lambda *_, **__: None)  # killed before it began
        index.drop()
        assert not index.is_there()
        assert index.find_damage() is None
