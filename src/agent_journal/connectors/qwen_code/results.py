"""What tools gave back, what they changed, and the list of things to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from agent_journal.connectors.gemini.calls import STATUSES, outcome, printed_exit_code
from agent_journal.connectors.gemini.edits import file_edit
from agent_journal.connectors.qwen_code.records import PendingCall
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import count, integer, items, mapping, string
from agent_journal.model import FileEdit, Todo, TodoList, ToolCall, ToolStatus

_SHELL = "run_shell_command"


class Found(NamedTuple):
    """A call as its result tells it, and the path to the result in the part."""

    call: ToolCall
    path: tuple[str | int, ...]


def outcome_of(part: dict[str, Any], recorded: dict[str, Any]) -> Found | None:
    """The result in a part of a line; None when it is something else."""
    response = mapping(part.get("functionResponse"))
    call_id = string(response.get("id")) or string(recorded.get("callId"))
    if not response or call_id is None:
        return None
    found = outcome([part])
    name = string(response.get("name"))
    shown = mapping(recorded.get("resultDisplay"))
    exit_code = integer(shown.get("exitCode"))
    if exit_code is None and name == _SHELL:
        exit_code = printed_exit_code(found.text)
    call = ToolCall(
        session_id="",
        id=call_id,
        name=name,
        kind=tool_kind(name),
        result=found.text,
        display=_display(recorded.get("resultDisplay"), found.text),
        status=_status(recorded.get("status"), response, exit_code),
        exit_code=exit_code,
        duration_ms=count(recorded.get("durationMs")),
        attachments=found.attachments,
    )
    return Found(call, found.path[1:] if found.path else ())


def _status(recorded: object, response: dict[str, Any], exit_code: int | None) -> ToolStatus:
    """The recorded status, or what the response says; a command that ended badly failed."""
    status = STATUSES.get(str(recorded))
    if status is None:
        status = "error" if mapping(response.get("response")).get("error") else "ok"
    if exit_code and status != "interrupted":
        return "failed"
    return status


def _display(shown: object, text: str | None) -> str | None:
    """What the person saw of a result, where that is another text."""
    found = string(shown) or string(mapping(shown).get("output"))
    return None if found == text else found


def edit_of(call: ToolCall, pending: PendingCall, shown: object, offset: int) -> Iterator[FileEdit]:
    """Yield the change that a call made."""
    named = replace(call, name=pending.name or call.name, message_id=pending.message_id)
    edit = file_edit(named, {"file_path": pending.path}, shown, offset)
    if edit is None:
        return
    if mapping(shown).get("originalContent") == "" and edit.kind == "edit":
        edit = replace(edit, kind="create", before=None)  # it had no text before
    yield edit


def todos_of(call: ToolCall, shown: object) -> Iterator[TodoList]:
    """Yield the list of things to do that a call has set."""
    values = mapping(shown)
    if values.get("type") != "todo_list" or call.status != "ok":
        return
    todos = [
        Todo(content=text, status=string(item.get("status")), id=string(item.get("id")))
        for item in items(values.get("todos"))
        if (text := string(item.get("content"))) is not None
    ]
    yield TodoList(session_id=call.session_id, origin="todowrite", items=tuple(todos))
