"""Which messages of a session a rewind left behind, by what links them to others and no more."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple, TypeVar

import msgspec

from agent_journal.model.branches import Link, find_branches
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.files import IN_ORDER

T = TypeVar("T", bound=msgspec.Struct)


class _Message(msgspec.Struct):
    """The fields of a message that link it to others."""

    id: str
    role: str
    kind: str
    parent_id: str | None = None
    record_ids: tuple[str, ...] = ()


class _Call(msgspec.Struct):
    """The fields of a tool call that link messages."""

    message_id: str | None = None
    record_ids: tuple[str, ...] = ()


class Linked(NamedTuple):
    """A message, or a call without one, with its row, its place and its links."""

    row_id: int
    seq: int
    uid: str
    link: Link

    @property
    def is_said(self) -> bool:
        """Whether it is part of what the person and the model said to each other."""
        return self.link.role in ("user", "assistant")


class Thread(NamedTuple):
    """The messages of a session in their order, and the calls among them that have none."""

    messages: list[Linked]
    orphans: list[Linked]


def read_thread(db: sqlite3.Connection, session_id: int, after: int = -1) -> Thread:
    """What links the messages of a session that come after a position."""
    bodies = BodyReader(db)
    results: dict[str | None, list[tuple[int, int, tuple[str, ...]]]] = {}
    for row_id, seq, call in _read(db, bodies, "tool_calls", session_id, after, _Call):
        results.setdefault(call.message_id, []).append((row_id, seq, call.record_ids))
    messages: list[Linked] = []
    for row_id, seq, message in _read(db, bodies, "messages", session_id, after, _Message):
        result_ids: list[str] = []
        for _, _, record_ids in results.pop(message.id, ()):
            result_ids += record_ids
        link = Link(message.role, message.kind, message.parent_id, message.record_ids, result_ids)
        messages.append(Linked(row_id, seq, message.id, link))
    orphans = [
        Linked(row_id, seq, message_id or "", Link("tool", "injected", None, (), record_ids))
        for message_id, calls in results.items()
        for row_id, seq, record_ids in calls
    ]
    return Thread(messages, orphans)


def in_order(thread: Thread) -> list[Linked]:
    """All of a thread as it is shown: calls without a message stand for one."""
    return sorted([*thread.messages, *thread.orphans], key=lambda linked: linked.seq)


def left_in(linked: list[Linked]) -> set[int]:
    """The row ids of the messages of a whole thread that a rewound prompt left behind."""
    places = find_branches([each.link for each in linked])
    return {linked[place].row_id for place in places}


def _read(
    db: sqlite3.Connection,
    bodies: BodyReader,
    table: str,
    session_id: int,
    after: int,
    struct: type[T],
) -> Iterator[tuple[int, int, T]]:
    rows = db.execute(
        f"SELECT t.id, t.seq, t.block, t.start, t.size FROM {table} t "
        "JOIN files f ON f.id = t.file_id WHERE t.session_id = ? AND t.seq > ? "
        f"ORDER BY t.seq, {IN_ORDER}",
        (session_id, after),
    )
    for row_id, seq, *spot in rows.fetchall():
        yield row_id, seq, bodies.read(spot, struct)
