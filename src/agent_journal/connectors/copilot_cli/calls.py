"""Tool calls: a request in `assistant.message`, `tool.execution_start`, `tool.execution_complete`,
joined by id.

`{"type":"tool.execution_complete","data":{"toolCallId":"c1","success":true,"result":{"content":"hi"}},…}`
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Literal, cast

from agent_journal.connectors.copilot_cli.records import Data, ToolRequest
from agent_journal.connectors.loose import decode_any, raw_text
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import integer, items, mapping, string
from agent_journal.model import FileEdit, ToolCall, ToolStatus

# `<shellId: 3 completed with exit code 1>`, and `<exited with exit code 1>` in early versions.
_EXIT = re.compile(r"<(?:shellId: [^<>]{1,200} completed|exited) with exit code (-?\d{1,10})>\s*\Z")
_SAVED = re.compile(r"Saved to: ([^\n]+)")
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_PATCH_KINDS = {"Add": "create", "Update": "edit", "Delete": "delete"}
_NOT_EDITS = ("view", "undo_edit")

EditKind = Literal["create", "edit", "delete"]


def requested_call(
    request: ToolRequest, session_id: str, message_id: str, record_id: str, offset: int, length: int
) -> ToolCall:
    """A call as the model asked for it."""
    return ToolCall(
        session_id=session_id,
        id=request.tool_call_id or "",
        message_id=message_id,
        name=request.name,
        kind=tool_kind(request.name, request.mcp_server_name),
        title=request.intention_summary or request.tool_title,
        server=request.mcp_server_name,
        arguments=raw_text(request.arguments),
        record_ids=(record_id,),
        offset=offset,
        length=length,
    )


def outcome(data: Data) -> tuple[ToolStatus | None, int | None, str | None, str | None]:
    """Status, exit code, output and display text of a completed call."""
    result = data.result
    details = result if isinstance(result, dict) else {}
    content = details.get("content") if details else result
    text = content if isinstance(content, str) else _joined(details)
    display = string(details.get("detailedContent"))
    exit_code = (
        integer(mapping(data.shell_execution).get("exitCode")) if data.shell_execution else None
    )
    if (
        text
        and text[-2:].rstrip().endswith(">")
        and (found := _EXIT.search(text, max(0, len(text) - 300)))
    ):
        exit_code = int(found[1]) if exit_code is None else exit_code
        if display and display.rstrip() == text[: found.start()].rstrip():
            display = None  # the same without the trailer
    error = data.error
    message = error if isinstance(error, str) else string(mapping(error).get("message"))
    status = _status(data, mapping(error).get("code"), exit_code)
    return (
        status,
        exit_code,
        text if text else message or text,
        display if display != text else None,
    )


def _status(data: Data, code: object, exit_code: int | None) -> ToolStatus | None:
    if data.model == "resumed" or data.interaction_id == "resume":
        return "interrupted"
    if data.error or data.success is False:
        code = code.lower() if isinstance(code, str) else ""
        if "denied" in code or "reject" in code or "permission" in code:
            return "denied"
        return (
            "interrupted"
            if code in ("interrupted", "aborted", "cancelled", "canceled")
            else "error"
        )
    if exit_code:
        return "failed"
    return None if data.success is None and data.result is None else "ok"


def _joined(result: dict[str, Any]) -> str | None:
    texts = [
        item["text"] for item in items(result.get("contents")) if isinstance(item.get("text"), str)
    ]
    return "\n".join(texts) or None


def spilled_to(text: str | None) -> str | None:
    """Where output that was too large for the transcript was saved."""
    if not text or not text.startswith("Output too large"):
        return None
    found = _SAVED.search(text, 0, 4096)
    return found[1].strip() if found else None


def planned_edits(name: str | None, arguments: bytes) -> list[tuple[str, str]]:
    """The files an edit tool is asked to change, from its arguments; for versions without
    `fileEdits`.
    """
    try:
        values = decode_any(arguments) if arguments else None
    except ValueError:
        return []
    if isinstance(values, str) or name == "apply_patch":
        patch = (
            values
            if isinstance(values, str)
            else mapping(values).get("input", mapping(values).get("patch"))
        )
        found = _PATCHED.findall(patch) if isinstance(patch, str) else []
        return [(path.strip(), _PATCH_KINDS[verb]) for verb, path in found]
    values = mapping(values)
    path = (
        string(values.get("path"))
        or string(values.get("file_path"))
        or string(values.get("filePath"))
    )
    command = values.get("command", name)
    if path is None or command in _NOT_EDITS:
        return []
    return [(path, "create" if command == "create" else "edit")]


def recorded_edits(value: object) -> list[tuple[str, str]]:
    """The files that were really changed, as newer versions list them."""
    return [
        (item["path"], str(item.get("kind"))) for item in items(value) if string(item.get("path"))
    ]


def file_edits(
    edits: list[tuple[str, str]],
    display: str | None,
    session_id: str,
    prompt: str | None,
    call: str,
    when: datetime | None,
    offset: int,
) -> list[FileEdit]:
    """The edits of a call with their share of the diff that is shown to the person."""
    sections = _diffs(display)
    found = []
    for path, kind in edits:
        if len(edits) == 1 and len(sections) == 1:
            diff: str | None = sections[0]
        else:
            diff = next((section for section in sections if _is_about(section, path)), None)
        added, removed = _changed_lines(diff) if diff else (None, None)
        found.append(
            FileEdit(
                session_id=session_id,
                path=path,
                kind=cast("EditKind", kind) if kind in ("create", "delete") else "edit",
                message_id=prompt,
                call_id=call,
                timestamp=when,
                diff=diff,
                lines_added=added,
                lines_removed=removed,
                offset=offset,
            )
        )
    return found


def _diffs(display: str | None) -> list[str]:
    text = (display or "").lstrip("\n")
    if text.startswith("diff --git "):
        return ["diff --git " + part for part in ("\n" + text).split("\ndiff --git ")[1:]]
    return [text] if text.startswith(("--- ", "@@ ")) else []


def _is_about(section: str, path: str) -> bool:
    head = section[:2048].partition("\n@@")[0].replace("\\", "/")
    return path.replace("\\", "/").lstrip("/") in head


def _changed_lines(diff: str) -> tuple[int, int]:
    body = diff if diff.startswith("@@") else diff.partition("\n@@")[2]
    return body.count("\n+"), body.count("\n-")
