"""Tool results as Claude Code writes them: the block for the model, and the details beside it."""

from __future__ import annotations

import re
from typing import Any

from agent_journal.connectors.values import mapping, string
from agent_journal.convert.parts import Edits, parsed, tells_exit_code
from agent_journal.model import FileEdit, ToolCall

NO_RESULT = "[no result was recorded]"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NOT_OK = ("error", "failed", "denied", "interrupted", "running")
_DENIALS = {"denied": "user-rejected", "interrupted": "interrupted", "running": "interrupted"}


def result_text(call: ToolCall) -> str:
    """The result with its exit code, where the text does not have it."""
    text = NO_RESULT if call.result is None else call.result
    if call.exit_code and call.status in ("error", "failed") and not tells_exit_code(call):
        return f"Exit code {call.exit_code}\n{text}"
    return text


def result_block(call: ToolCall, call_id: str) -> dict[str, Any]:
    """The content block; a result that failed, was refused or never came is an error."""
    block: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": call_id,
        "content": result_text(call),
    }
    if call.result is None or call.status in _NOT_OK:
        block["is_error"] = True
    return block


def denial(call: ToolCall) -> str | None:
    """Why a call did not finish; one without a result counts as interrupted."""
    if call.result is None and call.status not in ("ok", "error", "failed", "denied"):
        return "interrupted"
    return _DENIALS.get(call.status or "")


def edit_details(edit: FileEdit, call: ToolCall, edits: Edits) -> dict[str, Any]:
    """The change of a file as the editing tools report it."""
    hunks = _hunks(edits.diff(edit) or "")
    if edit.kind == "create":
        content = edit.after
        if content is None:
            lines = [line for hunk in hunks for line in hunk["lines"]]
            content = "".join(f"{line[1:]}\n" for line in lines if line.startswith("+"))
        return {
            "type": "create",
            "filePath": edit.path,
            "content": content,
            "structuredPatch": hunks,
            "originalFile": None,
            "userModified": False,
        }
    arguments = mapping(parsed(call.arguments))
    return {
        "filePath": edit.path,
        "oldString": string(arguments.get("old_string")) or "",
        "newString": string(arguments.get("new_string")) or "",
        "originalFile": edit.before or "",
        "structuredPatch": hunks,
        "userModified": False,
        "replaceAll": False,
    }


def _hunks(diff: str) -> list[dict[str, Any]]:
    hunks: list[dict[str, Any]] = []
    for line in diff.removesuffix("\n").split("\n"):
        if line.startswith("@@"):
            hunks.append({"oldStart": 0, "oldLines": 0, "newStart": 0, "newLines": 0, "lines": []})
            found = _HUNK.match(line)
            if found:
                old, old_lines, new, new_lines = (int(number or 1) for number in found.groups())
                hunks[-1] |= {
                    "oldStart": old,
                    "oldLines": old_lines,
                    "newStart": new,
                    "newLines": new_lines,
                }
        elif hunks and line[:1] in (" ", "+", "-", "\\", ""):
            hunks[-1]["lines"].append(line or " ")
    return hunks
