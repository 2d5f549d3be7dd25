"""Events about the session as a whole: start, resume, shutdown, usage, hooks, permissions.

{"type":"session.shutdown","data":{"shutdownType":"routine",
 "modelMetrics":{"gpt-5":{"requests":{…},"usage":{…}}}},…}
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from agent_journal.connectors.copilot_cli import models, usage
from agent_journal.connectors.copilot_cli.notices import describe, describe_permission
from agent_journal.connectors.copilot_cli.records import (
    Data,
    EventsState,
    Record,
    Totals,
    event_data,
)
from agent_journal.connectors.loose import decode_any, tolerant
from agent_journal.connectors.values import mapping, string
from agent_journal.model import Piece, Usage

if TYPE_CHECKING:
    from agent_journal.connectors.copilot_cli.events import EventsReader


def started(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The first event: version, folder, model. Damaged files lack it."""
    fields = event_data(reader.line)
    state = reader.state
    if reader.agent_id is None:
        parent = string(fields.get("detachedFromSpawningParentSessionId"))
        state.version = state.version or string(fields.get("copilotVersion"))
        state.parent = state.parent or parent
        state.main.started = string(fields.get("startTime")) or state.main.started
        _note_place(state, fields.get("context"))
    models.choose(reader, string(fields.get("selectedModel")))
    version = fields.get("copilotVersion", "?")
    return (reader.event(record, f"session started, version {version}"),)


def resumed(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A later run of the same session."""
    fields = event_data(reader.line)
    if reader.agent_id is None:
        # Since 1.0.67 the totals of a shutdown include those of the last one. These versions write
        # this key, if only as null.
        reader.state.is_cumulative = "sessionLimits" in fields
        _note_place(reader.state, fields.get("context"))
    models.choose(reader, string(fields.get("selectedModel")))
    return (reader.event(record, "session resumed"),)


def context_changed(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The working folder or branch changed."""
    fields = event_data(reader.line)
    if reader.agent_id is None:
        _note_place(reader.state, fields)
    return (reader.event(record, describe(record.type, fields)),)


def _note_place(state: EventsState, context: Any) -> None:
    context = mapping(context)
    state.cwd = state.cwd or string(context.get("cwd"))
    state.repository = state.repository or string(context.get("repository"))
    state.branch = state.branch or string(context.get("branch"))


def model_changed(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A change to another model."""
    fields = event_data(reader.line)
    models.choose(reader, string(fields.get("newModel")))
    return (reader.event(record, describe(record.type, fields)),)


def model_resolved(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The model that `auto` stands for."""
    fields = event_data(reader.line)
    models.choose(reader, string(fields.get("chosenModel")))
    return (reader.event(record, describe(record.type, fields)),)


def shut_down(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The end of a run, with what each model used in it. A segment ends at its time."""
    fields = event_data(reader.line)
    yield reader.event(record, f"session ended ({fields.get('shutdownType', '?')})")
    if reader.agent_id is not None:
        return
    state = reader.state
    totals = usage.shutdown_totals(fields)
    base: dict[str, Totals] = {}
    if state.is_cumulative or fields.get("accountingSnapshot") is not None:
        base = state.base or {}
    context = reader.usage_context()
    for model, total in totals.items():
        new = usage.shutdown_delta(total, base.get(model))
        key = f"{record.id or reader.main_id}:shutdown:{state.segment}:{model}"
        tokens = usage.shutdown_usage(model, new, key, context)
        if tokens is not None:
            yield tokens
    state.base = totals
    state.segment += 1
    state.is_cumulative = False


def usage_record(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The tokens of one model call."""
    return (call_usage_of(reader, bytes(data.usage), record),)


def call_usage_of(reader: EventsReader, raw: bytes, record: Record) -> Usage:
    """The Usage in a piece of JSON of the current record."""
    call = tolerant(raw or b"{}", usage.CallUsage)
    return usage.call_usage(call, reader.record_id(record), reader.usage_context())


def hook_started(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A hook begins; its input repeats what the other events say."""
    return (reader.event(record, f"hook {data.hook_type}"),)


def hook_ended(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A hook ended, or failed."""
    if data.success is not False:
        return (reader.event(record, f"hook {data.hook_type} done"),)
    reason = mapping(data.error).get("message") or data.error or "?"
    return (reader.event(record, f"hook {data.hook_type} failed: {reason}"[:500]),)


def permission(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """What was asked for and how it was answered."""
    return (reader.event(record, describe_permission(event_data(reader.line))),)


def turn_marker(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The start or end of a turn: only a number, which restarts with each prompt."""
    reader.skipped(record.type, "turn marker")
    return ()


def stream_result(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The last line of a recorded live stream; its fields are beside `type`, not in `data`."""
    code = decode_any(reader.line).get("exitCode")
    return (reader.event(record, f"run ended, exit code {code}"),)
