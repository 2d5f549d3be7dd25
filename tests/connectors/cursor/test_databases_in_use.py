"""Cursor: databases that a running or crashed Cursor has open."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_journal.connectors.sqlite import opened
from tests.support.cursor_home import TABLES, extracts, write_database

INSERT = "INSERT INTO cursorDiskKV VALUES ('bubbleId:c:1', ?)"
VALUE = '{"type":1,"text":"only in the log"}'


def test_the_log_of_a_running_cursor_is_read_in_place(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(TABLES["cursorDiskKV"])
        db.execute(INSERT, (VALUE,))
        assert b"only in the log" not in path.read_bytes()
        before = sorted((file.name, file.stat().st_mtime_ns) for file in tmp_path.iterdir())
        ((_, data),) = extracts(path)
        assert data is not None
        assert b"only in the log" in data
        assert sorted((file.name, file.stat().st_mtime_ns) for file in tmp_path.iterdir()) == before


@pytest.mark.parametrize("left", [("-wal", "-shm"), ("-wal",)])
def test_the_log_of_a_crashed_cursor_is_read(tmp_path: Path, left: tuple[str, ...]) -> None:
    path = tmp_path / "state.vscdb"
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(TABLES["cursorDiskKV"])
        db.execute(INSERT, (VALUE,))
        assert b"only in the log" not in path.read_bytes()
        for suffix in ("", *left):
            (crashed / f"state.vscdb{suffix}").write_bytes(Path(f"{path}{suffix}").read_bytes())
    ((_, data),) = extracts(crashed / "state.vscdb")
    assert data is not None
    assert b"only in the log" in data
    assert sorted(file.name for file in crashed.iterdir()) == sorted(
        f"state.vscdb{suffix}" for suffix in ("", *left)
    )


def test_a_database_that_changes_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    write_database(path, {"ItemTable": [["a", "b"]]})
    with pytest.raises(ValueError, match="changed while it was read"), opened(str(path)):
        write_database(path, {"ItemTable": [["a" * 9000, "c"]]})
