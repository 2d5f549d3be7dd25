"""A tool's result as pieces: the call it completes, and the edit, plan or todo list it made.

{"type":"user","message":{"content":[
 {"type":"tool_result","tool_use_id":"toolu_1","content":"File created …"}]},
 "toolUseResult":{"type":"create","filePath":"/app/a.py","content":"…","structuredPatch":[]},…}
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from msgspec import Raw

from agent_journal.connectors.claude_code.edits import asked_edit, tool_edit
from agent_journal.connectors.claude_code.records import (
    AgentResult,
    Block,
    LineContext,
    PlanInput,
    PlanResult,
    ShellResult,
    TaskInput,
    TimedResult,
    TodoInput,
    TodoItem,
    decoded,
)
from agent_journal.connectors.claude_code.results import (
    agent_id_in,
    exit_code,
    feedback,
    result_content,
    result_status,
    spilled_to,
)
from agent_journal.connectors.claude_code.state import PendingCall
from agent_journal.model import Piece, Plan, Quote, Todo, TodoList, ToolCall, ToolStatus

_EDITORS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))
_AGENTS = frozenset(("Task", "Agent"))
TOOLS_WITH_INPUT = _EDITORS | {"TodoWrite", "ExitPlanMode"}
# Tools whose results are more than text: their calls are remembered until the result arrives
TRACKED_TOOLS = _AGENTS | TOOLS_WITH_INPUT
_HEAD = 80
_TAIL = 1_000

_agent_result = msgspec.json.Decoder(AgentResult)
_task_input = msgspec.json.Decoder(TaskInput)
_plan_input = msgspec.json.Decoder(PlanInput)
_plan_result = msgspec.json.Decoder(PlanResult)
_todo_input = msgspec.json.Decoder(TodoInput)
_timed_result = msgspec.json.Decoder(TimedResult)
_shell_result = msgspec.json.Decoder(ShellResult)


class ToolResult(NamedTuple):
    """A result as its line has it.

    `details` is the line's `toolUseResult`; empty when the line has several results.
    """

    block: Block
    call_id: str
    details: Raw
    denial: str | None
    text_at: Quote | None


class _SubAgent(NamedTuple):
    session_id: str | None = None
    duration_ms: int | None = None


_NO_SUB_AGENT = _SubAgent()


def result_pieces(
    result: ToolResult, call: PendingCall | None, context: LineContext, owner: str | None
) -> Iterable[Piece]:
    """The pieces of one result; `call` is None for tools that are not tracked."""
    text, attachments = result_content(result.block.content)
    status = result_status(result.block.is_error, result.denial, text)
    sub_agent = _NO_SUB_AGENT
    duration_ms = None
    if call is None:
        edges = _edges(result.details)
        duration_ms = _duration(result.details, edges)
        if status == "ok" and _was_interrupted(result.details, edges, text):
            status = "interrupted"
    elif call.name in _AGENTS:
        sub_agent = _sub_agent(result.details, text, owner)
        duration_ms = sub_agent.duration_ms
    yield ToolCall(
        session_id=context.session_id,
        id=result.call_id,
        result=text,
        result_at=result.text_at,
        status=status,
        exit_code=exit_code(status, text),
        ended_at=context.time,
        duration_ms=duration_ms,
        child_session_id=sub_agent.session_id,
        spilled_to=spilled_to(text, owner or ""),
        attachments=attachments,
        record_ids=context.record_ids,
        offset=context.offset,
        length=context.length,
    )
    if call is not None:
        yield from _made_by(call, result, status, text, context)
    elif _looks_like_edit(result.details):
        yield from _reported_edit(result, None, context)


def _made_by(
    call: PendingCall, result: ToolResult, status: ToolStatus, text: str, context: LineContext
) -> Iterable[Piece]:
    """The edit, todo list or plan that a tracked call made."""
    if call.name in _EDITORS:
        return _edit(result, call, status, text, context)
    if call.name == "TodoWrite" and status == "ok":
        return _todo_list(call, context)
    if call.name == "ExitPlanMode":
        return _plan(call, result, status, text, context)
    return ()


def task_input(block: Block) -> TaskInput | None:
    """What a sub-agent is asked; None for other calls."""
    if block.name not in _AGENTS:
        return None
    return decoded(block.input, _task_input)


def prompt_mark(text: str) -> str:
    """A short hash of a prompt."""
    return hashlib.blake2b(text.strip().encode(), digest_size=8).hexdigest()


def todo_items(items: Iterable[TodoItem]) -> tuple[Todo, ...]:
    """Todos as the model has them, without those that say nothing."""
    return tuple(_todo(item, item.content) for item in items if item.content)


def _todo(item: TodoItem, content: str) -> Todo:
    todo_id = None
    if item.id is not None:
        todo_id = str(item.id)
    return Todo(content=content, status=item.status, id=todo_id, active_form=item.active_form)


def _sub_agent(details: Raw, text: str, owner: str | None) -> _SubAgent:
    result = decoded(details, _agent_result) or AgentResult()
    agent_id = result.agent_id or agent_id_in(text)
    session_id = None
    if agent_id and owner:
        session_id = f"{owner}/agent-{agent_id}"
    return _SubAgent(session_id, result.total_duration_ms)


def _edit(
    result: ToolResult, call: PendingCall, status: ToolStatus, text: str, context: LineContext
) -> Iterable[Piece]:
    """The edit as the result reports it; otherwise as it was asked for, if that was done."""
    edit = tool_edit(result.details, result.call_id, call.message_id, context)
    if edit is None and status == "ok":
        edit = asked_edit(call.input, text, result.call_id, call.message_id, context)
    if edit is not None:
        yield edit


def _reported_edit(
    result: ToolResult, message_id: str | None, context: LineContext
) -> Iterable[Piece]:
    edit = tool_edit(result.details, result.call_id, message_id, context)
    if edit is not None:
        yield edit


def _todo_list(call: PendingCall, context: LineContext) -> Iterable[Piece]:
    arguments = decoded(Raw(call.input), _todo_input)
    if arguments is not None:
        items = todo_items(arguments.todos)
        yield TodoList(session_id=context.session_id, origin="todowrite", items=items, rank=1)


def _plan(
    call: PendingCall, result: ToolResult, status: ToolStatus, text: str, context: LineContext
) -> Iterable[Piece]:
    arguments = decoded(Raw(call.input), _plan_input) or PlanInput()
    reported = decoded(result.details, _plan_result) or PlanResult()
    plan = arguments.plan or reported.plan
    if not plan:
        return
    name = result.call_id
    if reported.file_path:
        name = reported.file_path.replace("\\", "/").rpartition("/")[2].removesuffix(".md")
    approved = None
    if status != "error":
        approved = status == "ok"
    reason = None
    if status == "denied":
        reason = feedback(text)
    yield Plan(
        text=plan,
        name=name,
        session_id=context.session_id,
        kind="exit_plan_mode",
        path=reported.file_path,
        approved=approved,
        feedback=reason,
        created_at=context.time,
    )


def _was_interrupted(details: Raw, edges: bytes, text: str) -> bool:
    # Bash writes the flag after the output, which is too long to decode just for the flag.
    if b'"interrupted":true' in edges or b'"interrupted": true' in edges:
        return True
    if text or b'"interrupted"' in edges:
        return False
    result = decoded(details, _shell_result)
    return result is not None and result.interrupted


def _duration(details: Raw, edges: bytes) -> int | None:
    """How long a tool ran, if it says so.

    The time between call and result includes the wait for a person's permission.
    """
    if b'"duration' not in edges:
        return None
    result = decoded(details, _timed_result) or TimedResult()
    if result.duration_ms is not None:
        return round(result.duration_ms)
    if result.duration_seconds is not None:
        return round(result.duration_seconds * 1000)
    return None


def _edges(details: Raw) -> bytes:
    """The beginning and the end, where tools put what is not their output."""
    view = memoryview(details)
    return bytes(view[:_HEAD]) + bytes(view[-_TAIL:])


def _looks_like_edit(details: Raw) -> bool:
    head = bytes(memoryview(details)[:_HEAD])
    return b'"filePath"' in head and b'"file"' not in head
