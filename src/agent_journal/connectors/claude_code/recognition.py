"""Whether a file is a transcript of Claude Code."""

from __future__ import annotations

import re
from typing import Any

from agent_journal.connectors.base import Recognition
from agent_journal.connectors.hooks import UUID
from agent_journal.connectors.recognition import first_records, stem, without_padding
from agent_journal.connectors.values import mapping, string

_TYPES = frozenset(
    (
        "user",
        "assistant",
        "system",
        "summary",
        "attachment",
        "progress",
        "queue-operation",
        "file-history-snapshot",
    )
)
_EXPORT = re.compile(rb'\{\s*"loglines"')  # web_export.py
_SUB_AGENT = "agent-"  # how the names of sub-agents' transcripts begin


def recognise(path: str, head: bytes) -> Recognition | None:
    """A transcript by its types of records; one of a sub-agent names its session inside."""
    if _EXPORT.match(without_padding(head)):
        return None
    records = [
        record
        for record in first_records(head)
        if string(record.get("type")) in _TYPES and ("uuid" in record or "leafUuid" in record)
    ]
    if not records or any(_is_of_qwen(record) for record in records):
        return None
    if stem(path).startswith(_SUB_AGENT):
        return Recognition("log", None)
    # The first lines of a fork are another session's: only its name says which one it is
    if re.fullmatch(UUID, stem(path)):
        return Recognition("log", stem(path))
    named = (record["sessionId"] for record in records if isinstance(record.get("sessionId"), str))
    return Recognition("log", string(next(named, None)) or stem(path))


def _is_of_qwen(record: dict[str, Any]) -> bool:
    """Whether it is a line of Qwen Code: the same around a message that Gemini's API is given."""
    message = mapping(record.get("message"))
    return "parts" in message and "content" not in message
