"""The todo list of a session, as the `session.db` that Copilot CLI's own tool asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from agent_journal.connectors.sqlite_writing import created, created_in_memory

# The text is part of the file: other line breaks would make other bytes.
_TABLES = (
    "\nCREATE TABLE todos (id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT, "
    "status TEXT DEFAULT 'pending'\n"
    "  CHECK (status IN ('pending', 'in_progress', 'done', 'blocked')),\n"
    "  created_at TEXT DEFAULT (datetime('now')), updated_at TEXT DEFAULT (datetime('now')));\n"
    "CREATE TABLE todo_deps (todo_id TEXT NOT NULL, depends_on TEXT NOT NULL, "
    "PRIMARY KEY (todo_id, depends_on));\n"
)


class TodoRow(NamedTuple):
    """A row of the table, and the ids of the todos that must be done before it."""

    id: str
    title: str
    description: str | None
    status: str  # pending, in_progress, done or blocked
    created_at: datetime
    updated_at: datetime
    depends_on: Sequence[str]


def todo_database(todos: Iterable[TodoRow]) -> bytes:
    """The bytes of a database with these todos."""
    with created_in_memory() as database:
        database.executescript(_TABLES)
        for todo in todos:
            values = (
                todo.id,
                todo.title,
                todo.description,
                todo.status,
                _sql_time(todo.created_at),
                _sql_time(todo.updated_at),
            )
            database.execute("INSERT INTO todos VALUES (?, ?, ?, ?, ?, ?)", values)
            for other in dict.fromkeys(todo.depends_on):
                database.execute("INSERT INTO todo_deps VALUES (?, ?)", (todo.id, other))
        database.commit()
        return database.serialize()


def write_todo_database(
    path: str, queries: Iterable[str], created_at: datetime, updated_at: datetime
) -> None:
    """Writes a database that an agent's queries filled; every todo has the same times."""
    with created(path) as database:
        database.executescript(_TABLES)
        for query in queries:
            database.executescript(query)
        times = (_sql_time(created_at), _sql_time(updated_at))
        database.execute("UPDATE todos SET created_at = ?, updated_at = ?", times)


def _sql_time(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
