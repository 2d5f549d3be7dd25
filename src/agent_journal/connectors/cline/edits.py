"""Changes to files, by the arguments of the call that made them.

editor           {"path":"a.py","old_text":"one","new_text":"two"}
write_to_file    {"path":"a.py","content":"…"}
replace_in_file  {"path":"a.py","diff":"------- SEARCH\\none\\n=======\\ntwo\\n+++++++ REPLACE"}
"""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.replacements import as_created
from agent_journal.connectors.values import first_string, string
from agent_journal.model import FileEdit, ToolCall

_EDITORS = frozenset(
    ("editor", "write_to_file", "replace_in_file", "apply_diff", "insert_content", "apply_patch")
)
_SEARCH = re.compile(r"(?:<{7}|-{7}) SEARCH>?")
_DIVIDER = re.compile(r"={7}")
_REPLACE = re.compile(r"(?:>{7}|\+{7}) REPLACE")
_HINTS = re.compile(r":(?:start_line|end_line):\d+|-{7}")  # of Roo Code, below the heading
_CREATED = "File created"


def edits_of(call: ToolCall, arguments: dict[str, Any]) -> list[FileEdit]:
    """Return the edit of a call; none when it failed, was refused, or names no file."""
    path = first_string(arguments, "path", "file_path")
    if call.name not in _EDITORS or path is None or call.status not in ("ok", None):
        return []
    edit = FileEdit(
        session_id=call.session_id,
        path=path,
        message_id=call.message_id,
        call_id=call.id,
        timestamp=call.ended_at or call.started_at,
    )
    if (call.result or "").startswith(_CREATED):
        return [as_created(replace(edit, after=first_string(arguments, "new_text", "content")))]
    return [changed(edit, _change(arguments), arguments)]


def changed(edit: FileEdit, diff: str | None, arguments: dict[str, Any]) -> FileEdit:
    """Return an edit with its diff, or with the whole text of the file."""
    content = arguments.get("content")
    if diff is None:
        if not isinstance(content, str):
            return edit
        lines = len(content.splitlines())
        return replace(edit, after=content, lines_added=lines)
    lines_of_diff = diff.split("\n")
    return replace(
        edit,
        diff=diff,
        lines_added=sum(line.startswith("+") for line in lines_of_diff),
        lines_removed=sum(line.startswith("-") for line in lines_of_diff),
    )


def _change(arguments: dict[str, Any]) -> str | None:
    diff = string(arguments.get("diff"))
    if diff is not None:
        return diff_of_blocks(diff)
    old = string(arguments.get("old_text"))
    new = string(arguments.get("new_text"))
    if old is None and new is None:
        return None
    return _diff([old or ""], [new or ""])


def diff_of_blocks(text: str) -> str:
    """The diff in blocks of what to search for and what to replace it with; any other as it is."""
    if not _SEARCH.search(text):
        return text
    found: list[str] = []
    old: list[str] = []
    new: list[str] = []
    target: list[str] | None = None
    for line in text.split("\n"):
        if _SEARCH.fullmatch(line.strip()):
            old, new = [], []
            target = old
        elif _REPLACE.fullmatch(line.strip()) and target is not None:
            found.append(_diff(old, new))
            target = None
        elif _DIVIDER.fullmatch(line.strip()) and target is old:
            target = new
        elif target is not None and not (target is old and _HINTS.fullmatch(line.strip())):
            target.append(line)
    return "\n".join(found) or text


def _diff(old: list[str], new: list[str]) -> str:
    """A hunk without line numbers."""
    removed = [f"-{line}" for line in "\n".join(old).splitlines()]
    added = [f"+{line}" for line in "\n".join(new).splitlines()]
    return "\n".join(["@@ @@", *removed, *added])
