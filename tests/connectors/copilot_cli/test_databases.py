"""The SQLite files of Copilot CLI."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors.base import FoundFile
from agent_journal.connectors.copilot_cli import CONNECTOR
from agent_journal.model import Event, Usage
from tests.connectors.copilot_cli.cases import home, pieces
from tests.connectors.copilot_cli.counting import totals
from tests.support.assemble import Assembly, BytesContent, read_root

USAGE_TABLE = """CREATE TABLE assistant_usage_events (
    id INTEGER PRIMARY KEY, session_id TEXT, agent_id TEXT, model TEXT, input_tokens INTEGER,
    output_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER,
    reasoning_tokens INTEGER, total_nano_aiu INTEGER, request_multiplier REAL, initiator TEXT,
    created_at TEXT)"""


def read_database(path: Path, name: str, content: Any = None) -> Assembly:
    assembly = Assembly()
    assembly.read(
        CONNECTOR, FoundFile(str(path), name, "database", path.stat().st_size, 0, 0), content
    )
    return assembly


def test_rows_that_are_only_in_the_wal(tmp_path: Path) -> None:
    path = tmp_path / "session-store.db"
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA wal_autocheckpoint=0")
    database.execute(USAGE_TABLE)
    database.execute(
        "CREATE TABLE session_refs (id INTEGER, session_id TEXT, ref_type TEXT, ref_value TEXT)"
    )
    database.execute("CREATE TABLE turns (session_id TEXT, user_message TEXT)")
    database.execute("INSERT INTO turns VALUES ('s', 'the second prompt')")
    database.execute(
        "INSERT INTO assistant_usage_events VALUES"
        " (1,'s',NULL,'m',100,5.0,60,10,2,2000000000,1.0,'user','2026-03-01T10:00:00.000Z'),"
        " (2,'s','a1','m',50,3,NULL,NULL,NULL,NULL,0.0,'sub-agent','2026-03-01 10:00:01')"
    )
    database.execute("INSERT INTO session_refs VALUES (1,'s','pr','octo/demo#7')")
    database.commit()
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assembly = read_database(path, "session-store.db")
    first, second = pieces(assembly, Usage)
    assert (first.session_id, first.key, first.rank, first.segment) == ("s", "store:s:1", 40, None)
    assert (first.input_tokens, first.cache_read_tokens, first.cache_write_tokens) == (30, 60, 10)
    assert (first.output_tokens, first.cost_micro_usd, first.premium_requests) == (5, 20_000, 1.0)
    assert (second.session_id, second.input_tokens, second.cache_read_tokens) == ("s/a1", 50, None)
    assert second.timestamp == datetime(2026, 3, 1, 10, 0, 1, tzinfo=UTC)
    assert [event.text for event in pieces(assembly, Event)] == ["pr octo/demo#7"]
    assert not assembly.messages
    assert not assembly.sessions
    kinds = {
        entry.kind
        for entry in assembly.ledgers["session-store.db"].counts
        if entry.status == "skipped"
    }
    assert kinds == {"table turns"}
    assert assembly.ledgers["session-store.db"].total_bytes == path.stat().st_size
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    without = read_database(path, "session-store.db", BytesContent(path.read_bytes()))
    assert without.others == []
    database.close()


def test_the_database_outranks_the_log(tmp_path: Path) -> None:
    path = tmp_path / "session-store.db"
    with sqlite3.connect(path) as database:
        database.execute(USAGE_TABLE)
        rows = (
            "INSERT INTO assistant_usage_events VALUES "
            "(?,'compacted',NULL,'m',?,1,0,0,0,NULL,0,'user',?)"
        )
        database.execute(rows, (1, 1000, "2026-03-01T10:00:02.000Z"))
        database.execute(rows, (2, 500, "2026-03-01T10:00:05.000Z"))
    database.close()
    assembly = read_root(CONNECTOR, home("usage"))
    assembly.read(
        CONNECTOR, FoundFile(str(path), "session-store.db", "database", path.stat().st_size, 0, 0)
    )
    assert totals(assembly, "compacted") == (1500, 0, 0, 2, 2)


def make_session_db(path: Path, *statements: str) -> Path:
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return path


TODOS = """CREATE TABLE todos (
    id TEXT PRIMARY KEY, title TEXT, description TEXT, status TEXT, created_at TEXT)"""


def test_todos(tmp_path: Path) -> None:
    path = make_session_db(
        tmp_path / "session.db",
        TODOS,
        "CREATE TABLE todo_deps (todo_id TEXT, depends_on TEXT)",
        "CREATE TABLE my_notes (x)",
        "INSERT INTO todos VALUES ('t1','Title',NULL,'done','2026-11-15 18:07:33'), "
        "('t2','Next','d','pending',NULL)",
        "INSERT INTO todo_deps VALUES ('t2','t1')",
    )
    (todos,) = read_database(path, "session-state/s/session.db").others
    assert (todos.session_id, todos.origin, todos.rank) == ("s", "sql", 2)
    first, second = todos.items
    assert (first.id, first.content, first.status, first.description) == (
        "t1",
        "Title",
        "done",
        None,
    )
    assert first.created_at == datetime(2026, 11, 15, 18, 7, 33, tzinfo=UTC)
    assert (second.depends_on, second.description) == (("t1",), "d")


@pytest.mark.parametrize(
    ("statements", "problem"),
    [
        ((TODOS,), None),
        (("CREATE TABLE mine (x)",), None),
        ((), None),
        (("CREATE TABLE todos (x INTEGER)",), "table todos has no title column"),
        (("CREATE VIEW todos AS SELECT 1 AS title",), None),
    ],
)
def test_session_databases_without_todos(
    tmp_path: Path, statements: tuple[str, ...], problem: str | None
) -> None:
    path = make_session_db(tmp_path / "session.db", *statements)
    assembly = read_database(path, "session-state/s/session.db")
    assert assembly.others == []
    assert [
        trouble.reason for trouble in assembly.ledgers["session-state/s/session.db"].troubles
    ] == ([problem] if problem else [])


def test_a_cut_database_is_a_problem(tmp_path: Path) -> None:
    path = make_session_db(
        tmp_path / "session.db", TODOS, "CREATE TABLE todo_deps (todo_id TEXT, depends_on TEXT)"
    )
    data = path.read_bytes()
    for cut in (1, 100, 4096, len(data) - 1):
        assembly = read_database(path, "session-state/s/session.db", BytesContent(data[:cut]))
        ledger = assembly.ledgers["session-state/s/session.db"]
        assert assembly.others == []
        assert ledger.total_bytes == cut


def test_altered_todos_are_read(tmp_path: Path) -> None:
    path = make_session_db(
        tmp_path / "session.db",
        "CREATE TABLE todos (id INTEGER, task TEXT)",
        "INSERT INTO todos VALUES (1, 'x')",
    )
    (todos,) = read_database(path, "session-state/s/session.db").others
    assert [(item.id, item.content, item.status) for item in todos.items] == [("1", "x", None)]
