"""Tool calls as the model requested them.

`{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"call_1"}`;
the result comes later, under the same `call_id`, and outcomes.py reads it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_journal.connectors.assets import decoded_asset
from agent_journal.connectors.codex.patches import find_patch, planned_changes
from agent_journal.connectors.codex.records import (
    CALLS,
    MAX_CALLS,
    MAX_PENDING,
    SENT,
    IdUse,
    Item,
    Record,
    json_text,
    payload_of,
)
from agent_journal.connectors.loose import decode_any, remember
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import items, mapping, string
from agent_journal.model import Attachment, Piece, Todo, TodoList, ToolCall, ToolStatus

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

_STATUSES: dict[object, ToolStatus] = {
    "completed": "ok",
    "incomplete": "interrupted",
    "failed": "error",
}


# -- ids: some providers use one again, and each call has its own result -----------------------


def new_call_id(reader: RolloutReader, call_id: str | None) -> str | None:
    """Return the id of a new call: `c`, and `c#2` for the second to which the model gave `c`."""
    if call_id is None:
        return None
    state = reader.state
    use = state.calls.pop(call_id, None) or IdUse()
    answer = state.answer or reader.record_id
    if use.answer != answer:
        # The calls of an earlier answer that have no result were interrupted
        use.answered = use.requested
    use.requested += 1
    use.answer = answer
    remember(state.calls, call_id, use, MAX_CALLS)
    return _numbered(call_id, use.requested)


def current_call_id(reader: RolloutReader, call_id: str) -> str:
    """Return the id of the call a record refers to: the first without a result, or the last."""
    use = reader.state.calls.get(call_id)
    if use is None:
        return call_id
    return _numbered(call_id, min(use.answered + 1, use.requested))


def answered_call_id(reader: RolloutReader, call_id: str) -> str:
    """Return the id of the call that a result belongs to, and note that it has one."""
    found = current_call_id(reader, call_id)
    use = reader.state.calls.get(call_id)
    if use is not None:
        use.answered = min(use.answered + 1, use.requested)
    return found


def event_call_id(reader: RolloutReader, item: Item) -> str:
    """Return the id of the call that an event refers to."""
    call_id = string(item.call_id)
    if call_id is None:
        return reader.record_id
    return current_call_id(reader, call_id)


def _numbered(call_id: str, number: int) -> str:
    if number < 2:
        return call_id
    return f"{call_id}#{number}"


# -- calls -------------------------------------------------------------------------------------


def tool_call(
    reader: RolloutReader,
    call_id: str,
    name: str | None,
    *,
    namespace: object = None,
    server: object = None,
    message_id: str | None = None,
    **fields: object,
) -> ToolCall:
    """Return what the current record says about a call."""
    server_name = string(server)
    if server_name is None:
        server_name = _server_of(name, string(namespace))
    # Models leak control tokens into names: `shell<|channel|>`
    plain_name = (name or "").partition("<|")[0]
    return ToolCall(
        session_id=reader.id,
        id=call_id,
        # Some calls are only in events, which do not name their message
        message_id=message_id or reader.state.last_answer,
        name=name,
        server=server_name,
        kind=tool_kind(plain_name, server_name),
        record_ids=(reader.record_id,),
        offset=reader.record_offset,
        length=reader.record_length,
        **fields,  # type: ignore[arg-type]
    )


def _server_of(name: str | None, namespace: str | None) -> str | None:
    """Return the MCP server of `mcp__docs__ask`, or of `ask` in the namespace `mcp__docs`."""
    if namespace and namespace.startswith("mcp__"):
        return namespace.removeprefix("mcp__").strip("_")
    if name and name.startswith("mcp__"):
        return name.split("__")[1] or None
    return None


def requested_call(
    reader: RolloutReader, call_id: str | None, name: str | None, **fields: object
) -> Iterable[Piece]:
    """Return a call together with the answer that requests it."""
    answer = reader.answer(CALLS)
    call = tool_call(
        reader,
        call_id or reader.record_id,
        name,
        message_id=answer.id,
        started_at=reader.timestamp,
        **fields,
    )
    return (answer, call)


def function_call(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read a call with arguments as JSON text; broken JSON is kept unchanged."""
    name = string(item.name)
    if item.type == "tool_search_call":
        name = "tool_search"
    arguments = json_text(item.arguments)
    if arguments is None:
        arguments = json_text(item.input)
    call_id = new_call_id(reader, string(item.call_id))
    yield from requested_call(reader, call_id, name, namespace=item.namespace, arguments=arguments)
    values = _decoded(arguments)
    if call_id is not None and name == "spawn_agent":
        remember(reader.state.spawns, call_id, True, MAX_PENDING)
    _expect_patch(reader, call_id, find_patch(name, values))
    if name == "update_plan":
        yield _todo_list(reader, values)


def _todo_list(reader: RolloutReader, values: object) -> TodoList:
    todos = []
    for step in items(mapping(values).get("plan")):
        content = string(step.get("step"))
        if content:
            todos.append(Todo(content=content, status=string(step.get("status"))))
    return TodoList(session_id=reader.id, origin="todowrite", items=tuple(todos), rank=1)


def custom_call(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read a call whose input is text: `apply_patch` with a patch."""
    text = item.input
    if text is None:
        text = item.arguments
    name = string(item.name)
    call_id = new_call_id(reader, string(item.call_id))
    _expect_patch(reader, call_id, find_patch(name, text))
    # A list keeps json_text from taking the text for JSON; its brackets are cut off again
    arguments = (json_text([text]) or "")[1:-1]
    return requested_call(reader, call_id, name, namespace=item.namespace, arguments=arguments)


def shell_call(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read a command for the shell that is built into the model."""
    action = mapping(item.action)
    call_id = new_call_id(reader, string(item.call_id) or string(item.id))
    _expect_patch(reader, call_id, find_patch("shell", action))
    return requested_call(
        reader,
        call_id,
        "local_shell",
        arguments=json_text(action),
        status=_STATUSES.get(item.status),
    )


def web_call(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read a search by the provider: the query, without what was found."""
    call_id = string(item.id) or string(item.call_id)
    action = json_text(item.action)
    is_new = reader.note_text("w", action or "", SENT)
    if call_id is None and not is_new:
        reader.skipped(reader.kind, "repeats another record")
        return ()
    return requested_call(
        reader,
        call_id,
        "web_search",
        arguments=action,
        status=_STATUSES.get(item.status, "ok"),
    )


def image_call(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read an image that the provider generated."""
    payload = payload_of(reader.line)
    return requested_call(
        reader,
        string(item.id) or string(item.call_id),
        "image_generation",
        arguments=image_arguments(payload.get("revised_prompt")),
        status=_STATUSES.get(item.status, "ok"),
        attachments=generated_image(payload.get("result")),
    )


def image_arguments(prompt: object) -> str | None:
    """Return the arguments of an image generation: its prompt, as JSON."""
    if not string(prompt):
        return None
    return json_text({"prompt": prompt})


def generated_image(result: object) -> tuple[Attachment, ...]:
    """Return a generated image as an attachment, by its hash."""
    if not string(result):
        return ()
    asset = decoded_asset(result, "image/png")
    return (
        Attachment(kind="image", mime_type=asset.mime_type, size=asset.size, sha256=asset.sha256),
    )


def _expect_patch(reader: RolloutReader, call_id: str | None, patch: str | None) -> None:
    """Remember what a call is to change, until it is known whether it did."""
    state = reader.state
    if call_id is not None and patch is not None and call_id not in state.patched:
        remember(state.patches, call_id, planned_changes(patch), MAX_PENDING)


def _decoded(arguments: str | None) -> object:
    if not arguments:
        return None
    try:
        return decode_any(arguments.encode())
    except (ValueError, RecursionError):
        return None
