"""Events about tools, sub-agents and the life of the session, as functions of the reader and the
record at hand.

`{"type":"tool.execution_start","data":{"toolCallId":"c1","toolName":"bash","arguments":{"command":"ls"}},…}`
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_journal.connectors.assets import decoded_asset
from agent_journal.connectors.copilot_cli import calls
from agent_journal.connectors.copilot_cli.attachments import result_attachments
from agent_journal.connectors.copilot_cli.lifecycle import call_usage_of
from agent_journal.connectors.copilot_cli.records import (
    MAX_ASSETS,
    MAX_PENDING,
    Data,
    Record,
    event_data,
)
from agent_journal.connectors.loose import decode_any, raw_text, remember
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import mapping, string
from agent_journal.model import Message, Piece, Quote, ToolCall
from agent_journal.text.dates import parse_time

if TYPE_CHECKING:
    from agent_journal.connectors.copilot_cli.events import EventsReader


def tool_start(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A call begins to run."""
    if not data.tool_call_id:
        return (reader.event(record, f"tool {data.tool_name} started"),)
    kind = tool_kind(data.tool_name, data.mcp_server_name)
    if kind == "edit":
        edits = calls.planned_edits(data.tool_name, bytes(data.arguments))
        if edits:
            remember(reader.state.edits, data.tool_call_id, edits, MAX_PENDING)
    return (
        ToolCall(
            session_id=reader.session,
            id=data.tool_call_id,
            name=data.tool_name,
            kind=kind,
            server=data.mcp_server_name,
            arguments=raw_text(data.arguments),
            status="running",
            started_at=parse_time(record.timestamp),
            record_ids=(reader.record_id(record),),
            offset=reader.at,
            length=reader.length,
        ),
    )


def tool_complete(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A call is done: its output, and the files it changed."""
    call_id = data.tool_call_id
    if not call_id:
        return (reader.event(record, "tool finished"),)
    when = parse_time(record.timestamp)
    status, exit_code, text, display = calls.outcome(data)
    found: list[Piece] = [
        ToolCall(
            session_id=reader.session,
            id=call_id,
            result=text,
            result_at=_result_at(reader, data, text),
            display=display,
            status=status,
            exit_code=exit_code,
            ended_at=when,
            spilled_to=calls.spilled_to(text),
            attachments=result_attachments(mapping(data.result), reader.state.assets),
            record_ids=(reader.record_id(record),),
            offset=reader.at,
            length=reader.length,
        )
    ]
    planned = reader.state.edits.pop(call_id, None)
    edits = calls.recorded_edits(data.file_edits) or planned
    if edits and status == "ok":
        found += calls.file_edits(
            edits, display, reader.session, reader.thread.prompt, call_id, when, reader.at
        )
    if len(bytes(data.tool_usage)) > len(b"null"):
        found.append(call_usage_of(reader, bytes(data.tool_usage), record))
    return found


def _result_at(reader: EventsReader, data: Data, text: str | None) -> Quote | None:
    if isinstance(data.result, str):
        path: tuple[str, ...] = ("data", "result")
    elif isinstance(mapping(data.result).get("content"), str):
        path = ("data", "result", "content")
    else:
        return None
    return reader.quote(text, (reader.at, reader.length), *path)


def user_shell(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A command the person ran (`!ls`): a message of its own, no answer."""
    record_id = reader.record_id(record)
    arguments = bytes(data.arguments)
    command = string(mapping(decode_any(arguments)).get("command")) if arguments else None
    call = ToolCall(
        session_id=reader.session,
        id=data.tool_call_id or record_id,
        message_id=record_id,
        name=data.tool_name,
        kind=tool_kind(data.tool_name),
        arguments=raw_text(data.arguments),
        started_at=parse_time(record.timestamp),
        record_ids=(record_id,),
        offset=reader.at,
        length=reader.length,
    )
    return (
        Message(
            session_id=reader.session,
            id=record_id,
            role="user",
            kind="shell",
            text=command or data.tool_name or "",
            timestamp=parse_time(record.timestamp),
            record_ids=(record_id,),
            tool_calls=(call,),
            offset=reader.at,
            length=reader.length,
        ),
    )


def subagent_started(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The beginning of a sub-agent: names its thread and ties it to the call that started it."""
    whole = event_data(reader.line)
    thread = reader.thread
    thread.call = data.tool_call_id or thread.call
    thread.name = string(whole.get("agentName")) or thread.name
    thread.title = (
        string(whole.get("agentDisplayName"))
        or string(whole.get("agentDescription"))
        or thread.name
    )
    reader.uses(data.model)
    event = reader.event(record, f"sub-agent {thread.title} started")
    if not data.tool_call_id:
        return (event,)
    above = string(whole.get("parentId"))
    caller = f"{reader.id}/{above}" if above in reader.state.agents else reader.id
    call = ToolCall(
        session_id=caller, id=data.tool_call_id, kind="agent", child_session_id=reader.session
    )
    return (event, call)


def subagent_ended(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The end of a sub-agent."""
    whole = event_data(reader.line)
    name = whole.get("agentDisplayName") or whole.get("agentName")
    error = whole.get("error")
    if record.type == "subagent.failed":
        return (reader.event(record, f"sub-agent {name} failed{f': {error}' if error else ''}"),)
    return (
        reader.event(
            record, f"sub-agent {name} {'cancelled' if whole.get('cancelled') else 'completed'}"
        ),
    )


def binary_asset(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A picture or file that later events name by its id; not a message."""
    whole = event_data(reader.line)
    asset = decoded_asset(whole.get("data"), whole.get("mimeType"), whole.get("byteLength"))
    if asset_id := string(whole.get("assetId")):
        remember(reader.state.assets, asset_id, asset, MAX_ASSETS)
    return (reader.event(record, f"{whole.get('type')} {asset.mime_type}, {asset.size} bytes"),)
