"""Changes to files, by the result of a tool and its arguments.

edit_file_v2   the result names rows with both texts: {"beforeContentId":…,"afterContentId":…}
edit_file      the result has a diff: {"diff":{"chunks":[{"diffString":"-a\\n+b",…}]}}
others         the arguments have old_string and new_string, contents, a patch, or only a path
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.cursor.calls import ToolUse
from agent_journal.connectors.replacements import with_replaced_parts, with_whole_texts
from agent_journal.connectors.values import count, items, mapping, string, strings
from agent_journal.connectors.vscode_chat.uris import path_of
from agent_journal.connectors.vscode_chat.written import patched
from agent_journal.model import FileEdit

_WRITERS = frozenset(("write", "write_file", "create_file", "create", "write_v2"))
_DELETERS = frozenset(("delete_file", "delete", "delete_file_v2"))
_OTHER_EDITORS = frozenset(
    (
        "edit_file",
        "edit_file_v2",
        "search_replace",
        "strreplace",
        "str_replace",
        "edit",
        "multiedit",
        "multi_edit",
        "apply_patch",
        "applypatch",
        "edit_notebook",
        "editnotebook",
    )
)
_EDITORS = _WRITERS | _DELETERS | _OTHER_EDITORS
_PATHS = (
    "relativeWorkspacePath",
    "targetFile",
    "target_file",
    "file_path",
    "filePath",
    "path",
    "target_notebook",
    "uri",
)
# The content of a file before it was created
_EMPTY = "composer.content.e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
_NOTHING_CHANGED = ("error", "denied", "interrupted", "running")
_PATCHES = ("patch", "input", "patchContent")
_HUNK_NUMBERS = ("oldStart", "oldLines", "newStart", "newLines")
_PAIRS = (("old_string", "new_string"), ("oldString", "newString"))


def edits_of(tool_use: ToolUse, contents: Mapping[str, str]) -> list[FileEdit]:
    """Return the edits of a call, none when it failed.

    An edit that was made and then rejected by the person is undone.
    """
    call = tool_use.call
    arguments = tool_use.arguments
    name = (call.name or "").lower()
    if name not in _EDITORS or not _has_changed_files(tool_use):
        return []
    edit = FileEdit(
        session_id=call.session_id,
        path="",
        message_id=call.message_id,
        call_id=call.id,
        timestamp=call.started_at,
        state="undone" if call.status == "denied" else None,
    )
    patch = _first_text(arguments, _PATCHES)
    if patch is not None and "*** " in patch:
        return list(patched(patch, edit))
    path = _path_in(arguments)
    if path is None:
        return []
    edit = replace(edit, path=path)
    if name in _DELETERS:
        return [replace(edit, kind="delete")]
    recorded = _recorded_edit(edit, tool_use.result, contents)
    if recorded is not None:
        return [recorded]
    return [_requested_edit(edit, name, arguments)]


def _has_changed_files(tool_use: ToolUse) -> bool:
    status = tool_use.call.status
    if status == "denied":  # it may have been rejected after it was made
        return bool(tool_use.result.get("afterContentId") or tool_use.result.get("diff"))
    return status not in _NOTHING_CHANGED


def _first_text(values: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((text for key in keys if (text := string(values.get(key)))), None)


def _path_in(arguments: dict[str, Any]) -> str | None:
    for key in _PATHS:
        path = path_of(arguments.get(key)) or string(arguments.get(key))
        if path:
            return path
    return None


# -- what the result records -------------------------------------------------------------------


def _recorded_edit(
    edit: FileEdit, result: dict[str, Any], contents: Mapping[str, str]
) -> FileEdit | None:
    before_id = string(result.get("beforeContentId"))
    before = contents.get(before_id or "")
    after = contents.get(string(result.get("afterContentId")) or "")
    if before_id in (None, _EMPTY) or result.get("fileWasCreated") is True:
        if after is not None:
            return with_whole_texts(replace(edit, kind="create"), None, after)
    elif before is not None and after is not None:
        return with_whole_texts(replace(edit, kind="edit"), before, after)
    chunks = items(mapping(result.get("diff")).get("chunks"))
    if chunks:
        return _with_chunks(edit, chunks)
    if after is not None:
        return replace(edit, after=after)
    return None


def _with_chunks(edit: FileEdit, chunks: list[dict[str, Any]]) -> FileEdit:
    lines = [line for chunk in chunks for line in _hunk(chunk)]
    edit = replace(
        edit,
        lines_added=_total(chunks, "linesAdded"),
        lines_removed=_total(chunks, "linesRemoved"),
    )
    if not lines:
        return edit
    return replace(edit, diff="\n".join(lines) + "\n")


def _hunk(chunk: dict[str, Any]) -> list[str]:
    text = string(chunk.get("diffString"))
    if text is None:
        return []
    numbers = [count(chunk.get(key)) for key in _HUNK_NUMBERS]
    if text.startswith("@@") or None in numbers:
        return text.split("\n")
    return ["@@ -{},{} +{},{} @@".format(*numbers), *text.split("\n")]


def _total(chunks: list[dict[str, Any]], key: str) -> int | None:
    counts = [count(chunk.get(key)) for chunk in chunks]
    numbers = [number for number in counts if number is not None]
    if not numbers:
        return None
    return sum(numbers)


# -- what the arguments request ----------------------------------------------------------------


def _requested_edit(edit: FileEdit, name: str, arguments: dict[str, Any]) -> FileEdit:
    parts = items(arguments.get("edits")) or [arguments]
    pairs = [pair for part in parts if (pair := _pair(part)) is not None]
    if pairs:
        return with_replaced_parts(edit, pairs)
    texts = strings([arguments.get("contents"), arguments.get("content")])
    if name in _WRITERS and texts:
        return replace(edit, after=texts[0])
    return edit


def _pair(part: dict[str, Any]) -> tuple[str, str] | None:
    """Return the text to replace and its replacement."""
    for old_key, new_key in _PAIRS:
        old = part.get(old_key)
        new = part.get(new_key)
        if isinstance(old, str) and isinstance(new, str):
            return old, new
    return None
