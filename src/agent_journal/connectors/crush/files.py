"""Changes to files: the database has every version of each file that was edited."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.json_repair import UNREADABLE, decode_any
from agent_journal.connectors.values import first_string, mapping
from agent_journal.model import FileEdit, ToolCall
from agent_journal.model.diffs import Differ


class Versions:
    """The versions of the files of a session, oldest first."""

    def __init__(self) -> None:
        self._last: dict[str, str] = {}
        self._differ = Differ()

    def edits(
        self, session_id: str, path: Any, content: Any, when: datetime | None, offset: int
    ) -> Iterator[FileEdit]:
        """Yield the change that led to a version; the first one is how the file was before."""
        if not isinstance(path, str) or not path or not isinstance(content, str):
            raise ValueError("a version of a file without a path or a text")
        before = self._last.get(path)
        self._last[path] = content
        if before is None or before == content:
            return
        diff = self._differ.diff(path, path, before, content)
        yield FileEdit(
            session_id=session_id,
            path=path,
            kind="edit" if before else "create",
            timestamp=when,
            diff=diff.text,
            before=before or None,
            after=content,
            lines_added=diff.added,
            lines_removed=diff.removed,
            offset=offset,
        )


def with_calls(edits: Iterable[FileEdit], calls: Iterable[ToolCall]) -> Iterator[FileEdit]:
    """Yield changes with the calls that made them: of a file, the first call made the first one."""
    makers: dict[str, list[ToolCall]] = {}
    for call in calls:
        if call.kind == "edit" and call.status == "ok":
            makers.setdefault(_edited_by(call), []).append(call)
    for edit in edits:
        waiting = makers.get(os.path.basename(edit.path))
        if waiting:
            call = waiting.pop(0)
            edit = replace(edit, call_id=call.id, message_id=call.message_id)
        yield edit


def _edited_by(call: ToolCall) -> str:
    """Return the name of the file that a call is to change; its folder may be left out."""
    try:
        arguments = mapping(decode_any((call.arguments or "").encode("utf-8", "replace")))
    except UNREADABLE:
        return ""
    return os.path.basename(first_string(arguments, "file_path", "path") or "")
