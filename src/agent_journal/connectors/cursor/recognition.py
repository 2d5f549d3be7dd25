"""Whether a file is a transcript of Cursor: lines, a list of messages, or plain text."""

from __future__ import annotations

from typing import Any

from agent_journal.connectors.base import Recognition
from agent_journal.connectors.cursor import RANK_TRANSCRIPT
from agent_journal.connectors.recognition import first_records, stem, without_padding

_TEXT_STARTS = (b"user:\n", b"user:\r\n", b"assistant:\n")


def recognise(path: str, head: bytes) -> Recognition | None:
    """Recognise a transcript of JSON lines, or the plain text of early versions."""
    if without_padding(head).startswith(_TEXT_STARTS):
        return Recognition("session", stem(path), RANK_TRANSCRIPT)
    messages = [
        record["message"]
        for record in first_records(head)
        if record.get("role") in ("user", "assistant") and isinstance(record.get("message"), dict)
    ]
    if any(isinstance(message.get("content"), (list, str)) for message in messages):
        return Recognition("log", stem(path), RANK_TRANSCRIPT)
    return None


def recognise_document(path: str, document: Any) -> Recognition | None:
    """Recognise a list of messages; lists with `parts` are checkpoints of Gemini CLI."""
    if not isinstance(document, list):
        return None
    for message in document:
        if isinstance(message, dict) and message.get("role") == "user" and "parts" not in message:
            return Recognition("session", stem(path), RANK_TRANSCRIPT)
    return None
