"""Events that know more about a call than its result: exit code, duration, changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from agent_journal.connectors.codex import patches
from agent_journal.connectors.codex.calls import (
    event_call_id,
    generated_image,
    image_arguments,
    tool_call,
)
from agent_journal.connectors.codex.contents import content_of
from agent_journal.connectors.codex.outcomes import STATUSES, status_of_exit
from agent_journal.connectors.codex.records import (
    MAX_PENDING,
    SHOWN,
    Item,
    Record,
    json_text,
    payload_of,
)
from agent_journal.connectors.loose import remember
from agent_journal.connectors.values import integer, mapping, string
from agent_journal.model import Piece, ToolCall, ToolStatus

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

_OUTPUTS = ("aggregated_output", "formatted_output", "stdout")


def _ended_call(
    reader: RolloutReader,
    call_id: str,
    name: str | None,
    status: ToolStatus | None,
    **fields: object,
) -> ToolCall:
    """Return a call whose status is recorded, which its result may not repeat."""
    if status is not None:
        remember(reader.state.statuses, call_id, str(status), MAX_PENDING)
    return tool_call(
        reader,
        call_id,
        name,
        status=status,
        ended_at=reader.timestamp,
        **fields,  # type: ignore[arg-type]
    )


# -- commands ----------------------------------------------------------------------------------


def exec_command_end(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read the end of a command."""
    payload = payload_of(reader.line)
    return command_ended(reader, payload, event_call_id(reader, item), path=("payload",))


def command_ended(
    reader: RolloutReader, payload: dict[str, Any], call_id: str, path: tuple[str, ...]
) -> Iterable[Piece]:
    """Read a command that ended; `path` leads to the payload in the record."""
    exit_code = integer(payload.get("exit_code"))
    result = None
    result_at = None
    key = next((key for key in _OUTPUTS if isinstance(payload.get(key), str)), None)
    if key is not None:
        result = payload[key]
        place = (reader.record_offset, reader.record_length)
        result_at = reader.quote(result, place, *path, key)
    call = _ended_call(
        reader,
        call_id,
        "exec_command",
        _command_status(payload.get("status"), exit_code),
        arguments=json_text({"command": payload.get("command"), "workdir": payload.get("cwd")}),
        result=result,
        result_at=result_at,
        exit_code=exit_code,
        duration_ms=_milliseconds(payload.get("duration")),
    )
    return (call,)


def _command_status(recorded: object, exit_code: int | None) -> ToolStatus | None:
    status = STATUSES.get(recorded)
    if exit_code is None:
        return "error" if status == "failed" else status
    return status or status_of_exit(exit_code)


def _milliseconds(value: object) -> int | None:
    """Return `{"secs":1,"nanos":500000000}` as milliseconds."""
    duration = mapping(value)
    secs = integer(duration.get("secs"))
    nanos = integer(duration.get("nanos")) or 0
    if secs is None or secs < 0:
        return None
    return secs * 1000 + nanos // 1_000_000


# -- patches -----------------------------------------------------------------------------------


def patch_apply_end(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read the end of a patch, with what it changed."""
    payload = payload_of(reader.line)
    call_id = event_call_id(reader, item)
    return patch_ended(reader, payload, call_id, is_applied=item.success is True)


def patch_ended(
    reader: RolloutReader, payload: dict[str, Any], call_id: str, *, is_applied: bool
) -> Iterable[Piece]:
    """Read a patch that was applied, or failed."""
    if not is_applied:
        patches.forget_patch(reader, call_id)
        text = string(payload.get("stderr"))
        return (_ended_call(reader, call_id, "apply_patch", "error", result=text),)
    text = string(payload.get("stdout"))
    changes = patches.recorded_changes(payload.get("changes"))
    return (
        _ended_call(reader, call_id, "apply_patch", "ok", result=text),
        *patches.applied_edits(reader, call_id, changes),
    )


# -- MCP tools ---------------------------------------------------------------------------------


def mcp_tool_call_end(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read the end of a call of an MCP tool."""
    payload = payload_of(reader.line)
    result = mapping(payload.get("result"))
    call = {
        **mapping(payload.get("invocation")),
        "duration": payload.get("duration"),
        "error": result.get("Err"),
        "result": result.get("Ok", result),
    }
    return mcp_call(reader, call, event_call_id(reader, item))


def mcp_call(reader: RolloutReader, values: dict[str, Any], call_id: str) -> Iterable[Piece]:
    """Read a call of an MCP tool with its result."""
    result = mapping(values.get("result"))
    failure = values.get("error")
    status: ToolStatus = "ok"
    if failure is not None or result.get("isError") is True or result.get("is_error") is True:
        status = "error"
    content = content_of(result.get("content"))
    call = _ended_call(
        reader,
        call_id,
        string(values.get("tool")),
        status,
        server=values.get("server"),
        arguments=json_text(values.get("arguments")),
        result=content.text or json_text(failure),
        attachments=content.attachments,
        duration_ms=_milliseconds(values.get("duration")),
    )
    return (call,)


# -- the provider's own tools ------------------------------------------------------------------


def web_search_end(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read the end of a search by the provider."""
    payload = payload_of(reader.line)
    call = tool_call(
        reader,
        event_call_id(reader, item),
        "web_search",
        arguments=search_arguments(reader, payload, SHOWN),
        status="ok",
        ended_at=reader.timestamp,
    )
    return (call,)


def search_arguments(reader: RolloutReader, values: dict[str, Any], source: int) -> str | None:
    """Return the arguments of a search, and note them so that other records are not read again."""
    action = values.get("action")
    reader.note_text("w", json_text(action) or "", source)
    return json_text(action or {"query": values.get("query")})


def image_generation_end(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read the end of an image generation."""
    return image_ended(reader, payload_of(reader.line), event_call_id(reader, item))


def image_ended(reader: RolloutReader, payload: dict[str, Any], call_id: str) -> Iterable[Piece]:
    """Read an image that the provider generated."""
    call = tool_call(
        reader,
        call_id,
        "image_generation",
        arguments=image_arguments(payload.get("revised_prompt")),
        result=string(payload.get("saved_path")),
        status="ok" if payload.get("status") == "completed" else None,
        attachments=generated_image(payload.get("result")),
        ended_at=reader.timestamp,
    )
    return (call,)
