"""The arguments of a tool call: on one line, and in full."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agent_journal.text.plain import one_line, safe

_WIDTH = 120
# The arguments that say most about a call, the best first.
_BEST_ARGUMENTS = (
    "command",
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
)


def summary(kind: str, arguments: Any) -> str:
    """Return the argument that says most: the command, the file, the pattern."""
    if not isinstance(arguments, dict):
        return one_line(str(arguments), _WIDTH)
    if kind == "shell":
        command = _shell_command(arguments)
        if command is not None:
            return one_line(command, _WIDTH)
    for name in _BEST_ARGUMENTS:
        if isinstance(arguments.get(name), str):
            return one_line(arguments[name], _WIDTH)
    pairs = [f"{key}={_text(value)}" for key, value in arguments.items()]
    return one_line(", ".join(pairs), _WIDTH)


def argument_lines(arguments: Any) -> Iterator[str]:
    """Return every argument in full: text with its line breaks, the rest as JSON."""
    if not isinstance(arguments, dict):
        for line in _lines(_text(arguments)):
            yield f"    {line}"
        return
    for key, value in arguments.items():
        text = _text(value)
        if "\n" in text:
            yield f"    {safe(key)}:"
            for line in _lines(text):
                yield f"      {line}"
        else:
            yield f"    {safe(key)}: {safe(text)}"


def _shell_command(arguments: dict[str, Any]) -> str | None:
    command = arguments.get("command") or arguments.get("cmd")
    if isinstance(command, str):
        return command
    if not isinstance(command, list):
        return None
    words = [_text(word) for word in command]
    if len(words) == 3 and words[1] in ("-c", "-lc"):
        return words[2]  # bash -lc 'the command itself'
    return " ".join(words)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _lines(text: str) -> list[str]:
    return safe(text).rstrip("\n").split("\n")
