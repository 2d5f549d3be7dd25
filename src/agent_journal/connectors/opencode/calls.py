"""Tool calls: a part has both what was asked and what came back.

{"type":"tool","tool":"bash","callID":"call_1","state":{"status":"completed",
 "input":{"command":"ls"},"output":"a.txt\\n","title":"ls","metadata":{"exit":0},
 "time":{"start":1794831469901,"end":1794831470122}}}
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.opencode.parts import Part, attachment
from agent_journal.connectors.replacements import as_created
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import count, exact_integer, items, mapping, string
from agent_journal.model import FileEdit, Todo, TodoList, ToolCall, ToolStatus
from agent_journal.text.dates import parse_time

_STATUSES: dict[str, ToolStatus] = {
    "pending": "running",
    "running": "running",
    "completed": "ok",
    "error": "error",
}
_REFUSED = re.compile(r"(?:Error: )?The user (?:rejected permission|has specified a rule which)")
_ABORTED = re.compile(r"(?:Error: )?Tool execution aborted")
# A tool that there is not: what the model called is in the arguments
_INVALID = "invalid"


def result_path(part: Part) -> tuple[str | int, ...] | None:
    """Return where the result of a call is in the row of its message."""
    state = mapping(part.values.get("state"))
    names = [name for name in ("output", "error") if string(state.get(name))]
    if not names or not part.is_quotable:
        return None
    return ("parts", part.number, "data", "state", names[0])


def tool_call(part: Part, session_id: str, message_id: str) -> ToolCall:
    """Return the call of a part."""
    values = part.values
    state = mapping(values.get("state"))
    metadata = mapping(state.get("metadata"))
    time = mapping(state.get("time"))
    started = parse_time(time.get("start"))
    ended = parse_time(time.get("end"))
    duration = None
    if started is not None and ended is not None and ended >= started:
        duration = int((ended - started).total_seconds() * 1000)
    name = string(values.get("tool"))
    arguments = mapping(state.get("input"))
    if name == _INVALID:
        name = string(arguments.get("tool")) or name
    return ToolCall(
        session_id=session_id,
        id=string(values.get("callID")) or part.id,
        message_id=message_id,
        name=name,
        kind=tool_kind(name),
        title=string(state.get("title")),
        arguments=_as_json(state.get("input")),
        result=_result(state, metadata),
        status=_status(values, state, metadata),
        exit_code=exact_integer(metadata.get("exit")),
        started_at=started,
        ended_at=ended,
        duration_ms=duration,
        child_session_id=string(metadata.get("sessionId")),
        attachments=tuple(map(attachment, items(state.get("attachments")))),
        record_ids=(part.id,),
    )


def _as_json(value: Any) -> str | None:
    if value is None:
        return None
    return msgspec.json.encode(value).decode()


def _result(state: dict[str, Any], metadata: dict[str, Any]) -> str | None:
    for value in (state.get("output"), state.get("error")):
        if isinstance(value, str):
            return value
    return string(metadata.get("output"))  # of a command that is running, or was killed


def _status(
    values: dict[str, Any], state: dict[str, Any], metadata: dict[str, Any]
) -> ToolStatus | None:
    status = _STATUSES.get(str(state.get("status")))
    error = string(state.get("error")) or ""
    if status == "error" and _REFUSED.match(error):
        return "denied"
    if status == "error" and _ABORTED.match(error):
        return "interrupted"
    if status == "ok" and values.get("tool") == _INVALID:
        return "error"
    if status == "ok" and exact_integer(metadata.get("exit")):
        return "failed"  # OpenCode says completed, however a command ended
    return status


def file_edits(call: ToolCall, part: Part) -> list[FileEdit]:
    """Return the changes that a call made to files."""
    state = mapping(part.values.get("state"))
    if call.status != "ok":
        return []
    metadata = mapping(state.get("metadata"))
    if call.name == "write":
        return _written(call, mapping(state.get("input")), metadata)
    changed = items(metadata.get("files")) or [mapping(metadata.get("filediff"))]
    edits = [_changed(call, values, metadata) for values in changed]
    return [edit for edit in edits if edit is not None]


def _written(call: ToolCall, arguments: dict[str, Any], metadata: dict[str, Any]) -> list[FileEdit]:
    path = string(metadata.get("filepath")) or string(arguments.get("filePath"))
    text = arguments.get("content")
    if path is None or not isinstance(text, str):
        return []
    edit = FileEdit(
        session_id=call.session_id,
        path=path,
        message_id=call.message_id,
        call_id=call.id,
        timestamp=call.ended_at,
        after=text,
    )
    if metadata.get("exists") is False:
        return [as_created(edit)]
    diff = mapping(metadata.get("filediff"))  # only Kilo says what a file had before
    edit = replace(
        edit,
        diff=string(metadata.get("diff")),
        lines_added=count(diff.get("additions")),
        lines_removed=count(diff.get("deletions")),
    )
    return [edit]


def _changed(call: ToolCall, values: dict[str, Any], metadata: dict[str, Any]) -> FileEdit | None:
    path = string(values.get("file")) or string(values.get("filePath"))
    if path is None:
        return None
    before = values.get("before")
    after = values.get("after")
    return FileEdit(
        session_id=call.session_id,
        path=path,
        message_id=call.message_id,
        call_id=call.id,
        timestamp=call.ended_at,
        diff=string(values.get("patch")) or string(metadata.get("diff")),
        before=before if isinstance(before, str) else None,
        after=after if isinstance(after, str) else None,
        lines_added=count(values.get("additions")),
        lines_removed=count(values.get("deletions")),
    )


def called_todos(call: ToolCall, part: Part) -> TodoList | None:
    """Return the list that a call of `todowrite` sets."""
    if call.name != "todowrite" or call.status != "ok":
        return None
    todos = mapping(mapping(part.values.get("state")).get("input")).get("todos")
    if not isinstance(todos, list):
        return None
    return TodoList(
        session_id=call.session_id, origin="todowrite", items=tuple(map(todo, items(todos)))
    )


def todo(values: dict[str, Any]) -> Todo:
    """Return one item of a list."""
    return Todo(
        content=string(values.get("content")) or "",
        status=string(values.get("status")),
        id=string(values.get("id")),
    )
