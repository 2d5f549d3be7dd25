"""Migrations never change, and a journal of every earlier version can be opened."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import tarfile
from pathlib import Path
from typing import Any

import pytest

from agent_journal.store.catalog.schema import VERSION, migration
from agent_journal.store.catalog.store import open_writer
from tests.support.journals import aj, aj_json, open_journal

JOURNALS = Path(__file__).parent / "journals"
# Never edit a migration that was released: add one, and its hash here.
HASHES = {
    1: "ba391e142c51364b3f95c3ff4c2f4f42eb6b839846c7c8a0642fb21d919dd09d",
    2: "af443f553ba910c87693f9bbdcf57b5a1051722b2c861532dc7242e1c22a1a87",
    3: "60d2f6c95a881fdbdc4f460ba4acee503baaf25b76358acb9a11ed900b726f30",
    4: "fc988b04375f59203732dc867a31f4fd704751a706e835303d8e0b5eee741dc8",
    5: "71669682c227ab7ca3b42bc5c5b93c9a1a92e7de0931ab916b1453c00e1d3b18",
    6: "fc7ef573ae31be2b90ef784b1ab1d26be90a8573c3076634f441144932689a88",
    7: "95a4e7898d67cd67720a6a7bb02564753d95b22afafa2cf47fdeff0e19241dc7",
    8: "4ef52c726e3891b315180d4899429585464715f3bcb56b855392fc1133e50450",
}


def test_migrations_are_frozen() -> None:
    hashes = {
        number: hashlib.sha256(migration(number).encode()).hexdigest()
        for number in range(1, VERSION + 1)
    }
    assert hashes == HASHES


def test_every_migration_belongs_to_a_version() -> None:
    import agent_journal.store.catalog.schema as schema

    folder = Path(schema.__file__).parent / "migrations"
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"{number:04d}.sql" for number in range(1, VERSION + 1)]


def test_a_migrated_catalog_has_the_tables_of_a_new_one(tmp_path: Path) -> None:
    _unpack("0.1.0", tmp_path)
    open_writer(str(tmp_path / "new")).close()
    open_writer(str(tmp_path / ".agent-journal/index")).close()
    new = _tables(tmp_path / "new/journal.db")
    assert _tables(tmp_path / ".agent-journal/index/journal.db") == new


@pytest.mark.parametrize("version", sorted(path.stem for path in JOURNALS.glob("*.json")))
def test_a_journal_of_an_earlier_version(tmp_path: Path, version: str) -> None:
    """The agents' own files are gone: everything comes from the journal."""
    _unpack(version, tmp_path)
    assert aj(tmp_path, "verify").returncode == 0  # before it is upgraded
    done = aj(tmp_path, "sync", "--no-index")
    assert done.returncode == 0, done.stderr
    assert aj_json(tmp_path, "verify")["items"][0]["differences"] == []
    names = [f"{row['agent']}:{row['id']}" for row in aj_json(tmp_path, "ls", "--all")["items"]]
    known = json.loads((JOURNALS / f"{version}.json").read_text())  # ids as people know them
    with open_journal(tmp_path) as journal:
        found = [journal.session(name) for name in known]
    assert sorted(names) == sorted(f"{session.agent}:{session.id}" for session in found)
    assert _exports(tmp_path, names) == _exports_read_again(tmp_path, names)


@pytest.mark.parametrize("version", sorted(path.stem for path in JOURNALS.glob("*.json")))
def test_a_journal_of_an_earlier_version_is_read_without_a_sync(
    tmp_path: Path, version: str
) -> None:
    _unpack(version, tmp_path)
    database = tmp_path / ".agent-journal/index/journal.db"
    before = database.read_bytes()
    (session, *_) = aj_json(tmp_path, "ls", "--agent", "claude-code")["items"]
    commands = (
        ["show", session["id"]],
        ["usage"],
        ["sources", "--files"],
        ["verify"],
        ["restore", session["id"], "-o", str(tmp_path / "out")],
        ["export", session["id"], "-f", "json", "-o", str(tmp_path / "export.json")],
    )
    for command in commands:
        done = aj(tmp_path, *command)
        assert done.returncode == 0, (command, done.stderr)
    assert database.read_bytes() == before


def _unpack(version: str, home: Path) -> None:
    with tarfile.open(JOURNALS / f"{version}.tar.xz") as archive:
        archive.extractall(home, filter="data")
    os.rename(home / "journal", home / ".agent-journal")


def _exports(home: Path, names: list[str]) -> dict[str, str]:
    """A hash of each session's export."""
    folder = home / "exports"
    written = aj_json(home, "export", *names, "-f", "json", "-o", str(folder))["items"]
    hashes = {
        name: export_hash(json.loads(Path(item["path"]).read_text()))
        for name, item in zip(names, written, strict=True)
    }
    shutil.rmtree(folder)
    return hashes


def _exports_read_again(home: Path, names: list[str]) -> dict[str, str]:
    """The same from an index that is built from the kept bytes alone."""
    shutil.rmtree(home / ".agent-journal/index")
    done = aj(home, "sync", "--no-index")
    assert done.returncode == 0, done.stderr
    return _exports(home, names)


def export_hash(document: dict[str, Any]) -> str:
    """The hash of an export, whichever version wrote it and however often the session was read.

    Reading again gives other sequence numbers; each list is in their order.
    """
    del document["made_by"]
    for session in document["sessions"]:
        for kind in ("messages", "events", "file_edits"):
            for item in session.get(kind, ()):
                item.pop("seq", None)
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _tables(path: Path) -> dict[str, list[tuple[str, str]]]:
    """The columns of each table, with their types."""
    db = sqlite3.connect(path)
    names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    tables = {}
    for name in names:
        columns = db.execute(f"PRAGMA table_info({name})").fetchall()
        tables[name] = [(column, kind) for _, column, kind, *_ in columns]
    db.close()
    return tables
