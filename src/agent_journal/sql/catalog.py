"""Small tables that are not mirrored: they are given to DuckDB when a query names them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.file_rows import (
    daily_stat_rows,
    ledger_rows,
    problem_rows,
    source_rows,
)
from agent_journal.store.catalog.marks import mark_rows
from agent_journal.store.mirror.parquet import Column as C
from agent_journal.store.mirror.tables import TOKENS

if TYPE_CHECKING:
    from agent_journal.usage.prices import Book

Prices = Callable[[], "Book"]
TABLES: dict[str, tuple[C, ...]] = {
    "sources": (
        C("agent", "text", "Name of the agent."),
        C("root", "text", "Root folder that it was found in."),
        C("path", "text", "Path of the file."),
        C("role", "text", "Role of the file."),
        C("session_id", "text", "Session it holds."),
        C("size", "int", "Size of its newest version, in bytes."),
        C("versions", "int", "Number of versions."),
        C("status", "text", "read, copy (another file of the session is read) or unreadable."),
        C("modified_at", "time", "When it was last changed."),
        C("first_seen", "time", "When it was first found."),
        C("vanished_at", "time", "When it was found to be deleted from disk."),
    ),
    "ledger": (
        C("agent", "text", "Name of the agent."),
        C("path", "text", "Path of the file."),
        C("status", "text", "mapped, skipped, unknown or malformed."),
        C("kind", "text", "Kind of record."),
        C("reason", "text", "Reason."),
        C("count", "int", "Records."),
        C("bytes", "int", "Bytes."),
    ),
    "problems": (
        C("agent", "text", "Name of the agent."),
        C("path", "text", "Path of the file."),
        C("byte_offset", "int", "Offset of the record."),
        C("kind", "text", "What could not be read: record, file, folder, …"),
        C("reason", "text", "Reason."),
    ),
    "costs": (
        C(
            "time",
            "time",
            "Quarter hour of the usage; where none is recorded, that of the session's start.",
        ),
        C("agent", "text", "Name of the agent."),
        C("session_key", "int", "Number of the session in this journal, to join `sessions`."),
        C("session_id", "text", "The agent's id of the session."),
        C(
            "project",
            "text",
            "Name shared by all folders of a repository; the folder where none is known.",
        ),
        C("model", "text", "Model, by the agent's name for it."),
        C("model_name", "text", "Plain name of the model, the same for all agents."),
        C("requests", "int", "API calls."),
        *TOKENS,
        C("premium_requests", "float", "Copilot's premium requests."),
        C("web_searches", "int", "Web searches that the provider ran; they have no price here."),
        C("cost_usd", "float", "Cost, as in `aj usage`; NULL when it is unknown."),
        C("cost_origin", "text", "`recorded` by the agent, or `priced`; NULL when it is unknown."),
    ),
    "marks": (
        C("agent", "text", "Name of the agent."),
        C("session_key", "int", "Number of the session in this journal, to join `sessions`."),
        C("session_id", "text", "The agent's id of the session."),
        C("kind", "text", "star, tag or title: see `aj star`, `aj tag` and `aj title`."),
        C("value", "text", "The tag or the title; NULL for a star."),
        C("marked_at", "time", "When it was given."),
    ),
    "agent_stats": (
        C("agent", "text", "Name of the agent."),
        C("date", "text", "Day."),
        C("message_count", "int", "Messages."),
        C("session_count", "int", "Sessions."),
        C("tool_call_count", "int", "Tool calls."),
        C("tokens_by_model", "text", "Tokens, as JSON."),
    ),
}


def rows_of(db: Connection | None, table: str, prices: Prices | None) -> list[tuple[Any, ...]]:
    """All rows of such a table."""
    if db is None:
        return []
    if table == "costs":
        return _costs(db, prices)
    if table == "agent_stats":
        return _agent_stats(db)
    readers: dict[str, Callable[[Connection], Iterator[tuple[Any, ...]]]] = {
        "sources": source_rows,
        "ledger": ledger_rows,
        "problems": problem_rows,
        "marks": mark_rows,
    }
    return list(readers[table](db))


def _costs(db: Connection, prices: Prices | None) -> list[tuple[Any, ...]]:
    from agent_journal.usage.costs import cost_rows

    if prices is None:
        return []
    return list(cost_rows(db, prices()))


def _agent_stats(db: Connection) -> list[tuple[Any, ...]]:
    import json

    import msgspec

    from agent_journal.model import DailyStat

    rows = []
    for row in daily_stat_rows(db):
        stat = msgspec.msgpack.decode(row.body, type=DailyStat)
        counts = (stat.message_count, stat.session_count, stat.tool_call_count)
        tokens = None
        if stat.tokens_by_model:
            tokens = json.dumps(stat.tokens_by_model)
        rows.append((row.agent, stat.date, *counts, tokens))
    return rows
