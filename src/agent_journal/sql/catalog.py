"""Small tables that stay in the catalog, handed to DuckDB when a query names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.mirror.parquet import Column as C
from agent_journal.store.mirror.tables import TOKENS

if TYPE_CHECKING:
    from agent_journal.usage.prices import Book

Prices = Callable[[], "Book"]
TABLES: dict[str, tuple[C, ...]] = {
    "sources": (
        C("agent", "text", "Name of the agent."),
        C("root", "text", "Folder it was found in."),
        C("path", "text", "Path of the file."),
        C("role", "text", "What kind of file it is."),
        C("session_id", "text", "Session it holds."),
        C("size", "int", "Bytes of its newest kept version."),
        C("versions", "int", "Kept versions."),
        C("status", "text", "read, copy (another file of the session is read) or unreadable."),
        C("modified_at", "time", "When the agent changed it last."),
        C("first_seen", "time", "When it was found first."),
        C("vanished_at", "time", "Since when it is gone from disk, and kept here."),
    ),
    "ledger": (
        C("agent", "text", "Name of the agent."),
        C("path", "text", "Path of the file."),
        C("status", "text", "mapped, skipped, unknown or malformed."),
        C("kind", "text", "Kind of record."),
        C("reason", "text", "Why it is so."),
        C("count", "int", "Records."),
        C("bytes", "int", "Bytes."),
    ),
    "problems": (
        C("agent", "text", "Name of the agent."),
        C("path", "text", "Path of the file."),
        C("byte_offset", "int", "Where."),
        C("kind", "text", "What could not be read: record, file, folder and so on."),
        C("reason", "text", "Why."),
    ),
    "costs": (
        C(
            "time",
            "time",
            "Quarter of an hour it was used in; that of the session's beginning where none is recorded.",
        ),
        C("agent", "text", "Name of the agent."),
        C("session_key", "int", "Number of the session in this journal, to join `sessions`."),
        C("session_id", "text", "The agent's own id of the session."),
        C(
            "project",
            "text",
            "What joins the folders of one repository; the folder where none is known.",
        ),
        C("model", "text", "Model, as the agent calls it."),
        C("model_name", "text", "Plain name of the model, the same for all agents."),
        C("requests", "int", "API calls."),
        *TOKENS,
        C("premium_requests", "float", "Premium requests of Copilot."),
        C("cost_usd", "float", "Cost, as `aj usage` has it; NULL when it is unknown."),
        C(
            "cost_origin",
            "text",
            "`recorded` by the agent or `priced` at that time; NULL when it is unknown.",
        ),
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
_QUERIES = {
    "sources": (
        "SELECT f.agent, f.root, f.path, f.role, f.session, v.size, "
        "(SELECT count(*) FROM versions w WHERE w.file_id = f.id), f.status, f.mtime_ns / 1000, f.first_seen, "
        "f.vanished_at FROM files f LEFT JOIN versions v ON v.id = f.version_id ORDER BY f.id"
    ),
    "ledger": (
        "SELECT f.agent, f.path, l.status, l.kind, l.reason, l.count, l.bytes FROM ledger l "
        "JOIN files f ON f.id = l.file_id"
    ),
    "problems": "SELECT agent, path, offset, kind, reason FROM problems ORDER BY id",
}


def rows_of(db: Connection | None, table: str, prices: Prices | None) -> list[tuple[Any, ...]]:
    """All rows of such a table."""
    if db is None:
        return []
    if table == "costs":
        from agent_journal.usage.costs import cost_rows

        return list(cost_rows(db, prices())) if prices is not None else []
    if table == "agent_stats":
        return _agent_stats(db)
    return db.execute(_QUERIES[table]).fetchall()


def _agent_stats(db: Connection) -> list[tuple[Any, ...]]:
    import json

    import msgspec

    from agent_journal.model import DailyStat

    rows = []
    for agent, body in db.execute(
        "SELECT f.agent, d.body FROM daily_stats d JOIN files f ON f.id = d.file_id"
    ):
        stat = msgspec.msgpack.decode(body, type=DailyStat)
        tokens = json.dumps(stat.tokens_by_model) if stat.tokens_by_model else None
        rows.append(
            (agent, stat.date, stat.message_count, stat.session_count, stat.tool_call_count, tokens)
        )
    return rows
