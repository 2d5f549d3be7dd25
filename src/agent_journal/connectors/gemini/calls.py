"""Tool calls: what was asked, what came back.

{"id":"replace-1","name":"replace","status":"success",
 "args":{"file_path":"/app/a.py","old_string":"a","new_string":"b"},
 "result":[{"functionResponse":{"id":"replace-1","name":"replace",
            "response":{"output":"Successfully modified file"}}}],
 "resultDisplay":{"fileDiff":"…","fileName":"a.py","originalContent":"a\\n","newContent":"b\\n"}}
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agent_journal.connectors.converted import NO_RESULT
from agent_journal.connectors.gemini.parts import Parts, as_json
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import integer, items, mapping, string
from agent_journal.model import Attachment, Todo, TodoList, ToolCall, ToolStatus
from agent_journal.text.dates import parse_time

STATUSES: dict[str, ToolStatus] = {
    "success": "ok",
    "error": "error",
    "cancelled": "interrupted",
    "executing": "running",
    "validating": "running",
    "scheduled": "running",
    "awaiting_approval": "running",
}
_EXIT = re.compile(r"^Exit Code: (-?\d{1,10})\s*$", re.MULTILINE)
_REFUSED = "did not allow tool call"
_MCP_TITLE = re.compile(r"\(([^()]{1,200}) MCP Server\)\Z")
_NOTHING = ("(none)", "(empty)")
_MAX_TITLE = 200
_Path = tuple[str | int, ...]


class Outcome(NamedTuple):
    """What a call gave back; `path` leads to the text if it is one string of the result."""

    text: str | None
    path: _Path | None
    attachments: tuple[Attachment, ...]
    exit_code: int | None


class _Text(NamedTuple):
    text: str
    path: _Path | None = None


def outcome(result: Any) -> Outcome:
    """Return the texts and pictures of a result."""
    texts: list[_Text] = []
    attachments: list[Attachment] = []
    exit_code = None
    parts = _as_list(result)
    for number, part in enumerate(parts):
        function_response = mapping(mapping(part).get("functionResponse"))
        if function_response:
            response = mapping(function_response.get("response"))
            if exit_code is None:
                exit_code = integer(response.get("exitCode"))
            texts.append(_response_text(response, number))
            part = function_response.get("parts")
        content = Parts(part)
        texts.append(_Text(content.text))
        attachments += content.attachments
    texts = [item for item in texts if item.text]
    text = "\n".join(item.text for item in texts) if parts else None
    if text == NO_RESULT:
        return Outcome(None, None, tuple(attachments), exit_code)
    path = None
    if len(texts) == 1 and isinstance(result, list):
        path = texts[0].path
    return Outcome(text, path, tuple(attachments), exit_code)


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    if value is None:
        return []
    return [value]


def _response_text(response: dict[str, Any], number: int) -> _Text:
    """Return the text of a response, with its path where the text is one value of it."""
    keys = [
        key
        for key in ("output", "error")
        if string(response.get(key)) and response[key] not in _NOTHING
    ]
    if len(keys) == 1:
        return _Text(response[keys[0]], (number, "functionResponse", "response", keys[0]))
    if keys:
        return _Text("\n".join(response[key] for key in keys))
    if not response or "output" in response or "error" in response:
        return _Text("")
    return _Text(as_json(response))


def tool_call(
    value: dict[str, Any], session_id: str, message_id: str, number: int
) -> tuple[ToolCall, Outcome]:
    """Return a call and what came of it."""
    name = string(value.get("name"))
    server = _server(name, string(value.get("displayName")))
    kind = tool_kind(name, server)
    found = outcome(value.get("result"))
    exit_code = found.exit_code
    if exit_code is None and kind == "shell":
        exit_code = printed_exit_code(found.text)
    status = _status(value.get("status"), found.text, exit_code)
    agent_id = string(value.get("agentId"))
    display = _display(value.get("resultDisplay"))
    if display == found.text:
        display = None
    arguments = value.get("args")
    call = ToolCall(
        session_id=session_id,
        id=call_id(value, message_id, number),
        message_id=message_id,
        name=name,
        kind=kind,
        title=_title(value),
        server=server,
        arguments=None if arguments is None else as_json(arguments),
        result=found.text,
        display=display,
        status=status,
        exit_code=exit_code,
        ended_at=None if status == "running" else parse_time(value.get("timestamp")),
        child_session_id=f"{session_id}/{agent_id}" if agent_id else None,
        attachments=found.attachments,
    )
    return call, found


def call_id(value: dict[str, Any], message_id: str, number: int) -> str:
    """Return the id of a call; its place where old versions gave it none."""
    return string(value.get("id")) or f"{message_id}#{number}"


def printed_exit_code(text: str | None) -> int | None:
    """Return the exit code on the last line that has one, near the end of the output."""
    if not text:
        return None
    codes = _EXIT.findall(text, max(0, len(text) - 2000))
    if not codes:
        return None
    return int(codes[-1])


def _status(recorded: Any, text: str | None, exit_code: int | None) -> ToolStatus | None:
    status = STATUSES.get(str(recorded))
    if status == "interrupted" and _REFUSED in (text or ""):
        return "denied"
    if status == "ok" and exit_code:
        return "failed"
    return status


def _server(name: str | None, title: str | None) -> str | None:
    found = _MCP_TITLE.search(title or "")
    if found is not None:
        return found[1]
    parts = (name or "").split("_", 2)  # mcp_<server>_<tool>
    if len(parts) == 3 and parts[0] == "mcp":
        return parts[1] or None
    return None


def _title(value: dict[str, Any]) -> str | None:
    # Old versions wrote the description of the tool here, the same paragraphs for every call.
    description = (string(value.get("description")) or "").strip()
    if description and "\n" not in description and len(description) <= _MAX_TITLE:
        return description
    return string(value.get("displayName"))


def _display(shown: Any) -> str | None:
    """Return what the person saw of a result as text; a diff becomes a file edit instead."""
    if isinstance(shown, str):
        return shown or None
    if isinstance(shown, list):
        return "\n".join(map(_terminal_line, shown)).rstrip() or None
    if not isinstance(shown, dict) or not shown or "fileDiff" in shown:
        return None
    if isinstance(shown.get("ansiOutput"), list):
        return _display(shown["ansiOutput"])
    return as_json(shown)


def _terminal_line(runs: Any) -> str:
    """Return a line of a terminal, which is a list of runs with their colours."""
    return "".join(string(run.get("text")) or "" for run in items(runs))


def todo_list(call: ToolCall, args: dict[str, Any]) -> TodoList | None:
    """Return the list that a call of `write_todos` sets."""
    if call.name != "write_todos" or call.status not in ("ok", None):
        return None
    if not isinstance(args.get("todos"), list):
        return None
    todos = []
    for item in items(args["todos"]):
        text = string(item.get("description")) or string(item.get("content"))
        if text:
            todos.append(Todo(content=text, status=string(item.get("status"))))
    return TodoList(session_id=call.session_id, origin="todowrite", items=tuple(todos))
