"""Whether a file is a log of Copilot CLI's events: its own, or what a run printed.

`copilot --output-format json` prints events without the first one, which names the session; the
last line does: {"type":"result","sessionId":"…","exitCode":0,…}. People save it under any name.
"""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

from agent_journal.connectors.base import Recognition
from agent_journal.connectors.hooks import UUID
from agent_journal.connectors.jsonl import decode_document
from agent_journal.connectors.recognition import first_records, stem
from agent_journal.connectors.values import mapping, string

_RANK = 1
_RANK_PRINTED = 0  # the log has more than what was printed
_TAIL = 256 * 2**10


class EventLog(NamedTuple):
    """A log of events, whose program writes it: Copilot CLI, or the extension in VS Code."""

    session_id: str
    is_of_vscode: bool
    is_printed: bool = False


def recognise(path: str, head: bytes) -> Recognition | None:
    """A log of events that Copilot CLI wrote."""
    log = event_log(path, head)
    if log is None or log.is_of_vscode:
        return None
    return Recognition("log", log.session_id, _RANK_PRINTED if log.is_printed else _RANK)


def event_log(path: str, head: bytes) -> EventLog | None:
    """The log of events that a file is; None when it is something else."""
    events = [
        record
        for record in first_records(head)
        if isinstance(record.get("data"), dict) and isinstance(record.get("type"), str)
    ]
    if not any("." in event["type"] for event in events):
        return None
    starts = (event["data"] for event in events if event["type"] == "session.start")
    start: dict[str, Any] = next(starts, {})
    is_of_vscode = start.get("producer") == "copilot-agent" and "vscodeVersion" in start
    session_id = string(start.get("sessionId")) or _named_by_path(path)
    if session_id is not None:
        return EventLog(session_id, is_of_vscode)
    session_id = _named_by_result(path) or _made_up(path, events[0])
    return EventLog(session_id, is_of_vscode, is_printed=True)


def _named_by_path(path: str) -> str | None:
    if os.path.basename(path) == "events.jsonl":
        return os.path.basename(os.path.dirname(path))
    if re.fullmatch(UUID, stem(path)):
        return stem(path)
    return None


def _named_by_result(path: str) -> str | None:
    """The session that the last line of what a run printed names."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        last_line = file.read().rstrip().rpartition(b"\n")[2]
    try:
        record = mapping(decode_document(last_line))
    except ValueError:
        return None
    if record.get("type") != "result":
        return None
    return string(record.get("sessionId"))


def _made_up(path: str, event: dict[str, Any]) -> str:
    """An id for a run that was cut off: many of them are called `stdout`."""
    event_id = string(event.get("id"))
    if event_id is None:
        return stem(path)
    return f"{stem(path)}-{event_id[:8]}"
