"""What came back from a tool and what came with a prompt, as Copilot CLI writes it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from agent_journal.convert.parts import Edits
from agent_journal.model import Attachment, FileEdit, ToolCall

_CODES = {"denied": "denied", "interrupted": "interrupted"}


def completed(call: ToolCall, changed: Sequence[FileEdit], edits: Edits) -> dict[str, Any] | None:
    """The data of `tool.execution_complete`; None for a call of which nothing came back."""
    if call.result is None and call.status in (None, "running", "interrupted"):
        return None
    if call.status in ("error", "denied", "interrupted") or is_odd_failure(call):
        code = _CODES.get(call.status or "", "failure")
        return {"success": False, "error": {"message": call.result or "", "code": code}}
    result: dict[str, Any] = {"content": call.result or ""}
    display = detailed(call, changed, edits)
    if display:
        result["detailedContent"] = display
    data: dict[str, Any] = {"success": True, "result": result}
    if call.exit_code is not None and call.exit_code >= 0:
        data["shellExecution"] = {"exitCode": call.exit_code}
    if changed and call.status != "failed":
        data["fileEdits"] = [{"path": edit.path, "kind": edit_kind(edit)} for edit in changed]
    return data


def is_odd_failure(call: ToolCall) -> bool:
    """Whether a command failed without an exit code that Copilot CLI could take."""
    return call.status == "failed" and (call.exit_code is None or call.exit_code <= 0)


def detailed(call: ToolCall, changed: Sequence[FileEdit], edits: Edits) -> str | None:
    """What a person is shown: the diffs of the changed files, or else what the agent showed."""
    diffs = [(edit, diff) for edit in changed if (diff := edits.diff(edit))]
    if not diffs:
        return call.display
    if len(changed) == 1:
        return diffs[0][1] if _is_diff(diffs[0][1]) else _with_head(*diffs[0])
    return "\n".join(_with_head(edit, diff).rstrip("\n") for edit, diff in diffs) + "\n"


def _is_diff(text: str) -> bool:
    return text.startswith(("diff --git ", "--- ", "@@ "))


def _with_head(edit: FileEdit, diff: str) -> str:
    if diff.startswith("diff --git "):
        return diff
    path = edit.path.lstrip("/")
    names = "" if diff.startswith("--- ") else f"--- a/{path}\n+++ b/{path}\n"
    return f"diff --git a/{path} b/{path}\n{names}{diff}"


def edit_kind(edit: FileEdit) -> str:
    """The kind of a change, of the three that Copilot CLI knows."""
    return edit.kind if edit.kind in ("create", "delete") else "edit"


def attachment(one: Attachment) -> dict[str, Any] | None:
    """What came with a prompt, as far as Copilot CLI has a form for it without the bytes.

    It reads attached files when the session continues: one that is gone must not be named by path.
    """
    name = one.name or one.path or one.kind
    if one.path and one.text is None and os.path.exists(one.path):
        kind = "directory" if one.kind == "directory" else "file"
        return {"type": kind, "path": one.path, "displayName": name}
    if one.mime_type or (one.path and one.text is None):
        size = {"byteLength": one.size} if one.size is not None else {}
        return {
            "type": "blob",
            "mimeType": one.mime_type or "application/octet-stream",
            "displayName": name,
            **size,
            "omittedReason": "asset_unavailable",
        }
    return None
