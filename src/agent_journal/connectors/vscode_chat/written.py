"""Edits as the model asked for them.

They are used for sessions without an editing session: exports, and those VS Code has cleaned up.

{"filePath":"/w/a.py","oldString":"x = 1","newString":"x = 2"} is a diff; its line numbers count
within the old string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.values import items, mapping, string
from agent_journal.model import FileEdit, ToolCall
from agent_journal.model.diffs import Differ
from agent_journal.model.origins import MENTIONED_EDIT

_SECTION = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_KINDS = {"Add": "create", "Update": "edit", "Delete": "delete"}
_EDITORS = frozenset(
    (
        "create_file",
        "replace_string_in_file",
        "multi_replace_string_in_file",
        "insert_edit_into_file",
        "edit_notebook_file",
        "apply_patch",
        # Of other agents, which run in VS Code or whose sessions were converted for it:
        "Edit",
        "Write",
        "MultiEdit",
        "create",
        "edit",
        "str_replace",
        "str_replace_editor",
        "write_file",
        "replace",
    )
)
_PATHS = ("filePath", "file_path", "path")
_CONTENTS = ("content", "file_text")
_OLD = ("oldString", "old_string", "old_str")
_NEW = ("newString", "new_string", "new_str")
_FAILED = ("denied", "error", "interrupted")
# Where tools that make several edits in one call list them
_LISTS = {"multi_replace_string_in_file": "replacements", "MultiEdit": "edits"}


def edits_asked(call: ToolCall, request_id: str) -> list[FileEdit]:
    """The edits a call made, by its arguments; none for a call that failed or was refused."""
    if call.name not in _EDITORS or not call.arguments or call.status in _FAILED:
        return []
    try:
        asked = msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, RecursionError):
        return []
    if isinstance(asked, str):
        asked = {"input": asked}
    asked = mapping(asked)
    edit = FileEdit(
        session_id=call.session_id,
        path="",
        message_id=request_id,
        call_id=call.id,
        timestamp=call.started_at,
        origin=MENTIONED_EDIT,
    )
    if call.name == "apply_patch":
        return list(patched(string(asked.get("input")) or "", edit))
    parts = [asked]
    if call.name in _LISTS:
        parts = items(asked.get(_LISTS[call.name]))
    edits = [_edit(part, asked, edit) for part in parts]
    return [edit for edit in edits if edit is not None]


def _edit(part: dict[str, Any], asked: dict[str, Any], edit: FileEdit) -> FileEdit | None:
    path = string(_first_of(part, _PATHS)) or string(_first_of(asked, _PATHS))
    if path is None:
        return None
    edit = replace(edit, path=path)
    content = _first_of(part, _CONTENTS)
    old = _first_of(part, _OLD)
    new = _first_of(part, _NEW)
    if isinstance(content, str):
        made = Differ().diff(path, path, None, content)
        return replace(
            edit,
            kind="create",
            after=content,
            diff=made.text,
            lines_added=made.added,
            lines_removed=0,
        )
    if isinstance(old, str) and isinstance(new, str):
        made = Differ().diff(path, path, old, new)
        return replace(edit, diff=made.text, lines_added=made.added, lines_removed=made.removed)
    return edit


def _first_of(values: dict[str, Any], names: tuple[str, ...]) -> Any:
    """The value of the first of these names that there is, whatever it is."""
    return next((values[name] for name in names if name in values), None)


def patched(patch: str, edit: FileEdit) -> Iterator[FileEdit]:
    """The edits of a patch in sections (`*** Update File: a.py`), each based on `edit`."""
    sections = list(_SECTION.finditer(patch))
    ends = [section.start() for section in sections[1:]]
    ends.append(len(patch))
    for section, end in zip(sections, ends, strict=False):
        lines = patch[section.end() : end].split("\n")
        lines = [line for line in lines if line and not line.startswith("*** ")]
        yield replace(
            edit,
            path=section[2].strip(),
            kind=_KINDS[section[1]],
            diff="".join(f"{line}\n" for line in lines) or None,
            lines_added=sum(line.startswith("+") for line in lines),
            lines_removed=sum(line.startswith("-") for line in lines),
        )
