"""The shapes of what Gemini CLI writes. A value of another type than expected costs that value
alone.

{"sessionId":"6f0c…","projectHash":"9d2e…","startTime":"2026-11-15T18:07:32.731Z","lastUpdated":"…","kind":"main"}
{"id":"m1","timestamp":"2026-11-15T18:07:40.002Z","type":"user","content":[{"text":"fix it"}]}
{"$set":{"summary":"Fixing it","lastUpdated":"…"}} {"$rewindTo":"m1"}
"""

from __future__ import annotations

from typing import Any

import msgspec

from agent_journal.connectors.jsonl import decode_document
from agent_journal.connectors.values import string, strings


class Line(
    msgspec.Struct, rename={"update": "$set", "rewind_to": "$rewindTo", "session_id": "sessionId"}
):
    """One line of a log, as far as it tells what kind of line it is."""

    id: str | None = None
    type: str | None = None
    rewind_to: str | None = None
    session_id: str | None = None
    update: msgspec.Raw = msgspec.Raw()
    messages: msgspec.Raw = msgspec.Raw()


class NoState(msgspec.Struct):
    """A log is always read from its start."""


class Told(msgspec.Struct, rename="camel"):
    """What a header, an update or a document says about the session; its messages are left aside."""

    session_id: Any = None
    project_hash: Any = None
    start_time: Any = None
    last_updated: Any = None
    kind: Any = None
    summary: Any = None
    directories: Any = None


class Header:
    """What is known of a session as a whole; later lines replace what earlier ones said, but for
    the id.
    """

    def __init__(self) -> None:
        self.session_id: str | None = None
        self.project_hash: str | None = None
        self.started: str | None = None
        self.updated: str | None = None
        self.kind: str | None = None
        self.summary: str | None = None
        self.directories: list[str] = []

    def take(self, told: Told) -> None:
        """Takes over what is known better now."""
        self.session_id = self.session_id or string(told.session_id)
        self.project_hash = string(told.project_hash) or self.project_hash
        self.started = string(told.start_time) or self.started
        self.updated = string(told.last_updated) or self.updated
        self.kind = string(told.kind) or self.kind
        self.summary = string(told.summary) or self.summary
        self.directories = strings(told.directories) or self.directories


_told = msgspec.json.Decoder(Told).decode


def told_in(raw: bytes | msgspec.Raw) -> Told:
    """What an object says about the session; nothing when it is no object."""
    try:
        return _told(raw)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return Told()


class MessageRecord(msgspec.Struct, rename="camel"):
    """A message: of a log, a checkpoint or a document. `parts` is what `content` is called in the
    API.
    """

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
    """A message; ValueError when it is no object. Broken text in it is mended, it does not cost the
    message.
    """
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
    """The messages that an update (or a whole session on one line) carries."""
    try:
        if bytes(line.update):
            return _checkpoint(line.update).messages
        return _raw_list(line.messages) if bytes(line.messages) else []
    except (msgspec.DecodeError, ValueError, RecursionError):
        return []


def id_of(raw: msgspec.Raw) -> str | None:
    """The id of a message inside a checkpoint."""
    try:
        return _id(raw).id
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
