"""The SQLite files: `session-store.db` has usage, `session-state/<id>/session.db` the todo list.

They are read from a private copy together with the `-wal`: while the agent runs, all rows may be
only there.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from agent_journal.connectors.base import Content, Pause
from agent_journal.connectors.copilot_cli.sessions import session_of
from agent_journal.connectors.copilot_cli.usage import RANK_STORE, cost, fresh_input, premium
from agent_journal.connectors.jsonl import DocumentReader
from agent_journal.connectors.values import count, first_string
from agent_journal.model import Event, Piece, Todo, TodoList, Usage
from agent_journal.text.dates import parse_time

_MAX_TABLES = 50
_MAX_TODOS = 10_000
_MAX_KIND = 80
_TODO_TITLES = ("title", "content", "name", "task", "description")
_TODO_COLUMNS = ("id", "status", "description", "created_at", "updated_at")
_REFERENCE_COLUMNS = ("session_id", "ref_type", "ref_value", "created_at")
_MAX_VALUE = 16 * 2**20
_USAGE_COLUMNS = (
    "session_id",
    "agent_id",
    "model",
    "copilot_usage_model",
    "created_at",
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "output_tokens",
    "reasoning_tokens",
    "total_nano_aiu",
    "request_multiplier",
    "initiator",
)


class DatabaseReader(DocumentReader):
    """Reads a SQLite file from a copy. A subclass writes `rows`."""

    tables: tuple[str, ...] = ()

    def rows(self, database: sqlite3.Connection, columns: dict[str, set[str]]) -> Iterable[Piece]:
        """The pieces of the tables; `columns` has the columns of each table that exists."""
        raise NotImplementedError

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """The pieces of the database, or a problem."""
        self.offset = content.size
        try:
            found = self._read_copy(content)
        except sqlite3.Error as error:
            self._malformed(content.size, f"not a readable SQLite database: {error}")
        except (ValueError, OSError) as error:
            self._malformed(content.size, str(error))
        else:
            self.ledger.add("mapped", self.kind, content.size)
            yield from found

    def _read_copy(self, content: Content) -> list[Piece]:
        with tempfile.TemporaryDirectory(prefix="aj-", ignore_cleanup_errors=True) as folder:
            path = os.path.join(folder, "copy.db")
            with open(path, "wb") as file:
                for chunk in content.chunks():
                    file.write(chunk)
            log = content.companion("-wal")
            if log:
                with open(path + "-wal", "wb") as file:
                    file.write(log)
            with closing(sqlite3.connect(f"{Path(path).as_uri()}?mode=ro", uri=True)) as database:
                return self._read_tables(database)

    def _read_tables(self, database: sqlite3.Connection) -> list[Piece]:
        database.text_factory = lambda text: text.decode("utf-8", "replace")
        database.row_factory = sqlite3.Row
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE)
        # The model may have made any tables and views here: only plain tables are read.
        database.execute("PRAGMA trusted_schema = OFF")
        names = _table_names(database)
        columns = {name: _columns(database, name) for name in self.tables if name in names}
        others = [name for name in names if name not in columns and not name.startswith("sqlite_")]
        for name in others[:_MAX_TABLES]:
            kind = f"table {name}"[:_MAX_KIND]
            self.ledger.add("skipped", kind, 0, "not sessions, todos or usage")
        return list(self.rows(database, columns))


class SessionDbReader(DatabaseReader):
    """Reads `session.db`: the todo list that the agent keeps with its `sql` tool."""

    kind = "session.db"
    tables = ("todos", "todo_deps")

    def rows(self, database: sqlite3.Connection, columns: dict[str, set[str]]) -> Iterable[Piece]:
        """The todo list, when there is one."""
        existing = columns.get("todos")
        if not existing:
            return
        title = next((name for name in _TODO_TITLES if name in existing), None)
        if title is None:
            raise ValueError("table todos has no title column")
        dependencies = _dependencies(database, columns.get("todo_deps", set()))
        selected = _selected(existing, (title, *_TODO_COLUMNS))
        query = f"SELECT {selected} FROM todos LIMIT {_MAX_TODOS}"
        todos = tuple(_todo(dict(row), title, dependencies) for row in database.execute(query))
        if todos:
            yield TodoList(session_id=session_of(self.file.name), origin="sql", items=todos, rank=2)


class StoreReader(DatabaseReader):
    """Reads `session-store.db`: usage and references.

    It is an index: its texts are incomplete, and are never read.
    """

    kind = "session-store.db"
    tables = ("assistant_usage_events", "session_refs")

    def rows(self, database: sqlite3.Connection, columns: dict[str, set[str]]) -> Iterable[Piece]:
        """Usage of each call, and the commits and pull requests that a session mentions."""
        usage_columns = columns.get("assistant_usage_events", set())
        if usage_columns and "session_id" not in usage_columns:
            raise ValueError("table assistant_usage_events has no session_id column")
        if usage_columns:
            selected = _selected(usage_columns, _USAGE_COLUMNS)
            for row in _session_rows(database, "assistant_usage_events", selected):
                yield _usage(row)
        reference_columns = columns.get("session_refs", set())
        if {"session_id", "ref_type", "ref_value"} <= reference_columns:
            selected = _selected(reference_columns, _REFERENCE_COLUMNS)
            for row in _session_rows(database, "session_refs", selected):
                yield _reference(row)


def _table_names(database: sqlite3.Connection) -> list[str]:
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return [row["name"] for row in rows]


def _columns(database: sqlite3.Connection, table: str) -> set[str]:
    return {row["name"] for row in database.execute(f'PRAGMA table_info("{table}")')}


def _selected(existing: set[str], wanted: Iterable[str]) -> str:
    """The columns to select: those that are wanted and exist. The model may have added others."""
    return ", ".join(f'"{name}"' for name in dict.fromkeys(wanted) if name in existing)


def _session_rows(
    database: sqlite3.Connection, table: str, columns: str
) -> Iterator[dict[str, Any]]:
    query = f"SELECT rowid AS row_number, {columns} FROM {table} WHERE session_id IS NOT NULL"
    for row in database.execute(query):
        yield dict(row)


def _dependencies(database: sqlite3.Connection, columns: set[str]) -> dict[str, list[str]]:
    """The todos that each todo depends on, by id."""
    dependencies: dict[str, list[str]] = {}
    if {"todo_id", "depends_on"} <= columns:
        query = f"SELECT todo_id, depends_on FROM todo_deps LIMIT {_MAX_TODOS}"
        for row in database.execute(query):
            dependencies.setdefault(str(row["todo_id"]), []).append(str(row["depends_on"]))
    return dependencies


def _todo(row: dict[str, Any], title: str, dependencies: dict[str, list[str]]) -> Todo:
    todo_id = _text(row.get("id"))
    description = None
    if title != "description":
        description = _text(row.get("description"))
    return Todo(
        content=_text(row.get(title)) or todo_id or "",
        status=_text(row.get("status")),
        id=todo_id,
        description=description,
        depends_on=tuple(dependencies.get(todo_id or "", ())),
        created_at=parse_time(row.get("created_at")),
        updated_at=parse_time(row.get("updated_at")),
    )


def _reference(row: dict[str, Any]) -> Event:
    return Event(
        session_id=str(row["session_id"]),
        type="session_ref",
        id=f"ref:{row['row_number']}",
        text=f"{row['ref_type']} {row['ref_value']}",
        timestamp=parse_time(row.get("created_at")),
    )


def _usage(row: dict[str, Any]) -> Usage:
    store_id = str(row["session_id"])
    session_id = store_id
    agent_id = row.get("agent_id")
    if agent_id:
        session_id = f"{store_id}/{agent_id}"
    return Usage(
        session_id=session_id,
        key=f"store:{store_id}:{row['row_number']}",
        model=first_string(row, "model", "copilot_usage_model"),
        timestamp=parse_time(row.get("created_at")),
        input_tokens=fresh_input(
            row.get("input_tokens"), row.get("cache_read_tokens"), row.get("cache_write_tokens")
        ),
        cache_read_tokens=count(row.get("cache_read_tokens")),
        cache_write_tokens=count(row.get("cache_write_tokens")),
        output_tokens=count(row.get("output_tokens")),
        reasoning_tokens=count(row.get("reasoning_tokens")),
        cost_micro_usd=cost(row.get("total_nano_aiu")),
        premium_requests=premium(row.get("request_multiplier"), row.get("initiator")),
        origin="store",
        rank=RANK_STORE,
        is_sidechain=bool(agent_id),
    )


def _text(value: object) -> str | None:
    if value is None:
        return None
    return str(value)
