"""A tool's result as pieces: the call it completes, and the edit, plan or todo list it made.

{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"File created …"}]},
 "toolUseResult":{"type":"create","filePath":"/app/a.py","content":"…","structuredPatch":[]},…}
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from msgspec import Raw

from agent_journal.connectors.claude_code.answers import Where
from agent_journal.connectors.claude_code.edits import tool_edit
from agent_journal.connectors.claude_code.records import (
    AgentResult,
    Block,
    PlanInput,
    PlanResult,
    TaskInput,
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
from agent_journal.connectors.claude_code.state import OpenCall
from agent_journal.model import Piece, Plan, Quote, Todo, TodoList, ToolCall, ToolStatus

_EDITORS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))
_AGENTS = frozenset(("Task", "Agent"))
WITH_INPUT = frozenset(("TodoWrite", "ExitPlanMode"))
LOOKED_AT = _EDITORS | _AGENTS | WITH_INPUT
_HEAD, _TAIL = 80, 1_000

_agent_result = msgspec.json.Decoder(AgentResult)
_task_input = msgspec.json.Decoder(TaskInput)
_plan_input = msgspec.json.Decoder(PlanInput)
_plan_result = msgspec.json.Decoder(PlanResult)
_todo_input = msgspec.json.Decoder(TodoInput)


class Result(NamedTuple):
    """A result as its line has it. `details` is the line's `toolUseResult`, empty when it is about
    several results.
    """

    block: Block
    call_id: str
    details: Raw
    denial: str | None
    text_at: Quote | None


def outcome(
    result: Result, call: OpenCall | None, where: Where, owner: str | None
) -> Iterable[Piece]:
    """The pieces of one result."""
    call_id, details = result.call_id, result.details
    text, attachments = result_content(result.block.content)
    status = result_status(result.block.is_error, result.denial, text)
    name = call.name if call is not None else None
    if status == "ok" and name is None and _was_interrupted(details):
        status = "interrupted"
    child, duration = _sub_agent(details, text, owner) if name in _AGENTS else (None, None)
    yield ToolCall(
        session_id=where.session_id,
        id=call_id,
        result=text,
        result_at=result.text_at,
        status=status,
        exit_code=exit_code(text) if status == "error" else None,
        ended_at=where.time,
        duration_ms=duration,
        child_session_id=child,
        spilled_to=spilled_to(text, owner or ""),
        attachments=attachments,
        record_ids=where.record_ids,
        offset=where.offset,
        length=where.length,
    )
    if name in _EDITORS or (name is None and _looks_like_edit(details)):
        message_id = call.message_id if call is not None else None
        edit = tool_edit(details, where.session_id, call_id, message_id, where.time, where.offset)
        if edit is not None:
            yield edit
    elif call is not None and name in WITH_INPUT:
        yield from _from_input(call, call_id, details, status, text, where)


def agent_prompt(block: Block) -> str | None:
    """A short name for what a sub-agent is asked, to find its thread by."""
    if block.name not in _AGENTS:
        return None
    asked = decoded(block.input, _task_input)
    return prompt_mark(asked.prompt) if asked is not None and asked.prompt else None


def prompt_mark(text: str) -> str:
    """A short hash of a prompt."""
    return hashlib.blake2b(text.strip().encode(), digest_size=8).hexdigest()


def todo_items(items: Iterable[TodoItem]) -> tuple[Todo, ...]:
    """Todos as the model has them."""
    return tuple(
        Todo(
            content=item.content,
            status=item.status,
            id=None if item.id is None else str(item.id),
            active_form=item.active_form,
        )
        for item in items
        if item.content
    )


def _sub_agent(details: Raw, text: str, owner: str | None) -> tuple[str | None, int | None]:
    result = decoded(details, _agent_result) or AgentResult()
    agent_id = result.agent_id or agent_id_in(text)
    child = f"{owner}/agent-{agent_id}" if agent_id and owner else None
    return child, result.total_duration_ms


def _from_input(
    call: OpenCall, call_id: str, details: Raw, status: ToolStatus, text: str, where: Where
) -> Iterable[Piece]:
    if call.name == "TodoWrite":
        asked = decoded(Raw(call.input), _todo_input)
        if asked is not None and status == "ok":
            items = todo_items(asked.todos)
            yield TodoList(session_id=where.session_id, origin="todowrite", items=items, rank=1)
        return
    result = decoded(details, _plan_result) or PlanResult()
    plan = (decoded(Raw(call.input), _plan_input) or PlanInput()).plan or result.plan
    if plan:
        path = result.file_path
        yield Plan(
            text=plan,
            name=path.replace("\\", "/").rpartition("/")[2].removesuffix(".md")
            if path
            else call_id,
            session_id=where.session_id,
            kind="exit_plan_mode",
            path=path,
            approved=None if status == "error" else status == "ok",
            feedback=feedback(text) if status == "denied" else None,
            created_at=where.time,
        )


def _was_interrupted(details: Raw) -> bool:
    # Bash writes the flag behind the output, which is not worth decoding for it.
    tail = bytes(memoryview(details)[-_TAIL:])
    return b'"interrupted":true' in tail or b'"interrupted": true' in tail


def _looks_like_edit(details: Raw) -> bool:
    head = bytes(memoryview(details)[:_HEAD])
    return b'"filePath"' in head and b'"file"' not in head
