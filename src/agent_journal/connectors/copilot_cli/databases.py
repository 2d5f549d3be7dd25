"""The SQLite files: `session-store.db` (usage of every call) and `session-state/<id>/session.db`
(the todo list).

They are read from a private copy together with the `-wal`: on a running agent all rows may be only
there.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from agent_journal.connectors.base import Content, Pause
from agent_journal.connectors.copilot_cli.documents import session_of
from agent_journal.connectors.copilot_cli.usage import RANK_STORE, cost, fresh_input, premium
from agent_journal.connectors.jsonl import DocumentReader
from agent_journal.connectors.values import count, string
from agent_journal.model import Event, Piece, Todo, TodoList, Usage
from agent_journal.text.dates import parse_time

_MAX_TABLES = 50
_MAX_TODOS = 10_000
_TODO_TITLES = ("title", "content", "name", "task", "description")
_STORE_TABLES = ("assistant_usage_events", "session_refs")


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
        """The pieces of the tables; `columns` has the columns of each table there is."""
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
        names = [
            row[0]
            for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        columns = {
            name: {row["name"] for row in database.execute(f'PRAGMA table_info("{name}")')}
            for name in self.tables
            if name in names
        }
        for name in [
            name for name in names if name not in columns and not name.startswith("sqlite_")
        ][:_MAX_TABLES]:
            self.ledger.add("skipped", f"table {name}"[:80], 0, "not sessions, todos or usage")
        return list(self.rows(database, columns))


class SessionDbReader(DatabaseReader):
    """Reads `session.db`: the real todo list; the agent writes it with its `sql` tool."""

    kind = "session.db"
    tables = ("todos", "todo_deps")

    def rows(self, database: sqlite3.Connection, columns: dict[str, set[str]]) -> Iterable[Piece]:
        """The todo list, when there is one."""
        if not columns.get("todos"):
            return
        title = next((name for name in _TODO_TITLES if name in columns["todos"]), None)
        if title is None:
            raise ValueError("table todos has no title column")
        deps = self._dependencies(database, columns.get("todo_deps", set()))
        todos = []
        wanted = _selected(
            columns["todos"], ("id", title, "status", "description", "created_at", "updated_at")
        )
        for row in database.execute(f"SELECT {wanted} FROM todos LIMIT {_MAX_TODOS}"):
            values = dict(row)
            todo_id = None if values.get("id") is None else str(values["id"])
            todos.append(
                Todo(
                    content=_words(values.get(title)) or todo_id or "",
                    status=_words(values.get("status")),
                    id=todo_id,
                    description=_words(values.get("description"))
                    if title != "description"
                    else None,
                    depends_on=tuple(deps.get(todo_id or "", ())),
                    created_at=_time(values.get("created_at")),
                    updated_at=_time(values.get("updated_at")),
                )
            )
        if todos:
            yield TodoList(
                session_id=session_of(self.file.name), origin="sql", items=tuple(todos), rank=2
            )

    def _dependencies(
        self, database: sqlite3.Connection, columns: set[str]
    ) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        if {"todo_id", "depends_on"} <= columns:
            for todo, other in database.execute(
                f"SELECT todo_id, depends_on FROM todo_deps LIMIT {_MAX_TODOS}"
            ):
                found.setdefault(str(todo), []).append(str(other))
        return found


class StoreReader(DatabaseReader):
    """Reads `session-store.db`: usage and references. It is an index: its texts are incomplete and
    never read.
    """

    kind = "session-store.db"
    tables = _STORE_TABLES

    def rows(self, database: sqlite3.Connection, columns: dict[str, set[str]]) -> Iterable[Piece]:
        """Usage of every call, and the commits and pull requests a session mentions."""
        used = columns.get("assistant_usage_events")
        if used:
            if "session_id" not in used:
                raise ValueError("table assistant_usage_events has no session_id column")
            wanted = _selected(used, _USAGE_COLUMNS)
            query = f"SELECT rowid AS row_number, {wanted} FROM assistant_usage_events WHERE session_id IS NOT NULL"
            for row in database.execute(query):
                yield _usage(dict(row))
        if {"session_id", "ref_type", "ref_value"} <= columns.get("session_refs", set()):
            wanted = _selected(
                columns["session_refs"], ("session_id", "ref_type", "ref_value", "created_at")
            )
            query = f"SELECT rowid AS row_number, {wanted} FROM session_refs WHERE session_id IS NOT NULL"
            for row in database.execute(query):
                values = dict(row)
                yield Event(
                    session_id=str(values["session_id"]),
                    type="session_ref",
                    id=f"ref:{values['row_number']}",
                    text=f"{values['ref_type']} {values['ref_value']}",
                    timestamp=_time(values.get("created_at")),
                )


def _selected(there: set[str], wanted: Iterable[str]) -> str:
    """The columns to select: those that are read and exist, never all of them; the model may add
    any.
    """
    return ", ".join(f'"{name}"' for name in dict.fromkeys(wanted) if name in there)


def _usage(row: dict[str, Any]) -> Usage:
    session_id, agent_id = str(row["session_id"]), row.get("agent_id")
    return Usage(
        session_id=f"{session_id}/{agent_id}" if agent_id else session_id,
        key=f"store:{session_id}:{row['row_number']}",
        model=string(row.get("model")) or string(row.get("copilot_usage_model")),
        timestamp=_time(row.get("created_at")),
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


def _words(value: object) -> str | None:
    return None if value is None else str(value)


def _time(value: object) -> datetime | None:
    return parse_time(value)  # "2026-11-15 18:07:33" without a zone is UTC
