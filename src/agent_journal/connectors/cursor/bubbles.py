"""The fields of a bubble: one message of a conversation, as Cursor stores it.

{"type":2,"bubbleId":"…","text":"Done.","thinking":{"text":"…"},"toolFormerData":{…},"createdAt":…}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from agent_journal.connectors.values import items, mapping, string
from agent_journal.model import Quote

Quoting = Callable[[str | None], Quote | None]
_MAX_DEPTH = 50  # of a rich text


def not_quoted(text: str | None) -> Quote | None:
    """Return None: a text in the middle of a row has no place to quote."""
    return None


class Bubble(NamedTuple):
    """A bubble and where it was read."""

    id: str
    values: dict[str, Any]
    offset: int | None = None
    length: int | None = None
    quote: Quoting = not_quoted


def text_of(values: dict[str, Any]) -> str:
    """Return what was typed or answered."""
    return (
        string(values.get("text"))
        or string(values.get("rawText"))
        or rich_text(values.get("richText"))
    )


def rich_text(value: Any) -> str:
    """Return the words of a Lexical document (JSON as text), line by line."""
    if not isinstance(value, str) or not value:
        return ""
    try:
        document = mapping(msgspec.json.decode(value))
    except (msgspec.DecodeError, RecursionError, ValueError):
        return ""
    lines = items(mapping(document.get("root")).get("children"))
    return "\n".join(_words(line, _MAX_DEPTH) for line in lines).strip()


def _words(node: dict[str, Any], depth: int) -> str:
    text = node.get("text")
    if isinstance(text, str):
        return text
    if node.get("type") == "linebreak":
        return "\n"
    if depth == 0:
        return ""
    return "".join(_words(child, depth - 1) for child in items(node.get("children")))


def reasoning_of(values: dict[str, Any]) -> str:
    """Return the reasoning of an answer."""
    thinking = values.get("thinking")
    text = string(thinking) or string(mapping(thinking).get("text"))
    if text is not None:
        return text
    blocks = [
        string(block.get("text")) or string(block.get("thinking"))
        for block in items(values.get("allThinkingBlocks"))
    ]
    return "\n\n".join(block for block in blocks if block)


def failure_of(values: dict[str, Any]) -> str | None:
    """Return why a request failed; None when it did not."""
    details = mapping(values.get("errorDetails")) or mapping(values.get("error"))
    if not details:
        return None
    return string(details.get("message")) or string(details.get("title")) or "the request failed"


def model_of(values: dict[str, Any]) -> str | None:
    """Return the model of a message; `default` names none."""
    model = string(mapping(values.get("modelInfo")).get("modelName"))
    if model is None:
        model = string(values.get("modelType"))
    if model == "default":
        return None
    return model
