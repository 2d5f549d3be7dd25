"""What tools returned: texts, prompt-tsx trees, files and pictures.

{"$mid":20,"content":[{"$mid":23,"value":{"node":{"type":1,"children":[{"type":2,"text":"ok"}]}}}]}

They are recognised by shape: `$mid` is not stable.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from agent_journal.connectors.converted import NO_RESULT
from agent_journal.connectors.values import array, items, mapping, string
from agent_journal.connectors.vscode_chat.attachments import decoded_bytes
from agent_journal.connectors.vscode_chat.uris import path_of, range_of, web_address
from agent_journal.model import Attachment

_IMAGE, _DOCUMENT = 3, 4
_PIECE, _TEXT = 1, 2
_MAX_NODES = 2_000_000


class ToolResult(NamedTuple):
    """What a tool returned."""

    text: str | None
    attachments: tuple[Attachment, ...] = ()


def text_of(value: Any) -> str | None:
    """A text that is written as a string or as Markdown `{"value": …}`."""
    return string(value) or string(mapping(value).get("value"))


def is_stub(value: Any) -> bool:
    """Whether an entry of `toolCallResults` says that there is no result."""
    return [part.get("value") for part in items(mapping(value).get("content"))] == [NO_RESULT]


def result_of(value: Any) -> ToolResult:
    """The text and the attachments of one entry of `toolCallResults`."""
    texts: list[str] = []
    attachments: list[Attachment] = []
    for part in items(mapping(value).get("content")):
        inner = part.get("value")
        if "id" in part:
            continue  # thinking, not a result
        if isinstance(inner, str):
            texts.append(inner)
        elif isinstance(inner, dict) and "node" in inner:
            texts.append(flatten(inner["node"]))
        elif "data" in part and string(part.get("mimeType")):
            attachments.append(_media(part["mimeType"], part["data"]))
    return ToolResult("\n".join(filter(None, texts)) or None, tuple(attachments))


def flatten(root: Any) -> str:
    """The text of a prompt-tsx tree. It can be hundreds of levels deep: this does not recurse."""
    out: list[str] = []
    stack = [root]
    seen = 0
    while stack and seen < _MAX_NODES:
        node = mapping(stack.pop())
        seen += 1
        if node.get("type") == _TEXT:
            if node.get("lineBreakBefore") is True and out and not out[-1].endswith("\n"):
                out.append("\n")
            text = string(node.get("text"))
            if text is not None:
                out.append(text)
        elif node.get("type") == _PIECE:
            media = _placeholder(node)
            if media is not None:
                out.append(media)
            else:
                stack += reversed(array(node.get("children")))
    return "".join(out)


def _placeholder(node: dict[str, Any]) -> str | None:
    """What stands for a picture or a document in the text; None for other nodes."""
    if node.get("ctor") == _IMAGE:
        return "<image>"
    if node.get("ctor") == _DOCUMENT:
        media_type = string(mapping(node.get("props")).get("mediaType"))
        if media_type is None:
            return "<document>"
        return f"<document {media_type}>"
    return None


def details_of(details: Any) -> ToolResult:
    """The output in the `resultDetails` of a part: files it touched, or what an MCP tool said."""
    if isinstance(details, list):
        return ToolResult("\n".join(filter(None, map(_location, details))) or None)
    output = mapping(details).get("output")
    if isinstance(output, str):
        return ToolResult(output or None)
    if isinstance(output, dict):
        if decoded_bytes(output.get("base64Data")) is None:
            return ToolResult(None)
        return ToolResult(None, (_media(output.get("mimeType"), output.get("base64Data")),))
    return _listed_output(output)


def _listed_output(output: Any) -> ToolResult:
    texts: list[str] = []
    attachments: list[Attachment] = []
    for part in items(output):
        if part.get("type") == "ref":
            texts.append(_location(part.get("uri")) or "")
        elif _is_media(part):
            attachments.append(_media(part.get("mimeType"), part.get("value")))
        else:
            texts.append(string(part.get("value")) or "")
    return ToolResult("\n".join(filter(None, texts)) or None, tuple(attachments))


def _is_media(part: dict[str, Any]) -> bool:
    is_text = part.get("isText")
    return is_text is False or (is_text is None and string(part.get("mimeType")) is not None)


def _location(value: Any) -> str | None:
    path = web_address(value) or path_of(value)
    lines = range_of(value)
    if path and lines:
        return f"{path}:{lines.first}"
    return path


def _media(mime_type: Any, value: Any) -> Attachment:
    mime = string(mime_type)
    kind = "document"
    if mime is not None and mime.startswith("image/"):
        kind = "image"
    data = decoded_bytes(value)
    if data is None:
        return Attachment(kind=kind, mime_type=mime, note="of an unknown shape")
    return Attachment(
        kind=kind, mime_type=mime, size=len(data), sha256=hashlib.sha256(data).hexdigest()
    )
