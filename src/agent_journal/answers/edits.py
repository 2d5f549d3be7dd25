"""`edits`: what each request of a session did to which files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from agent_journal.answers.answer import Answer, whole_answer
from agent_journal.model import FileEdit, Message, Session
from agent_journal.model.file_history import edits_of, requests_of, timeline
from agent_journal.text.plain import one_line


class EditItem(TypedDict):
    """What one request did to one file."""

    request: int
    request_id: str | None
    prompt: str | None
    path: str
    kind: str
    state: str | None
    lines_added: int | None
    lines_removed: int | None
    diff: str | None
    call_id: str | None
    timestamp: str | None
    origin: str


class EditsExtra(TypedDict):
    """Whose edits they are."""

    session: str


class RequestEdit(NamedTuple):
    """An edit, and the request it was made for; 0: before the first request."""

    number: int
    prompt: str  # the first line
    edit: FileEdit


def edits_by_request(session: Session) -> list[RequestEdit]:
    """Return the edits of a session in order, each with its request."""
    requests = requests_of(session)
    edits = timeline(edits_of(session, requests), [request.id for request in requests])
    return [RequestEdit(number, _prompt(requests, number), edit) for number, edit in edits]


def edits_answer(session: Session) -> Answer:
    """Return the edits of a session in order."""
    items = [_item(found) for found in edits_by_request(session)]
    return whole_answer("edits", items, session=f"{session.agent}:{session.id}")


def _item(found: RequestEdit) -> EditItem:
    edit = found.edit
    timestamp = None
    if edit.timestamp:
        timestamp = edit.timestamp.isoformat().replace("+00:00", "Z")
    return EditItem(
        request=found.number,
        request_id=edit.message_id,
        prompt=found.prompt or None,
        path=edit.path,
        kind=edit.kind,
        state=edit.state,
        lines_added=edit.lines_added,
        lines_removed=edit.lines_removed,
        diff=edit.diff,
        call_id=edit.call_id,
        timestamp=timestamp,
        origin=edit.origin,
    )


def _prompt(requests: Sequence[Message], number: int) -> str:
    """Return the first line of a request."""
    if not 0 < number <= len(requests):
        return ""
    first, _, _ = requests[number - 1].text.strip().partition("\n")
    return one_line(first, 160)
