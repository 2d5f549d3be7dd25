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
from agent_journal.web.access import OPEN, Access, refusal
from agent_journal.web.activity.routes import ACTIVITY
from agent_journal.web.api.routes import API, PREFIX
from agent_journal.web.context import Context, context_of
from agent_journal.web.doctor.routes import DOCTOR
from agent_journal.web.files.routes import FILES
from agent_journal.web.frame import page, respond
from agent_journal.web.keys import Keys
from agent_journal.web.later import import_soon, later
from agent_journal.web.listing.routes import LISTING
from agent_journal.web.live.feed import Feed
from agent_journal.web.live.routes import LIVE
from agent_journal.web.mask import Mask
from agent_journal.web.remembered import Remembered
from agent_journal.web.session.routes import SESSION
from agent_journal.web.static_files import static_files
from agent_journal.web.usage.routes import USAGE

_FOR_EVER = "private, max-age=31536000, immutable"


def make_app(home: str, keys: Keys, port: int, feed: Feed, *, is_demo: bool = False) -> ASGIApp:
    """The application for the journal in a folder; that of a demo changes nothing."""
    context = Context(home, keys, WarmSearch(home), Remembered(), feed)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        import_soon()
        feed.begin(is_watching=not is_demo)
        yield
        feed.close()
        context.search.close()

    app = Starlette(
        routes=list(ROUTES),
        exception_handlers={
            HTTPException: _show_missing,
            JournalError: _show_error,
            Exception: _show_error,
        },
        lifespan=lifespan,
    )
    app.state.context = context
    return Access(Mask(app, port), keys, port, is_read_only=is_demo)


def _open(request: Request) -> Response:
    """Give the browser its cookie for a ticket."""
    keys = context_of(request).keys
    if not keys.use_ticket(request.query_params.get("t", "")):
        return _say("This address has been used, or is too old: run 'aj web' again.", 403)
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
    from agent_journal.answers.failure import failure_of

    failure = failure_of(error)
    status = _status(error)
    if request.url.path.startswith(PREFIX):
        return JSONResponse(failure.envelope(), status)
    text = failure.message
    if failure.hint:
        text += f" ({failure.hint})"
    return _say(text, status)


def _say(text: str, status: int) -> Response:
    """A page that says why there is no other."""
    way = '<p><a href="/">All sessions</a></p>\n'
    return respond(page("aj", [f'<h1 class="remark">{in_tag(text, 2_000)}</h1>\n{way}']), status)


def _status(error: Exception) -> int:
    if isinstance(error, NoSuchSession):
        return 404
    if isinstance(error, (UsageError, UnicodeEncodeError)):
        return 400
    if isinstance(error, JournalBusy):
        return 503
    return 500


def _show_missing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = error.status_code
    if request.url.path.startswith(PREFIX):
        return JSONResponse(refusal(error.detail), status, headers=error.headers)
    return _say(error.detail, status)


ROUTES = (
    Route(OPEN, _open),
    Route("/-/ticket", _ticket, methods=["POST"]),
    Route("/favicon.ico", _no_icon),
    Route("/static/{hash}/{name}", _static),
    Route("/picture/{sha256}", later("pictures", "picture")),
    *LIVE,
    *API,
    *LISTING,
    *SESSION,
    Route("/mcp", later("recall", "mcp"), methods=["POST"]),
    *FILES,
    *USAGE,
    *ACTIVITY,
    *DOCTOR,
)
