"""What can be found: every row of the catalog with words in it, as one item with its kind."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec

from agent_journal.model import Event, FileEdit, HistoryEntry, Message, Plan, TodoList, ToolCall
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.loading import Resolve
from agent_journal.text.dates import to_micros

_UNINDEXED = ("system_prompt",)
_PAGE = 500
_BESIDE = (
    "SELECT m.id, coalesce(m.session_id, 0), coalesce(s.started_at, 0), m.body FROM {0} m "
    "LEFT JOIN sessions s ON s.id = m.session_id WHERE m.id > ? ORDER BY m.id"
)
_id = attrgetter("id")


class Item(NamedTuple):
    """A text to be found. `session` is the row of its session; 0 when it belongs to none."""

    id: int
    session: int
    kind: str
    role: str
    time: int
    text: str
    is_prose: bool = False
    is_hidden: bool = False
    tool: str = ""
    status: str = ""
    paths: tuple[str, ...] = ()
    names: str = ""  # where identifiers are looked for, when that is not the whole text


def new_items(db: Connection, after: int, resolve: Resolve) -> Iterator[Item]:
    """Everything with an id above `after`, table by table."""
    bodies = BodyReader(db)
    yield from _sessions(db, after)
    yield from _messages(db, bodies, after)
    for session, _, call, row in _stored(db, bodies, "tool_calls", ToolCall, after):
        yield _of_call(row, session, call, _result(call, row, resolve))
    for session, _, event, row in _stored(db, bodies, "events", Event, after):
        yield Item(
            row[0],
            session,
            "event",
            "",
            row[1] or 0,
            f"{event.type} {event.text or event.raw or ''}",
        )
    for session, _, edit, row in _stored(db, bodies, "file_edits", FileEdit, after):
        text = f"{edit.path}\n{edit.diff or edit.after or ''}"
        yield Item(row[0], session, "edit", "", row[1] or 0, text, paths=(edit.path,))
    yield from _plans(db, after)
    yield from _todos(db, after)
    yield from _history(db, after)


def prose_items(db: Connection, after: int) -> Iterator[Item]:
    """What people wrote and were answered, with an id above `after`, in the order of the ids: it
    can go on later.
    """
    return heapq.merge(
        _sessions(db, after), _messages(db, BodyReader(db), after), _plans(db, after), key=_id
    )


def _messages(db: Connection, bodies: BodyReader, after: int) -> Iterator[Item]:
    for session, kind, body, row in _stored(db, bodies, "messages", Message, after):
        yield from _of_message(row, session, kind, body)


def _sessions(db: Connection, after: int) -> Iterator[Item]:
    rows = db.execute(
        "SELECT item_id, id, coalesce(ended_at, started_at, 0), title, project_path, project_dir, repository, "
        "git_branch FROM sessions WHERE item_id > ? AND is_known = 1 ORDER BY item_id",
        (after,),
    )
    for item_id, session, time, *words in rows.fetchall():
        yield Item(
            item_id, session, "session", "", time, "\n".join(filter(None, words)), is_prose=True
        )


def _stored(
    db: Connection, bodies: BodyReader, table: str, struct: type[Any], after: int
) -> Iterator[tuple[int, str, Any, tuple[int, int | None, int]]]:
    """Session, kind, body and (id, time, file) of the rows of a table, page by page, in the order
    of their ids.

    What has no time of its own is found by the beginning of its session.
    """
    time = "started_at" if table == "tool_calls" else "timestamp"
    query = (
        f"SELECT m.id, coalesce(m.{time}, s.started_at), m.file_id, m.session_id, "
        f"m.{'type' if table == 'events' else 'kind'}, m.block, m.start, m.size "
        f"FROM {table} m LEFT JOIN sessions s ON s.id = m.session_id WHERE m.id > ? ORDER BY m.id LIMIT {_PAGE}"
    )
    while rows := db.execute(query, (after,)).fetchall():
        for item_id, when, file_id, session, kind, *spot in rows:
            yield session, kind, bodies.read(spot, struct), (item_id, when, file_id)
        after = rows[-1][0]


def _of_message(
    row: tuple[int, int | None, int], session: int, kind: str, message: Message
) -> Iterator[Item]:
    if kind in _UNINDEXED:
        return
    attached = [
        part for one in message.attachments for part in (one.name, one.path, one.text) if part
    ]
    paths = tuple(one.path for one in message.attachments if one.path)
    text = "\n".join((message.text, *attached)) if attached else message.text
    time, hidden = row[1] or 0, message.state == "hidden"
    if text:
        status = message.state or ""
        yield Item(
            row[0],
            session,
            kind,
            message.role,
            time,
            text,
            True,
            hidden,
            status=status,
            paths=paths,
        )
    if message.reasoning:
        yield Item(
            row[0], session, "reasoning", message.role, time, message.reasoning, True, hidden
        )


def _of_call(row: tuple[int, int | None, int], session: int, call: ToolCall, result: str) -> Item:
    words = (call.name, call.title, call.server, call.arguments, call.display, result)
    text = "\n".join(filter(None, words))
    paths = tuple(one.path for one in call.attachments if one.path) + _paths(call.arguments)
    name, status = (call.name or "").lower(), call.status or ""
    names = f"{call.name or ''} {call.arguments or ''}"
    return Item(
        row[0],
        session,
        "tool",
        "tool",
        row[1] or 0,
        text,
        tool=name,
        status=status,
        paths=paths,
        names=names,
    )


def _result(call: ToolCall, row: tuple[int, int | None, int], resolve: Resolve) -> str:
    if call.result is not None or call.result_at is None:
        return call.result or ""
    return resolve(row[2], call.result_at) or ""


def _paths(arguments: str | None) -> tuple[str, ...]:
    """The files a call names, by the names agents give that argument."""
    if not arguments or "ath" not in arguments:
        return ()
    try:
        asked = msgspec.json.decode(arguments, type=_PathArguments)
    except (msgspec.DecodeError, RecursionError):
        return ()
    return tuple(
        path for path in (asked.file_path, asked.filePath, asked.path, asked.notebook_path) if path
    )


class _PathArguments(msgspec.Struct):
    file_path: str | None = None
    filePath: str | None = None
    path: str | None = None
    notebook_path: str | None = None


def _plans(db: Connection, after: int) -> Iterator[Item]:
    for item_id, session, begun, body in db.execute(_BESIDE.format("plans"), (after,)):
        plan = msgspec.msgpack.decode(body, type=Plan)
        time = to_micros(plan.created_at) or begun
        yield Item(
            item_id,
            session,
            "plan",
            "",
            time,
            f"{plan.name}\n{plan.text}\n{plan.feedback or ''}",
            True,
        )


def _todos(db: Connection, after: int) -> Iterator[Item]:
    for item_id, session, begun, body in db.execute(_BESIDE.format("todo_lists"), (after,)):
        todos = msgspec.msgpack.decode(body, type=TodoList).items
        text = "\n".join(f"{todo.content}\n{todo.description or ''}" for todo in todos)
        yield Item(item_id, session, "todo", "", begun, text, True)


def _history(db: Connection, after: int) -> Iterator[Item]:
    rows = db.execute(
        "SELECT h.id, coalesce(s.id, 0), coalesce(h.timestamp, 0), h.body FROM history h "
        "JOIN files f ON f.id = h.file_id LEFT JOIN sessions s ON s.uid = h.session AND s.agent = f.agent "
        "WHERE h.id > ?",
        (after,),
    )
    for item_id, session, time, body in rows:
        entry = msgspec.msgpack.decode(body, type=HistoryEntry)
        yield Item(
            item_id, session, "history", "user", time, f"{entry.text}\n{entry.pasted or ''}", True
        )
