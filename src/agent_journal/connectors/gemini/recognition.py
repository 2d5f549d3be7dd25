"""Whether a file is a session of Gemini CLI, as a log or as one document."""

from __future__ import annotations

import os
from typing import Any

from agent_journal.connectors.base import Recognition
from agent_journal.connectors.gemini import CHATS
from agent_journal.connectors.recognition import first_records, stem
from agent_journal.connectors.values import string


def recognise(path: str, head: bytes) -> Recognition | None:
    """A log of messages and their updates."""
    records = [
        record
        for record in first_records(head)
        if "projectHash" in record or "$set" in record or "$rewindTo" in record
    ]
    has_messages = any("messages" in record for record in records)
    if not records or (has_messages and not path.endswith(".jsonl")):
        return None
    named = next((record["sessionId"] for record in records if "sessionId" in record), None)
    return Recognition("replay", _session_id(path, named))


def recognise_document(path: str, document: Any) -> Recognition | None:
    """A session that is one document."""
    if not isinstance(document, dict) or "projectHash" not in document:
        return None
    if not isinstance(document.get("messages"), list):
        return None
    return Recognition("session", _session_id(path, document.get("sessionId")))


def _session_id(path: str, named: object) -> str:
    """The id of a session; that of a sub-agent is made of its folder and its name."""
    folder, name = os.path.split(path)
    if os.path.basename(os.path.dirname(folder)) == CHATS:
        return f"{os.path.basename(folder)}/{stem(name)}"
    return string(named) or stem(path)
