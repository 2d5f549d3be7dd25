"""What is live: the stream of what is new, and a sync that is asked for."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from agent_journal.answers.changes import changes_answer
from agent_journal.errors import JournalBusy
from agent_journal.web.context import context_of
from agent_journal.web.live.feed import MOST_STREAMS

_STREAM = "text/event-stream"
_MOST_LETTERS = 80


async def events(request: Request) -> Response:
    """What is new after a position: a stream, or for programs that want it once, an answer."""
    feed = context_of(request).feed
    after = request.headers.get("last-event-id") or request.query_params.get("after") or None
    if after is not None:
        after = after[:_MOST_LETTERS]
    if _STREAM not in request.headers.get("accept", ""):
        changes = await run_in_threadpool(feed.changes, after)
        return JSONResponse(changes_answer(changes).envelope())
    if feed.streams >= MOST_STREAMS:
        raise JournalBusy("too many streams are open", "close some pages")
    return StreamingResponse(feed.events(after), media_type=_STREAM)


def sync_now(request: Request) -> Response:
    """Look for new sessions now; the only request that changes the journal."""
    return JSONResponse(context_of(request).feed.background.sync())
