"""Events about the session as a whole: start, resume, shutdown, usage, hooks, permissions.

`{"type":"session.shutdown","data":{"shutdownType":"routine","modelMetrics":{"gpt-5":{"requests":{…},"usage":{…}}}},…}`
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from agent_journal.connectors.copilot_cli import usage
from agent_journal.connectors.copilot_cli.notices import describe, describe_permission
from agent_journal.connectors.copilot_cli.records import Data, Record, event_data
from agent_journal.connectors.loose import decode_any, tolerant
from agent_journal.connectors.values import mapping, string
from agent_journal.model import Piece, Usage
from agent_journal.text.dates import parse_time

if TYPE_CHECKING:
    from agent_journal.connectors.copilot_cli.events import EventsReader


def started(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The first event: version, folder, model. Damaged files lack it."""
    whole = event_data(reader.line)
    state = reader.state
    if reader.agent is None:
        state.version = state.version or string(whole.get("copilotVersion"))
        state.parent = state.parent or string(whole.get("detachedFromSpawningParentSessionId"))
        state.main.started = string(whole.get("startTime")) or state.main.started
        _learn_place(reader, whole.get("context"))
    reader.uses(string(whole.get("selectedModel")))
    return (reader.event(record, f"session started, version {whole.get('copilotVersion', '?')}"),)


def resumed(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A later run of the same session."""
    whole = event_data(reader.line)
    if reader.agent is None:
        # From 1.0.67 on shutdown totals go on from the last ones; those versions write this key, if
        # only as null.
        reader.state.is_cumulative = "sessionLimits" in whole
        _learn_place(reader, whole.get("context"))
    reader.uses(string(whole.get("selectedModel")))
    return (reader.event(record, "session resumed"),)


def moved(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The working folder or branch changed."""
    whole = event_data(reader.line)
    if reader.agent is None:
        _learn_place(reader, whole)
    return (reader.event(record, describe(record.type, whole)),)


def _learn_place(reader: EventsReader, context: Any) -> None:
    state, context = reader.state, mapping(context)
    state.cwd = state.cwd or string(context.get("cwd"))
    state.repository = state.repository or string(context.get("repository"))
    state.branch = state.branch or string(context.get("branch"))


def model_changed(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """Another model from here on."""
    whole = event_data(reader.line)
    reader.uses(string(whole.get("newModel")))
    return (reader.event(record, describe(record.type, whole)),)


def shut_down(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The end of a run: what each model used in this segment. Its time is the border of the
    segment.
    """
    whole = event_data(reader.line)
    state = reader.state
    found: list[Piece] = [reader.event(record, f"session ended ({whole.get('shutdownType', '?')})")]
    if reader.agent is not None:
        return found
    totals = usage.shutdown_totals(whole)
    base = (
        state.base if state.is_cumulative or whole.get("accountingSnapshot") is not None else None
    )
    for model, now in totals.items():
        new = usage.shutdown_delta(now, (base or {}).get(model))
        key = f"{record.id or reader.id}:shutdown:{state.segment}:{model}"
        used = usage.shutdown_usage(
            model, new, reader.session, key, parse_time(record.timestamp), state.segment
        )
        if used:
            found.append(used)
    state.base = totals
    state.segment += 1
    state.is_cumulative = False
    return found


def usage_record(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The tokens of one model call."""
    return (call_usage_of(reader, bytes(data.usage), record),)


def call_usage_of(reader: EventsReader, raw: bytes, record: Record) -> Usage:
    """The Usage in a piece of JSON of the record at hand."""
    return usage.call_usage(
        tolerant(raw or b"{}", usage.CallUsage),
        reader.session,
        reader.record_id(record),
        parse_time(record.timestamp),
        reader.state.segment,
        reader.agent is not None,
    )


def hook_started(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A hook begins; its input repeats what the other events say."""
    return (reader.event(record, f"hook {data.hook_type}"),)


def hook_ended(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """A hook is done, or failed."""
    if data.success is not False:
        return (reader.event(record, f"hook {data.hook_type} done"),)
    reason = mapping(data.error).get("message") or data.error or "?"
    return (reader.event(record, f"hook {data.hook_type} failed: {reason}"[:500]),)


def permission(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """What was asked for and how it was answered."""
    return (reader.event(record, describe_permission(event_data(reader.line))),)


def turn_marker(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """Begin and end of a turn: the numbers restart with each prompt and say nothing more."""
    reader.skipped(record.type, "turn marker")
    return ()


def stream_result(reader: EventsReader, record: Record, data: Data) -> Iterable[Piece]:
    """The last line of a recorded live stream; its fields are beside `type`, not in `data`."""
    code = decode_any(reader.line).get("exitCode")
    return (reader.event(record, f"run ended, exit code {code}"),)
