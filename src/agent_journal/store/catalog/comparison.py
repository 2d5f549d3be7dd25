"""Every derived row of a catalog without the ids it happened to get, to compare two catalogs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.schema import VERSION

# The columns of each table that are the same whenever it is derived, without bodies in blocks
_BY_SESSION = {
    "messages": "uid, role, kind, state, model, timestamp, file_id, offset, length, stopped, "
    "is_question",
    "tool_calls": "uid, message_uid, name, kind, status, exit_code, started_at, duration_ms, "
    "child_uid, file_id, spilled_to",
    "events": "type, timestamp, file_id",
    "file_edits": "path, kind, origin, timestamp, lines_added, lines_removed, file_id",
    "usage": "key, message_uid, model, timestamp, input_tokens, cache_read_tokens, "
    "cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, cost_micro_usd, "
    "premium_requests, requests, origin, rank, segment, is_sidechain, file_id, counted, "
    "web_searches",
    "session_pieces": "file_id, body",
    "todo_lists": "file_id, origin, rank, body",
    "documents": "file_id, name, kind",
}
_BY_FILE = {
    "history": "position, timestamp, session, body",
    "daily_stats": "date, body",
    "plans": "name, kind, body",
    "dependencies": "path, agent, on_existence",
    "line_titles": "line, agent, title, rank, source",
    "parts": "agent, session, name",
    "ledger": "status, kind, reason, count, bytes",
    "earlier_sessions": "version_id, uid, started_at, ranges, is_read",
}
_WITH_BODIES = ("messages", "tool_calls", "events", "file_edits")
_SESSION_COLUMNS = (
    "agent, uid, title, title_source, project_path, project_dir, repository, git_branch, host_app, "
    "agent_version, models, started_at, ended_at, parent_uid, parent_call_uid, fork_of, "
    "recorded_fork_of, agent_name, slug, tags, recorded_cost_micro_usd, is_automated, is_known, "
    "first_uid, message_count, prompt_count, tool_count, edit_count, input_tokens, "
    "cache_read_tokens, cache_write_tokens, output_tokens, cost_micro_usd, ended_as, last_line"
)
_FILE_COLUMNS = "status, session, completeness, read_version, read_offset, reader_version, state"
_encode = msgspec.msgpack.Encoder().encode


class Place(NamedTuple):
    """A table, and the agent and name of a session or a file that it has rows of."""

    table: str
    agent: str
    name: str


def is_of_this_version(db: Connection) -> bool:
    """Whether a catalog has all columns; one of an earlier version is read through views."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return bool(version == VERSION)


def row_sums(db: Connection) -> dict[Place, int]:
    """A sum of all rows by table and place, in whichever order they are."""
    sums: dict[Place, int] = defaultdict(int)
    for table, query in _queries():
        for agent, name, *row in db.execute(query):
            sums[Place(table, agent, name)] += sum_of_row(row)
    return sums


def sum_of_row(row: Sequence[object]) -> int:
    """A number for a row, to be added to those of others.

    Not the hash of a tuple: of these, a quarter of the sums is the same when two rows swap a value.
    """
    return hash(_encode(row))


def body_sums(db: Connection) -> dict[Place, int]:
    """A sum of all bodies in blocks, with their places in the session, by table and session."""
    bodies = BodyReader(db)
    sums: dict[Place, int] = defaultdict(int)
    for table in _WITH_BODIES:
        # In the order in which they were written, in which neighbours are in one block
        query = (
            f"SELECT s.agent, s.uid, t.seq, t.block, t.start, t.size FROM {table} t "
            "CROSS JOIN sessions s ON s.id = t.session_id"
        )
        for agent, name, seq, *spot in db.execute(query):
            sums[Place(table, agent, name)] += sum_of_row((seq, bodies.raw(spot)))
    return sums


def _queries() -> Iterator[tuple[str, str]]:
    for table, columns in _BY_SESSION.items():
        yield (
            table,
            (
                f"SELECT s.agent, s.uid, {_of(columns)} FROM {table} t "
                "JOIN sessions s ON s.id = t.session_id"
            ),
        )
    for table, columns in _BY_FILE.items():
        yield (
            table,
            (
                f"SELECT f.agent, f.path, {_of(columns)} FROM {table} t "
                "JOIN files f ON f.id = t.file_id WHERE f.role <> 'companion'"
            ),
        )
    # What is left of a session that no file has any more depends on what was read before.
    yield "sessions", f"SELECT agent, uid, {_SESSION_COLUMNS} FROM sessions WHERE is_known = 1"
    yield (
        "files",
        (
            f"SELECT agent, path, {_FILE_COLUMNS} FROM files "
            # Nothing follows from a file that was gone before it could be kept.
            "WHERE role NOT IN ('rows', 'companion') AND version_id IS NOT NULL"
        ),
    )


def _of(columns: str) -> str:
    return ", ".join(f"t.{column}" for column in columns.split(", "))
