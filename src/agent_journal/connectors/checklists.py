"""Lists of things to do in Markdown: `- [x] Rename`."""

from __future__ import annotations

import re

from agent_journal.model import Todo, TodoList

_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.) \[([ xX~-])\] (.+?)\s*$", re.MULTILINE)
_STATUSES = {" ": "pending", "x": "completed"}


def checklist(text: str, session_id: str) -> TodoList | None:
    """The list in a text; None when there is none."""
    found = _ITEM.findall(text)
    if not found:
        return None
    todos = [
        Todo(content=content, status=_STATUSES.get(mark.lower(), "in_progress"))
        for mark, content in found
    ]
    return TodoList(session_id=session_id, origin="markdown", items=tuple(todos))
