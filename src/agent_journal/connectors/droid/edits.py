"""Changes to files, from the arguments of a call, once its result says that it was made.

Create  {"file_path":"/home/sam/a.txt","content":"one\\n"}
Edit    {"file_path":"/home/sam/a.txt","old_str":"one","new_str":"two"}
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.json_repair import UNREADABLE, decode_any
from agent_journal.connectors.replacements import with_replaced_parts, with_whole_texts
from agent_journal.connectors.values import count, mapping, string
from agent_journal.model import FileEdit


class RequestedEdit(msgspec.Struct, omit_defaults=True):
    """A change to a file, until the result of its call is known."""

    message_id: str
    path: str
    content: str | None = None  # of a new file
    old: str | None = None
    new: str | None = None


def requested_edit(
    name: str | None, arguments: dict[str, Any], message_id: str
) -> RequestedEdit | None:
    """The change that a call asks for; None if it is of another kind."""
    path = string(arguments.get("file_path"))
    if path is None or name not in ("Create", "Edit"):
        return None
    texts = [arguments.get(key) for key in ("content", "old_str", "new_str")]
    content, old, new = (text if isinstance(text, str) else None for text in texts)
    return RequestedEdit(message_id, path, content, old, new)


def made_edit(request: RequestedEdit, edit: FileEdit, result: str) -> FileEdit:
    """The change as it was made; the result says how many lines it changed."""
    if request.content is not None:
        return with_whole_texts(replace(edit, kind="create"), None, request.content)
    if request.old is not None and request.new is not None:
        edit = with_replaced_parts(edit, [(request.old, request.new)])
    try:
        recorded = mapping(decode_any(result.encode("utf-8", "replace")))
    except UNREADABLE:
        return edit
    added = count(recorded.get("linesAdded"))
    removed = count(recorded.get("linesRemoved"))
    if added is None or removed is None:
        return edit
    return replace(edit, lines_added=added, lines_removed=removed)
