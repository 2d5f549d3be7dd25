"""Damage of what is derived for searches and queries: verify names it, the next sync heals it."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agent_journal.health.derived_data import index_faults, mirror_faults, vector_faults
from agent_journal.journal import Journal
from agent_journal.query.parser import parse
from agent_journal.search.finding import Searcher
from agent_journal.search.lexical import NAME as LEXICAL
from agent_journal.search.vector_files import NAME as VECTORS
from agent_journal.store.catalog.files import Files
from agent_journal.store.mirror.parts import damaged_files, read_manifest
from agent_journal.sync.indexes import lexical, mirror, vectors
from tests.support.journals import (
    aj,
    append,
    claude_line,
    open_journal,
    replace_bytes,
    write_claude,
)

FLIPS = 20
KINDS = [
    *(f"index/{LEXICAL}/*.{kind}" for kind in ("idx", "pos", "term", "store", "fast", "fieldnorm")),
    f"index/{LEXICAL}/*.del",
    f"index/{LEXICAL}/meta.json",
    f"index/{LEXICAL}/.managed.json",
    f"index/{LEXICAL}/checksums",
    f"index/{VECTORS}/rows-*",
    f"index/{VECTORS}/ids-*",
    f"index/{VECTORS}/made-by",
    "parquet/manifest.json",
    "parquet/messages/*.parquet",
    "parquet/sessions/*.parquet",
    "parquet/gone/*.parquet",
    *(f"index/{LEXICAL}/sessions/*.{kind}" for kind in ("idx", "term", "store", "fast", "del")),
    f"index/{LEXICAL}/sessions/*.fieldnorm",
    f"index/{LEXICAL}/sessions/meta.json",
    f"index/{LEXICAL}/sessions/.managed.json",
    f"index/{LEXICAL}/sessions/checksums",
]
SOME_KINDS = [KINDS[0], *KINDS[7:11], KINDS[12], *KINDS[13:15], KINDS[17], *KINDS[20:25:2]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a journal of two segments, one with deleted items, and tables."""
    home = tmp_path_factory.mktemp("derived")
    for name in ("s1", "s2", "s3"):
        write_claude(home, name, 40)
    with open_journal(home) as journal:
        journal.sync()
        path = write_claude(home, "s2", 0)
        path.write_text(path.read_text().replace("text 1", "another 1"))
        append(path, claude_line("user", 99, "the last question of s2", "s2"))
        journal.sync()
        journal.catch_up_mirror()
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "home"))


def damages(journal: Journal) -> list[str]:
    """What is damaged, of all that is derived."""
    made, _ = vectors(journal.config)
    assert made is not None
    found = [lexical(journal.config).find_damage(), made.find_damage(journal.db)]
    folder = mirror(journal.config).path
    manifest = read_manifest(folder)
    if manifest is None:
        found.append("manifest.json")
    else:
        found += damaged_files(folder, manifest)
    return [text for text in found if text is not None]


def faults(journal: Journal) -> list[str]:
    """What verify says of derived data."""
    made, _ = vectors(journal.config)
    assert made is not None
    return [
        *index_faults(Files(journal.db), journal.archive, lexical(journal.config)),
        *vector_faults(journal.db, made),
        *mirror_faults(journal.db, mirror(journal.config)),
    ]


def answers(journal: Journal) -> Any:
    """What searches and queries answer; scores depend on how often an index was added to."""
    made, _ = vectors(journal.config)
    searcher = Searcher(journal.db, lexical(journal.config), made)
    hits = searcher.find(parse("last question"), "hybrid", per_session=False, limit=20).hits
    rows = journal.database().ask("SELECT text FROM messages ORDER BY text").rows
    return [(hit.session and hit.session.id, hit.by) for hit in hits], rows


def first_file(home: Path, pattern: str) -> Path:
    return sorted((home / ".agent-journal").glob(pattern))[0]


def test_every_flipped_bit_is_found(home: Path) -> None:
    random = Random(16)
    with open_journal(home) as journal:
        for pattern in KINDS:
            path = first_file(home, pattern)
            whole = path.read_bytes()
            assert damages(journal) == []
            for _ in range(FLIPS):
                data = bytearray(whole)
                data[random.randrange(len(data))] ^= 1 << random.randrange(8)
                replace_bytes(path, data)
                assert len(damages(journal)) == 1, path
            replace_bytes(path, whole)


@pytest.mark.parametrize("pattern", SOME_KINDS)
def test_the_next_sync_heals(home: Path, pattern: str) -> None:
    path = first_file(home, pattern)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    replace_bytes(path, data)
    with open_journal(home) as journal:
        assert len(faults(journal)) == 1
        assert len(faults(journal)) == 1  # until it is healed
        journal.sync()
        assert faults(journal) == []


def test_answers_are_the_same_again(home: Path) -> None:
    with open_journal(home) as journal:
        before = answers(journal)
    for pattern in KINDS:
        path = first_file(home, pattern)
        replace_bytes(path, bytes(path.stat().st_size))
    done = aj(home, "verify")
    assert done.returncode == 1
    for what in ("the search index: ", "the vectors: ", "the tables of aj sql: "):
        assert what in done.stdout
    with open_journal(home) as journal:
        journal.sync()
        assert answers(journal) == before
        assert faults(journal) == []
