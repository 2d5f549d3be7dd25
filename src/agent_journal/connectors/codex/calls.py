"""Tool calls as the model asked for them.

`{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"call_1"}`;
the result comes later, under the same `call_id`, and outcomes.py reads it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_journal.connectors.assets import decoded_asset
from agent_journal.connectors.codex.patches import patch_in, planned
from agent_journal.connectors.codex.records import (
    CALLS,
    MAX_CALLS,
    MAX_PENDING,
    SENT,
    Asked,
    Item,
    Record,
    json_text,
)
from agent_journal.connectors.loose import decode_any, remember
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import items, mapping, string
from agent_journal.model import Attachment, Piece, Todo, TodoList, ToolCall, ToolStatus

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

_ENDED: dict[object, ToolStatus] = {
    "completed": "ok",
    "incomplete": "interrupted",
    "failed": "error",
}


# -- ids: some providers give them again, and each call has its own result ---------------------


def asked_id(reader: RolloutReader, call_id: str | None) -> str | None:
    """The id of a call that is asked for: `c`, and `c#2` for another one to which the model gave
    the id `c`.
    """
    if call_id is None:
        return None
    state = reader.state
    asked, answer = state.calls.pop(call_id, None) or Asked(), state.answer or reader.place
    if asked.answer != answer:
        # What an earlier answer asked for and has no result was broken off
        asked.answered = asked.times
    asked.times += 1
    asked.answer = answer
    remember(state.calls, call_id, asked, MAX_CALLS)
    return _numbered(call_id, asked.times)


def known_id(reader: RolloutReader, call_id: str) -> str:
    """The id of the call that a record under `call_id` is about: the first without a result, or
    else the last.
    """
    asked = reader.state.calls.get(call_id) or Asked()
    return _numbered(call_id, min(asked.answered + 1, asked.times))


def answered_id(reader: RolloutReader, call_id: str) -> str:
    """The id of the call that a result is of."""
    found, asked = known_id(reader, call_id), reader.state.calls.get(call_id)
    if asked is not None:
        asked.answered = min(asked.answered + 1, asked.times)
    return found


def id_in(reader: RolloutReader, item: Item) -> str:
    """The id of the call that an event tells of."""
    call_id = string(item.call_id)
    return reader.place if call_id is None else known_id(reader, call_id)


def _numbered(call_id: str, number: int) -> str:
    return call_id if number < 2 else f"{call_id}#{number}"


# -- calls -------------------------------------------------------------------------------------


def call(reader: RolloutReader, call_id: str, name: str | None, **values: object) -> ToolCall:
    """What the record at hand says about a call."""
    name, server = _named(
        name, string(values.pop("namespace", None)), string(values.pop("server", None))
    )
    values.setdefault("message_id", reader.state.last_answer)  # for calls that only events tell of
    return ToolCall(
        session_id=reader.id,
        id=call_id,
        name=name,
        server=server,
        # Models leak marks: `shell<|channel|>`
        kind=tool_kind(name.partition("<|")[0] if name else None, server),
        record_ids=(reader.place,),
        offset=reader.at,
        length=reader.length,
        **values,  # type: ignore[arg-type]
    )


def _named(
    name: str | None, namespace: str | None, server: str | None
) -> tuple[str | None, str | None]:
    """A tool and its MCP server: `mcp__docs__ask`, or `ask` in the namespace `mcp__docs`."""
    if server is None and namespace and namespace.startswith("mcp__"):
        server = namespace.removeprefix("mcp__").strip("_")
    if server is None and name and name.startswith("mcp__"):
        server = name.split("__")[1] or None
    return name, server


def requested(
    reader: RolloutReader, call_id: str | None, name: str | None, **values: object
) -> Iterable[Piece]:
    """A call as a part of the answer that asks for it."""
    answer = reader.answer(CALLS)
    found = call(
        reader,
        call_id or reader.place,
        name,
        message_id=answer.id,
        started_at=reader.when,
        **values,
    )
    return (answer, found)


def function_call(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """A call with arguments, as JSON text; where that is broken it is kept as it is."""
    name = "tool_search" if item.type == "tool_search_call" else string(item.name)
    arguments = json_text(item.arguments if item.arguments is not None else item.input)
    call_id = asked_id(reader, string(item.call_id))
    yield from requested(reader, call_id, name, namespace=item.namespace, arguments=arguments)
    values = _decoded(arguments)
    if call_id is not None:
        if name == "spawn_agent":
            remember(reader.state.spawns, call_id, True, MAX_PENDING)
        _expect_patch(reader, call_id, patch_in(name, values))
    if name == "update_plan":
        steps = tuple(
            Todo(content=step, status=string(entry.get("status")))
            for entry in items(mapping(values).get("plan"))
            if (step := string(entry.get("step")))
        )
        yield TodoList(session_id=reader.id, origin="todowrite", items=steps, rank=1)


def custom_call(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """A call whose input is text: `apply_patch` with a patch."""
    text = item.input if item.input is not None else item.arguments
    name = string(item.name)
    arguments = json_text([text])
    call_id = asked_id(reader, string(item.call_id))
    if call_id is not None:
        _expect_patch(reader, call_id, patch_in(name, text))
    return requested(
        reader, call_id, name, namespace=item.namespace, arguments=arguments and arguments[1:-1]
    )


def shell_call(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """A command in the shell of the model's own kind."""
    action = mapping(item.action)
    arguments = json_text(action)
    call_id = asked_id(reader, string(item.call_id) or string(item.id))
    if call_id is not None:
        _expect_patch(reader, call_id, patch_in("shell", action))
    return requested(
        reader, call_id, "local_shell", arguments=arguments, status=_ENDED.get(item.status)
    )


def web_call(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """A search by the provider: the query, without what was found."""
    call_id = string(item.id) or string(item.call_id)
    is_new = reader.is_new("w", json_text(item.action) or "", SENT)
    if call_id is None and not is_new:
        reader.skipped(reader.kind, "told by another record")
        return ()
    return requested(
        reader,
        call_id,
        "web_search",
        arguments=json_text(item.action),
        status=_ENDED.get(item.status, "ok"),
    )


def image_call(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """A picture made by the provider."""
    payload = mapping(mapping(decode_any(reader.line)).get("payload"))
    prompt = string(payload.get("revised_prompt"))
    return requested(
        reader,
        string(item.id) or string(item.call_id),
        "image_generation",
        arguments=json_text({"prompt": prompt}) if prompt else None,
        status=_ENDED.get(item.status, "ok"),
        attachments=drawn(payload.get("result")),
    )


def drawn(result: object) -> tuple[Attachment, ...]:
    """A picture by its hash."""
    if not string(result):
        return ()
    asset = decoded_asset(result, "image/png")
    return (
        Attachment(kind="image", mime_type=asset.mime_type, size=asset.size, sha256=asset.sha256),
    )


def _expect_patch(reader: RolloutReader, call_id: str, patch: str | None) -> None:
    """Remembers what a call is to change, until it is known whether it did."""
    if patch is not None and call_id not in reader.state.patched:
        remember(reader.state.patches, call_id, planned(patch), MAX_PENDING)


def _decoded(arguments: str | None) -> object:
    try:
        return decode_any(arguments.encode()) if arguments else None
    except (ValueError, RecursionError):
        return None
