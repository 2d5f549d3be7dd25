"""The texts in the arguments of a tool call, which agents write as JSON."""

from __future__ import annotations

from typing import Any

import msgspec

_LONGEST = 2_000  # characters of one text: a command or a path, not the contents of a file


def plain_arguments(arguments: str | None) -> str:
    """The arguments as text for the index: in JSON, `make` after a line break reads `\\nmake`."""
    if not arguments or "\\" not in arguments:
        return arguments or ""
    texts = _texts(arguments, with_names=True)
    if texts is None:
        return arguments
    return "\n".join(texts)


def command_text(arguments: str | None) -> str:
    """The beginning of each text in the arguments: what was run, or on which file."""
    if not arguments:
        return ""
    texts = _texts(arguments, with_names=False)
    if texts is None:
        return arguments[:_LONGEST]
    return "\n".join(text[:_LONGEST] for text in texts)


def _texts(arguments: str, *, with_names: bool) -> list[str] | None:
    """All texts in their order, with the names of arguments or without; None for other texts."""
    try:
        waiting: list[Any] = [msgspec.json.decode(arguments)]
    except (msgspec.DecodeError, RecursionError):
        return None
    texts = []
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            for name, inner in reversed(value.items()):
                waiting.append(inner)
                if with_names:
                    waiting.append(name)
        elif isinstance(value, list):
            waiting += reversed(value)
        elif value is not None:
            texts.append(str(value))
    return texts
