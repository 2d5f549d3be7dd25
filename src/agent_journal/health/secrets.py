"""Where secrets lie in the journal: which session, what part of it, what kind. A secret itself is
never told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from agent_journal.model import Attachment, Message, Session
from agent_journal.query.tree import Query
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.listing import SessionRow, list_everything
from agent_journal.store.catalog.loading import load_session
from agent_journal.store.quotes import Quotes
from agent_journal.text.redaction.redact import find_secrets, redact


class Leak(NamedTuple):
    """A secret in a session: where it stands first, and how often it is in it."""

    row: SessionRow
    title: str | None  # a title may hold one, too
    place: str
    position: int | None  # the place that `aj show ID --message` takes
    kind: str
    masked: str
    times: int


def find_leaks(
    db: Connection, archive: Archive, progress: Callable[[int, int], None] | None = None
) -> Iterator[Leak]:
    """The secrets of all sessions, session by session, each once in a session."""
    quotes = Quotes(Files(db), archive)
    rows = list_everything(db, Query(include_all=True))
    for number, row in enumerate(rows):
        if progress is not None:
            progress(number, len(rows))
        found: dict[str, Leak] = {}
        title = row.title and redact(row.title)
        for place, position, text in _texts(load_session(db, row, quotes)):
            for one in find_secrets(text) if text else ():
                secret = text[one.start : one.end] if text else ""
                before = found.get(secret) or Leak(
                    row, title, redact(place), position, one.kind, one.masked, 0
                )
                found[secret] = before._replace(times=before.times + 1)
        yield from found.values()


def _texts(session: Session) -> Iterator[tuple[str, int | None, str | None]]:
    yield "title", None, session.title
    for message in session.messages:
        yield from ((place, message.seq, text) for place, text in _of_message(message))
    for event in session.events:
        yield f"event {event.type}", event.seq, event.text
        yield f"event {event.type}", event.seq, event.raw
    for edit in session.file_edits:
        for text in (edit.diff, edit.before, edit.after):
            yield f"edit of {edit.path}", edit.seq, text
    for plan in session.plans:
        yield f"{plan.kind} {plan.name}", None, plan.text
    for todo in session.todos:
        yield "todo", None, f"{todo.content}\n{todo.description or ''}"


def _of_message(message: Message) -> Iterator[tuple[str, str | None]]:
    yield message.kind, message.text
    yield f"reasoning of the {message.kind}", message.reasoning
    yield from _attached(message.attachments)
    for call in message.tool_calls:
        name = call.name or "unknown tool"
        yield f"arguments of {name}", call.arguments
        yield f"result of {name}", call.result
        yield f"result of {name}", call.display
        yield from _attached(call.attachments)


def _attached(attachments: tuple[Attachment, ...]) -> Iterator[tuple[str, str | None]]:
    return ((f"attachment {one.name or one.kind}", one.text) for one in attachments)
