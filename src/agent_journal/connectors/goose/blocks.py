"""The blocks of a message: texts, calls, results, pictures.

{"type":"toolRequest","id":"call_1","toolCall":{"status":"success",
 "value":{"name":"developer__shell","arguments":{"command":"ls"}}}}
{"type":"toolResponse","id":"call_1","toolResult":{"status":"success",
 "value":{"content":[{"type":"text","text":"a.txt"}],"isError":false}}}
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.assets import decoded_asset
from agent_journal.connectors.replacements import with_replaced_parts
from agent_journal.connectors.text_editor import edit_by_command
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import array, items, mapping, string
from agent_journal.model import Attachment, FileEdit, ToolCall, ToolKind

# Extensions that are a part of Goose; others are MCP servers
_OWN_EXTENSIONS = ("developer", "todo", "platform", "subagent", "skills", "summon")
_EDITOR = "developer__text_editor"
# The tools that came in its place; the names of this extension's tools may have no prefix
_WRITE = ("write", "developer__write")
_EDIT = ("edit", "developer__edit")
_REQUESTS = ("toolRequest", "frontendToolRequest")
Path = tuple[str | int, ...]


class Answer(NamedTuple):
    """What a call gave back; `path` leads to the text in the block if it is one string."""

    text: str | None
    path: Path | None
    attachments: tuple[Attachment, ...]
    is_error: bool


class Block(NamedTuple):
    """A block and its number in the message."""

    number: int
    kind: str
    values: dict[str, Any]

    @property
    def is_request(self) -> bool:
        """Whether it asks for a tool."""
        return self.kind in _REQUESTS


def blocks_of(content: Any) -> list[Block]:
    """Return the blocks of a message."""
    return [
        Block(number, str(item.get("type"))[:60], item)
        for number, item in enumerate(array(content))
        if isinstance(item, dict)
    ]


def requested(block: Block, session_id: str, message_id: str) -> ToolCall:
    """Return the call that a block asks for."""
    request = mapping(block.values.get("toolCall"))
    value = mapping(request.get("value"))
    name = string(value.get("name"))
    arguments = mapping(value.get("arguments"))
    server, kind = _kind(name, arguments)
    error = string(request.get("error"))
    return ToolCall(
        session_id=session_id,
        id=string(block.values.get("id")) or f"{message_id}#{block.number}",
        message_id=message_id,
        name=name,
        kind=kind,
        server=server,
        arguments=msgspec.json.encode(arguments).decode() if value else None,
        result=error,
        status="error" if error else None,
    )


def _kind(name: str | None, arguments: dict[str, Any]) -> tuple[str | None, ToolKind]:
    extension, mark, tool = (name or "").partition("__")
    if not mark:
        return None, tool_kind(name)
    if extension not in _OWN_EXTENSIONS:
        return extension, "mcp"
    if name == _EDITOR:
        return None, "read" if arguments.get("command") == "view" else "edit"
    return None, tool_kind(tool)


def answer_of(block: Block) -> Answer:
    """Return the texts and pictures of a result; old versions have a list of them only."""
    result = mapping(block.values.get("toolResult"))
    value = result.get("value")
    error = string(result.get("error"))
    if error is not None:
        return Answer(error, ("toolResult", "error"), (), True)
    content = value
    path: Path = ("toolResult", "value")
    if isinstance(value, dict):
        content = value.get("content")
        path = (*path, "content")
    texts = [
        (number, item["text"])
        for number, item in enumerate(array(content))
        if isinstance(item, dict) and isinstance(item.get("text"), str)
    ]
    pictures = tuple(picture(item) for item in items(content) if item.get("type") == "image")
    text = "\n".join(text for _, text in texts) if texts else None
    is_one = len(texts) == 1
    return Answer(
        text=text,
        path=(*path, texts[0][0], "text") if is_one else None,
        attachments=pictures,
        is_error=mapping(value).get("isError") is True,
    )


def picture(values: dict[str, Any]) -> Attachment:
    """Return a picture of a message or a result."""
    asset = decoded_asset(values.get("data"), values.get("mimeType"))
    return Attachment(kind="image", mime_type=asset.mime_type, size=asset.size, sha256=asset.sha256)


def file_edit(call: ToolCall, block: Block) -> FileEdit | None:
    """Return what a call of the text editor changed."""
    request = mapping(mapping(block.values.get("toolCall")).get("value"))
    arguments = mapping(request.get("arguments"))
    if call.name == _EDITOR:
        return edit_by_command(call, arguments)
    path = string(arguments.get("path"))
    if path is None:
        return None
    edit = FileEdit(
        session_id=call.session_id, path=path, message_id=call.message_id, call_id=call.id
    )
    if call.name in _WRITE:
        return replace(edit, after=string(arguments.get("content")))
    before, after = string(arguments.get("before")), string(arguments.get("after"))
    if call.name in _EDIT and before is not None and after is not None:
        return with_replaced_parts(edit, [(before, after)])
    return None
