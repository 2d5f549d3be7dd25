"""The rules for parts of a VS Code chat document that are the same in all its versions.

Like vscode_validator.py, it imports nothing of agent-journal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_MESSAGE_KINDS = {
    "text",
    "agent",
    "subcommand",
    "slash",
    "prompt",
    "tool",
    "toolset",
    "dynamic",
    "var",
}
_STATES = {0, 1, 2, 3, 4}
# Parts that a window shows for a while and never writes down
TRANSIENT = ("mcpServersStarting", "prepareToolInvocation")
_TODO_STATES = {"not-started", "in-progress", "completed"}


def message_problems(message: Any) -> Iterator[str]:
    """What is wrong with the message of a request."""
    if isinstance(message, str):
        return
    if not isinstance(message, dict):
        yield "message is neither text nor object"
        return
    if not isinstance(message.get("text"), str):
        yield "message without text"
        return
    parts = message.get("parts")
    if not isinstance(parts, list):
        yield "message without parts"
        return
    units = message["text"].encode("utf-16-le", "surrogatepass")
    for part in parts:
        yield from _message_part(part, units)


def _message_part(part: Any, units: bytes) -> Iterator[str]:
    if not isinstance(part, dict) or part.get("kind") not in _MESSAGE_KINDS:
        yield "a part of the message of a kind that is not known"
        return
    if part["kind"] == "agent" and not isinstance(part.get("agent"), dict):
        yield "an agent part without agent"
    span = part.get("range")
    if not isinstance(span, dict):
        span = {}
    start = span.get("start")
    end = span.get("endExclusive")
    if not _is_int(start) or not _is_int(end):
        yield "a part of the message without range"
        return
    if start > end or start < 0:
        yield "a range that ends before it starts"
    elif end > len(units) // 2:
        yield "a range beyond the end of the text"
    elif part["kind"] == "text" and units[2 * start : 2 * end] != _encoded(part.get("text")):
        yield "a text part that is not the text of its range in UTF-16"
    if not _is_editor_range(part.get("editorRange")):
        yield "a part of the message without editorRange"


def _is_editor_range(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _is_int(value.get(name)) and value[name] >= 1
        for name in ("startLineNumber", "startColumn", "endLineNumber", "endColumn")
    )


def _encoded(text: Any) -> bytes | None:
    if not isinstance(text, str):
        return None
    return text.encode("utf-16-le", "surrogatepass")


def outcome_problems(request: dict[str, Any]) -> Iterator[str]:
    """What is wrong with how a request ended: result, state, times and ids."""
    yield from _result_problems(request.get("result"))
    yield from _state_problems(request.get("modelState"))
    if "timestamp" in request and not is_time(request["timestamp"]):
        yield "timestamp is no time in milliseconds"
    for name in ("requestId", "responseId", "modelId"):
        if not isinstance(request.get(name, ""), str):
            yield f"{name} is no string"


def _result_problems(result: Any) -> Iterator[str]:
    if result is None:
        return
    if not isinstance(result, dict):
        yield "result is no object"
        return
    error = result.get("errorDetails")
    if error is not None and not _has_string(error, "message"):
        yield "errorDetails without message"
    timings = result.get("timings")
    if timings is not None and not (
        isinstance(timings, dict) and all(map(_is_number, timings.values()))
    ):
        yield "timings that are no numbers"


def _state_problems(state: Any) -> Iterator[str]:
    if state is None:
        return
    if not isinstance(state, dict) or state.get("value") not in _STATES:
        yield "modelState has a value that is not known"
    elif "completedAt" in state and not is_time(state["completedAt"]):
        yield "completedAt is no time in milliseconds"


def continuation_problems(request: dict[str, Any]) -> Iterator[str]:
    """What a model would not get when the person goes on, and what would be shown wrongly."""
    agent = request.get("agent")
    if not isinstance(agent, dict) or agent.get("id") != "github.copilot.editsAgent":
        yield "agent: without it no turn keeps its tool history"
    if not is_time(request.get("timestamp")):
        yield "no timestamp: the time of opening would be shown"
    metadata = (request.get("result") or {}).get("metadata") or {}
    results = metadata.get("toolCallResults") or {}
    for turn in metadata.get("toolCallRounds") or []:
        calls = turn.get("toolCalls") or []
        if calls and not any(call.get("id") in results for call in calls):
            yield "a round whose calls have no result is left out"
        for call in calls:
            if not _is_object(call.get("arguments")):
                yield "arguments of a call that are no JSON object"


def _is_object(text: Any) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (TypeError, ValueError, RecursionError):
        return False


def call_data_problems(data: Any, is_ours: bool) -> Iterator[str]:
    """What is wrong with the `toolSpecificData` of a call."""
    if data is None:
        return
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str):
        yield "toolSpecificData without kind"
    elif data["kind"] == "terminal":
        yield from _terminal_problems(data, is_ours)
    elif data["kind"] == "todoList":
        yield from _todo_problems(data.get("todoList"))


def _terminal_problems(data: dict[str, Any], is_ours: bool) -> Iterator[str]:
    has_line = _has_string(data.get("commandLine"), "original")
    if not has_line and not isinstance(data.get("command"), str):
        yield "terminal data without a command"
    if is_ours and (not isinstance(data.get("command"), str) or "language" in data):
        yield "terminal data that 1.98 to 1.102 draw as undefined"
    output = data.get("terminalCommandOutput")
    if output is not None and not _has_string(output, "text"):
        yield "terminal output without text"


def _todo_problems(items: Any) -> Iterator[str]:
    if not isinstance(items, list):
        yield "a todo without title"
        return
    for item in items:
        if not _has_string(item, "title"):
            yield "a todo without title"
        elif item.get("status") not in _TODO_STATES or not isinstance(item.get("id"), (str, int)):
            yield "a todo without a known status and an id"


def trust_problems(document: Any) -> Iterator[str]:
    """Markdown that VS Code would let run commands or draw HTML."""
    stack = [document]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack += value
        elif isinstance(value, dict):
            if value.get("isTrusted") or value.get("supportHtml"):
                yield "trusted Markdown"
            stack += value.values()


def is_markdown(value: Any) -> bool:
    """Whether it is text that is not empty, with or without an object around it."""
    text = value
    if isinstance(value, dict):
        text = value.get("value")
    return isinstance(text, str) and bool(text)


def _has_string(value: Any, name: str) -> bool:
    return isinstance(value, dict) and isinstance(value.get(name), str)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_time(value: Any) -> bool:
    """Whether it is a time in milliseconds."""
    return _is_number(value) and value > 1e9
