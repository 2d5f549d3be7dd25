"""Tool calls: arguments, result and outcome of one message's `toolFormerData`.

{"tool":15,"name":"run_terminal_cmd","toolCallId":"call_1","status":"completed",
 "userDecision":"accepted","rawArgs":"{\\"command\\":\\"ls\\"}","params":"{…}",
 "result":"{\\"output\\":\\"a\\\\n\\",\\"exitCodeV2\\":0}"}
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from agent_journal.connectors.cursor.bubbles import Quoting
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import integer, items, mapping, string
from agent_journal.model import Approval, ToolCall, ToolStatus

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
# The results of commands and reads are JSON around one text
_OUTPUTS = ("output", "contents")
_ERRORS = ("clientVisibleErrorMessage", "modelVisibleErrorMessage", "message", "error")
_MCP_PREFIXES = ("mcp_", "mcp-", "callmcp", "call_mcp")


class ToolUse(NamedTuple):
    """A call, with its arguments and its result as JSON objects."""

    call: ToolCall
    arguments: dict[str, Any]
    result: dict[str, Any]


def tool_use_of(
    tool: dict[str, Any],
    session_id: str,
    bubble_id: str,
    timestamp: datetime | None,
    quote: Quoting,
) -> ToolUse | None:
    """Return the call of a message; None for the stub that a failed request leaves behind."""
    if _is_stub(tool):
        return None
    name = _name_of(tool)
    arguments = {**as_object(tool.get("params")), **as_object(tool.get("rawArgs"))}
    result = as_object(tool.get("result"))
    error = _error(tool.get("error"))
    exit_code = integer(result.get("exitCodeV2"))
    if exit_code is None:
        exit_code = integer(result.get("exitCode"))
    text, is_verbatim = _result_text(tool.get("result"), result)
    additional = mapping(tool.get("additionalData"))
    server = _server(name, arguments)
    call = ToolCall(
        session_id=session_id,
        id=string(tool.get("toolCallId")) or f"{bubble_id}/call",
        message_id=bubble_id,
        name=name,
        kind=tool_kind(name, server),
        server=server,
        arguments=as_text(tool.get("rawArgs")) or as_text(tool.get("params")),
        result=text or error or text,
        result_at=quote(text) if is_verbatim else None,
        status=_status(tool, result, error, exit_code),
        approval=_APPROVALS.get(string(tool.get("userDecision")) or ""),
        exit_code=exit_code,
        started_at=timestamp,
        child_session_id=string(result.get("agentId"))
        or string(additional.get("subagentComposerId")),
    )
    return ToolUse(call, arguments, result)


def _is_stub(tool: dict[str, Any]) -> bool:
    if string(tool.get("name")) or string(tool.get("tool")) or string(tool.get("toolCallId")):
        return False
    return not any(tool.get(key) for key in ("params", "rawArgs", "result"))


def _name_of(tool: dict[str, Any]) -> str | None:
    name = string(tool.get("name")) or string(tool.get("tool"))
    number = integer(tool.get("tool"))
    if name is None and number is not None:
        return f"tool {number}"
    return name


def as_object(value: Any) -> dict[str, Any]:
    """Return a JSON object, also when it is written as a text."""
    if isinstance(value, str) and value[:1] == "{":
        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError, ValueError):
            return {}
    return mapping(value)


def as_text(value: Any) -> str | None:
    """Return JSON as text: unchanged when it is text already; None when it is empty."""
    if not value:
        return None
    if isinstance(value, (dict, list)):
        return msgspec.json.encode(value).decode()
    return string(value)


def _result_text(value: Any, result: dict[str, Any]) -> tuple[str | None, bool]:
    """Return what a tool gave back, and whether the row contains it verbatim."""
    for key in _OUTPUTS:
        text = result.get(key)
        if isinstance(text, str) and (text or key == "output"):
            return text, False
    if isinstance(value, str):
        return value, True
    return as_text(value), False


def _error(value: Any) -> str | None:
    if isinstance(value, str) and value[:1] != "{":
        return value or None
    error = as_object(value)
    for key in _ERRORS:
        text = string(error.get(key))
        if text is not None:
            return text
    return as_text(value)


def _status(
    tool: dict[str, Any], result: dict[str, Any], error: str | None, exit_code: int | None
) -> ToolStatus | None:
    if string(tool.get("userDecision")) == "rejected" or result.get("rejected") is True:
        return "denied"
    additional = mapping(tool.get("additionalData"))
    recorded = string(tool.get("status")) or string(additional.get("status"))
    status = _STATUSES.get(recorded or "")
    if status == "ok" and exit_code:
        return "failed"
    if status is None and error:
        return "error"
    return status


def _server(name: str | None, arguments: dict[str, Any]) -> str | None:
    """Return the server of an MCP tool: named in the arguments, else in the name of the tool."""
    tools = items(arguments.get("tools"))
    names = [server for tool in tools if (server := string(tool.get("serverName")))]
    listed = next(iter(names), None)
    if name is None or not name.lower().startswith(_MCP_PREFIXES):
        return listed
    server = string(arguments.get("serverName")) or string(arguments.get("server")) or listed
    if server is not None:
        return server
    parts = name.replace("-", "_").split("_")
    if len(parts) > 2 and parts[1]:
        return parts[1]
    return "mcp"
