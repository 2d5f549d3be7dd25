"""The arguments of a tool call: on one line, and in full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent_journal.model.arguments import as_text, split_arguments
from agent_journal.text.plain import one_line, safe

_WIDTH = 120


def summary(kind: str, arguments: Any) -> str:
    """Return the argument that says most: the command, the file, the pattern."""
    return one_line(split_arguments(kind, arguments).main, _WIDTH)


def argument_lines(arguments: Any) -> Iterator[str]:
    """Return every argument in full: text with its line breaks, the rest as JSON."""
    if not isinstance(arguments, dict):
        for line in _lines(as_text(arguments)):
            yield f"    {line}"
        return
    for key, value in arguments.items():
        text = as_text(value)
        if "\n" in text:
            yield f"    {safe(key)}:"
            for line in _lines(text):
                yield f"      {line}"
        else:
            yield f"    {safe(key)}: {safe(text)}"


def _lines(text: str) -> list[str]:
    return safe(text).rstrip("\n").split("\n")
