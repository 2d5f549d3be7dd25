"""Transcripts in `agent-transcripts`: JSON lines, a JSON list, or plain text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from agent_journal.connectors.base import Content, FileIdentity
from agent_journal.connectors.cursor import TRANSCRIPTS
from agent_journal.connectors.cursor.blocks import (
    TranscriptRecord,
    TranscriptState,
    blocks_of,
    pieces_of,
    session_of,
)
from agent_journal.connectors.cursor.plain_text import speeches
from agent_journal.connectors.cursor.times import time_of
from agent_journal.connectors.jsonl import DocumentReader, LogReader, decode_document
from agent_journal.connectors.values import items, mapping, string
from agent_journal.model import Event, Piece, Session

_SUBAGENTS = "subagents"
_ROLES = ("user", "assistant", "system", "tool")


class Line(msgspec.Struct):
    """One line of a transcript."""

    role: Any = None
    type: Any = None
    event: Any = None
    status: Any = None
    message: Any = None
    text: Any = None
    content: Any = None
    timestamp: Any = None
    model: Any = None


class TranscriptFile(NamedTuple):
    """What the path of a transcript says about its session."""

    session_id: str
    project_dir: str | None = None  # a folder's path with dashes in place of slashes
    parent_id: str | None = None

    def session(self, state: TranscriptState) -> Session:
        """Return the session of the transcript, as far as it has been read."""
        return session_of(
            self.session_id, state, project_dir=self.project_dir, parent_id=self.parent_id
        )


def describe_path(file: FileIdentity) -> TranscriptFile:
    """Return the session of a transcript, the name of its folder, and the parent of a sub-agent."""
    parts = file.name.split("/")
    found = TranscriptFile(file.session_id or parts[-1].rpartition(".")[0] or parts[-1])
    if TRANSCRIPTS in parts[1:] and parts.index(TRANSCRIPTS) > 1:
        found = found._replace(project_dir=parts[parts.index(TRANSCRIPTS) - 1])
    if len(parts) == 1:  # imported by itself
        parts = file.path.replace("\\", "/").split("/")[-3:]
    if _SUBAGENTS in parts[1:-1]:
        parent = parts[parts.index(_SUBAGENTS) - 1]
        if parent not in (found.session_id, TRANSCRIPTS):
            found = found._replace(parent_id=parent)
    return found


# -- JSON lines --------------------------------------------------------------------------------


class LinesReader(LogReader[Line, TranscriptState]):
    """Reads a transcript of JSON lines."""

    record_type = Line
    state_type = TranscriptState
    record_starts = ('{"role":', '{"type":', '{"timestamp":')

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        self._transcript = describe_path(file)
        self.state.is_sub_agent = self._transcript.parent_id is not None
        self.completeness = self.state.completeness

    def sessions(self) -> Iterable[Session]:
        """Return the session as far as it has been read."""
        return (self._transcript.session(self.state),)

    def record(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """Return the pieces of one line."""
        role = string(record.role)
        marker = string(record.event)
        if marker is None and role is None:
            marker = string(record.type)
        if marker == "turn_ended":
            return self._turn_ended(string(record.status), offset, length)
        if role not in _ROLES:
            kind = f"line/{marker or role}"[:80]
            self.unknown(kind)
            raw = line.decode("utf-8", "replace")
            return (self._event(kind, "", raw, offset, length),)
        self.mapped(f"line/{role}")
        message = TranscriptRecord(
            key=f"line-{self.state.count}",
            role=role,
            blocks=_content(record),
            timestamp=time_of(record.timestamp),
            model=string(record.model),
            offset=offset,
            length=length,
        )
        pieces = list(pieces_of(message, self._transcript.session_id, self.state, self.ledger))
        self.completeness = self.state.completeness
        return pieces

    def _turn_ended(self, status: str | None, offset: int, length: int) -> Iterable[Piece]:
        if status in (None, "success", "completed"):
            self.skipped("turn_ended", "a marker without content")
            return ()
        self.mapped("turn_ended")
        return (self._event("turn_ended", f"the turn ended: {status}", None, offset, length),)

    def _event(self, kind: str, text: str, raw: str | None, offset: int, length: int) -> Event:
        return Event(
            session_id=self._transcript.session_id,
            type=kind,
            text=text,
            raw=raw,
            offset=offset,
            length=length,
        )


def _content(record: Line) -> list[dict[str, Any]]:
    content = record.message
    if not isinstance(content, (str, list)):
        content = mapping(content).get("content")
    return blocks_of(content or record.content or record.text)


# -- documents ---------------------------------------------------------------------------------


class TranscriptReader(DocumentReader):
    """Reads a transcript that is one document. A subclass writes `records`."""

    kind = "transcript"

    def records(self, data: bytes) -> Iterator[TranscriptRecord]:
        """Yield the records of the transcript; ValueError when it is not one."""
        raise NotImplementedError

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return everything the transcript says."""
        transcript = describe_path(self.file)
        state = TranscriptState(is_sub_agent=transcript.parent_id is not None)
        pieces: list[Piece] = []
        for record in self.records(data):
            pieces += pieces_of(record, transcript.session_id, state, self.ledger)
        self.completeness = state.completeness
        self.found_sessions = [transcript.session(state)]
        return pieces


class ListReader(TranscriptReader):
    """Reads a transcript that is a JSON list."""

    def records(self, data: bytes) -> Iterator[TranscriptRecord]:
        """Yield the records of the list."""
        messages = decode_document(data)
        if isinstance(messages, dict):
            messages = messages.get("messages", messages.get("conversation"))
        if not isinstance(messages, list):
            raise ValueError("not a transcript: there is no list of messages")
        for number, message in enumerate(items(messages)):
            yield TranscriptRecord(
                key=string(message.get("id")) or f"line-{number}",
                role=string(message.get("role")) or string(message.get("type")) or "assistant",
                blocks=list(_blocks(message)),
                timestamp=time_of(message.get("timestamp") or message.get("createdAt")),
                model=string(message.get("model")),
            )


def _blocks(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    thinking = string(message.get("thinking"))
    if thinking:
        yield {"type": "thinking", "thinking": thinking}
    inner = mapping(message.get("message"))
    yield from blocks_of(message.get("text") or message.get("content") or inner.get("content"))
    for call in items(message.get("toolCalls")):
        yield {**call, "type": "tool_use"}
    result = mapping(message.get("toolResult"))
    if result:
        yield {**result, "type": "tool_result"}


class TextReader(TranscriptReader):
    """Reads a transcript that is text with headings."""

    def records(self, data: bytes) -> Iterator[TranscriptRecord]:
        """Yield a record for each heading with a speaker."""
        text = data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
        for number, speech in enumerate(speeches(text)):
            yield TranscriptRecord(f"line-{number}", speech.role, speech.blocks)
