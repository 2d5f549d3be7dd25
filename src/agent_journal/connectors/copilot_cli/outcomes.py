"""The outcome of a tool call: status, exit code, output.

{"type":"tool.execution_complete",
 "data":{"toolCallId":"c1","success":true,"result":{"content":"hi"}},…}
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agent_journal.connectors.copilot_cli.records import Data
from agent_journal.connectors.values import integer, items, mapping, string
from agent_journal.model import ToolStatus

# `<shellId: 3 completed with exit code 1>`, and `<exited with exit code 1>` in early versions.
_EXIT = re.compile(r"<(?:shellId: [^<>]{1,200} completed|exited) with exit code (-?\d{1,10})>\s*\Z")
_MAX_EXIT_LENGTH = 300
_SAVED = re.compile(r"Saved to: ([^\n]+)")
_SAVED_WITHIN = 4096
_DENIED = ("denied", "reject", "permission")
_INTERRUPTED = ("interrupted", "aborted", "cancelled", "canceled")


class ToolOutcome(NamedTuple):
    """What a completed call reports; `display` is what the person saw, where it differs."""

    status: ToolStatus | None
    exit_code: int | None
    text: str | None
    display: str | None


def tool_outcome(data: Data) -> ToolOutcome:
    """The outcome of a completed call."""
    details = mapping(data.result)
    text = _result_text(data.result)
    display = string(details.get("detailedContent"))
    exit_code = None
    if data.shell_execution:
        exit_code = integer(mapping(data.shell_execution).get("exitCode"))
    trailer = _exit_trailer(text)
    if text and trailer is not None:
        if exit_code is None:
            exit_code = int(trailer[1])
        if display and display.rstrip() == text[: trailer.start()].rstrip():
            display = None
    if display == text:
        display = None
    return ToolOutcome(
        status=_status(data, exit_code),
        exit_code=exit_code,
        text=text or _error_message(data.error) or text,
        display=display,
    )


def spilled_to(text: str | None) -> str | None:
    """The file that output too large for the transcript was saved to."""
    if not text or not text.startswith("Output too large"):
        return None
    saved = _SAVED.search(text, 0, _SAVED_WITHIN)
    if saved is None:
        return None
    return saved[1].strip()


def is_closed_by_resume(data: Data) -> bool:
    """Whether the end of a call was written when the session went on, perhaps days later."""
    return data.model == "resumed" or data.interaction_id == "resume"


def _result_text(result: object) -> str | None:
    """The text of a result: itself, its `content`, or the texts of its `contents`."""
    if isinstance(result, str):
        return result
    details = mapping(result)
    if isinstance(details.get("content"), str):
        return str(details["content"])
    contents = items(details.get("contents"))
    texts = [item["text"] for item in contents if isinstance(item.get("text"), str)]
    return "\n".join(texts) or None


def _exit_trailer(text: str | None) -> re.Match[str] | None:
    # Most outputs do not end like a trailer: a look at the end is cheaper than the search.
    if not text or not text[-2:].rstrip().endswith(">"):
        return None
    return _EXIT.search(text, max(0, len(text) - _MAX_EXIT_LENGTH))


def _error_message(error: Any) -> str | None:
    if isinstance(error, str):
        return error
    return string(mapping(error).get("message"))


def _status(data: Data, exit_code: int | None) -> ToolStatus | None:
    if is_closed_by_resume(data):
        return "interrupted"
    if data.error or data.success is False:
        return _error_status(data.error)
    if exit_code:
        return "failed"
    if data.success is None and data.result is None:
        return None
    return "ok"


def _error_status(error: Any) -> ToolStatus:
    code = (string(mapping(error).get("code")) or "").lower()
    if any(word in code for word in _DENIED):
        return "denied"
    if code in _INTERRUPTED:
        return "interrupted"
    return "error"
