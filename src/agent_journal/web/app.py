"""The application: which handler answers which address."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from agent_journal.answers.warm_search import WarmSearch
from agent_journal.errors import JournalBusy, JournalError, NoSuchSession, UsageError
from agent_journal.export.prose import in_tag
from agent_journal.web.access import OPEN, Access
from agent_journal.web.context import Context, context_of
from agent_journal.web.frame import page, respond
from agent_journal.web.keys import Keys
from agent_journal.web.listing.routes import LISTING
from agent_journal.web.session.routes import SESSION
from agent_journal.web.static_files import static_files

_FOR_EVER = "private, max-age=31536000, immutable"


def make_app(home: str, keys: Keys, port: int) -> ASGIApp:
    """The application for the journal in a folder."""
    context = Context(home, keys, WarmSearch(home))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        context.search.close()

    app = Starlette(
        routes=list(_ROUTES),
        exception_handlers={
            JournalError: _show_error,
            HTTPException: _show_missing,
        },
        lifespan=lifespan,
    )
    app.state.context = context
    return Access(app, keys, port)


def _open(request: Request) -> Response:
    """Give the browser its cookie for a ticket."""
    keys = context_of(request).keys
    if not keys.use_ticket(request.query_params.get("t", "")):
        reason = "This address has been used, or is too old: run 'aj web' again."
        return respond(page("aj", [f'<p class="remark">{in_tag(reason)}</p>']), 403)
    response = RedirectResponse(_wanted_page(request), 303)
    response.set_cookie(keys.cookie_name, keys.cookie, httponly=True, samesite="strict", path="/")
    return response


def _wanted_page(request: Request) -> str:
    """The page that is opened first: that of a session, where one is named, or the list."""
    path = request.query_params.get("to", "")
    if path.startswith("/s/") and path.isprintable():
        return quote(path, safe="/%:")
    return "/"


def _ticket(request: Request) -> Response:
    """A ticket for another `aj web`, which knows the key."""
    return JSONResponse({"ticket": context_of(request).keys.new_ticket()})


def _no_icon(request: Request) -> Response:
    """Browsers ask for one, and complain of an error."""
    return Response(status_code=204)


def _static(request: Request) -> Response:
    found = static_files().get(request.path_params["name"])
    if found is None or found.hash != request.path_params["hash"]:
        raise HTTPException(404)
    headers = {"cache-control": _FOR_EVER}
    return Response(found.content, media_type=found.media_type, headers=headers)


def _show_error(request: Request, error: Exception) -> Response:
    """A failure of ours, with its cure."""
    assert isinstance(error, JournalError)
    status = 500
    if isinstance(error, NoSuchSession):
        status = 404
    elif isinstance(error, UsageError):
        status = 400
    elif isinstance(error, JournalBusy):
        status = 503
    text = error.message
    if error.hint:
        text += f" ({error.hint})"
    return respond(page("aj", [f'<p class="remark">{in_tag(text, 2_000)}</p>']), status)


def _show_missing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    remark = f'<p class="remark">{in_tag(error.detail)}: <a href="/">all sessions</a></p>'
    return respond(page("aj", [remark]), error.status_code)


_ROUTES = (
    Route(OPEN, _open),
    Route("/-/ticket", _ticket, methods=["POST"]),
    Route("/favicon.ico", _no_icon),
    Route("/static/{hash}/{name}", _static),
    *LISTING,
    *SESSION,
)
