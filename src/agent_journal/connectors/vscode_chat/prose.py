"""The text of an answer, put together as VS Code shows it.

Adjacent pieces are joined; a tool begins a new paragraph.
"""

from __future__ import annotations

from typing import Any

from agent_journal.connectors.values import mapping, string, strings
from agent_journal.connectors.vscode_chat.results import text_of
from agent_journal.connectors.vscode_chat.uris import place_of, range_of, web_address

FENCES = ("\n```\n", "\n````\n")  # what edit tools put around an edit that is shown in another way


class Prose:
    """Text that grows part by part."""

    def __init__(self) -> None:
        self._paragraphs: list[list[str]] = [[]]

    def add(self, text: str) -> None:
        """Append a piece to the last one."""
        runs = self._paragraphs[-1]
        if text in FENCES and runs and runs[-1] == text:
            runs.pop()  # an empty fence: what it enclosed is an edit
        elif text:
            runs.append(text)

    def take_fence(self) -> str:
        """Take back a fence that nothing follows yet."""
        runs = self._paragraphs[-1]
        if not runs or runs[-1] not in FENCES:
            return ""
        return runs.pop()

    def end_paragraph(self) -> None:
        """Begin a new paragraph."""
        if self._paragraphs[-1]:
            self._paragraphs.append([])

    def retract(self) -> str:
        """Take everything back, and return it."""
        text = str(self)
        self._paragraphs = [[]]
        return text

    def __bool__(self) -> bool:
        return any(run.strip() for runs in self._paragraphs for run in runs)

    def __str__(self) -> str:
        paragraphs = ["".join(runs) for runs in self._paragraphs]
        if len(paragraphs) > 1:
            paragraphs = [text.strip("\n") for text in paragraphs]
        return "\n\n".join(text for text in paragraphs if text.strip())


def reference_text(part: dict[str, Any]) -> str:
    """An inline reference: its name, a symbol in backticks, a URL, or the file's name and line."""
    name = string(part.get("name"))
    target = part.get("inlineReference")
    url = web_address(target)
    if url is not None and name in (None, url):
        return url
    if url is not None:
        return f"[{name}]({url})"
    if name is not None:
        return name
    symbol = string(mapping(target).get("name"))
    if symbol is not None:
        return f"`{symbol}`"
    place = place_of(target)
    lines = range_of(target)
    if place is None:
        return ""
    if lines is None:
        return place.name
    return f"{place.name}:{lines.first}"


def markdown(part: dict[str, Any]) -> str:
    """The text of a Markdown part, in each of the ways it was written."""
    return string(part.get("value")) or text_of(part.get("content")) or ""


def thinking_text(part: dict[str, Any]) -> str:
    """The text of a thinking part; a list of strings in some versions, empty in separators."""
    value = part.get("value", part.get("text"))
    if isinstance(value, list):
        return "".join(strings(value))
    return string(value) or ""
