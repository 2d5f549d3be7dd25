"""Whether a file is a log of Copilot CLI's events."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from agent_journal.connectors.base import Recognition
from agent_journal.connectors.recognition import first_records, stem
from agent_journal.connectors.values import string

_RANK = 1


class EventLog(NamedTuple):
    """A log of events, whose program writes it: Copilot CLI, or the extension in VS Code."""

    session_id: str
    is_of_vscode: bool


def recognise(path: str, head: bytes) -> Recognition | None:
    """A log of events that Copilot CLI wrote."""
    log = event_log(path, head)
    if log is None or log.is_of_vscode:
        return None
    return Recognition("log", log.session_id, _RANK)


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
    return EventLog(string(start.get("sessionId")) or _named_by_path(path), is_of_vscode)


def _named_by_path(path: str) -> str:
    if os.path.basename(path) == "events.jsonl":
        return os.path.basename(os.path.dirname(path))
    return stem(path)
