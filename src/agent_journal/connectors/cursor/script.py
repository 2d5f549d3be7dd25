"""Conversations written as roles and blocks: transcripts of three shapes, and the store of the
command line.

{"role":"assistant","message":{"content":[{"type":"text","text":"…"},{"type":"tool_use","name":"Shell","input":{…}}]}}

Transcripts have no ids and often no results: a call is named by its place, and a result without an
id is that of the oldest call that has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from agent_journal.connectors.cursor.calls import Called, as_text
from agent_journal.connectors.cursor.edits import edits_of
from agent_journal.connectors.cursor.talk import AGENT
from agent_journal.connectors.ledger import Ledger
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import items, mapping, one_line, string
from agent_journal.model import (
    Attachment,
    Event,
    Message,
    MessageKind,
    Piece,
    Session,
    ToolCall,
    ToolStatus,
)
from agent_journal.text.dates import from_micros, to_micros

_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_TAG = re.compile(r"<([a-z][a-z0-9_-]*)>\s*(.*?)\s*</\1>", re.DOTALL)
_CALLS = frozenset(("tool_use", "tool_call", "tool-call", "toolCall"))
_RESULTS = frozenset(("tool_result", "tool-result", "toolResult"))
_THOUGHTS = frozenset(("thinking", "reasoning"))
_OPAQUE = frozenset(("redacted-reasoning", "redacted_thinking"))
_SUMMARY = "[Previous conversation summary]"
_MAX_OPEN = 1000


class State(msgspec.Struct):
    """What a transcript is continued with."""

    count: int = 0
    completeness: int = msgspec.field(default=0, name="standing")  # its name in saved states
    prompt: str = ""
    open_calls: list[str] = []
    models: list[str] = []
    first: int | None = None
    last: int | None = None


class Entry(NamedTuple):
    """One record: who speaks, the blocks, and where it stands."""

    key: str
    role: str
    blocks: list[dict[str, Any]]
    when: datetime | None = None
    model: str | None = None
    is_hidden: bool = False
    offset: int | None = None
    length: int | None = None


def blocks_of(content: Any) -> list[dict[str, Any]]:
    """The blocks of a content, which may also be one text."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else items(content)


def pieces_of(entry: Entry, session_id: str, state: State, ledger: Ledger) -> Iterator[Piece]:
    """The message, calls, results and edits of a record."""
    state.count += 1
    texts: list[str] = []
    thoughts: list[str] = []
    attachments: list[Attachment] = []
    calls: list[ToolCall] = []
    rest: list[Piece] = []
    for block in entry.blocks:
        kind = string(block.get("type")) or "text"
        if kind == "text":
            texts.append(string(block.get("text")) or "")
        elif kind in _THOUGHTS:
            thoughts.append(string(block.get("thinking")) or string(block.get("text")) or "")
        elif kind in _CALLS:
            done = _call(block, entry, session_id, len(calls))
            calls.append(done.call)
            _remember(state, done.call.id)
            rest += edits_of(done, {})
        elif kind in _RESULTS:
            rest.append(_result(block, session_id, state))
        elif kind in ("image", "file"):
            name = string(block.get("filename")) or string(block.get("name"))
            attachments.append(
                Attachment(kind=kind, name=name, mime_type=string(block.get("mimeType")))
            )
        elif kind in _OPAQUE:
            ledger.add("skipped", f"block/{kind}", 0, "thoughts the provider keeps to itself")
        else:
            ledger.add("unknown", f"block/{kind}"[:80], 0)
            raw = msgspec.json.encode(block).decode()
            rest.append(
                Event(
                    session_id=session_id, type=f"block/{kind}"[:80], raw=raw, offset=entry.offset
                )
            )
    message = _message(
        entry, session_id, "\n\n".join(filter(None, texts)), thoughts, attachments, calls
    )
    if message is not None:
        _note(entry, message, state)
        yield message
    yield from rest


def _message(
    entry: Entry,
    session_id: str,
    text: str,
    thoughts: list[str],
    attachments: list[Attachment],
    calls: list[ToolCall],
) -> Message | None:
    reasoning = "\n\n".join(filter(None, thoughts))
    if not (text or reasoning or attachments or calls):
        return None
    kind: MessageKind = "answer"
    if entry.role == "system":
        kind = "system_prompt"
    elif entry.role == "user":
        kind, text, found = unwrapped(text)
        attachments = [*attachments, *found]
    role = entry.role if entry.role in ("user", "system") else "assistant"
    return Message(
        session_id=session_id,
        id=entry.key,
        role=role,  # type: ignore[arg-type]
        kind=kind,
        text=text,
        reasoning=reasoning,
        model=entry.model,
        timestamp=entry.when,
        tool_calls=tuple(calls),
        attachments=tuple(attachments),
        state="hidden" if entry.is_hidden else None,
        offset=entry.offset,
        length=entry.length,
    )


def unwrapped(text: str) -> tuple[MessageKind, str, list[Attachment]]:
    """What a person typed, out of what Cursor put around it; a text with only the latter was not
    typed.
    """
    found = _QUERY.findall(text)
    around = [
        Attachment(kind=tag, text=inner) for tag, inner in _TAG.findall(text) if tag != "user_query"
    ]
    if found:
        return "prompt", "\n\n".join(found), around
    if text.lstrip().startswith(_SUMMARY):
        return "compaction", text, []
    if around and not _TAG.sub("", text).strip():
        return "injected", text, []
    return "prompt", text, []


def _call(block: dict[str, Any], entry: Entry, session_id: str, number: int) -> Called:
    name = string(block.get("name")) or string(block.get("toolName"))
    asked = next((block[key] for key in ("input", "args", "arguments") if key in block), None)
    call_id = string(block.get("id")) or string(block.get("toolCallId"))
    call = ToolCall(
        session_id=session_id,
        id=call_id or f"{entry.key}/{number}",
        message_id=entry.key,
        name=name,
        kind=tool_kind(name),
        arguments=as_text(asked),
        started_at=entry.when,
        offset=entry.offset,
        length=entry.length,
    )
    told = {"patch": asked} if isinstance(asked, str) else mapping(asked)
    return Called(call, told, {})


def _result(block: dict[str, Any], session_id: str, state: State) -> ToolCall:
    call_id = string(block.get("tool_use_id")) or string(block.get("toolCallId"))
    if call_id in state.open_calls:
        state.open_calls.remove(call_id)
    elif state.open_calls:
        call_id = state.open_calls.pop(0)
    name = string(block.get("name")) or string(block.get("toolName"))
    came = next(
        (block[key] for key in ("content", "result", "output") if block.get(key) is not None), None
    )
    texts = [string(part.get("text")) for part in items(came)]
    text = (
        "\n".join(filter(None, texts))
        if texts
        else came
        if isinstance(came, str)
        else as_text(came)
    )
    is_error = block.get("is_error") is True or block.get("isError") is True
    status: ToolStatus = "error" if is_error else "ok"
    state.completeness += 1
    return ToolCall(
        session_id=session_id,
        id=call_id or f"result-{state.count}",
        name=name,
        kind=tool_kind(name),
        result=text,
        status=status,
    )


def _remember(state: State, call_id: str) -> None:
    state.completeness += 1
    state.open_calls.append(call_id)
    if len(state.open_calls) > _MAX_OPEN:
        state.open_calls.pop(0)


def _note(entry: Entry, message: Message, state: State) -> None:
    if message.kind in ("prompt", "answer") and not entry.is_hidden:
        state.completeness += 1 + bool(message.reasoning)
    if message.kind == "prompt":
        state.prompt = state.prompt or one_line(message.text)
    if entry.model and entry.model not in state.models:
        state.models.append(entry.model)
    when = to_micros(entry.when)
    if when is not None:
        state.first = when if state.first is None else min(state.first, when)
        state.last = when if state.last is None else max(state.last, when)


def session_of(session_id: str, state: State, **more: Any) -> Session:
    """The session as a transcript tells it; a hint where nothing was said."""
    return Session(
        agent=AGENT,
        id=session_id,
        title=state.prompt or None,
        title_rank=10 if state.prompt else 0,
        title_source="prompt" if state.prompt else None,
        models=tuple(state.models),
        started_at=from_micros(state.first),
        ended_at=from_micros(state.last),
        is_hint=state.completeness == 0,
        **more,
    )
