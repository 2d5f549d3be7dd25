"""Answers a request of the API."""

from __future__ import annotations

import json

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.answers.answer import Answer
from agent_journal.answers.turns import Turns
from agent_journal.web.api.kinds import KINDS
from agent_journal.web.api.parameters import read_parameters
from agent_journal.web.context import Context, context_of

TURNS = Turns(4)  # answers that are built at the same time
_BY_NAME = {kind.name: kind for kind in KINDS}


def answer(request: Request) -> Response:
    """The answer of the kind that the last part of the address names."""
    kind = _BY_NAME[request.url.path.rpartition("/")[2]]
    context = context_of(request)
    asked = read_parameters(kind.parameters, request.query_params, lambda: _uninstalled(context))
    with TURNS.take():
        built = kind.build(context, asked)
        if isinstance(built, Answer):
            text = json.dumps(built.envelope(), ensure_ascii=False, separators=(",", ":"))
            content = text.encode("utf-8", "replace")
        else:
            content = b"".join(built)
    return Response(content, media_type="application/json")


def _uninstalled(context: Context) -> tuple[str, ...]:
    """The agents in the journal whose connectors are no longer installed."""
    from agent_journal.health.examine import uninstalled

    with context.journal() as journal:
        db = journal.find_db()
        if db is None:
            return ()
        return tuple(uninstalled(db))
