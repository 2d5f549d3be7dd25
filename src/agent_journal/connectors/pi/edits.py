"""Changes to files, from the arguments of a call, once its result says that it was made.

{"path":"a.txt","edits":[{"oldText":"one","newText":"two"}]}     edit
{"path":"a.txt","oldText":"one","newText":"two"}                 edit, of older versions
{"path":"a.txt","content":"one\\n"}                               write
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.replacements import with_patch, with_replaced_parts, with_whole_texts
from agent_journal.connectors.values import items, string
from agent_journal.model import FileEdit


class RequestedEdit(msgspec.Struct, omit_defaults=True):
    """A change that the model asked for, until the result of its call is known."""

    message_id: str
    path: str
    content: str | None = None  # of the whole file
    pairs: list[tuple[str, str]] = []


def requested_edit(
    name: str | None, arguments: dict[str, Any], message_id: str
) -> RequestedEdit | None:
    """The change that a call asks for; None if it is of another kind."""
    path = string(arguments.get("path"))
    if path is None or name not in ("write", "edit"):
        return None
    content = arguments.get("content")
    if name == "write" and isinstance(content, str):
        return RequestedEdit(message_id, path, content)
    parts = items(arguments.get("edits")) or [arguments]
    pairs = [
        (part["oldText"], part["newText"])
        for part in parts
        if isinstance(part.get("oldText"), str) and isinstance(part.get("newText"), str)
    ]
    return RequestedEdit(message_id, path, pairs=pairs)


def made_edit(request: RequestedEdit, edit: FileEdit, details: dict[str, Any]) -> FileEdit:
    """The change as it was made; `details` is what the result of the call says about it."""
    if details.get("created") is True and request.content is not None:
        return with_whole_texts(replace(edit, kind="create"), None, request.content)
    patch = string(details.get("patch"))
    if patch is not None:
        edit = with_patch(edit, patch)
    elif request.pairs:
        edit = with_replaced_parts(edit, request.pairs)
    if request.content is not None:
        edit = replace(edit, after=request.content)
    return edit
