"""The records that Gemini CLI writes. Of a value of an unexpected type only that value is lost.

{"sessionId":"6f0c…","projectHash":"9d2e…","startTime":"2026-11-15T18:07:32.731Z","kind":"main"}
{"id":"m1","timestamp":"2026-11-15T18:07:40.002Z","type":"user","content":[{"text":"fix it"}]}
{"$set":{"summary":"Fixing it","lastUpdated":"…"}}
{"$rewindTo":"m1"}
"""

from __future__ import annotations

from typing import Any

import msgspec

from agent_journal.connectors.jsonl import decode_document
from agent_journal.connectors.values import string, strings


class Line(
    msgspec.Struct, rename={"update": "$set", "rewind_to": "$rewindTo", "session_id": "sessionId"}
):
    """One line of a log, as far as needed to know what kind of line it is."""

    id: str | None = None
    type: str | None = None
    rewind_to: str | None = None
    session_id: str | None = None
    update: msgspec.Raw = msgspec.Raw()
    messages: msgspec.Raw = msgspec.Raw()


class NoState(msgspec.Struct):
    """A log is always read from its start."""


class SessionFields(msgspec.Struct, rename="camel"):
    """What a header, an update or a document says about the session, without its messages."""

    session_id: Any = None
    project_hash: Any = None
    start_time: Any = None
    last_updated: Any = None
    kind: Any = None
    summary: Any = None
    directories: Any = None


class Header:
    """What is known of a session; later lines replace what earlier ones said, except the id."""

    def __init__(self) -> None:
        self.session_id: str | None = None
        self.project_hash: str | None = None
        self.started: str | None = None
        self.updated: str | None = None
        self.kind: str | None = None
        self.summary: str | None = None
        self.directories: list[str] = []

    def update(self, fields: SessionFields) -> None:
        """Replace what later lines say differently."""
        self.session_id = self.session_id or string(fields.session_id)
        self.project_hash = string(fields.project_hash) or self.project_hash
        self.started = string(fields.start_time) or self.started
        self.updated = string(fields.last_updated) or self.updated
        self.kind = string(fields.kind) or self.kind
        self.summary = string(fields.summary) or self.summary
        self.directories = strings(fields.directories) or self.directories


_fields = msgspec.json.Decoder(SessionFields).decode


def fields_in(raw: bytes | msgspec.Raw) -> SessionFields:
    """Return what an object says about the session; nothing when it is not an object."""
    try:
        return _fields(raw)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return SessionFields()


class MessageRecord(msgspec.Struct, rename="camel"):
    """A message of a log, a checkpoint or a document. The API calls its `content` `parts`."""

    id: Any = None
    type: Any = None
    timestamp: Any = None
    content: Any = None
    display_content: Any = None
    parts: Any = None
    tool_calls: Any = None
    thoughts: Any = None
    tokens: Any = None
    model: Any = None


_message = msgspec.json.Decoder(MessageRecord).decode


def message_of(raw: bytes | msgspec.Raw) -> MessageRecord:
    """Decode a message, repairing broken text in it; ValueError when it is not an object."""
    try:
        return _message(raw)
    except (msgspec.DecodeError, ValueError, RecursionError):
        message = decode_document(bytes(raw))
    if not isinstance(message, dict):
        raise ValueError("a message that is not a JSON object")
    return msgspec.convert(message, MessageRecord)


class _Checkpoint(msgspec.Struct):
    messages: list[msgspec.Raw] = []


class _Id(msgspec.Struct):
    id: str | None = None


_checkpoint = msgspec.json.Decoder(_Checkpoint).decode
_raw_list = msgspec.json.Decoder(list[msgspec.Raw]).decode
_id = msgspec.json.Decoder(_Id).decode


def checkpoint_of(line: Line) -> list[msgspec.Raw]:
    """Return the messages of an update, or of a whole session on one line."""
    try:
        if bytes(line.update):
            return _checkpoint(line.update).messages
        if bytes(line.messages):
            return _raw_list(line.messages)
        return []
    except (msgspec.DecodeError, ValueError, RecursionError):
        return []


def id_of(raw: msgspec.Raw) -> str | None:
    """Return the id of a message in a checkpoint."""
    try:
        return _id(raw).id
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
