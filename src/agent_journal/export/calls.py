"""The arguments of a tool call: as text, the most telling one, the todo list in them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from agent_journal.connectors.values import items
from agent_journal.model import FileEdit, Todo, ToolCall
from agent_journal.model.arguments import parse_arguments

_TELLING = (
    "command",
    "cmd",
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "description",
    "question",
    "prompt",
)
_FILES = re.compile(r"(?m)^\*\*\* (?:Update|Add|Delete) File: (.+?)\s*$")
_DEEPEST = 100  # levels of arguments that are read as data
_INDENTED = 12  # levels that are indented
_SHORT = 120  # characters that are kept on one line
_LISTS = ("todos", "todoList", "plan")
_CONTENTS = ("content", "title", "step")


def parsed(text: str | None) -> Any:
    """Arguments as plain values; the text itself when it is not JSON, or is nested too deeply."""
    value = parse_arguments(text)
    if _depth(value, _DEEPEST) > _DEEPEST:
        return text
    return value


def as_json(value: Any) -> str:
    """Arguments (from `parsed`) as JSON, indented unless that makes much more of them."""
    compact = json.dumps(value, ensure_ascii=False)
    if len(compact) <= _SHORT or _depth(value, _INDENTED) > _INDENTED:
        return compact
    indented = json.dumps(value, ensure_ascii=False, indent=2)
    if len(indented) > 4 * len(compact) + 2000:
        return compact
    return indented


def _depth(value: Any, most: int) -> int:
    """How deep lists and objects are nested, as far as one more than `most`; without recursion."""
    level = [value]
    depth = 0
    while depth <= most:
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        if not inner:
            break
        level = inner
        depth += 1
    return depth


def telling(call: ToolCall, arguments: Any, edits: Sequence[FileEdit] = ()) -> str:
    """What the call is about: an argument, the files it edits, or its title; empty if unknown."""
    patched = _patched(arguments)
    if isinstance(arguments, dict) and not patched:
        for name in _TELLING:
            value = arguments.get(name)
            if isinstance(value, str) and value:
                return value
            if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
                return " ".join(value)
    files = patched or list(dict.fromkeys(edit.path for edit in edits))
    return ", ".join(files) or call.title or _first_arguments(arguments)


def _patched(arguments: Any) -> list[str]:
    """The files that a patch among the arguments names."""
    values = list(arguments.values()) if isinstance(arguments, dict) else [arguments]
    for value in values:
        parts = value if isinstance(value, list) else [value]
        for part in parts:
            if isinstance(part, str) and "*** Begin Patch" in part:
                return list(dict.fromkeys(_FILES.findall(part)))
    return []


def _first_arguments(arguments: Any) -> str:
    """The first plain arguments by name; one alone, or a text, needs no name."""
    if isinstance(arguments, str):
        return _first_line(arguments)
    if not isinstance(arguments, dict):
        return ""
    lines = {
        name: _first_line(value)
        for name, value in arguments.items()
        if isinstance(value, str | int | float)
    }
    plain = [(name, line) for name, line in lines.items() if line][:3]
    if len(plain) == 1:
        return plain[0][1]
    return ", ".join(f"{name} {line}" for name, line in plain)


def _first_line(value: str | float) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    for line in str(value)[:2000].splitlines():
        if line.strip() and not line.startswith("*** "):
            return line.strip().lstrip("#").strip()
    return ""


def todos_in(arguments: Any) -> tuple[Todo, ...]:
    """The todo list that a call wrote."""
    if not isinstance(arguments, dict):
        return ()
    todos = []
    for item in items(_first_value(arguments, _LISTS)):
        content = _first_value(item, _CONTENTS)
        if content:
            todos.append(Todo(content=str(content), status=str(item.get("status"))))
    return tuple(todos)


def _first_value(mapping: dict[str, Any], names: Sequence[str]) -> Any:
    """The first value that is not empty, by these names."""
    for name in names:
        if mapping.get(name):
            return mapping[name]
    return None
