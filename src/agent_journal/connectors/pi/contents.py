"""What a message consists of: a text, or blocks of text, thoughts, pictures and tool calls."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from agent_journal.connectors.assets import decoded_asset
from agent_journal.connectors.values import items, mapping, string
from agent_journal.model import Attachment


class Contents(NamedTuple):
    """The parts of a message. `path` leads to the text where it is one string of the content."""

    text: str = ""
    reasoning: str = ""
    attachments: tuple[Attachment, ...] = ()
    calls: tuple[dict[str, Any], ...] = ()
    path: tuple[str | int, ...] | None = None


def contents_of(content: Any) -> Contents:
    """The parts of the content of a message."""
    if isinstance(content, str):
        return Contents(content, path=())
    texts: list[str] = []
    thoughts: list[str] = []
    attachments: list[Attachment] = []
    calls: list[dict[str, Any]] = []
    for block in items(content):
        kind = block.get("type")
        if kind == "text":
            texts.append(string(block.get("text")) or "")
        elif kind == "thinking":
            thoughts.append(string(block.get("thinking")) or "")
        elif kind == "toolCall":
            calls.append(block)
        elif kind == "image":
            attachments.append(_picture(block))
        else:
            note = msgspec.json.encode(block).decode()
            attachments.append(Attachment(kind=string(kind) or "block", note=note))
    path = None
    if len(texts) == 1 and mapping(content[0]).get("type") == "text":
        path = (0, "text")
    return Contents(
        text="\n\n".join(filter(None, texts)),
        reasoning="\n\n".join(filter(None, thoughts)),
        attachments=tuple(attachments),
        calls=tuple(calls),
        path=path,
    )


def _picture(block: dict[str, Any]) -> Attachment:
    picture = decoded_asset(block.get("data"), block.get("mimeType"))
    return Attachment(
        kind="image", mime_type=picture.mime_type, size=picture.size, sha256=picture.sha256
    )
