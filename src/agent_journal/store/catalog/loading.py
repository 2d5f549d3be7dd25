"""Whole sessions, as the model has them, back from the tables."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec
from msgspec.structs import replace

from agent_journal.model import (
    Document,
    Event,
    FileEdit,
    Message,
    Plan,
    Session,
    Todo,
    TodoList,
    ToolCall,
    Usage,
)
from agent_journal.model.branches import mark_branches
from agent_journal.model.origins import MENTIONED_EDIT, RECORDED_EDIT
from agent_journal.store.catalog.bodies import BodyReader, Spot
from agent_journal.store.catalog.files import IN_ORDER
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.results import Resolve, recorded_result, spilled_result
from agent_journal.text.dates import from_micros

if TYPE_CHECKING:
    from agent_journal.model.structs import Ending


def as_session(row: SessionRow) -> Session:
    """A listed session in the model, without its messages."""
    return Session(
        agent=row.agent,
        id=row.id,
        title=row.title,
        title_source=row.title_source,
        project_path=row.project_path,
        project_dir=row.project_dir,
        repository=row.repository,
        git_branch=row.git_branch,
        host_app=row.host_app,
        agent_version=row.agent_version,
        models=tuple(json.loads(row.models or "[]")),
        started_at=from_micros(row.started_at),
        ended_at=from_micros(row.ended_at),
        parent_id=row.parent_id,
        parent_call_id=row.parent_call_id,
        fork_of=row.fork_of,
        agent_name=row.agent_name,
        slug=row.slug,
        tags=tuple(json.loads(row.tags or "[]")),
        recorded_cost_micro_usd=row.recorded_cost_micro_usd,
        is_automated=bool(row.is_automated),
        ended_as=cast("Ending | None", row.ended_as),
    )


def load_session(
    db: sqlite3.Connection, row: SessionRow, resolve: Resolve, *, with_spills: bool = True
) -> Session:
    """A session with everything that is known of it.

    Results that were saved to a file of their own are read from it, unless `with_spills` is off.
    """
    bodies = BodyReader(db)
    found = Rows(items_of(db, "messages", row.row_id), items_of(db, "tool_calls", row.row_id))
    messages = assemble_messages(db, bodies, row.row_id, found, resolve, with_spills)
    return replace(
        with_side_files(db, row),
        messages=mark_branches(messages),
        events=read_events(bodies, items_of(db, "events", row.row_id)),
        file_edits=load_edits(db, bodies, row.row_id),
        usage=load_usage(db, row.row_id),
    )


def with_side_files(db: sqlite3.Connection, row: SessionRow) -> Session:
    """A listed session with its plans, todo list and documents."""
    return replace(
        as_session(row),
        plans=_plans(db, row),
        todos=_todos(db, row.row_id),
        documents=_documents(db, row),
    )


def read_events(bodies: BodyReader, items: list[Item]) -> tuple[Event, ...]:
    """The events of rows."""
    return tuple(
        replace(bodies.read(item.spot, Event), seq=item.seq, file=item.path) for item in items
    )


def load_edits(db: sqlite3.Connection, bodies: BodyReader, session_id: int) -> tuple[FileEdit, ...]:
    """All edits of a session."""
    return without_repeated_edits(
        [
            replace(bodies.read(item.spot, FileEdit), seq=item.seq)
            for item in items_of(db, "file_edits", session_id)
        ]
    )


_USAGE_COLUMNS = {
    "session_id": "(SELECT uid FROM sessions WHERE id = u.session_id)",
    "key": "key",
    "message_id": "message_uid",
    "model": "model",
    "timestamp": "timestamp",
    "input_tokens": "input_tokens",
    "cache_read_tokens": "cache_read_tokens",
    "cache_write_tokens": "cache_write_tokens",
    "cache_write_1h_tokens": "cache_write_1h_tokens",
    "output_tokens": "output_tokens",
    "reasoning_tokens": "reasoning_tokens",
    "cost_micro_usd": "cost_micro_usd",
    "premium_requests": "premium_requests",
    "web_searches": "web_searches",
    "requests": "requests",
    "origin": "origin",
    "rank": "rank",
    "segment": "segment",
    "is_sidechain": "is_sidechain",
}


def load_usage(db: sqlite3.Connection, session_id: int) -> tuple[Usage, ...]:
    """The usage of a session that counts."""
    rows = db.execute(
        f"SELECT {', '.join(_USAGE_COLUMNS.values())} FROM usage u "
        "WHERE session_id = ? AND counted = 1 ORDER BY timestamp, key",
        (session_id,),
    )
    found = []
    for row in rows:
        fields = dict(zip(_USAGE_COLUMNS, row, strict=True))
        fields["timestamp"] = from_micros(fields["timestamp"])
        fields["is_sidechain"] = bool(fields["is_sidechain"])
        found.append(Usage(**fields))
    return tuple(found)


def said_in(db: sqlite3.Connection, session_id: int) -> set[str]:
    """The prompts and answers of a session, without their spaces: two layouts may differ there."""
    texts = texts_by_kind(db, session_id)
    return texts.get("prompt", set()) | texts.get("answer", set())


def texts_by_kind(db: sqlite3.Connection, session_id: int) -> dict[str, set[str]]:
    """The texts of a session's messages, without their spaces, by the kind of message."""
    bodies = BodyReader(db)
    found: dict[str, set[str]] = {}
    for item in items_of(db, "messages", session_id):
        message = bodies.read(item.spot, Message)
        text = "".join(message.text.split())
        if text:
            found.setdefault(message.kind, set()).add(text)
    return found


def assemble_messages(
    db: sqlite3.Connection,
    bodies: BodyReader,
    session_id: int,
    found: Rows,
    resolve: Resolve,
    with_spills: bool = True,
) -> list[Message]:
    """The messages of rows, each with its calls; calls without a message have one of their own."""
    calls: dict[str | None, list[tuple[int, ToolCall]]] = {}
    for item in found.calls:
        call = bodies.read(item.spot, ToolCall)
        spilled = None
        if with_spills:
            spilled = spilled_result(db, session_id, call, resolve)
        call = _with_result(call, spilled, item.file_id, resolve)
        calls.setdefault(call.message_id, []).append((item.seq, call))
    messages: list[Message] = []
    for item in found.messages:
        message = bodies.read(item.spot, Message)
        own_calls = tuple(call for _, call in calls.pop(message.id, ()))
        messages.append(replace(message, tool_calls=own_calls, seq=item.seq, file=item.path))
    messages += _orphans(calls.values())
    messages.sort(key=lambda message: message.seq or 0)
    return messages


def without_repeated_edits(edits: list[FileEdit]) -> tuple[FileEdit, ...]:
    """The edits without those of a response that the agent's own record of edits has, too."""
    verdicts = {
        (edit.message_id, edit.path): edit.state for edit in edits if edit.origin == MENTIONED_EDIT
    }
    known = {(edit.message_id, edit.path) for edit in edits if edit.origin == RECORDED_EDIT}
    return tuple(
        replace(edit, state=edit.state or verdicts.get((edit.message_id, edit.path)))
        for edit in edits
        if edit.origin != MENTIONED_EDIT or (edit.message_id, edit.path) not in known
    )


def _with_result(call: ToolCall, spilled: str | None, file_id: int, resolve: Resolve) -> ToolCall:
    if spilled is not None:
        return replace(call, result=spilled, result_at=None, spilled_to=None)
    text = recorded_result(call, file_id, resolve)
    if text is None:
        return call
    return replace(call, result=text, result_at=None)


def _orphans(calls: Iterable[list[tuple[int, ToolCall]]]) -> list[Message]:
    """Results whose call is not in the file, shown in their place."""
    return [
        Message(
            session_id=call.session_id,
            id=f"call-{call.id}",
            role="tool",
            kind="injected",
            tool_calls=(call,),
            timestamp=call.started_at or call.ended_at,
            seq=seq,
        )
        for group in calls
        for seq, call in group
    ]


class Item(NamedTuple):
    """A row of a session whose body is in a block."""

    id: int
    seq: int
    file_id: int
    path: str
    spot: Spot


class Rows(NamedTuple):
    """Rows of messages, and of tool calls."""

    messages: list[Item]
    calls: list[Item]


def items_of(
    db: sqlite3.Connection,
    table: str,
    session_id: int,
    condition: str = "1",
    values: tuple[object, ...] = (),
) -> list[Item]:
    """The rows of a session in a table, in their order; those that meet a condition."""
    rows = db.execute(
        f"SELECT t.id, t.seq, f.id, f.path, t.block, t.start, t.size FROM {table} t "
        f"JOIN files f ON f.id = t.file_id WHERE t.session_id = ? AND {condition} "
        f"ORDER BY t.seq, {IN_ORDER}",
        (session_id, *values),
    ).fetchall()
    return [
        Item(row_id, seq, file_id, path, Spot(block, start, size))
        for row_id, seq, file_id, path, block, start, size in rows
    ]


def _plans(db: sqlite3.Connection, row: SessionRow) -> tuple[Plan, ...]:
    """The plans of a session, and the plan file its slug names."""
    rows = db.execute(
        "SELECT p.body FROM plans p JOIN files f ON f.id = p.file_id WHERE p.session_id = ?1 "
        "OR (p.session_id IS NULL AND p.name = ?2 AND f.agent = ?3) "
        "ORDER BY p.kind, p.name, f.name, f.path, p.id",
        (row.row_id, row.slug, row.agent),
    )
    # Exports say it again
    return tuple(dict.fromkeys(msgspec.msgpack.decode(body, type=Plan) for (body,) in rows))


def _todos(db: sqlite3.Connection, session_id: int) -> tuple[Todo, ...]:
    """The todo list of the best origin; lists in several files follow each other by name."""
    rows = db.execute(
        "SELECT t.body FROM todo_lists t JOIN files f ON f.id = t.file_id "
        "WHERE t.session_id = ?1 "
        "AND t.rank = (SELECT max(rank) FROM todo_lists WHERE session_id = ?1) "
        "ORDER BY length(f.name), f.name, f.path, t.origin",
        (session_id,),
    )
    lists = (msgspec.msgpack.decode(body, type=TodoList).items for (body,) in rows)
    # A copied folder says it twice
    return tuple(dict.fromkeys(item for items in lists for item in items))


def _documents(db: sqlite3.Connection, row: SessionRow) -> tuple[Document, ...]:
    rows = db.execute(
        "SELECT name, kind FROM documents WHERE session_id = ? ORDER BY name", (row.row_id,)
    )
    return tuple(Document(session_id=row.id, name=name, kind=kind) for name, kind in rows)
