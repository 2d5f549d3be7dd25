"""Changes to files, by what a tool was asked and what it says it did.

edit_file_v2   result
{"beforeContentId":"composer.content.…","afterContentId":"composer.content.…"}: texts in rows
edit_file      result {"diff":{"chunks":[{"diffString":"-a\\n+b","linesAdded":1,"linesRemoved":1}]}}
others         the arguments: old_string and new_string, contents, a patch, or only a path
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.cursor.calls import Called
from agent_journal.connectors.values import count, items, mapping, string
from agent_journal.connectors.vscode_chat.uris import path_of
from agent_journal.connectors.vscode_chat.written import patched
from agent_journal.model import FileEdit
from agent_journal.model.diffs import Differ

_WRITERS = frozenset(("write", "write_file", "create_file", "create", "write_v2"))
_DELETERS = frozenset(("delete_file", "delete", "delete_file_v2"))
_EDITORS = (
    _WRITERS
    | _DELETERS
    | frozenset(
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
)
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
# What a new file was
_EMPTY = "composer.content.e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
_NOTHING_CHANGED = ("error", "denied", "interrupted", "running")
_PATCHES = ("patch", "input", "patchContent")


def edits_of(done: Called, contents: Mapping[str, str]) -> list[FileEdit]:
    """The edits of a call; none when it failed. One that was done and then refused by the person is
    undone.
    """
    call, asked, came = done
    name = (call.name or "").lower()
    has_happened = bool(came.get("afterContentId") or came.get("diff"))
    if name not in _EDITORS or (
        call.status in _NOTHING_CHANGED and not (call.status == "denied" and has_happened)
    ):
        return []
    edit = FileEdit(
        session_id=call.session_id,
        path="",
        message_id=call.message_id,
        call_id=call.id,
        timestamp=call.started_at,
        state="undone" if call.status == "denied" else None,
    )
    patch = next((text for key in _PATCHES if (text := string(asked.get(key)))), None)
    if patch is not None and "*** " in patch:
        return list(patched(patch, edit))
    path = next(
        (found for key in _PATHS if (found := path_of(asked.get(key)) or string(asked.get(key)))),
        None,
    )
    if path is None:
        return []
    edit = replace(edit, path=path)
    if name in _DELETERS:
        return [replace(edit, kind="delete")]
    return [_recorded(edit, came, contents) or _asked(edit, name, asked)]


def _recorded(edit: FileEdit, came: dict[str, Any], contents: Mapping[str, str]) -> FileEdit | None:
    before_id, after_id = string(came.get("beforeContentId")), string(came.get("afterContentId"))
    before, after = contents.get(before_id or ""), contents.get(after_id or "")
    is_new = before_id in (None, _EMPTY) or came.get("fileWasCreated") is True
    if after is not None and (before is not None or is_new):
        made = Differ().diff(edit.path, edit.path, None if is_new else before, after)
        return replace(
            edit,
            kind="create" if is_new else "edit",
            before=None if is_new else before,
            after=after,
            diff=made.text,
            lines_added=made.added,
            lines_removed=made.removed,
        )
    chunks = items(mapping(came.get("diff")).get("chunks"))
    if not chunks:
        return None if after is None else replace(edit, after=after)
    lines = [line for chunk in chunks for line in _hunk(chunk)]
    return replace(
        edit,
        diff="\n".join(lines) + "\n" if lines else None,
        lines_added=_total(chunks, "linesAdded"),
        lines_removed=_total(chunks, "linesRemoved"),
    )


def _hunk(chunk: dict[str, Any]) -> list[str]:
    text = string(chunk.get("diffString"))
    if text is None:
        return []
    numbers = [count(chunk.get(key)) for key in ("oldStart", "oldLines", "newStart", "newLines")]
    if text.startswith("@@") or None in numbers:
        return text.split("\n")
    return ["@@ -{},{} +{},{} @@".format(*numbers), *text.split("\n")]


def _total(chunks: list[dict[str, Any]], key: str) -> int | None:
    numbers = [number for chunk in chunks if (number := count(chunk.get(key))) is not None]
    return sum(numbers) if numbers else None


def _asked(edit: FileEdit, name: str, asked: dict[str, Any]) -> FileEdit:
    pairs = [_pair(part) for part in items(asked.get("edits"))] or [_pair(asked)]
    told = [pair for pair in pairs if pair is not None]
    if told:
        made = [Differ().diff(edit.path, edit.path, old, new) for old, new in told]
        return replace(
            edit,
            diff="".join(diff.text for diff in made),
            lines_added=sum(diff.added for diff in made),
            lines_removed=sum(diff.removed for diff in made),
        )
    text = next(
        (asked[key] for key in ("contents", "content") if isinstance(asked.get(key), str)), None
    )
    if name in _WRITERS and text is not None:
        return replace(edit, after=text)
    return edit


def _pair(part: dict[str, Any]) -> tuple[str, str] | None:
    for old, new in (("old_string", "new_string"), ("oldString", "newString")):
        if isinstance(part.get(old), str) and isinstance(part.get(new), str):
            return part[old], part[new]
    return None
