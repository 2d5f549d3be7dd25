"""What is read in a case, in a form that a person can check: the content of `expected.json`."""

from __future__ import annotations

import os
from typing import Any

import msgspec

from agent_journal.connectors.base import Connector, FoundFile
from agent_journal.model import (
    DailyStat,
    Document,
    Event,
    FileEdit,
    HistoryEntry,
    LineTitle,
    Plan,
    Problem,
    TodoList,
    Usage,
)
from agent_journal.testing.contents import Assembly, DiskContent

_KINDS: dict[type, str] = {
    Event: "events",
    FileEdit: "file_edits",
    Plan: "plans",
    TodoList: "todos",
    Usage: "usage",
    HistoryEntry: "history",
    DailyStat: "daily_stats",
    Document: "documents",
    LineTitle: "line_titles",
    Problem: "problems",
}
# Positions change with every edit of a case, and say nothing about what was understood.
_PLACES = ("offset", "length", "result_at", "record_ids", "session_id", "agent", "last_line_id")


def described(connector: Connector, root: str | os.PathLike[str]) -> dict[str, Any]:
    """Everything in the files under a root: sessions, the rest by kind, and the ledger."""
    assembly = _read_cases(connector, os.fspath(root))
    found: dict[str, Any] = {}
    if assembly.sessions or assembly.messages:
        found["sessions"] = _sessions(assembly)
    for piece in assembly.others:
        found.setdefault(_KINDS[type(piece)], []).append(_plain(piece, keep_session=True))
    found["records"] = {name: _account(assembly, name) for name in sorted(assembly.ledgers)}
    relative: dict[str, Any] = _without(found, os.fspath(root))
    return relative


def _read_cases(connector: Connector, root: str) -> Assembly:
    """Read all files under a root as if it were `<root>`: some session ids depend on the path."""
    assembly = Assembly()
    for file in connector.discover(root):
        if isinstance(file, FoundFile):
            renamed = file._replace(path=file.path.replace(root, "<root>"))
            assembly.read(connector, renamed, DiskContent(file.path))
    return assembly


def _sessions(assembly: Assembly) -> dict[str, Any]:
    sessions: dict[str, Any] = {}
    for session in assembly.sessions:  # what several files say, one after the other
        entry = sessions.setdefault(session.id, {"reported": [], "messages": []})
        entry["reported"].append(_plain(session))
    for message in assembly.messages.values():
        of_session = sessions.setdefault(message.session_id, {"reported": [], "messages": []})
        calls = [call for call in assembly.calls.values() if _is_of(call, message)]
        entry = _plain(message)
        if message.usage is not None:
            entry["usage"] = _plain(message.usage)
        if calls:
            entry["tool_calls"] = [_plain(call) for call in calls]
        of_session["messages"].append(entry)
    for call in assembly.calls.values():
        if (call.session_id, call.message_id) not in assembly.messages:
            sessions.setdefault(call.session_id, {}).setdefault("other_calls", []).append(
                _plain(call)
            )
    return sessions


def _is_of(call: Any, message: Any) -> bool:
    return bool((call.session_id, call.message_id) == (message.session_id, message.id))


def _plain(piece: Any, *, keep_session: bool = False) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(piece)
    for name in _PLACES:
        if not (keep_session and name == "session_id"):
            values.pop(name, None)
    return values


def _account(assembly: Assembly, name: str) -> dict[str, Any]:
    ledger = assembly.ledgers[name]
    counts = {
        " ".join(filter(None, (status, f"'{kind}'", reason and f"({reason})"))): count
        for (status, kind, reason), (count, _) in sorted(ledger.counts.items())
        if count
    }
    troubles = [trouble.reason for trouble in ledger.troubles]
    account: dict[str, Any] = dict(counts)
    if troubles:
        account["troubles"] = troubles
    return account


def _without(value: Any, root: str) -> Any:
    """The same with <root> in place of the folder, wherever the cases are."""
    if isinstance(value, str):
        return value.replace(root + os.sep, "<root>/").replace(root, "<root>")
    if isinstance(value, dict):
        return {key: _without(below, root) for key, below in value.items()}
    if isinstance(value, list):
        return [_without(below, root) for below in value]
    return value
