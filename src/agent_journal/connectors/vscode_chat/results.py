"""What came back from tools: texts, prompt-tsx trees, files and pictures, recognised by shape
(`$mid` is not stable).

{"$mid":20,"content":[{"$mid":23,"value":{"node":{"type":1,"children":[{"type":2,"text":"line1"}]}}}]}
"""

from __future__ import annotations

import hashlib
from typing import Any

from agent_journal.connectors.values import items, mapping, string
from agent_journal.connectors.vscode_chat.attachments import decoded_bytes
from agent_journal.connectors.vscode_chat.uris import path_of, range_of
from agent_journal.model import Attachment

Outcome = tuple[str | None, tuple[Attachment, ...]]
_IMAGE, _DOCUMENT = 3, 4
_PIECE, _TEXT = 1, 2
_MAX_NODES = 2_000_000


def text_of(value: Any) -> str | None:
    """A text that is written as a string or as Markdown `{"value": …}`."""
    return string(value) or string(mapping(value).get("value"))


def result_of(value: Any) -> Outcome:
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
    return "\n".join(text for text in texts if text) or None, tuple(attachments)


def flatten(root: Any) -> str:
    """The text of a prompt-tsx tree; they can be hundreds of levels deep, so this does not recurse."""
    out: list[str] = []
    stack = [root]
    seen = 0
    while stack and seen < _MAX_NODES:
        node = mapping(stack.pop())
        seen += 1
        kind = node.get("type")
        if kind == _TEXT:
            text = string(node.get("text")) or ""
            if node.get("lineBreakBefore") is True and out and not out[-1].endswith("\n"):
                out.append("\n")
            out += [text] if text else []
        elif kind == _PIECE and node.get("ctor") == _IMAGE:
            out.append("<image>")
        elif kind == _PIECE and node.get("ctor") == _DOCUMENT:
            out.append(
                f"<document {string(mapping(node.get('props')).get('mediaType')) or ''}>".replace(
                    " >", ">"
                )
            )
        elif kind == _PIECE and isinstance(node.get("children"), list):
            stack += reversed(node["children"])
    return "".join(out)


def details_of(details: Any) -> Outcome:
    """The output in a part's own `resultDetails`: files it touched, or what an MCP tool said."""
    if isinstance(details, list):
        return "\n".join(filter(None, map(_location, details))) or None, ()
    output = mapping(details).get("output")
    if isinstance(output, str):
        return output or None, ()
    if isinstance(output, dict):
        found = decoded_bytes(output.get("base64Data"))
        return None, (
            _media(output.get("mimeType"), output.get("base64Data")),
        ) if found is not None else ()
    texts: list[str] = []
    attachments: list[Attachment] = []
    for part in items(output):
        if part.get("type") == "ref":
            texts.append(_location(part.get("uri")) or "")
        elif part.get("isText") is False or (
            part.get("isText") is None and string(part.get("mimeType"))
        ):
            attachments.append(_media(part.get("mimeType"), part.get("value")))
        else:
            texts.append(string(part.get("value")) or "")
    return "\n".join(filter(None, texts)) or None, tuple(attachments)


def _location(value: Any) -> str | None:
    path, lines = path_of(value), range_of(value)
    return f"{path}:{lines[0]}" if path and lines else path


def _media(mime_type: Any, value: Any) -> Attachment:
    mime = string(mime_type)
    kind = "image" if mime and mime.startswith("image/") else "document"
    data = decoded_bytes(value)
    if data is None:
        return Attachment(kind=kind, mime_type=mime, note="of an unknown shape")
    return Attachment(
        kind=kind, mime_type=mime, size=len(data), sha256=hashlib.sha256(data).hexdigest()
    )
