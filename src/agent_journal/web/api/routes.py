"""The addresses of the API: one for each kind."""

from __future__ import annotations

import json

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from agent_journal.answers.answer import Answer
from agent_journal.web.api.kinds import KINDS, Kind
from agent_journal.web.api.parameters import read_parameters
from agent_journal.web.context import Context, context_of
from agent_journal.web.turns import Turns

PREFIX = "/api/1/"
TURNS = Turns(4)  # answers that are built at the same time


def _route(kind: Kind) -> Route:
    def answer(request: Request) -> Response:
        context = context_of(request)
        asked = read_parameters(
            kind.parameters, request.query_params, lambda: _uninstalled(context)
        )
        with TURNS.take():
            built = kind.build(context, asked)
            if isinstance(built, Answer):
                text = json.dumps(built.envelope(), ensure_ascii=False, separators=(",", ":"))
                content = text.encode("utf-8", "replace")
            else:
                content = b"".join(built)
        return Response(content, media_type="application/json")

    return Route(PREFIX + kind.name, answer, name=kind.name)


def _uninstalled(context: Context) -> tuple[str, ...]:
    """The agents in the journal whose connectors are no longer installed."""
    from agent_journal.health.examine import uninstalled

    with context.journal() as journal:
        db = journal.find_db()
        if db is None:
            return ()
        return tuple(uninstalled(db))


API = tuple(_route(kind) for kind in KINDS)
