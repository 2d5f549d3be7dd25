"""Whether a file is a session of Qwen Code."""

from __future__ import annotations

import os

from agent_journal.connectors.base import Recognition
from agent_journal.connectors.qwen_code import SUBAGENT
from agent_journal.connectors.recognition import first_records, stem
from agent_journal.connectors.values import mapping, string

_TYPES = ("user", "assistant", "tool_result", "system")


def recognise(path: str, head: bytes) -> Recognition | None:
    """A log of lines with ids, whose messages have parts."""
    lines = [
        record
        for record in first_records(head)
        if record.get("type") in _TYPES and "uuid" in record and "sessionId" in record
    ]
    if not any("parts" in mapping(line.get("message")) for line in lines):
        return None
    session_id = string(lines[0]["sessionId"]) or stem(path)
    agent_id = string(lines[0].get("agentId"))
    if agent_id is not None and os.path.basename(path).startswith(SUBAGENT):
        return Recognition("replay", f"{session_id}/{agent_id}")
    return Recognition("log", session_id)
