"""What every sync asks the catalog is answered by an index, without a look at every row."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from agent_journal.query.filters import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.listing import count_sessions
from agent_journal.store.catalog.store import open_writer

_FILE = "INSERT INTO files (agent, root, name, path, role, is_current, vanished_at) VALUES "


def test_the_sessions_are_counted_in_an_index(tmp_path: Path) -> None:
    db = open_writer(str(tmp_path))
    asked: list[str] = []
    db.set_trace_callback(asked.append)
    assert count_sessions(db, Query()) == 0
    db.set_trace_callback(None)
    assert _plan(db, asked[0]) == ["SCAN s USING INDEX sessions_listed"]


def test_the_agents_that_have_files_are_found_in_indexes(tmp_path: Path) -> None:
    db = open_writer(str(tmp_path))
    files = (
        ("codex", "there", 1, None),
        ("codex", "there as well", 1, None),
        ("aider", "gone", 1, 5),
        ("gemini", "changed", 0, None),
        ("cursor", "changed and gone", 0, 5),
        ("claude-code", "there, too", 1, None),
        ("codex", "gone, too", 1, 5),
    )
    for agent, name, is_current, vanished_at in files:
        values = (agent, "/", name, f"/{name}", "log", is_current, vanished_at)
        db.execute(f"{_FILE}(?, ?, ?, ?, ?, ?, ?)", values)
    asked: list[str] = []
    db.set_trace_callback(asked.append)
    found = Files(db).agents()
    db.set_trace_callback(None)
    assert sorted(found) == ["aider", "claude-code", "codex", "cursor", "gemini"]
    steps = [step for step in _plan(db, asked[0]) if "files" in step or " f " in step]
    assert steps == [
        "SEARCH files USING INDEX files_by_agent",
        "SEARCH f USING INDEX files_by_agent (agent>?)",
        "SCAN files USING INDEX files_unsettled",
        "SCAN files USING INDEX files_gone",
    ]


def test_a_catalog_without_files_has_no_agents(tmp_path: Path) -> None:
    assert Files(open_writer(str(tmp_path))).agents() == []


def _plan(db: Connection | sqlite3.Connection, query: str) -> list[str]:
    # Some versions of SQLite call it a covering index
    rows = db.execute(f"EXPLAIN QUERY PLAN {query}")
    return [row[3].replace(" COVERING", "") for row in rows]
