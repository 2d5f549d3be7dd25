"""Files that a tool call changes, and their part of the diff shown to the person.

"fileEdits":[{"path":"/work/demo/a.py","kind":"edit"}]
"arguments":"*** Begin Patch\n*** Add File: new.txt\n+one\n*** End Patch"
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agent_journal.connectors.copilot_cli.records import ChangedFile
from agent_journal.connectors.loose import decode_any
from agent_journal.connectors.values import first_string, items, mapping, string

_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_PATCH_KINDS = {"Add": "create", "Update": "edit", "Delete": "delete"}
_NOT_EDITS = ("view", "undo_edit")
_GIT_HEADER = "diff --git "
_MAX_DIFF_HEADER = 2048


class FileDiff(NamedTuple):
    """The diff of one file; all None when none was shown."""

    text: str | None = None
    lines_added: int | None = None
    lines_removed: int | None = None


def planned_edits(tool: str | None, arguments: str | None) -> list[ChangedFile]:
    """The files an edit tool is asked to change, for versions without `fileEdits`."""
    if not arguments:
        return []
    try:
        values = decode_any(arguments.encode())
    except ValueError:
        return []
    if isinstance(values, str):
        return _patched_files(values)
    values = mapping(values)
    if tool == "apply_patch":
        return _patched_files(values.get("input", values.get("patch")))
    path = first_string(values, "path", "file_path", "filePath")
    command = values.get("command", tool)
    if path is None or command in _NOT_EDITS:
        return []
    if command == "create":
        return [ChangedFile(path, "create")]
    return [ChangedFile(path, "edit")]


def recorded_edits(value: object) -> list[ChangedFile]:
    """The files that were changed, as newer versions list them in `fileEdits`."""
    return [
        ChangedFile(item["path"], str(item.get("kind")))
        for item in items(value)
        if string(item.get("path"))
    ]


def file_diffs(files: list[ChangedFile], display: str | None) -> list[FileDiff]:
    """The diff of each file, from the text that was shown for all of them."""
    sections = _sections(display)
    if len(files) == 1 and len(sections) == 1:
        return [_file_diff(sections[0])]
    return [_find_diff(file.path, sections) for file in files]


def _patched_files(patch: Any) -> list[ChangedFile]:
    if not isinstance(patch, str):
        return []
    return [ChangedFile(path.strip(), _PATCH_KINDS[verb]) for verb, path in _PATCHED.findall(patch)]


def _sections(display: str | None) -> list[str]:
    text = (display or "").lstrip("\n")
    if text.startswith(_GIT_HEADER):
        parts = ("\n" + text).split("\n" + _GIT_HEADER)
        return [_GIT_HEADER + part for part in parts[1:]]
    if text.startswith(("--- ", "@@ ")):
        return [text]
    return []


def _find_diff(path: str, sections: list[str]) -> FileDiff:
    relative_path = path.replace("\\", "/").lstrip("/")
    for section in sections:
        header = section[:_MAX_DIFF_HEADER].partition("\n@@")[0].replace("\\", "/")
        if relative_path in header:
            return _file_diff(section)
    return FileDiff()


def _file_diff(text: str) -> FileDiff:
    hunks = text
    if not text.startswith("@@"):
        hunks = text.partition("\n@@")[2]
    return FileDiff(text, hunks.count("\n+"), hunks.count("\n-"))
