"""Tool calls in answers, and their results, which stand in messages of the user.

{"type":"tool_use","id":"call_1","name":"Execute","input":{"command":"ls"}}
{"type":"tool_result","tool_use_id":"call_1","is_error":false,
 "content":"a.txt\\n\\n[Process exited with code 0]"}
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from agent_journal.connectors.droid.edits import made_edit, requested_edit
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import items, mapping, string
from agent_journal.model import FileEdit, Piece, Todo, TodoList, ToolCall, ToolStatus
from agent_journal.model.origins import COPIED_EDIT

if TYPE_CHECKING:
    from agent_journal.connectors.droid.reading import SessionReader

_EXIT = re.compile(r"\[Process exited with code (-?\d{1,10})\]\s*\Z")
_TAIL = 200  # letters at the end of a result, where the exit code is
_TODO = re.compile(r"^\s*\d+\.\s*\[(\w+)\]\s*(.+)$", re.MULTILINE)


def calls_of(reader: SessionReader, blocks: list[dict[str, Any]]) -> Iterable[Piece]:
    """The calls in an answer, and the todo list that one of them sets."""
    for number, block in enumerate(blocks):
        if block.get("type") != "tool_use":
            continue
        call_id = string(block.get("id")) or f"{reader.record_id}#{number}"
        name = string(block.get("name"))
        arguments = block.get("input")
        edit = requested_edit(name, mapping(arguments), reader.record_id)
        if edit is not None:
            reader.state.edits[call_id] = edit
        if name == "TodoWrite":
            reader.state.todos[call_id] = _todos(mapping(arguments).get("todos"))
        yield reader.call(
            call_id,
            message_id=reader.record_id,
            name=name,
            kind=tool_kind(name),
            arguments=None if arguments is None else msgspec.json.encode(arguments).decode(),
            started_at=reader.timestamp,
        )


def result_of(reader: SessionReader, block: dict[str, Any], number: int) -> Iterable[Piece]:
    """What a call returned, and what it changed."""
    call_id = string(block.get("tool_use_id")) or f"{reader.record_id}#{number}"
    content = block.get("content")
    text = content if isinstance(content, str) else _texts(content)
    result_at = None
    if isinstance(content, str):
        path = ("message", "content", number, "content")
        result_at = reader.quote(text, reader.place, *path)
    code = _EXIT.search(text[-_TAIL:])
    exit_code = int(code[1]) if code else None
    status: ToolStatus = "ok"
    if exit_code:
        status = "failed"
    elif block.get("is_error") is True:
        status = "error"
    call: ToolCall = reader.call(
        call_id,
        result=text,
        result_at=result_at,
        status=status,
        exit_code=exit_code,
        ended_at=reader.timestamp,
        record_ids=(reader.record_id,),
    )
    return (call, *_changes(reader, call))


def _texts(content: Any) -> str:
    return "\n\n".join(string(part.get("text")) or "" for part in items(content))


def _changes(reader: SessionReader, call: ToolCall) -> Iterable[Piece]:
    state = reader.state
    request = state.edits.pop(call.id, None)
    todos = state.todos.pop(call.id, None)
    if call.status != "ok":
        return
    if request is not None:
        edit = FileEdit(
            session_id=call.session_id,
            path=request.path,
            message_id=request.message_id,
            call_id=call.id,
            timestamp=call.ended_at,
            origin=COPIED_EDIT if state.copied_until else "tool",
            offset=call.offset,
        )
        yield made_edit(request, edit, call.result or "")
    if todos:
        yield TodoList(session_id=call.session_id, origin="todowrite", items=tuple(todos))


def _todos(value: Any) -> list[Todo]:
    """The items of a todo list, which is a text or a list."""
    if isinstance(value, str):
        return [Todo(content=found[2].strip(), status=found[1]) for found in _TODO.finditer(value)]
    found = []
    for item in items(value):
        text = string(item.get("content"))
        if text:
            found.append(Todo(content=text, status=string(item.get("status"))))
    return found
