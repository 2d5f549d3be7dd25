"""What came back from a tool, as Claude Code writes it: the block for the model, and the details
beside it.
"""

from __future__ import annotations

import re
from typing import Any

from agent_journal.convert.parts import Edits, parsed, tells_exit_code
from agent_journal.model import FileEdit, ToolCall

NO_RESULT = "[no result was recorded]"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_DENIALS = {"denied": "user-rejected", "interrupted": "interrupted", "running": "interrupted"}


def result_text(call: ToolCall) -> str:
    """The result with its exit code, where the text itself does not tell that one."""
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
    if (
        call.status in ("error", "failed", "denied", "interrupted", "running")
        or call.result is None
    ):
        block["is_error"] = True
    return block


def denial(call: ToolCall) -> str | None:
    """Why a call did not end by itself; of one without a result Claude Code says that it was
    interrupted.
    """
    if call.result is None and call.status not in ("ok", "error", "failed", "denied"):
        return "interrupted"
    return _DENIALS.get(call.status or "")


def edit_details(edit: FileEdit, call: ToolCall, edits: Edits) -> dict[str, Any]:
    """The change of a file as the editing tools report it."""
    hunks = _hunks(edits.diff(edit) or "")
    if edit.kind == "create":
        content = (
            edit.after
            if edit.after is not None
            else "".join(
                f"{line[1:]}\n" for hunk in hunks for line in hunk["lines"] if line.startswith("+")
            )
        )
        return {
            "type": "create",
            "filePath": edit.path,
            "content": content,
            "structuredPatch": hunks,
            "originalFile": None,
            "userModified": False,
        }
    given = parsed(call.arguments)
    given = given if isinstance(given, dict) else {}
    old, new = (
        given.get(name) if isinstance(given.get(name), str) else ""
        for name in ("old_string", "new_string")
    )
    return {
        "filePath": edit.path,
        "oldString": old,
        "newString": new,
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
