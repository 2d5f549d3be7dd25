"""Changes to a file by an editing tool with commands, as far as its arguments say.

{"command":"create","path":"/app/a.py","file_text":"…"}
{"command":"str_replace","path":"/app/a.py","old_str":"a","new_str":"b"}
"""

from __future__ import annotations

from typing import Any

from agent_journal.connectors.values import string
from agent_journal.model import FileEdit, ToolCall

_WHOLE = ("write", "create")
_PARTS = ("str_replace", "insert", "append")


def edit_by_command(call: ToolCall, arguments: dict[str, Any]) -> FileEdit | None:
    """Return what a call changes; None if it changes nothing."""
    path = string(arguments.get("path"))
    command = arguments.get("command")
    if path is None or command not in (*_WHOLE, *_PARTS):
        return None
    after = arguments.get("file_text") if command in _WHOLE else None
    diff = added = removed = None
    if command in _PARTS:
        old = (string(arguments.get("old_str")) or "").splitlines()
        new = (string(arguments.get("new_str")) or "").splitlines()
        diff = "\n".join(["@@ @@", *(f"-{line}" for line in old), *(f"+{line}" for line in new)])
        added, removed = len(new), len(old)
    return FileEdit(
        session_id=call.session_id,
        path=path,
        kind="create" if command == "create" else "edit",
        message_id=call.message_id,
        call_id=call.id,
        diff=diff,
        after=after if isinstance(after, str) else None,
        lines_added=added,
        lines_removed=removed,
    )
