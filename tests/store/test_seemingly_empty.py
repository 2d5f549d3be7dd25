"""A damaged catalog that seems to be empty is called damaged."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.support.journals import aj
from tests.support.talks import TALK, talk

_CELLS = 3  # where the header of a page of SQLite has the number of its cells, in two bytes


def test_the_last_session_of_a_catalog_without_rows(tmp_path: Path) -> None:
    talk(tmp_path, *TALK)
    assert aj(tmp_path, "sync").returncode == 0
    path = tmp_path / ".agent-journal/index/journal.db"
    with sqlite3.connect(path) as catalog:
        catalog.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = catalog.execute("PRAGMA page_size").fetchone()
        roots = catalog.execute(
            "SELECT rootpage FROM sqlite_master WHERE tbl_name = 'sessions' AND rootpage > 0"
        ).fetchall()
    catalog.close()
    data = bytearray(path.read_bytes())
    for (root,) in roots:
        at = (root - 1) * size + _CELLS
        data[at : at + 2] = b"\0\0"
    path.write_bytes(data)
    done = aj(tmp_path, "show", "last")
    assert done.returncode == 1
    assert "is damaged" in done.stderr
    assert "no session yet" not in done.stderr
    assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "show", "last").returncode == 0


def test_an_empty_journal_is_not_damaged(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    assert aj(tmp_path, "sync").returncode == 0
    done = aj(tmp_path, "show", "last")
    assert done.returncode == 2
    assert "there is no session yet" in done.stderr
