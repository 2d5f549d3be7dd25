"""What a tool call was asked: its arguments, the one that tells most, the todo list in them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from agent_journal.model import FileEdit, Todo, ToolCall

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
_SHORT = 120  # characters that stand on one line
_LISTS = ("todos", "todoList", "plan")
_CONTENTS = ("content", "title", "step")


def parsed(text: str | None) -> Any:
    """Arguments as plain data; the text itself when it is not JSON, or is nested deeper than
    anybody reads.
    """
    try:
        value = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return text
    return text if _depth(value, _DEEPEST) > _DEEPEST else value


def as_json(value: Any) -> str:
    """Arguments (from `parsed`) as JSON, indented unless that makes much more of them."""
    compact = json.dumps(value, ensure_ascii=False)
    if len(compact) <= _SHORT or _depth(value, _INDENTED) > _INDENTED:
        return compact
    indented = json.dumps(value, ensure_ascii=False, indent=2)
    return indented if len(indented) <= 4 * len(compact) + 2000 else compact


def _depth(value: Any, most: int) -> int:
    """How deep lists and objects are nested, as far as one more than `most`; without recursion."""
    level, depth = [value], 0
    while depth <= most:
        level = [
            part
            for one in level
            if isinstance(one, dict | list)
            for part in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            break
        depth += 1
    return depth


def telling(call: ToolCall, arguments: Any, edits: Sequence[FileEdit] = ()) -> str:
    """What tells a person what the call is about: an argument, the files it edits, its title; empty
    if nothing does.
    """
    files = _patched(arguments) or list(dict.fromkeys(edit.path for edit in edits))
    if isinstance(arguments, dict):
        for name in _TELLING if not _patched(arguments) else ():
            value = arguments.get(name)
            if isinstance(value, str) and value:
                return value
            if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
                return " ".join(value)
    return ", ".join(files) or call.title or _first_arguments(arguments)


def _patched(arguments: Any) -> list[str]:
    """The files that a patch among the arguments names."""
    values = arguments.values() if isinstance(arguments, dict) else (arguments,)
    flat = (part for value in values for part in (value if isinstance(value, list) else (value,)))
    text = next((part for part in flat if isinstance(part, str) and "*** Begin Patch" in part), "")
    return list(dict.fromkeys(_FILES.findall(text)))


def _first_arguments(arguments: Any) -> str:
    """The first plain arguments by name; one alone, or a text, needs no name."""
    if not isinstance(arguments, dict):
        return _first_line(arguments) if isinstance(arguments, str) else ""
    plain = [
        (name, _first_line(value))
        for name, value in arguments.items()
        if isinstance(value, str | int | float)
    ]
    plain = [(name, value) for name, value in plain if value][:3]
    return plain[0][1] if len(plain) == 1 else ", ".join(f"{name} {value}" for name, value in plain)


def _first_line(value: str | float) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    lines = str(value)[:2000].splitlines()
    return next(
        (
            line.strip().lstrip("#").strip()
            for line in lines
            if line.strip() and not line.startswith("*** ")
        ),
        "",
    )


def todos_in(arguments: Any) -> tuple[Todo, ...]:
    """The todo list that a call wrote."""
    listed = (
        next((arguments[n] for n in _LISTS if arguments.get(n)), None)
        if isinstance(arguments, dict)
        else None
    )
    if not isinstance(listed, list):
        return ()
    told = (
        (next((one[name] for name in _CONTENTS if one.get(name)), None), one.get("status"))
        for one in listed
        if isinstance(one, dict)
    )
    return tuple(Todo(content=str(text), status=str(status)) for text, status in told if text)
