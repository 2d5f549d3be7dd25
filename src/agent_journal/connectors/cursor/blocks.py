"""Conversations of roles and blocks: transcripts of three shapes, and the store of the CLI.

{"role":"assistant","message":{"content":[{"type":"text","text":"…"},
                                          {"type":"tool_use","name":"Shell","input":{…}}]}}

Transcripts have no ids and often no results: the id of a call is its place, and a result without
an id belongs to the oldest call of its tool that has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from agent_journal.connectors.cursor.calls import ToolUse, as_text
from agent_journal.connectors.cursor.edits import edits_of
from agent_journal.connectors.cursor.prompts import unwrapped
from agent_journal.connectors.cursor.sessions import AGENT, as_task, titled
from agent_journal.connectors.ledger import Ledger
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import items, mapping, string
from agent_journal.model import (
    Attachment,
    Event,
    Message,
    MessageKind,
    Piece,
    Role,
    Session,
    ToolCall,
    ToolStatus,
)
from agent_journal.text.dates import from_micros, to_micros

_CALLS = frozenset(("tool_use", "tool_call", "tool-call", "toolCall"))
_RESULTS = frozenset(("tool_result", "tool-result", "toolResult"))
_REASONING = frozenset(("thinking", "reasoning"))
_OPAQUE = frozenset(("redacted-reasoning", "redacted_thinking"))
_MAX_OPEN_CALLS = 1000


class TranscriptState(msgspec.Struct):
    """What is remembered of a transcript between its records."""

    count: int = 0
    completeness: int = msgspec.field(default=0, name="standing")  # its name in saved states
    title: SpokenTitle = msgspec.field(default_factory=SpokenTitle)
    is_sub_agent: bool = False
    open_calls: dict[str, str] = {}  # the names of calls without a result
    models: list[str] = []
    first: int | None = None
    last: int | None = None


class TranscriptRecord(NamedTuple):
    """One record: who speaks, the blocks, and where it was read."""

    key: str
    role: str
    blocks: list[dict[str, Any]]
    timestamp: datetime | None = None
    model: str | None = None
    is_hidden: bool = False
    offset: int | None = None
    length: int | None = None


def blocks_of(content: Any) -> list[dict[str, Any]]:
    """Return the blocks of a content, which may also be a text."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return items(content)


def pieces_of(
    record: TranscriptRecord, session_id: str, state: TranscriptState, ledger: Ledger
) -> Iterator[Piece]:
    """Yield the message, calls, results and edits of a record."""
    state.count += 1
    blocks = _BlockReader(record, session_id, state, ledger)
    for block in record.blocks:
        blocks.read(block)
    message = blocks.message()
    if message is not None:
        _note_message(record, message, state)
        if state.is_sub_agent:
            message = as_task(message)
        yield message
    yield from blocks.pieces


class _BlockReader:
    """Collects what the blocks of one record say."""

    def __init__(
        self, record: TranscriptRecord, session_id: str, state: TranscriptState, ledger: Ledger
    ) -> None:
        self.pieces: list[Piece] = []  # besides the message
        self._record = record
        self._session_id = session_id
        self._state = state
        self._ledger = ledger
        self._texts: list[str] = []
        self._reasoning: list[str] = []
        self._attachments: list[Attachment] = []
        self._calls: list[ToolCall] = []

    def read(self, block: dict[str, Any]) -> None:
        kind = string(block.get("type")) or "text"
        if kind == "text":
            self._texts.append(string(block.get("text")) or "")
        elif kind in _REASONING:
            text = string(block.get("thinking")) or string(block.get("text"))
            self._reasoning.append(text or "")
        elif kind in _CALLS:
            self._read_call(block)
        elif kind in _RESULTS:
            self.pieces.append(_result(block, self._session_id, self._state))
        elif kind in ("image", "file"):
            name = string(block.get("filename")) or string(block.get("name"))
            mime_type = string(block.get("mimeType"))
            self._attachments.append(Attachment(kind=kind, name=name, mime_type=mime_type))
        elif kind in _OPAQUE:
            self._ledger.add("skipped", f"block/{kind}", 0, "reasoning the provider does not show")
        else:
            self._read_unknown(block, f"block/{kind}"[:80])

    def _read_call(self, block: dict[str, Any]) -> None:
        tool_use = _tool_use(block, self._record, self._session_id, len(self._calls))
        self._calls.append(tool_use.call)
        _open_call(self._state, tool_use.call)
        self.pieces += edits_of(tool_use, {})

    def _read_unknown(self, block: dict[str, Any], kind: str) -> None:
        self._ledger.add("unknown", kind, 0)
        event = Event(
            session_id=self._session_id,
            type=kind,
            raw=msgspec.json.encode(block).decode(),
            offset=self._record.offset,
        )
        self.pieces.append(event)

    def message(self) -> Message | None:
        """Return the message of the record; None when it says nothing."""
        record = self._record
        text = "\n\n".join(filter(None, self._texts))
        reasoning = "\n\n".join(filter(None, self._reasoning))
        if not (text or reasoning or self._attachments or self._calls):
            return None
        role: Role = "assistant"
        kind: MessageKind = "answer"
        attachments = self._attachments
        if record.role == "system":
            role = "system"
            kind = "system_prompt"
        elif record.role == "user":
            role = "user"
            typed = unwrapped(text)
            kind = typed.kind
            text = typed.text
            attachments = [*attachments, *typed.attachments]
        return Message(
            session_id=self._session_id,
            id=record.key,
            role=role,
            kind=kind,
            text=text,
            reasoning=reasoning,
            model=record.model,
            timestamp=record.timestamp,
            tool_calls=tuple(self._calls),
            attachments=tuple(attachments),
            state="hidden" if record.is_hidden else None,
            offset=record.offset,
            length=record.length,
        )


# -- calls and results -------------------------------------------------------------------------


def _tool_use(
    block: dict[str, Any], record: TranscriptRecord, session_id: str, number: int
) -> ToolUse:
    name = string(block.get("name")) or string(block.get("toolName"))
    call_id = string(block.get("id")) or string(block.get("toolCallId"))
    given = next((block[key] for key in ("input", "args", "arguments") if key in block), None)
    call = ToolCall(
        session_id=session_id,
        id=call_id or f"{record.key}/{number}",
        message_id=record.key,
        name=name,
        kind=tool_kind(name),
        arguments=as_text(given),
        started_at=record.timestamp,
        offset=record.offset,
        length=record.length,
    )
    if isinstance(given, str):
        return ToolUse(call, {"patch": given}, {})
    return ToolUse(call, mapping(given), {})


def _result(block: dict[str, Any], session_id: str, state: TranscriptState) -> ToolCall:
    name = string(block.get("name")) or string(block.get("toolName"))
    call_id = _answered_call(block, name, state)
    is_error = block.get("is_error") is True or block.get("isError") is True
    status: ToolStatus = "error" if is_error else "ok"
    state.completeness += 1
    return ToolCall(
        session_id=session_id,
        id=call_id or f"result-{state.count}",
        name=name,
        kind=tool_kind(name),
        result=_result_text(block),
        status=status,
    )


def _answered_call(block: dict[str, Any], name: str | None, state: TranscriptState) -> str | None:
    """Return the call of a result, and close it.

    It is the one that the result names by its id, else the oldest open one of that tool, else the
    oldest.
    """
    calls = state.open_calls
    call_id = string(block.get("tool_use_id")) or string(block.get("toolCallId"))
    if call_id not in calls:
        of_tool = (id_ for id_, called in calls.items() if called == name)
        call_id = next(of_tool, None) or next(iter(calls), call_id)
    if call_id is not None:
        calls.pop(call_id, None)
    return call_id


def _result_text(block: dict[str, Any]) -> str | None:
    keys = ("content", "result", "output")
    result = next((block[key] for key in keys if block.get(key) is not None), None)
    if isinstance(result, str):
        return result
    parts = items(result)
    if not parts:
        return as_text(result)
    texts = [string(part.get("text")) for part in parts]
    return "\n".join(text for text in texts if text)


def _open_call(state: TranscriptState, call: ToolCall) -> None:
    state.completeness += 1
    state.open_calls[call.id] = call.name or ""
    if len(state.open_calls) > _MAX_OPEN_CALLS:
        del state.open_calls[next(iter(state.open_calls))]


# -- the session -------------------------------------------------------------------------------


def _note_message(record: TranscriptRecord, message: Message, state: TranscriptState) -> None:
    if message.kind in ("prompt", "answer") and not record.is_hidden:
        state.completeness += 1
        if message.reasoning:
            state.completeness += 1
    if message.kind == "prompt":
        state.title.note_prompt(message.text)
    elif message.kind == "answer":
        state.title.note_answer(message.text)
    if record.model and record.model not in state.models:
        state.models.append(record.model)
    time = to_micros(record.timestamp)
    if time is not None:
        _note_time(time, state)


def _note_time(time: int, state: TranscriptState) -> None:
    if state.first is None or time < state.first:
        state.first = time
    if state.last is None or time > state.last:
        state.last = time


def session_of(session_id: str, state: TranscriptState, **fields: Any) -> Session:
    """Return the session of a transcript; only a hint where nothing was said."""
    session = Session(
        agent=AGENT,
        id=session_id,
        models=tuple(state.models),
        started_at=from_micros(state.first),
        ended_at=from_micros(state.last),
        is_hint=state.completeness == 0,
        **fields,
    )
    return titled(session, state.title)
