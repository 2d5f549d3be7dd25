"""What can be found: every row of the catalog with words in it, as one item with its kind."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from agent_journal.model import (
    Attachment,
    Event,
    FileEdit,
    HistoryEntry,
    Message,
    Plan,
    TodoList,
    ToolCall,
)
from agent_journal.search.arguments import CallTexts, call_texts, plain_arguments
from agent_journal.search.terms import (
    INDEXED_BYTES,
    attached_names,
    attached_text,
    is_image,
)
from agent_journal.store.catalog import item_rows
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.item_rows import StoredRow
from agent_journal.store.catalog.results import recorded_result, spilled_result
from agent_journal.text.dates import to_micros

if TYPE_CHECKING:
    from agent_journal.store.catalog.results import Resolve


# As many bodies as a large sync indexes at once: they are read table by table, and each table has
# some of them in every block
_HELD_BYTES = 32 * 2**20


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
    called_with: CallTexts = CallTexts()
    has_image: bool = False
    names: str = ""  # where identifiers are looked for, when that is not the whole text


def new_items(db: Connection, after: int, resolve: Resolve) -> Iterator[Item]:
    """Everything with an id above `after`, table by table."""
    bodies = BodyReader(db, _HELD_BYTES)
    yield from _sessions(db, after)
    yield from _messages(db, bodies, after)
    yield from _calls(db, bodies, after, resolve)
    yield from _events(db, bodies, after)
    yield from _edits(db, bodies, after)
    yield from _plans(db, after)
    yield from _todos(db, after)
    yield from _history(db, after)
    yield from _documents(db, after, resolve)


def prose_items(db: Connection, after: int) -> Iterator[Item]:
    """What people wrote and were answered, with an id above `after`, in the order of the ids."""
    sources = (_sessions(db, after), _messages(db, BodyReader(db), after), _plans(db, after))
    return heapq.merge(*sources, key=attrgetter("id"))


def said_in_session(db: Connection, session: int, first: int, last: int) -> Iterator[Item]:
    """The messages of a session with ids from `first` to `last`."""
    bodies = BodyReader(db)
    for row in item_rows.messages_of_session(db, session, first, last):
        yield from _of_message(row, bodies.read(row.spot, Message))


def _sessions(db: Connection, after: int) -> Iterator[Item]:
    for row in item_rows.titles_after(db, after):
        words = (
            row.own_title,
            row.title,
            row.project_path,
            row.project_dir,
            row.repository,
            row.git_branch,
        )
        yield Item(
            id=row.item_id,
            session=row.session_id,
            kind="session",
            role="",
            time=_first_known(row.ended_at, row.started_at),
            text="\n".join(filter(None, words)),
            is_prose=True,
        )


def _first_known(*times: int | None) -> int:
    return next((time for time in times if time is not None), 0)


def _messages(db: Connection, bodies: BodyReader, after: int) -> Iterator[Item]:
    for row in item_rows.stored_rows_after(db, "messages", after):
        yield from _of_message(row, bodies.read(row.spot, Message))


def _of_message(row: StoredRow, message: Message) -> Iterator[Item]:
    text = message.text
    paths: tuple[str, ...] = ()
    attached = ""
    if message.attachments:
        text = "\n".join((text, *attached_names(message.attachments)))
        paths = _attached_paths(message.attachments)
        attached = attached_text(message.attachments)
    time = row.time or 0
    is_hidden = message.state == "hidden" or row.kind == "system_prompt"
    has_image = any(map(is_image, message.attachments))
    if text or has_image:
        yield Item(
            id=row.id,
            session=row.session_id,
            kind=row.kind,
            role=message.role,
            time=time,
            text=text,
            is_prose=True,
            is_hidden=is_hidden,
            status=message.state or "",
            paths=paths,
            has_image=has_image,
        )
    if message.reasoning:
        yield Item(
            id=row.id,
            session=row.session_id,
            kind="reasoning",
            role=message.role,
            time=time,
            text=message.reasoning,
            is_prose=True,
            is_hidden=is_hidden,
        )
    if attached:
        yield Item(
            id=row.id,
            session=row.session_id,
            kind="attachment",
            role=message.role,
            time=time,
            text=attached,
            is_hidden=True,
            paths=paths,
        )


def _attached_paths(attachments: tuple[Attachment, ...]) -> tuple[str, ...]:
    return tuple(attachment.path for attachment in attachments if attachment.path)


def _calls(db: Connection, bodies: BodyReader, after: int, resolve: Resolve) -> Iterator[Item]:
    for row in item_rows.stored_rows_after(db, "tool_calls", after):
        call = bodies.read(row.spot, ToolCall)
        result = spilled_result(db, row.session_id, call, resolve, INDEXED_BYTES)
        if result is None:
            result = recorded_result(call, row.file_id, resolve)
        arguments = plain_arguments(call.arguments)
        words = (call.name, call.title, call.server, arguments, call.display, result)
        yield Item(
            id=row.id,
            session=row.session_id,
            kind="tool",
            role="tool",
            time=row.time or 0,
            text="\n".join(filter(None, words)),
            is_hidden=bool(row.is_hidden),
            tool=(call.name or "").lower(),
            status=call.status or "",
            paths=_attached_paths(call.attachments) + _paths(call.arguments),
            called_with=call_texts(call.arguments),
            has_image=any(map(is_image, call.attachments)),
            names=f"{call.name or ''} {call.arguments or ''}",
        )


def _paths(arguments: str | None) -> tuple[str, ...]:
    """The files that a call names, by the names that agents give that argument."""
    if not arguments or "ath" not in arguments:
        return ()
    try:
        given = msgspec.json.decode(arguments, type=_PathArguments)
    except (msgspec.DecodeError, RecursionError):
        return ()
    paths = (given.file_path, given.filePath, given.path, given.notebook_path)
    return tuple(path for path in paths if path)


class _PathArguments(msgspec.Struct):
    file_path: str | None = None
    filePath: str | None = None
    path: str | None = None
    notebook_path: str | None = None


def _events(db: Connection, bodies: BodyReader, after: int) -> Iterator[Item]:
    for row in item_rows.stored_rows_after(db, "events", after):
        event = bodies.read(row.spot, Event)
        text = f"{event.type} {event.text or event.raw or ''}"
        yield Item(row.id, row.session_id, "event", "", row.time or 0, text)


def _edits(db: Connection, bodies: BodyReader, after: int) -> Iterator[Item]:
    for row in item_rows.stored_rows_after(db, "file_edits", after):
        edit = bodies.read(row.spot, FileEdit)
        text = f"{edit.path}\n{edit.diff or edit.after or ''}"
        yield Item(row.id, row.session_id, "edit", "", row.time or 0, text, paths=(edit.path,))


def _plans(db: Connection, after: int) -> Iterator[Item]:
    for row in item_rows.plans_after(db, after):
        plan = msgspec.msgpack.decode(row.body, type=Plan)
        time = to_micros(plan.created_at) or row.time
        text = f"{plan.name}\n{plan.text}\n{plan.feedback or ''}"
        yield Item(row.id, row.session_id, "plan", "", time, text, is_prose=True)


def _todos(db: Connection, after: int) -> Iterator[Item]:
    for row in item_rows.todo_lists_after(db, after):
        todos = msgspec.msgpack.decode(row.body, type=TodoList).items
        text = "\n".join(f"{todo.content}\n{todo.description or ''}" for todo in todos)
        yield Item(row.id, row.session_id, "todo", "", row.time, text, is_prose=True)


def _history(db: Connection, after: int) -> Iterator[Item]:
    for row in item_rows.history_after(db, after):
        entry = msgspec.msgpack.decode(row.body, type=HistoryEntry)
        text = f"{entry.text}\n{entry.pasted or ''}"
        yield Item(row.id, row.session_id, "history", "user", row.time, text, is_prose=True)


def _documents(db: Connection, after: int, resolve: Resolve) -> Iterator[Item]:
    for row in item_rows.documents_after(db, after):
        text = resolve.document(row.file_id, INDEXED_BYTES)
        if text is not None:
            text = f"{row.name}\n{text}"
            yield Item(row.id, row.session_id, "document", "", row.time, text, paths=(row.name,))
