"""The format in which sessions leave the journal whole and come back: the model as JSON.

.json:   {"format":"agent-journal-export","version":1,
          "sessions":[{"agent":…,"id":…,"messages":[…],…}]}
.jsonl:  {"format":"agent-journal-export","version":1}
         {"session":{…}}  {"message":{…}}  {"event":{…}}  …  {"mark":{…}}

In .jsonl there is one object a line, and each belongs to the session before it. The session that
was asked for comes first, its sub-agents follow. docs/schema/session.json is made from these
structs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, Literal

import msgspec

from agent_journal.model.structs import (
    Document,
    Event,
    FileEdit,
    Message,
    Plan,
    Session,
    Todo,
    Usage,
)

FORMAT: Literal["agent-journal-export"] = "agent-journal-export"
VERSION = 1
# Field of a session -> what a line of it is called. Those with a place in the session (`seq`) are
# written in that order.
_PLACED = {"messages": "message", "events": "event", "file_edits": "file_edit"}
_OTHERS = {"plans": "plan", "usage": "usage", "documents": "document"}
LISTS = (*_PLACED, *_OTHERS, "todos")
Part = Message | Event | FileEdit | Plan | Usage | Document | tuple[Todo, ...]


class Head(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an export says about itself; `left_out` names what it does not have of its sessions.

    `unreadable_results` counts the tool calls whose result was damaged in the archive.
    """

    format: Literal["agent-journal-export"]
    version: int
    made_by: str | None = None
    is_redacted: bool = False
    left_out: tuple[str, ...] = ()
    unreadable_results: int = 0


class OwnMark(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A star, tag or title that a person gave a session: `kind` says which, `at` when."""

    agent: str
    session_id: str
    kind: str
    value: str = ""
    at: datetime | None = None


class Export(Head, frozen=True, kw_only=True, omit_defaults=True):
    """A session and its sub-agents as one document."""

    sessions: tuple[Session, ...]
    marks: tuple[OwnMark, ...] = ()


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line after the head; exactly one field is set. `session` comes without its lists."""

    session: Session | None = None
    message: Message | None = None
    event: Event | None = None
    file_edit: FileEdit | None = None
    plan: Plan | None = None
    todos: tuple[Todo, ...] | None = None
    usage: Usage | None = None
    document: Document | None = None
    mark: OwnMark | None = None


def parts(session: Session) -> Iterator[tuple[str, Part]]:
    """Yield everything in a session with the name of its line, in the order of the session."""
    return _ordered(lambda field: getattr(session, field), lambda part: part.seq)


def plain_parts(session: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the same for a session that is JSON, whoever wrote it."""

    def listed(field: str) -> list[Any]:
        value = session.get(field)
        if not isinstance(value, list):
            return []
        return value

    def place(part: Any) -> int | None:
        if not isinstance(part, dict):
            return None
        seq = part.get("seq")
        return seq if type(seq) is int else None

    return _ordered(listed, place)


def _ordered(
    listed: Callable[[str], Any], place: Callable[[Any], int | None]
) -> Iterator[tuple[str, Any]]:
    placed = [(name, part) for field, name in _PLACED.items() for part in listed(field)]
    placed.sort(key=lambda item: place(item[1]) or 0)
    yield from placed
    for field, name in _OTHERS.items():
        yield from ((name, part) for part in listed(field))
    todos = listed("todos")
    if todos:
        yield "todos", todos


def without_lists(session: Session) -> Session:
    """Return the session alone, as in a listing."""
    return msgspec.structs.replace(session, **dict.fromkeys(LISTS, ()))
