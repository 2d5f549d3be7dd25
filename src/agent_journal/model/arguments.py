"""The arguments of a tool call, which the model keeps as the text that the agent wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

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
    "subject",
    "description",
    "prompt",
)
_DEEPEST = 20  # lists in lists that are written out


class SplitArguments(NamedTuple):
    """The argument that says most about a call (the command, the file), and the others."""

    main: str
    others: Any


def parse_arguments(text: str | None) -> Any:
    """Return arguments as values; None without any, and the text itself where it is not JSON."""
    if not text:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def split_arguments(kind: str, arguments: Any) -> SplitArguments:
    """Return the main argument of a call of that kind as text, apart from the others.

    Where none of them says most, all of them are the main argument.
    """
    if not isinstance(arguments, dict):
        return SplitArguments(as_text(arguments), None)
    if kind == "shell":
        for name in ("command", "cmd"):
            command = _shell_command(arguments.get(name))
            if command is not None:
                return SplitArguments(command, _without(arguments, name))
    for name in _BEST_ARGUMENTS:
        if isinstance(arguments.get(name), str):
            return SplitArguments(arguments[name], _without(arguments, name))
    pairs = [f"{key}={as_text(value)}" for key, value in arguments.items()]
    return SplitArguments(", ".join(pairs), None)


def written_out(value: Any) -> str:
    """Return the names and texts in a value as lines that people read, without JSON's signs.

    Numbers and switches come last: they say least.
    """
    if isinstance(value, dict):
        value = dict(sorted(value.items(), key=lambda pair: _is_switch(pair[1])))
    return ",\n".join(_written_out(value, _DEEPEST))


def as_text(value: Any) -> str:
    """Return a text as it is, and anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _written_out(value: Any, depth: int) -> Iterator[str]:
    if depth and isinstance(value, dict):
        for key, inner in value.items():
            text = ", ".join(_written_out(inner, depth - 1))
            if text:
                yield f"{key}: {text}"
    elif depth and isinstance(value, list):
        for inner in value:
            yield from _written_out(inner, depth - 1)
    elif value is not None and value != "":
        yield as_text(value)


def _is_switch(value: Any) -> bool:
    return isinstance(value, (int, float))


def _without(arguments: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if key != name}


def _shell_command(command: Any) -> str | None:
    if isinstance(command, str) and command:
        return command
    if not isinstance(command, list) or not command:
        return None
    words = [as_text(word) for word in command]
    if len(words) == 3 and words[1] in ("-c", "-lc"):
        return words[2]  # bash -lc 'the command itself'
    return " ".join(words)
