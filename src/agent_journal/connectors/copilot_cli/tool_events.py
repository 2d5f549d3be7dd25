"""Events about tools and sub-agents, as functions of the reader and its current record.

    {"type":"tool.execution_start",
     "data":{"toolCallId":"c1","toolName":"bash","arguments":{"command":"ls"}},…}

A call is a request in `assistant.message`, a `tool.execution_start` and a
`tool.execution_complete`, joined by its id.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.assets import decoded_asset
from agent_journal.connectors.copilot_cli import models
from agent_journal.connectors.copilot_cli.attachments import result_attachments
from agent_journal.connectors.copilot_cli.edits import (
    file_diffs,
    planned_edits,
    recorded_edits,
)
from agent_journal.connectors.copilot_cli.lifecycle import call_usage_of
from agent_journal.connectors.copilot_cli.outcomes import (
    is_closed_by_resume,
    spilled_to,
    tool_outcome,
)
from agent_journal.connectors.copilot_cli.records import (
    MAX_ASSETS,
    MAX_PENDING,
    ChangedFile,
    Data,
    Record,
    ToolRequest,
    event_data,
)
from agent_journal.connectors.loose import decode_any, raw_text, remember
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import first_string, mapping, string
from agent_journal.model import FileEdit, Piece, Quote, ToolCall

if TYPE_CHECKING:
    from agent_journal.connectors.copilot_cli.events import EventsReader

_EDIT_KINDS: dict[str, Literal["create", "delete"]] = {"create": "create", "delete": "delete"}


def arguments_text(raw: msgspec.Raw) -> str | None:
    """The arguments as JSON. Some models give them as a text that holds the JSON."""
    text = raw_text(raw)
    if text is None or not text.startswith('"{'):
        return text
    try:
        inner = decode_any(raw)
        if isinstance(decode_any(inner.encode()), dict):
            return str(inner)
    except (ValueError, RecursionError):
        pass
    return text


def requested_call(
    reader: EventsReader, request: ToolRequest, message_id: str, record_id: str
) -> ToolCall:
    """A call as the model asked for it."""
    return ToolCall(
        session_id=reader.session_id,
        id=request.tool_call_id or "",
        message_id=message_id,
        name=request.name,
        kind=tool_kind(request.name, request.mcp_server_name),
        title=request.intention_summary or request.tool_title,
        server=request.mcp_server_name,
        arguments=arguments_text(request.arguments),
        record_ids=(record_id,),
        offset=reader.record_offset,
        length=reader.record_length,
    )


def tool_start(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A call begins to run."""
    if not data.tool_call_id:
        return (reader.event(record, f"tool {data.tool_name} started"),)
    arguments = arguments_text(data.arguments)
    kind = tool_kind(data.tool_name, data.mcp_server_name)
    if kind == "edit":
        edits = planned_edits(data.tool_name, arguments)
        if edits:
            remember(reader.state.edits, data.tool_call_id, edits, MAX_PENDING)
    remember(reader.state.running, data.tool_call_id, reader.session_id, MAX_PENDING)
    call = ToolCall(
        session_id=reader.session_id,
        id=data.tool_call_id,
        name=data.tool_name,
        kind=kind,
        server=data.mcp_server_name,
        arguments=arguments,
        status="running",
        started_at=reader.time,
        record_ids=(reader.record_id(record),),
        offset=reader.record_offset,
        length=reader.record_length,
    )
    return (call,)


def tool_complete(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A call ended: its output, and the files it changed."""
    call_id = data.tool_call_id
    if not call_id:
        return (reader.event(record, "tool finished"),)
    outcome = tool_outcome(data)
    ended_at = reader.time
    if is_closed_by_resume(data):
        ended_at = None  # nobody knows when it stopped
    call = ToolCall(
        session_id=reader.session_id,
        id=call_id,
        result=outcome.text,
        result_at=_result_at(reader, data, outcome.text),
        display=outcome.display,
        status=outcome.status,
        exit_code=outcome.exit_code,
        ended_at=ended_at,
        spilled_to=spilled_to(outcome.text),
        attachments=result_attachments(mapping(data.result), reader.state.assets),
        record_ids=(reader.record_id(record),),
        offset=reader.record_offset,
        length=reader.record_length,
    )
    reader.state.running.pop(call_id, None)
    pieces: list[Piece] = [call]
    if reader.thread.model is None:
        pieces += models.name_answers(reader, data.model)
    planned = reader.state.edits.pop(call_id, None)
    files = recorded_edits(data.file_edits) or planned
    if files and outcome.status == "ok":
        pieces += _file_edits(reader, record, call_id, files, outcome.display)
    if len(bytes(data.tool_usage)) > len(b"null"):
        pieces.append(call_usage_of(reader, bytes(data.tool_usage), record))
    return pieces


def _file_edits(
    reader: EventsReader,
    record: Record,
    call_id: str,
    files: list[ChangedFile],
    display: str | None,
) -> Iterable[FileEdit]:
    for file, diff in zip(files, file_diffs(files, display), strict=True):
        yield FileEdit(
            session_id=reader.session_id,
            path=file.path,
            kind=_EDIT_KINDS.get(file.kind, "edit"),
            message_id=reader.thread.prompt,
            call_id=call_id,
            timestamp=reader.time,
            diff=diff.text,
            lines_added=diff.lines_added,
            lines_removed=diff.lines_removed,
            offset=reader.record_offset,
        )


def _result_at(reader: EventsReader, data: Data, text: str | None) -> Quote | None:
    if isinstance(data.result, str):
        path: tuple[str, ...] = ("data", "result")
    elif isinstance(mapping(data.result).get("content"), str):
        path = ("data", "result", "content")
    else:
        return None
    return reader.quote(text, (reader.record_offset, reader.record_length), *path)


def interrupted_calls(reader: EventsReader) -> list[ToolCall]:
    """The calls that an abort stopped: those of its sub-agent, or all if the main turn stopped."""
    running = reader.state.running
    stopped = [
        call_id
        for call_id, session_id in running.items()
        if reader.agent_id is None or session_id == reader.session_id
    ]
    return [
        ToolCall(
            session_id=running.pop(call_id),
            id=call_id,
            status="interrupted",
            ended_at=reader.time,
        )
        for call_id in stopped
    ]


def user_shell(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A command the person ran (`!ls`): a message with one call, not an answer."""
    record_id = reader.record_id(record)
    arguments = arguments_text(data.arguments)
    command = None
    if arguments:
        command = string(mapping(decode_any(arguments.encode())).get("command"))
    call = ToolCall(
        session_id=reader.session_id,
        id=data.tool_call_id or record_id,
        message_id=record_id,
        name=data.tool_name,
        kind=tool_kind(data.tool_name),
        arguments=arguments,
        started_at=reader.time,
        record_ids=(record_id,),
        offset=reader.record_offset,
        length=reader.record_length,
    )
    message = reader.message(record, "user", "shell", command or data.tool_name or "")
    return (replace(message, tool_calls=(call,)),)


def subagent_started(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The start of a sub-agent: names its thread and links it to the call that started it."""
    fields = event_data(reader.line)
    thread = reader.thread
    thread.call = data.tool_call_id or thread.call
    thread.name = string(fields.get("agentName")) or thread.name
    thread.title = first_string(fields, "agentDisplayName", "agentDescription") or thread.name
    models.choose(reader, data.model)
    event = reader.event(record, f"sub-agent {thread.title} started")
    if not data.tool_call_id:
        return (event,)
    caller_id = reader.main_id
    parent = string(fields.get("parentId"))
    if parent in reader.state.agents:
        caller_id = f"{reader.main_id}/{parent}"
    call = ToolCall(
        session_id=caller_id,
        id=data.tool_call_id,
        kind="agent",
        child_session_id=reader.session_id,
    )
    return (event, call)


def subagent_ended(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The end of a sub-agent."""
    fields = event_data(reader.line)
    name = fields.get("agentDisplayName") or fields.get("agentName")
    outcome = "completed"
    if record.type == "subagent.failed" and fields.get("error"):
        outcome = f"failed: {fields['error']}"
    elif record.type == "subagent.failed":
        outcome = "failed"
    elif fields.get("cancelled"):
        outcome = "cancelled"
    return (reader.event(record, f"sub-agent {name} {outcome}"),)


def binary_asset(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A picture or file that later events refer to by its id; not a message."""
    fields = event_data(reader.line)
    asset = decoded_asset(fields.get("data"), fields.get("mimeType"), fields.get("byteLength"))
    asset_id = string(fields.get("assetId"))
    if asset_id is not None:
        remember(reader.state.assets, asset_id, asset, MAX_ASSETS)
    return (reader.event(record, f"{fields.get('type')} {asset.mime_type}, {asset.size} bytes"),)
