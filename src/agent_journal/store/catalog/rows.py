"""The rows that pieces of a session become, column by column.

They are structs, which are created three times as fast as named tuples, and are written as plain
tuples, which SQLite's module binds faster than anything else.
"""

from __future__ import annotations

import msgspec


class Row(msgspec.Struct, gc=False):
    """A row of a table; its fields are the columns."""


class MessageRow(Row, gc=False):
    """A row of `messages`."""

    id: int
    session_id: int
    seq: int
    uid: str
    role: str
    kind: str
    state: str | None
    model: str | None
    timestamp: int | None
    file_id: int
    offset: int | None
    length: int | None
    block: int
    start: int
    size: int
    stopped: str
    is_question: bool


class ToolCallRow(Row, gc=False):
    """A row of `tool_calls`."""

    id: int
    session_id: int
    seq: int
    uid: str
    message_uid: str | None
    name: str | None
    kind: str
    status: str | None
    exit_code: int | None
    started_at: int | None
    duration_ms: int | None
    child_uid: str | None
    file_id: int
    block: int
    start: int
    size: int
    spilled_to: str | None


class EventRow(Row, gc=False):
    """A row of `events`."""

    id: int
    session_id: int
    seq: int
    type: str
    timestamp: int | None
    file_id: int
    block: int
    start: int
    size: int


class FileEditRow(Row, gc=False):
    """A row of `file_edits`."""

    id: int
    session_id: int
    seq: int
    path: str
    kind: str
    origin: str
    timestamp: int | None
    lines_added: int | None
    lines_removed: int | None
    file_id: int
    block: int
    start: int
    size: int


class UsageRow(Row, gc=False):
    """A row of `usage`; whether it counts is decided when all rows are there."""

    id: int
    session_id: int
    key: str
    message_uid: str | None
    model: str | None
    timestamp: int | None
    input_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    cache_write_1h_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cost_micro_usd: int | None
    premium_requests: float | None
    web_searches: int | None
    requests: int
    origin: str
    rank: int
    segment: int | None
    is_sidechain: bool
    file_id: int


class PlanRow(Row, gc=False):
    """A row of `plans`."""

    id: int
    session_id: int | None
    file_id: int
    name: str
    kind: str
    body: bytes


class TodoListRow(Row, gc=False):
    """A row of `todo_lists`."""

    session_id: int
    file_id: int
    origin: str
    rank: int
    body: bytes
    id: int


class HistoryRow(Row, gc=False):
    """A row of `history`."""

    file_id: int
    position: int
    timestamp: int | None
    session: str | None
    body: bytes
    id: int


class DailyStatRow(Row, gc=False):
    """A row of `daily_stats`."""

    file_id: int
    date: str
    body: bytes


class DocumentRow(Row, gc=False):
    """A row of `documents`."""

    id: int
    session_id: int
    file_id: int
    name: str
    kind: str


def _insert(verb: str, table: str, row: type[Row]) -> str:
    columns = ", ".join(row.__struct_fields__)
    marks = ", ".join("?" * len(row.__struct_fields__))
    return f"{verb} INTO {table} ({columns}) VALUES ({marks})"


INSERT: dict[type[Row], str] = {
    MessageRow: _insert("INSERT", "messages", MessageRow),
    ToolCallRow: _insert("INSERT", "tool_calls", ToolCallRow),
    EventRow: _insert("INSERT", "events", EventRow),
    FileEditRow: _insert("INSERT", "file_edits", FileEditRow),
    UsageRow: _insert("INSERT OR REPLACE", "usage", UsageRow),
    PlanRow: _insert("INSERT", "plans", PlanRow),
    TodoListRow: _insert("INSERT OR REPLACE", "todo_lists", TodoListRow),
    HistoryRow: _insert("INSERT OR REPLACE", "history", HistoryRow),
    DailyStatRow: _insert("INSERT OR REPLACE", "daily_stats", DailyStatRow),
    DocumentRow: _insert("INSERT OR REPLACE", "documents", DocumentRow),
}
