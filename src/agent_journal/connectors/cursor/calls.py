"""Tool calls: arguments, result and outcome of one message's `toolFormerData`.

{"tool":15,"name":"run_terminal_cmd","toolCallId":"call_1","status":"completed","userDecision":"accepted",
 "rawArgs":"{\\"command\\":\\"ls\\"}","params":"{…}","result":"{\\"output\\":\\"a\\\\n\\",\\"exitCodeV2\\":0}"}
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import integer, items, mapping, string
from agent_journal.model import Approval, Quote, ToolCall, ToolStatus

_STATUSES: dict[str, ToolStatus] = {
    "completed": "ok",
    "success": "ok",
    "error": "error",
    "failed": "error",
    "cancelled": "interrupted",
    "canceled": "interrupted",
    "aborted": "interrupted",
    "rejected": "denied",
    "loading": "running",
    "running": "running",
    "pending": "running",
}
_APPROVALS: dict[str, Approval] = {"accepted": "user", "rejected": "denied"}
# Of the results of commands and reads, which are JSON around one text
_OUTPUTS = ("output", "contents")
_ERRORS = ("clientVisibleErrorMessage", "modelVisibleErrorMessage", "message", "error")
Quoting = Callable[[str | None], Quote | None]


class Called(NamedTuple):
    """A call, with what it was asked and what came back as JSON objects."""

    call: ToolCall
    asked: dict[str, Any]
    came: dict[str, Any]


def called(
    data: dict[str, Any], session_id: str, bubble_id: str, when: datetime | None, quoting: Quoting
) -> Called | None:
    """The call a message holds; None for the stub that a failed request leaves, which names no
    tool.
    """
    name = string(data.get("name")) or string(data.get("tool"))
    number = integer(data.get("tool"))
    call_id = string(data.get("toolCallId"))
    if (
        name is None
        and call_id is None
        and not any(data.get(key) for key in ("params", "rawArgs", "result"))
    ):
        return None
    name = name or (f"tool {number}" if number is not None else None)
    asked = {**as_object(data.get("params")), **as_object(data.get("rawArgs"))}
    came = as_object(data.get("result"))
    error = _error(data.get("error"))
    exit_code = next(
        (
            code
            for key in ("exitCodeV2", "exitCode")
            if (code := integer(came.get(key))) is not None
        ),
        None,
    )
    text, is_verbatim = _result(data.get("result"), came)
    server = _server(name, asked)
    call = ToolCall(
        session_id=session_id,
        id=call_id or f"{bubble_id}/call",
        message_id=bubble_id,
        name=name,
        kind=tool_kind(name, server),
        server=server,
        arguments=as_text(data.get("rawArgs")) or as_text(data.get("params")),
        result=text or error or text,
        result_at=quoting(text) if is_verbatim else None,
        status=_status(data, came, error, exit_code),
        approval=_APPROVALS.get(string(data.get("userDecision")) or ""),
        exit_code=exit_code,
        started_at=when,
        child_session_id=string(came.get("agentId"))
        or string(mapping(data.get("additionalData")).get("subagentComposerId")),
    )
    return Called(call, asked, came)


def as_object(value: Any) -> dict[str, Any]:
    """A JSON object, also when it is written as a text."""
    if isinstance(value, str) and value[:1] == "{":
        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError, ValueError):
            return {}
    return mapping(value)


def as_text(value: Any) -> str | None:
    """JSON as text: as it is written, or made of the object that stands there."""
    if isinstance(value, (dict, list)):
        return msgspec.json.encode(value).decode() if value else None
    return string(value)


def _result(value: Any, came: dict[str, Any]) -> tuple[str | None, bool]:
    """What a tool gave back, and whether it stands so in the row."""
    for key in _OUTPUTS:
        if isinstance(came.get(key), str) and (came[key] or key == "output"):
            return came[key], False
    if isinstance(value, str):
        return value, True
    return as_text(value), False


def _error(value: Any) -> str | None:
    if isinstance(value, str) and value[:1] != "{":
        return value or None
    told = as_object(value)
    return next((text for key in _ERRORS if (text := string(told.get(key)))), None) or as_text(
        value
    )


def _status(
    data: dict[str, Any], came: dict[str, Any], error: str | None, exit_code: int | None
) -> ToolStatus | None:
    if string(data.get("userDecision")) == "rejected" or came.get("rejected") is True:
        return "denied"
    told = string(data.get("status")) or string(mapping(data.get("additionalData")).get("status"))
    status = _STATUSES.get(told or "")
    if status == "ok" and exit_code:
        return "failed"
    return status or ("error" if error else None)


def _server(name: str | None, asked: dict[str, Any]) -> str | None:
    """The server of an MCP tool: named in the arguments, else between the marks of its name."""
    told = string(asked.get("serverName")) or string(asked.get("server"))
    inner = (string(tool.get("serverName")) for tool in items(asked.get("tools")))
    if name and name.lower().startswith(("mcp_", "mcp-", "callmcp", "call_mcp")):
        parts = name.replace("-", "_").split("_")
        return (
            told
            or next(filter(None, inner), None)
            or (parts[1] if len(parts) > 2 else None)
            or "mcp"
        )
    return next(filter(None, inner), None)
