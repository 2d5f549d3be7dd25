"""The text of an answer, put together as VS Code shows it: pieces glued while adjacent, paragraphs
at tools.
"""

from __future__ import annotations

from typing import Any

from agent_journal.connectors.values import mapping, string
from agent_journal.connectors.vscode_chat.results import text_of
from agent_journal.connectors.vscode_chat.uris import place_of, range_of

FENCES = ("\n```\n", "\n````\n")  # what edit tools put around an edit that is shown in another way


class Prose:
    """Text that grows part by part."""

    def __init__(self) -> None:
        self._paragraphs: list[list[str]] = [[]]

    def add(self, text: str) -> None:
        """Glues a piece to the last one."""
        runs = self._paragraphs[-1]
        if text in FENCES and runs and runs[-1] == text:
            runs.pop()  # an empty fence: what it enclosed is an edit
        elif text:
            runs.append(text)

    def take_fence(self) -> str:
        """Takes back a fence that nothing follows yet."""
        runs = self._paragraphs[-1]
        return runs.pop() if runs and runs[-1] in FENCES else ""

    def end_paragraph(self) -> None:
        """What follows stands apart."""
        if self._paragraphs[-1]:
            self._paragraphs.append([])

    def retract(self) -> str:
        """Takes everything back; the text that was there."""
        text, self._paragraphs = str(self), [[]]
        return text

    def __bool__(self) -> bool:
        return any(run.strip() for runs in self._paragraphs for run in runs)

    def __str__(self) -> str:
        paragraphs = ["".join(runs) for runs in self._paragraphs]
        return "\n\n".join(
            text.strip("\n") if len(paragraphs) > 1 else text for text in paragraphs if text.strip()
        )


def reference_text(part: dict[str, Any]) -> str:
    """How an inline reference reads: its name, a symbol in backticks, or the file's name and line."""
    name = string(part.get("name"))
    if name is not None:
        return name
    target = part.get("inlineReference")
    symbol = string(mapping(target).get("name"))
    if symbol is not None:
        return f"`{symbol}`"
    place, lines = place_of(target), range_of(target)
    if place is None:
        return ""
    return f"{place.name}:{lines[0]}" if lines else place.name


def markdown(part: dict[str, Any]) -> str:
    """The text of a Markdown part, in each of the ways it was written."""
    return string(part.get("value")) or text_of(part.get("content")) or ""


def thinking_text(part: dict[str, Any]) -> str:
    """The text of a thinking part; a list of strings in some versions, empty in separators."""
    value = part.get("value", part.get("text"))
    if isinstance(value, list):
        return "".join(text for text in value if isinstance(text, str))
    return value if isinstance(value, str) else ""
