"""A part of a session: the messages around a position, or those with some words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agent_journal.errors import UsageError
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import SessionRow

if TYPE_CHECKING:
    from agent_journal.model import Message, Session

_AROUND = 2  # messages before and after one, unless something else is asked for


def load_part(
    journal: Journal, row: SessionRow, position: int | None, context: int | None, whole: bool
) -> Session:
    """Read a session, or as much of it as the message at a position and its neighbours need."""
    if position is None:
        return journal.session(f"{row.agent}:{row.id}")
    return journal.around(row, position, _count(context), whole=whole)


def only_with_words(session: Session, text: str, context: int) -> Session:
    """Return the session with only the messages that contain all words, and those around them."""
    from msgspec.structs import replace

    from agent_journal.search.marks import folded

    words = folded(text).split()
    shown: set[int] = set()
    for number, message in enumerate(session.messages):
        whole = folded("\n".join(_texts_of(message)))
        if all(word in whole for word in words):
            shown.update(range(number - context, number + context + 1))
    if not shown:
        raise UsageError(
            f"{text!r} was not found in this session", "'aj search' searches all sessions"
        )
    messages = [message for number, message in enumerate(session.messages) if number in shown]
    return replace(session, messages=tuple(messages), events=())


def _texts_of(message: Message) -> Iterator[str]:
    """Return the texts of a message and of its tool calls."""
    texts = [message.text, message.reasoning]
    for call in message.tool_calls:
        texts += [call.name or "", call.arguments or "", call.result or "", call.display or ""]
    return filter(None, texts)


def message_at(session: Session, position: int, last: int) -> Message:
    """Return the message at a position, or the last one before it.

    `last` is the highest position in the session: of a message, or of something after it.
    """
    if not session.messages or position > last:
        raise UsageError(
            f"no message at position {position}; positions are 0 to {last}",
            "'aj show ID' shows all of it",
        )
    found = session.messages[0]
    for message in session.messages:
        if (message.seq or 0) <= position:
            found = message
    return found


def only_around(session: Session, message: Message, context: int | None) -> Session:
    """Return the session with only a message and its neighbours."""
    from msgspec.structs import replace

    count = _count(context)
    place = next(n for n, other in enumerate(session.messages) if other is message)
    messages = session.messages[max(0, place - count) : place + count + 1]
    return replace(session, messages=messages, events=())


def _count(context: int | None) -> int:
    """Return how many messages before and after one are shown."""
    if context is None:
        return _AROUND
    return context
