"""Whether a file is a session of Gemini CLI, as a log or as one document."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import msgspec

from agent_journal.connectors.base import Recognition
from agent_journal.connectors.gemini import CHATS
from agent_journal.connectors.gemini.identity import part_of
from agent_journal.connectors.gemini.prompts import opening_of
from agent_journal.connectors.gemini.records import Header, MessageRecord, SessionFields
from agent_journal.connectors.recognition import first_records, stem
from agent_journal.connectors.values import items


def recognise(path: str, head: bytes) -> Recognition | None:
    """A log of messages and their updates."""
    records = first_records(head)
    marked = [
        record
        for record in records
        if "projectHash" in record or "$set" in record or "$rewindTo" in record
    ]
    has_messages = any("messages" in record for record in marked)
    if not marked or (has_messages and not path.endswith(".jsonl")):
        return None
    return Recognition("replay", _session_id(path, marked, records))


def recognise_document(path: str, document: Any) -> Recognition | None:
    """A session that is one document."""
    if not isinstance(document, dict) or "projectHash" not in document:
        return None
    if not isinstance(document.get("messages"), list):
        return None
    return Recognition("session", _session_id(path, [document], items(document["messages"])))


def _session_id(
    path: str, heads: Iterable[dict[str, Any]], messages: Iterable[dict[str, Any]]
) -> str:
    """The id of a session; that of a sub-agent is made of its folder and its name."""
    folder, name = os.path.split(path)
    if os.path.basename(os.path.dirname(folder)) == CHATS:
        return f"{os.path.basename(folder)}/{stem(name)}"
    header = Header()
    for head in heads:
        header.update(msgspec.convert(head, SessionFields))
    records = (msgspec.convert(message, MessageRecord) for message in messages)
    opening = next(filter(None, map(opening_of, records)), "")
    return part_of(stem(path), header, opening).session_id
