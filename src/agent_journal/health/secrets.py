"""Finds secrets in sessions: where each is and of what kind. The secret itself is never shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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
    """A secret in a session: where it occurs first, and how often."""

    row: SessionRow
    title: str | None  # redacted: a title may contain a secret
    place: str
    position: int | None  # what `aj show ID --message` takes
    kind: str
    masked: str
    times: int


class _Text(NamedTuple):
    """A text of a session, and what it is."""

    place: str
    position: int | None
    text: str | None


def find_leaks(
    db: Connection, archive: Archive, progress: Callable[[int, int], None] | None = None
) -> Iterator[Leak]:
    """Find the secrets of all sessions, session by session; each once in a session."""
    quotes = Quotes(Files(db), archive)
    rows = list_everything(db, Query(include_all=True))
    for number, row in enumerate(rows):
        if progress is not None:
            progress(number, len(rows))
        yield from _leaks_of(row, load_session(db, row, quotes))


def _leaks_of(row: SessionRow, session: Session) -> Iterable[Leak]:
    title = redact(row.title) if row.title else row.title
    found: dict[str, Leak] = {}
    for place, position, text in _texts(session):
        if not text:
            continue
        for match in find_secrets(text):
            secret = text[match.start : match.end]
            leak = found.get(secret)
            if leak is None:
                leak = Leak(
                    row=row,
                    title=title,
                    place=redact(place),
                    position=position,
                    kind=match.kind,
                    masked=match.masked,
                    times=0,
                )
            found[secret] = leak._replace(times=leak.times + 1)
    return found.values()


def _texts(session: Session) -> Iterator[_Text]:
    yield _Text("title", None, session.title)
    for message in session.messages:
        for place, text in _texts_of_message(message):
            yield _Text(place, message.seq, text)
    for event in session.events:
        for text in (event.text, event.raw):
            yield _Text(f"event {event.type}", event.seq, text)
    for edit in session.file_edits:
        for text in (edit.diff, edit.before, edit.after):
            yield _Text(f"edit of {edit.path}", edit.seq, text)
    for plan in session.plans:
        yield _Text(f"{plan.kind} {plan.name}", None, plan.text)
    for todo in session.todos:
        yield _Text("todo", None, f"{todo.content}\n{todo.description or ''}")


def _texts_of_message(message: Message) -> Iterator[tuple[str, str | None]]:
    yield message.kind, message.text
    yield f"reasoning of the {message.kind}", message.reasoning
    yield from _texts_of_attachments(message.attachments)
    for call in message.tool_calls:
        name = call.name or "unknown tool"
        yield f"arguments of {name}", call.arguments
        yield f"result of {name}", call.result
        yield f"result of {name}", call.display
        yield from _texts_of_attachments(call.attachments)


def _texts_of_attachments(
    attachments: tuple[Attachment, ...],
) -> Iterator[tuple[str, str | None]]:
    for attachment in attachments:
        yield f"attachment {attachment.name or attachment.kind}", attachment.text
