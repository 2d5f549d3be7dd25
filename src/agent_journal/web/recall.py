"""`/mcp`: the tools of `aj mcp` for agents that know the key; each request is answered for itself.

Every answer is one object of JSON: there are no streams and no sessions of the protocol.
"""

from __future__ import annotations

import json
import os
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from agent_journal.answers.recall.protocol import (
    INVALID_REQUEST,
    PARSE_ERROR,
    VERSION_KEY,
    Protocol,
    ProtocolError,
    failed,
    is_modern_request,
    is_request,
    respond,
)
from agent_journal.web.context import Context, context_of

_HEADER_MISMATCH = -32020
_MOST_BATCH = 20  # requests at once


async def mcp(request: Request) -> Response:
    """Answer a request, or several, of an agent."""
    try:
        message = json.loads(await request.body())
    except (ValueError, RecursionError):
        return _refused(ProtocolError(PARSE_ERROR, "this is no JSON"))
    context = context_of(request)
    if isinstance(message, list) and 0 < len(message) <= _MOST_BATCH:
        wanted = [one for one in message if is_request(one)]
        answers = [await run_in_threadpool(_answer, context, one) for one in wanted]
        if answers:
            return _sent(answers)
        return Response(status_code=202)
    if not isinstance(message, dict):
        return _refused(ProtocolError(INVALID_REQUEST, "this is no request"))
    if not is_request(message):
        return Response(status_code=202)  # a notification
    if not _agrees(request, message):
        error = ProtocolError(_HEADER_MISMATCH, "the headers and the request say something else")
        return _sent(failed(message["id"], error), 400)
    return _sent(await run_in_threadpool(_answer, context, message))


def _agrees(request: Request, message: dict[str, Any]) -> bool:
    """Whether the headers of a request that speaks for itself say what it says."""
    params = message.get("params")
    if not isinstance(params, dict) or not is_modern_request(message["method"], params):
        return True
    version = request.headers.get("mcp-protocol-version")
    method = request.headers.get("mcp-method")
    asked = params["_meta"][VERSION_KEY]
    return bool(version == asked and method == message["method"])


def _answer(context: Context, message: dict[str, Any]) -> dict[str, Any]:
    from agent_journal.answers.recall.recall import Recall

    # Nobody knows the folder of the agent, and the key of this page lifts no redaction
    protocol = Protocol(lambda: Recall(context.search, {"HOME": os.path.expanduser("~")}, ""))
    return respond(protocol, message)


def _refused(error: ProtocolError) -> Response:
    return _sent(failed(None, error), 400)


def _sent(content: Any, status: int = 200) -> Response:
    data = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
    return Response(data, status, media_type="application/json")
