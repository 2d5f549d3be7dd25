"""The entries that are not messages: the header, settings, bookmarks, summaries, extensions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from agent_journal.connectors.pi import origin_in_name
from agent_journal.connectors.pi.contents import Contents, contents_of
from agent_journal.connectors.pi.records import Line
from agent_journal.connectors.pi.usage import usage_beside
from agent_journal.connectors.values import mapping, string, title_of
from agent_journal.model import Piece

if TYPE_CHECKING:
    from agent_journal.connectors.pi.reading import EntryReader


def _header(reader: EntryReader, record: Line) -> Iterable[Piece]:
    reader.mapped("session")
    state = reader.state
    state.id = state.id or record.id
    state.cwd = state.cwd or string(record.cwd)
    state.started = state.started or string(record.timestamp)
    state.origin = origin_in_name(record.parent_session or record.branched_from or "")
    return ()


def _model_change(reader: EntryReader, record: Line) -> Iterable[Piece]:
    reader.mapped("model_change")
    reader.stand_for_parent()
    return (reader.event(record.type, record.model_id or ""),)


def _thinking_level(reader: EntryReader, record: Line) -> Iterable[Piece]:
    reader.mapped("thinking_level_change")
    reader.stand_for_parent()
    return (reader.event(record.type, record.thinking_level or ""),)


def _label(reader: EntryReader, record: Line) -> Iterable[Piece]:
    """A bookmark that the person set on an entry."""
    reader.mapped("label")
    reader.stand_for_parent()
    return (reader.event(record.type, record.label or ""),)


def _session_info(reader: EntryReader, record: Line) -> Iterable[Piece]:
    reader.mapped("session_info")
    reader.stand_for_parent()
    reader.state.name = title_of(record.name)
    return ()


def _summary(reader: EntryReader, record: Line) -> Iterable[Piece]:
    """What replaced earlier messages, or a branch that was left."""
    reader.mapped(record.type)
    summary = reader.said("system", "compaction", Contents(record.summary))
    return (summary, *usage_beside(reader, record.usage))


def _usage(reader: EntryReader, record: Line) -> Iterable[Piece]:
    """A request that nobody sees, such as one that keeps the cache warm."""
    reader.mapped("usage")
    reader.stand_for_parent()
    event = reader.event(record.type, string(record.kind) or "")
    return (event, *usage_beside(reader, record.usage, string(record.model)))


def _context_edit(reader: EntryReader, record: Line) -> Iterable[Piece]:
    """An earlier entry that the model no longer sees as it was; the session still has it."""
    reader.mapped("context_edit")
    reader.stand_for_parent()
    return (reader.event(record.type, string(record.target_id) or ""),)


def _custom(reader: EntryReader, record: Line) -> Iterable[Piece]:
    reader.skipped("custom", "the state of an extension, which the model does not see")
    reader.stand_for_parent()
    return ()


def _custom_message(reader: EntryReader, record: Line) -> Iterable[Piece]:
    reader.mapped("custom_message")
    return (reader.said("user", "injected", contents_of(record.content)),)


def _window(reader: EntryReader, record: Line) -> Iterable[Piece]:
    """What OpenClaw's database says about the session, beside its entries."""
    reader.mapped("window")
    state = reader.state
    window = mapping(record.window)
    state.id = state.id or string(window.get("session_id"))
    state.origin = string(window.get("fork_source_session_id")) or string(
        window.get("previous_session_id")
    )
    state.parent = string(window.get("parent_session_id"))
    has_parent = string(window.get("spawned_by")) or string(window.get("parent_session_key"))
    state.is_subagent = has_parent is not None
    state.is_automated = window.get("created_via") == "cron"
    state.label = title_of(window.get("label")) or title_of(window.get("display_name"))
    return ()


def _empty(reader: EntryReader, record: Line) -> Iterable[Piece]:
    reader.skipped("row", "a row of OpenClaw's database without an entry")
    return ()


def _damaged(reader: EntryReader, record: Line) -> Iterable[Piece]:
    reader.mapped("row")
    raise ValueError("an entry of OpenClaw's database that cannot be decompressed")


HEADERS = ("session", "openclaw.window")
ENTRIES: dict[str, Callable[[EntryReader, Line], Iterable[Piece]]] = {
    "session": _header,
    "model_change": _model_change,
    "thinking_level_change": _thinking_level,
    "label": _label,
    "session_info": _session_info,
    "compaction": _summary,
    "branch_summary": _summary,
    "usage": _usage,
    "context_edit": _context_edit,
    "custom": _custom,
    "custom_message": _custom_message,
    "openclaw.window": _window,
    "openclaw.empty": _empty,
    "openclaw.damaged": _damaged,
}
