"""Handlers that are imported when they are first asked for: the first page does not wait for them.

The rest is imported a moment after the start, before somebody clicks.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from importlib import import_module
from threading import Timer

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

Handler = Callable[[Request], Response | Awaitable[Response]]
_PAUSE = 1.0  # seconds after the start
_MODULES: set[str] = set()


def later(module: str, name: str) -> Callable[[Request], Awaitable[Response]]:
    """The handler of that name in a module below `agent_journal.web`."""
    _MODULES.add(module)

    async def handle(request: Request) -> Response:
        found = await run_in_threadpool(_find, module, name)
        answer = await run_in_threadpool(found, request)
        if isinstance(answer, Response):
            return answer
        return await answer

    return handle


def import_soon() -> None:
    """Import all handlers, a moment from now."""
    timer = Timer(_PAUSE, _import_all)
    timer.daemon = True
    timer.start()


def _import_all() -> None:
    for module in sorted(_MODULES):
        import_module(f"agent_journal.web.{module}")


@cache
def _find(module: str, name: str) -> Handler:
    handler: Handler = getattr(import_module(f"agent_journal.web.{module}"), name)
    return handler
