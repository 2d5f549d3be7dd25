"""Some messages of a session, without reading the others: a long one is shown in parts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from agent_journal.model import Message, Session
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.files import IN_ORDER
from agent_journal.store.catalog.known_branches import find_left
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.loading import (
    Item,
    Rows,
    assemble_messages,
    items_of,
    load_edits,
    load_usage,
    read_events,
    with_side_files,
)
from agent_journal.store.catalog.results import Resolve

_END = 2**62  # behind every position
_IN_WINDOW = "t.seq BETWEEN ? AND ?"


class Span(NamedTuple):
    """Positions from the first to the last, both included."""

    first: int
    last: int


_NOWHERE = Span(-1, -1)


def span_around(db: sqlite3.Connection, session_id: int, position: int, count: int) -> Span:
    """Positions among which are the message at `position` and `count` before and after it."""
    query = "SELECT seq FROM messages WHERE session_id = ? AND seq {} LIMIT ?"
    wanted = (session_id, position, count + 1)
    before = db.execute(query.format("<= ? ORDER BY seq DESC"), wanted).fetchall()
    after = db.execute(query.format("> ? ORDER BY seq"), wanted).fetchall()
    first, last = 0, _END
    if len(before) > count:
        (first,) = before[-1]
    if len(after) > count:
        (last,) = after[-1]
    return Span(first, last)


def positions_of(db: sqlite3.Connection, session_id: int) -> list[int]:
    """The positions of all messages of a session, in their order."""
    rows = db.execute("SELECT seq FROM messages WHERE session_id = ? ORDER BY seq", (session_id,))
    return [position for (position,) in rows]


def count_messages(db: sqlite3.Connection, session_id: int, before: int = _END) -> int:
    """How many messages a session has, or how many before a position."""
    query = "SELECT count(*) FROM messages WHERE session_id = ? AND seq < ?"
    row = db.execute(query, (session_id, before)).fetchone()
    return int(row[0])


def some_positions(db: sqlite3.Connection, session_id: int, first: int, count: int) -> list[int]:
    """The positions of some messages of a session; the first message is number 0."""
    query = "SELECT seq FROM messages WHERE session_id = ? ORDER BY seq LIMIT ? OFFSET ?"
    return [position for (position,) in db.execute(query, (session_id, count, first))]


def messages_at(
    db: sqlite3.Connection, row: SessionRow, resolve: Resolve, positions: Sequence[int]
) -> list[Message]:
    """The messages at some positions, with their calls; nothing says whether one is on a branch."""
    wanted = json.dumps(list(positions))
    condition = "t.seq IN (SELECT value FROM json_each(?))"
    items = items_of(db, "messages", row.row_id, condition, (wanted,))
    calls = _calls(db, row.row_id, items, _NOWHERE)
    return assemble_messages(db, BodyReader(db), row.row_id, Rows(items, calls), resolve)


def load_window(
    db: sqlite3.Connection, row: SessionRow, resolve: Resolve, span: Span, *, whole: bool = False
) -> Session:
    """A session with the messages and events at some positions, and the edits of these messages.

    Its plans, todo list and documents are all there; its usage and other edits only if `whole`.
    """
    bodies = BodyReader(db)
    session_id = row.row_id
    messages = _messages(db, bodies, session_id, resolve, span)
    calls = {call.id for message in messages for call in message.tool_calls}
    ids = {message.id for message in messages}
    session = replace(
        with_side_files(db, row),
        messages=messages,
        events=read_events(bodies, items_of(db, "events", session_id, _IN_WINDOW, span)),
    )
    edits = load_edits(db, bodies, session_id)
    if whole:
        return replace(session, file_edits=edits, usage=load_usage(db, session_id))
    own = (edit for edit in edits if edit.call_id in calls or edit.message_id in ids)
    return replace(session, file_edits=tuple(own))


def _messages(
    db: sqlite3.Connection, bodies: BodyReader, session_id: int, resolve: Resolve, span: Span
) -> tuple[Message, ...]:
    items = items_of(db, "messages", session_id, _IN_WINDOW, span)
    found = Rows(items, _calls(db, session_id, items, span))
    messages = assemble_messages(db, bodies, session_id, found, resolve)
    if not any(message.parent_id for message in messages):
        return tuple(messages)  # none of them can be on a branch
    left = find_left(db, session_id)
    places = {(item.seq, item.path) for item in items if item.id in left}
    return tuple(
        replace(message, is_branch=True) if (message.seq, message.file) in places else message
        for message in messages
    )


def _calls(db: sqlite3.Connection, session_id: int, items: list[Item], span: Span) -> list[Item]:
    """The calls of messages, and those at the positions whose message is not there."""
    own = _owners(db, session_id, items)
    is_orphan = (
        f"({_IN_WINDOW} AND NOT EXISTS (SELECT 1 FROM messages m "
        "WHERE m.uid = t.message_uid AND m.session_id = t.session_id))"
    )
    condition = f"(t.message_uid IN (SELECT value FROM json_each(?)) OR {is_orphan})"
    return items_of(db, "tool_calls", session_id, condition, (json.dumps(own), *span))


def _owners(db: sqlite3.Connection, session_id: int, items: list[Item]) -> list[str]:
    """The ids of the messages that have the calls of that id.

    Where several files have a message of one id, the first one has them.
    """
    # The plus keeps SQLite from reading all messages of a long session for the few that are wanted
    rows = db.execute(
        "SELECT t.uid, t.id FROM messages t JOIN files f ON f.id = t.file_id "
        "WHERE +t.session_id = ?1 AND t.uid IN (SELECT uid FROM messages WHERE id IN "
        f"(SELECT value FROM json_each(?2))) ORDER BY t.seq, {IN_ORDER}",
        (session_id, json.dumps([item.id for item in items])),
    )
    owners: dict[str, int] = {}
    for uid, row_id in rows:
        owners.setdefault(uid, row_id)
    shown = {item.id for item in items}
    return [uid for uid, row_id in owners.items() if row_id in shown]
