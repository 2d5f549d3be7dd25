"""Tool calls: what was asked, what came back, and the files that were changed.

{"id":"replace-1","name":"replace","args":{"file_path":"/app/a.py","old_string":"a","new_string":"b"},"status":"success",
 "result":[{"functionResponse":{"id":"replace-1","name":"replace","response":{"output":"Successfully modified file"}}}],
 "resultDisplay":{"fileDiff":"…","fileName":"a.py","originalContent":"a\\n","newContent":"b\\n"}}
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agent_journal.connectors.gemini.parts import Parts, as_json
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import integer, items, mapping, string
from agent_journal.model import Attachment, Todo, TodoList, ToolCall, ToolStatus
from agent_journal.text.dates import parse_time

_STATUSES: dict[str, ToolStatus] = {
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


class Outcome(NamedTuple):
    """What a call gave back; `path` leads to the text where it stands in one place of the result."""

    text: str | None
    path: tuple[str | int, ...] | None
    attachments: tuple[Attachment, ...]
    exit_code: int | None


def outcome(result: Any) -> Outcome:
    """The texts and pictures of a result."""
    texts: list[tuple[str, tuple[str | int, ...] | None]] = []
    attachments: list[Attachment] = []
    exit_code = None
    parts = result if isinstance(result, list) else [] if result is None else [result]
    for number, part in enumerate(parts):
        answer = mapping(mapping(part).get("functionResponse"))
        if answer:
            response = mapping(answer.get("response"))
            exit_code = integer(response.get("exitCode")) if exit_code is None else exit_code
            found = _response(response)
            path = None if found[1] is None else (number, "functionResponse", "response", found[1])
            texts += [(found[0], path)] if found[0] else []
            part = answer.get("parts")
        below = Parts(part)
        texts += [(below.text, None)] if below.text else []
        attachments += below.attachments
    is_quotable = len(texts) == 1 and isinstance(result, list)
    text = "\n".join(text for text, _ in texts) if texts else "" if parts else None
    return Outcome(text, texts[0][1] if is_quotable else None, tuple(attachments), exit_code)


def _response(response: dict[str, Any]) -> tuple[str, str | None]:
    """The text of a response, and its key where the text is one value of it."""
    told = [
        key
        for key in ("output", "error")
        if string(response.get(key)) and response[key] not in _NOTHING
    ]
    if told:
        return "\n".join(response[key] for key in told), told[0] if len(told) == 1 else None
    return (
        ("", None)
        if not response or set(response) & {"output", "error"}
        else (as_json(response), None)
    )


def tool_call(
    value: dict[str, Any], session_id: str, message_id: str, number: int
) -> tuple[ToolCall, Outcome]:
    """A call with what came of it."""
    name, found = string(value.get("name")), outcome(value.get("result"))
    server = _server(name, string(value.get("displayName")))
    status, exit_code = _status(value, found, tool_kind(name, server) == "shell")
    agent = string(value.get("agentId"))
    shown = _display(value.get("resultDisplay"))
    call = ToolCall(
        session_id=session_id,
        id=call_id(value, message_id, number),
        message_id=message_id,
        name=name,
        kind=tool_kind(name, server),
        title=_title(value),
        server=server,
        arguments=as_json(value["args"]) if value.get("args") is not None else None,
        result=found.text,
        display=shown if shown != found.text else None,
        status=status,
        exit_code=exit_code,
        ended_at=None if status == "running" else parse_time(value.get("timestamp")),
        child_session_id=f"{session_id}/{agent}" if agent else None,
        attachments=found.attachments,
    )
    return call, found


def call_id(value: dict[str, Any], message_id: str, number: int) -> str:
    """The id of a call; its place where old versions gave it none."""
    return string(value.get("id")) or f"{message_id}#{number}"


def _status(
    value: dict[str, Any], found: Outcome, is_shell: bool
) -> tuple[ToolStatus | None, int | None]:
    status, exit_code = _STATUSES.get(str(value.get("status"))), found.exit_code
    if exit_code is None and is_shell and found.text:
        codes = _EXIT.findall(found.text, max(0, len(found.text) - 2000))
        exit_code = int(codes[-1]) if codes else None
    if status == "interrupted" and _REFUSED in (found.text or ""):
        return "denied", exit_code
    return "failed" if status == "ok" and exit_code else status, exit_code


def _server(name: str | None, title: str | None) -> str | None:
    found = _MCP_TITLE.search(title) if title else None
    if found is not None:
        return found[1]
    parts = (name or "").split("_", 2)
    return parts[1] if len(parts) == 3 and parts[0] == "mcp" and parts[1] else None


def _title(value: dict[str, Any]) -> str | None:
    # Old versions wrote the description of the tool here, the same paragraphs for every call.
    description = (string(value.get("description")) or "").strip()
    is_short = description and "\n" not in description and len(description) <= _MAX_TITLE
    return description if is_short else string(value.get("displayName"))


def _display(shown: Any) -> str | None:
    """What the person saw of a result: a text, or the text of a terminal; a diff becomes an edit of
    its own.
    """
    if isinstance(shown, str):
        return shown or None
    if isinstance(shown, list):  # lines of a terminal, each a list of runs with their colours
        lines = ("".join(string(run.get("text")) or "" for run in items(line)) for line in shown)
        return "\n".join(lines).rstrip() or None
    if not isinstance(shown, dict) or "fileDiff" in shown:
        return None
    if isinstance(shown.get("ansiOutput"), list):
        return _display(shown["ansiOutput"])
    return as_json(shown) if shown else None


def todo_list(call: ToolCall, args: dict[str, Any]) -> TodoList | None:
    """The list that a call of `write_todos` sets."""
    if (
        call.name != "write_todos"
        or call.status not in ("ok", None)
        or not isinstance(args.get("todos"), list)
    ):
        return None
    todos = tuple(
        Todo(content=text, status=string(item.get("status")))
        for item in items(args["todos"])
        if (text := string(item.get("description")) or string(item.get("content")))
    )
    return TodoList(session_id=call.session_id, origin="todowrite", items=todos)
