"""The rows that the mirror copies: every item with an id in a range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.counting import USAGE_OF_MESSAGE
from agent_journal.store.catalog.listing import HAS_CONTENT, IS_MAIN
from agent_journal.store.catalog.project_filters import PROJECT


class SessionItem(NamedTuple):
    """A session, with the columns of the mirror's table."""

    id: int
    session_key: int
    agent: str
    session_id: str
    title: str | None
    title_source: str | None
    project_path: str | None
    project_dir: str | None
    project: str | None
    repository: str | None
    git_branch: str | None
    host_app: str | None
    agent_version: str | None
    models: str | None
    started_at: int | None
    ended_at: int | None
    ended_as: str | None
    parent_id: str | None
    parent_call_id: str | None
    fork_of: str | None
    agent_name: str | None
    slug: str | None
    tags: str | None
    is_automated: int
    is_listed: int
    message_count: int
    prompt_count: int
    tool_count: int
    edit_count: int
    input_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None
    recorded_cost_usd: float | None


class MessageItem(NamedTuple):
    """A message, with the tokens that count for it."""

    id: int
    session_key: int
    agent: str
    session_id: str
    seq: int
    message_id: str
    role: str
    kind: str
    state: str | None
    model: str | None
    timestamp: int | None
    file: str
    byte_offset: int | None
    block: int
    start: int
    size: int
    usage_key: str | None
    usage_counted: int | None
    input_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None

    @property
    def spot(self) -> tuple[int, int, int]:
        """Where its body is."""
        return self.block, self.start, self.size


class StoredItem(NamedTuple):
    """A tool call, event or edit, whose other columns are in its body."""

    id: int
    session_key: int
    agent: str
    session_id: str
    seq: int
    uid: str | None  # of a tool call
    file: str
    file_id: int
    block: int
    start: int
    size: int

    @property
    def spot(self) -> tuple[int, int, int]:
        """Where its body is."""
        return self.block, self.start, self.size


class UsageItem(NamedTuple):
    """The tokens of a response that counts, with the columns of the mirror's table."""

    id: int
    session_key: int
    agent: str
    session_id: str
    key: str
    message_id: str | None
    model: str | None
    timestamp: int | None
    input_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    cache_write_1h_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: float | None
    premium_requests: float | None
    web_searches: int | None
    requests: int
    origin: str
    is_sidechain: int
    on_message: int


class PlanItem(NamedTuple):
    """A plan; its session may not be known."""

    id: int
    session_key: int | None
    agent: str
    session_id: str | None
    file: str
    body: bytes


class TodoListItem(NamedTuple):
    """A to-do list."""

    id: int
    session_key: int
    agent: str
    session_id: str
    rank: int
    file: str
    body: bytes


class HistoryItem(NamedTuple):
    """A line of a prompt history; its session may not be known."""

    id: int
    session_key: int | None
    agent: str
    session_id: str | None
    position: int
    timestamp: int | None
    file: str
    body: bytes


# A message and its tokens got their ids one after the other (piece_writer.py), so each finds the
# other.
_MESSAGE_OF_USAGE = "w.id = m.id + 1 AND w.uid = m.message_uid AND w.session_id = m.session_id"


def session_items(db: Connection, after: int, upto: int) -> Iterator[SessionItem]:
    """Sessions that are known, or have usage that counts."""
    query = (
        "SELECT s.revision, s.id, s.agent, s.uid, s.title, s.title_source, s.project_path, "
        f"s.project_dir, {PROJECT}, s.repository, s.git_branch, s.host_app, s.agent_version, "
        "s.models, s.started_at, s.ended_at, s.ended_as, s.parent_uid, s.parent_call_uid, "
        "s.fork_of, s.agent_name, s.slug, s.tags, s.is_automated, "
        f"{IS_MAIN} AND {HAS_CONTENT}, "
        "s.message_count, s.prompt_count, s.tool_count, s.edit_count, s.input_tokens, "
        "s.cache_read_tokens, s.cache_write_tokens, s.output_tokens, "
        "s.recorded_cost_micro_usd / 1e6 FROM sessions s "
        "WHERE s.revision > ? AND s.revision <= ? AND (s.is_known = 1 "
        "OR EXISTS (SELECT 1 FROM usage u WHERE u.session_id = s.id AND u.counted = 1))"
    )
    return map(SessionItem._make, db.execute(query, (after, upto)))


def message_items(db: Connection, after: int, upto: int) -> Iterator[MessageItem]:
    """Messages in the order of their ids."""
    query = (
        "SELECT m.id, m.session_id, s.agent, s.uid, m.seq, m.uid, m.role, m.kind, m.state, "
        "m.model, m.timestamp, f.path, m.offset, m.block, m.start, m.size, u.key, u.counted, "
        "iif(u.counted, u.input_tokens, NULL), iif(u.counted, u.cache_read_tokens, NULL), "
        "iif(u.counted, u.cache_write_tokens, NULL), iif(u.counted, u.output_tokens, NULL), "
        "iif(u.counted, u.reasoning_tokens, NULL) "
        "FROM messages m JOIN sessions s ON s.id = m.session_id "
        f"JOIN files f ON f.id = m.file_id LEFT JOIN usage u ON {USAGE_OF_MESSAGE} "
        "WHERE m.id > ? AND m.id <= ? ORDER BY m.id"
    )
    return map(MessageItem._make, db.execute(query, (after, upto)))


def stored_items(db: Connection, table: str, after: int, upto: int) -> Iterator[StoredItem]:
    """Tool calls, events or edits in the order of their ids."""
    uid = "NULL"
    if table == "tool_calls":
        uid = "m.uid"
    query = (
        f"SELECT m.id, m.session_id, s.agent, s.uid, m.seq, {uid}, f.path, f.id, "
        f"m.block, m.start, m.size FROM {table} m JOIN sessions s ON s.id = m.session_id "
        "JOIN files f ON f.id = m.file_id WHERE m.id > ? AND m.id <= ? ORDER BY m.id"
    )
    return map(StoredItem._make, db.execute(query, (after, upto)))


def usage_items(db: Connection, after: int, upto: int) -> Iterator[UsageItem]:
    """Usage that counts, in the order of the ids."""
    query = (
        "SELECT m.id, m.session_id, s.agent, s.uid, m.key, m.message_uid, m.model, m.timestamp, "
        "m.input_tokens, m.cache_read_tokens, m.cache_write_tokens, m.cache_write_1h_tokens, "
        "m.output_tokens, m.reasoning_tokens, m.cost_micro_usd / 1e6, m.premium_requests, "
        "m.web_searches, "
        "m.requests, m.origin, m.is_sidechain, "
        f"EXISTS (SELECT 1 FROM messages w WHERE {_MESSAGE_OF_USAGE}) "
        "FROM usage m JOIN sessions s ON s.id = m.session_id "
        "WHERE m.counted = 1 AND m.id > ? AND m.id <= ? ORDER BY m.id"
    )
    return map(UsageItem._make, db.execute(query, (after, upto)))


def plan_items(db: Connection, after: int, upto: int) -> Iterator[PlanItem]:
    """Plans in the order of their ids."""
    query = (
        "SELECT m.id, m.session_id, f.agent, s.uid, f.path, m.body "
        "FROM plans m JOIN files f ON f.id = m.file_id "
        "LEFT JOIN sessions s ON s.id = m.session_id WHERE m.id > ? AND m.id <= ? ORDER BY m.id"
    )
    return map(PlanItem._make, db.execute(query, (after, upto)))


def todo_list_items(db: Connection, after: int, upto: int) -> Iterator[TodoListItem]:
    """To-do lists in the order of their ids."""
    query = (
        "SELECT m.id, m.session_id, s.agent, s.uid, m.rank, f.path, m.body "
        "FROM todo_lists m JOIN sessions s ON s.id = m.session_id "
        "JOIN files f ON f.id = m.file_id WHERE m.id > ? AND m.id <= ? ORDER BY m.id"
    )
    return map(TodoListItem._make, db.execute(query, (after, upto)))


def history_items(db: Connection, after: int, upto: int) -> Iterator[HistoryItem]:
    """Lines of prompt histories in the order of their ids."""
    query = (
        "SELECT m.id, s.id, f.agent, m.session, m.position, m.timestamp, f.path, m.body "
        "FROM history m JOIN files f ON f.id = m.file_id "
        "LEFT JOIN sessions s ON s.uid = m.session AND s.agent = f.agent "
        "WHERE m.id > ? AND m.id <= ? ORDER BY m.id"
    )
    return map(HistoryItem._make, db.execute(query, (after, upto)))
