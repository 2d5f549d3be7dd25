"""What a tool call was asked: its arguments, the one that tells most, the todo list in them."""

from __future__ import annotations

import json
from typing import Any

from agent_journal.model import Todo, ToolCall

_TELLING = (
    "command", "cmd", "file_path", "filePath", "path", "notebook_path", "pattern", "query", "url", "description",
    "question", "prompt",
)  # fmt: skip
_LISTS = ("todos", "todoList", "plan")
_CONTENTS = ("content", "title", "step")


def parsed(text: str | None) -> Any:
    """Arguments as plain data; the text itself when it is not JSON."""
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return text


def telling(call: ToolCall, arguments: Any) -> str:
    """The argument that tells a person what the call is about, or its title; empty when nothing does."""
    if isinstance(arguments, dict):
        for name in _TELLING:
            value = arguments.get(name)
            if isinstance(value, str) and value:
                return value
            if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
                return " ".join(value)
    return call.title or ""


def todos_in(arguments: Any) -> tuple[Todo, ...]:
    """The todo list that a call wrote."""
    listed = next((arguments[n] for n in _LISTS if arguments.get(n)), None) if isinstance(arguments, dict) else None
    if not isinstance(listed, list):
        return ()
    told = (
        (next((one[name] for name in _CONTENTS if one.get(name)), None), one.get("status"))
        for one in listed
        if isinstance(one, dict)
    )
    return tuple(Todo(content=str(text), status=str(status)) for text, status in told if text)
