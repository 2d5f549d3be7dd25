"""The texts in the arguments of a tool call, which agents write as JSON."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

_COMMANDS = ("command", "cmd")  # the names of the argument that is run
_SHORT = 200  # characters of a text that is no command: a path, a pattern, a description
_LONGEST = 2_000  # characters of one text: not the contents of a whole file


class CallTexts(NamedTuple):
    """What a tool was called with, without the names of arguments."""

    command: str = ""  # what was run, or on which file, and everything else that is short
    contents: str = ""  # the beginning of each longer text: the contents of a file, a patch


def plain_arguments(arguments: str | None) -> str:
    """The arguments as text for the index: in JSON, `make` after a line break reads `\\nmake`."""
    if not arguments or "\\" not in arguments:
        return arguments or ""
    return "\n".join(_texts(_decoded(arguments), with_names=True))


def call_texts(arguments: str | None) -> CallTexts:
    """The texts in the arguments, those that are a command or short apart from the others."""
    if not arguments:
        return CallTexts()
    given = _decoded(arguments)
    if not isinstance(given, dict):
        given = {"": given}
    command: list[str] = []
    contents: list[str] = []
    for name, value in given.items():
        for text in _texts(value, with_names=False):
            if name in _COMMANDS or len(text) <= _SHORT:
                command.append(text[:_LONGEST])
            else:
                contents.append(text[:_LONGEST])
    return CallTexts("\n".join(command), "\n".join(contents))


def _decoded(arguments: str) -> Any:
    """The arguments as values; the text itself where it is not JSON."""
    try:
        return msgspec.json.decode(arguments)
    except (msgspec.DecodeError, RecursionError):
        return arguments


def _texts(given: Any, *, with_names: bool) -> list[str]:
    """All texts in a value in their order, with the names of arguments or without."""
    waiting = [given]
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
