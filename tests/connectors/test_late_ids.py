"""A file is of one session: what is read later changes no id."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import FileIdentity, Pause
from agent_journal.testing.contents import BytesContent

_TIME = "2026-11-02T08:20:00.000Z"
_SAID = {"role": "user", "content": [{"type": "text", "text": "Which tulips open at night?"}]}
PI: list[dict[str, Any]] = [
    {"type": "message", "id": "a1", "parentId": None, "timestamp": _TIME, "message": _SAID},
    {"type": "session", "version": 3, "id": "other", "timestamp": _TIME, "cwd": "/garden"},
    {"type": "message", "id": "a2", "parentId": "a1", "timestamp": _TIME, "message": _SAID},
]
_PARTS = [{"type": "text", "data": {"text": "Make"}}]
CRUSH: list[dict[str, Any]] = [
    {"table": 7, "id": 1e308, "title": "Make"},
    {"table": "messages", "id": "k1", "role": "user", "parts": _PARTS, "created_at": 1},
    {"table": "messages", "id": "k2", "role": "user", "parts": _PARTS, "created_at": 2},
]


@pytest.mark.parametrize(
    ("agent", "name", "lines", "session_id"),
    [
        ("pi", "2026-11-02T08-20-00-000Z_by-night.jsonl", PI, "2026-11-02T08-20-00-000Z_by-night"),
        ("crush", "crush.db#rows-session-x.jsonl", CRUSH, "crush.db#rows-session-x.jsonl"),
    ],
)
def test_all_pieces_are_of_one_session(
    agent: str, name: str, lines: list[dict[str, Any]], session_id: str
) -> None:
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    reader = get_connector(agent).reader(FileIdentity(name, f"/g/{name}", "log", None), None)
    pieces = [piece for piece in reader.read(BytesContent(data)) if not isinstance(piece, Pause)]
    ids = {getattr(piece, "session_id", None) for piece in pieces} - {None}
    assert ids == {session_id}
    assert len(pieces) >= 2
