"""Stars, tags and titles: what the page may change. They are kept in the journal (marks.jsonl)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from agent_journal.answers.answer import SCHEMA
from agent_journal.answers.marks import marks_answer
from agent_journal.errors import JournalError, NoSuchSession, UsageError
from agent_journal.journal import Journal
from agent_journal.store import marking
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.web.access import MOST_BODY
from agent_journal.web.context import Context, context_of

_MOST_TAGS = 100


class Wanted(NamedTuple):
    """What is to be said of a session; None leaves it as it is."""

    session: str  # agent:id
    starred: bool | None
    tags: list[str] | None  # all of them: others are taken away
    title: str | None  # an empty one brings the agent's title back


async def change_marks(request: Request) -> Response:
    """Change the marks of one session, and answer with them as they are now."""
    body = await _body(request)
    context = context_of(request)
    try:
        return JSONResponse(await run_in_threadpool(_change, context, body))
    except JournalError as error:
        return JSONResponse(_failure(error), _status(error))


async def _body(request: Request) -> bytes:
    """The body, as long as it is no longer than its length may be."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BODY:
            break
    return body


def _change(context: Context, body: bytes) -> dict[str, Any]:
    wanted = _wanted(body)
    with context.journal() as journal:
        row = journal.row(wanted.session)
        _apply(journal, row, wanted)
        journal.refresh()
        return marks_answer([journal.row(f"{row.agent}:{row.id}")]).envelope()


def _apply(journal: Journal, row: SessionRow, wanted: Wanted) -> None:
    path = journal.config.marks_path
    if wanted.title:
        marking.checked_title(wanted.title)  # what is wrong is found before anything is changed
    if wanted.tags is not None:
        kept = {marking.checked_tag(word).casefold() for word in wanted.tags}
        marking.tag(path, [row], wanted.tags)
        others = [word for word in row.own_tag_names() if word.casefold() not in kept]
        marking.untag(path, [row], others)
    if wanted.title:
        marking.give_title(path, row, wanted.title)
    elif wanted.title is not None:
        marking.reset_titles(path, [row])
    if wanted.starred is True:
        marking.star(path, [row])
    elif wanted.starred is False:
        marking.unstar(path, [row])


def _wanted(body: bytes) -> Wanted:
    try:
        sent = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        raise UsageError("the body is not JSON") from None
    if not isinstance(sent, Mapping):
        raise UsageError("the body must be an object")
    unknown = sent.keys() - set(Wanted._fields)
    if unknown:
        raise UsageError(f"the body has an unknown field {min(unknown)[:40]!r}")
    wanted = Wanted(
        session=_typed(sent, "session", str) or "",
        starred=_typed(sent, "starred", bool),
        tags=_typed(sent, "tags", list),
        title=_typed(sent, "title", str),
    )
    if wanted.tags is not None and not all(isinstance(word, str) for word in wanted.tags):
        raise UsageError("tags must be texts")
    if len(wanted.tags or ()) > _MOST_TAGS:
        raise UsageError(f"a session has at most {_MOST_TAGS} tags")
    if ":" not in wanted.session:
        raise UsageError("session must be agent:id")
    return wanted


def _typed(sent: Mapping[str, Any], name: str, kind: type) -> Any:
    value = sent.get(name)
    if value is not None and not isinstance(value, kind):
        raise UsageError(f"{name} has the wrong type")
    return value


def _failure(error: JournalError) -> dict[str, Any]:
    failure = {"code": error.code, "message": error.message, "hint": error.hint}
    return {"schema": SCHEMA, "error": failure}


def _status(error: JournalError) -> int:
    if isinstance(error, NoSuchSession):
        return 404
    if isinstance(error, UsageError):
        return 400
    return 500
