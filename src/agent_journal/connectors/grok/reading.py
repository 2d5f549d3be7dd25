"""A session of Grok Build: the updates that it sent while it worked.

{"timestamp":1777710000,"method":"session/update","params":{"sessionId":"0196…","update":
 {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"I look."}},
 "_meta":{"agentTimestampMs":1777710000183,"promptId":"4594…","streamStartMs":1777710000180}}}

Texts come in chunks. The chunks and calls of one response have the same `streamStartMs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

import msgspec

from agent_journal.connectors.grok.calls import read_call, read_call_update
from agent_journal.connectors.grok.usage import usage_of
from agent_journal.connectors.placed_log import PlacedLogReader, with_spoken_title
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.values import exact_integer, items, mapping, string
from agent_journal.model import Attachment, Message, Piece, Session, Todo, TodoList
from agent_journal.text.dates import parse_time

_SETTINGS = "settings of the agent"
_SKIPPED = {
    "background_tasks": "a list of commands that run",
    "available_commands_update": _SETTINGS,
    "current_mode_update": _SETTINGS,
}


class Line(msgspec.Struct):
    """The fields of a line."""

    timestamp: Any = None
    params: Any = None


class State(msgspec.Struct, omit_defaults=True):
    """What must be known to continue later."""

    id: str | None = None
    started: datetime | None = None
    ended: datetime | None = None
    model: str | None = None
    models: list[str] = []
    prompt: str | None = None  # the id of the prompt whose chunks come
    answer: str | None = None  # the id of the response whose chunks come
    spoken: SpokenTitle = msgspec.field(default_factory=SpokenTitle)
    # The changes that calls are going to make: path, text before, text after
    diffs: dict[str, list[tuple[str, str | None, str]]] = {}
    messages_of_calls: dict[str, str] = {}  # of calls that did not end


class UpdatesReader(PlacedLogReader[Line, State]):
    """Reads a session."""

    record_type = Line
    state_type = State
    is_ranked_by_bytes = True
    record_starts = ('{"timestamp":',)

    @property
    def id(self) -> str:
        """The id of the session."""
        return self.file.session_id or self.state.id or self.file.name

    def record(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one update."""
        params = mapping(record.params)
        meta = mapping(params.get("_meta"))
        timestamp = parse_time(meta.get("agentTimestampMs")) or parse_time(record.timestamp)
        self.begin(offset, length, timestamp)
        state = self.state
        state.id = state.id or string(params.get("sessionId"))
        state.started = state.started or timestamp
        state.ended = timestamp or state.ended
        update = mapping(params.get("update"))
        kind = string(update.get("sessionUpdate")) or ""
        if kind in _SKIPPED:
            self.skipped(kind, _SKIPPED[kind])
            return ()
        if kind != "user_message_chunk":
            state.prompt = None
        read = _UPDATES.get(kind)
        if read is None:
            return self.unknown_event(kind, line)
        self.mapped(kind)
        return read(self, update, meta)

    def answer(self, meta: dict[str, Any], text: str = "", **fields: Any) -> Message:
        """A part of the current response."""
        state = self.state
        began = exact_integer(meta.get("streamStartMs"))
        if began is not None:
            state.answer = f"{string(meta.get('promptId')) or self.id}-{began}"
        state.answer = state.answer or self.record_id
        fields["model"] = state.model
        return self.message("assistant", "answer", text, id=state.answer, continues=True, **fields)

    def sessions(self) -> Iterable[Session]:
        """The session, as far as it has been read."""
        state = self.state
        if not self.offset:
            return
        session = Session(
            agent="grok",
            id=self.id,
            models=tuple(state.models),
            started_at=state.started,
            ended_at=state.ended,
        )
        yield with_spoken_title(session, state.spoken)


def _prompt(reader: UpdatesReader, update: dict[str, Any], meta: dict[str, Any]) -> Iterable[Piece]:
    """A chunk of a prompt."""
    state = reader.state
    model = string(mapping(update.get("_meta")).get("modelId"))
    if model is not None:
        state.model = model
        if model not in state.models:
            state.models.append(model)
    text, attachments = _content(update.get("content"))
    if state.prompt is None:
        state.prompt = reader.record_id
        state.answer = None
        state.spoken.note_prompt(text)
    return (
        reader.message(
            "user", "prompt", text, id=state.prompt, attachments=attachments, continues=True
        ),
    )


def _content(value: Any) -> tuple[str, tuple[Attachment, ...]]:
    """The text of a chunk, or something else as an attachment."""
    content = mapping(value)
    if content.get("type") == "text":
        return string(content.get("text")) or "", ()
    if not content:
        return "", ()
    attachment = Attachment(
        kind=string(content.get("type")) or "content",
        name=string(content.get("name")),
        path=string(content.get("uri")),
        mime_type=string(content.get("mimeType")),
    )
    return "", (attachment,)


def _text(reader: UpdatesReader, update: dict[str, Any], meta: dict[str, Any]) -> Iterable[Piece]:
    text, attachments = _content(update.get("content"))
    reader.state.spoken.note_answer(text)
    return (reader.answer(meta, text, attachments=attachments),)


def _thought(
    reader: UpdatesReader, update: dict[str, Any], meta: dict[str, Any]
) -> Iterable[Piece]:
    text, _ = _content(update.get("content"))
    return (reader.answer(meta, reasoning=text),)


def _plan(reader: UpdatesReader, update: dict[str, Any], meta: dict[str, Any]) -> Iterable[Piece]:
    """The todo list."""
    todos = [
        Todo(content=text, status=string(entry.get("status")))
        for entry in items(update.get("entries"))
        if (text := string(entry.get("content")))
    ]
    return (TodoList(session_id=reader.id, origin="todowrite", items=tuple(todos)),)


def _turn_completed(
    reader: UpdatesReader, update: dict[str, Any], meta: dict[str, Any]
) -> Iterable[Piece]:
    """The end of a turn: its tokens, and why it ended."""
    pieces: list[Piece] = list(usage_of(reader, update))
    state = reader.state
    reason = string(update.get("stop_reason"))
    problem = string(update.get("agent_result"))
    if reason == "error" and problem is not None:
        pieces.append(reader.message("assistant", "error", problem, state="failed"))
    elif state.answer is not None and reason is not None:
        is_cancelled = reason == "cancelled"
        ending = reader.message(
            "assistant",
            "answer",
            id=state.answer,
            stop_reason=reason,
            state="cancelled" if is_cancelled else None,
        )
        pieces.append(ending)
    state.answer = None
    return pieces


def _retry(reader: UpdatesReader, update: dict[str, Any], meta: dict[str, Any]) -> Iterable[Piece]:
    return (reader.event("retry_state", string(update.get("message")) or ""),)


_UPDATES: dict[str, Callable[[UpdatesReader, dict[str, Any], dict[str, Any]], Iterable[Piece]]] = {
    "user_message_chunk": _prompt,
    "agent_message_chunk": _text,
    "agent_thought_chunk": _thought,
    "tool_call": read_call,
    "tool_call_update": read_call_update,
    "plan": _plan,
    "turn_completed": _turn_completed,
    "retry_state": _retry,
}
