"""A rollout: the transcript of one session, `rollout-<time>-<id>.jsonl`.

The same text stands in it twice, as what the model was sent (`response_item`) and as what the
person saw (`event_msg`, or `item_completed` in newer files). Each text is taken where it comes
first; file order is the order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.codex import (
    calls,
    conversation,
    inheritance,
    outcomes,
    session_of,
    tokens,
    turn_items,
)
from agent_journal.connectors.codex.indexes import NAME_RANK
from agent_journal.connectors.codex.notices import REPEATED, TEMPLATES, describe
from agent_journal.connectors.codex.records import (
    CALLS,
    MAX_SEEN,
    TEXT,
    Item,
    Record,
    State,
    mark_of,
    payload_of,
)
from agent_journal.connectors.jsonl import LogReader
from agent_journal.connectors.loose import remember
from agent_journal.model import Attachment, Event, Message, MessageKind, Piece, Role, Session
from agent_journal.text.dates import parse_time

Handler = Callable[["RolloutReader", Record, Item], Iterable[Piece]]
_INHERITED = "copied from the parent session"


class RolloutReader(LogReader[Record, State]):
    """Reads a rollout. The attributes below are about the record at hand, for the functions that
    read it.
    """

    record_type = Record
    state_type = State
    record_starts = ('{"timestamp":', '{"type":', '{"record_type":')

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        name = file.name.rpartition("/")[2]
        self.id = file.session_id or session_of(name) or name.partition(".jsonl")[0]
        self.at = 0
        self.length = 0
        self.line = b""
        self.kind = ""
        self.when: datetime | None = None
        self.inherited = False
        self.completeness = self.state.records

    def record(self, record: Record, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one line."""
        self.at, self.length, self.line = offset, length, line
        self.when = parse_time(record.timestamp)
        item, handler = self._sort(record)
        state = self.state
        if handler is not inheritance.session_meta and handler is not inheritance.old_meta:
            self.inherited = inheritance.is_inherited(state, record, item, self.when)
            if inheritance.is_repeated(state, self.when, line):
                handler = _repeated
            elif self.inherited and state.is_subagent and handler is not tokens.token_count:
                handler = _copied
        self.mapped(self.kind)
        pieces = handler(self, record, item)
        if not isinstance(pieces, tuple):
            pieces = tuple(pieces)
        state.records += 1
        self.completeness = state.records
        if self.when is not None:
            state.started = state.started or record.timestamp
            ended = parse_time(state.ended)
            if ended is None or ended < self.when:  # lines may lie in disorder
                state.ended = record.timestamp
            state.last = self.when.timestamp()
        return pieces

    def _sort(self, record: Record) -> tuple[Item, Handler]:
        """What a line is about, and what reads it."""
        outer, item = record.type or "", record.payload
        if outer == "response_item":
            kind = item.type or ("message" if item.role else "")
            self.kind = f"response_item {kind}".rstrip()[:80]
            return item, _ITEMS.get(kind, _unknown)
        if outer == "event_msg":
            kind = item.type or ""
            self.kind = f"event_msg {kind}".rstrip()[:80]
            return item, _EVENTS.get(kind, _notice if kind in TEMPLATES else _unknown)
        self.kind = outer[:80] or "no type"
        if outer in _LINES:
            return item, _LINES[outer]
        if outer in _ITEMS:
            return record, _ITEMS[outer]
        if not outer and record.record_type == "state":
            self.kind = "state"
            return item, _marker
        if not outer and isinstance(record.id, str) and record.timestamp and record.text is None:
            self.kind = "head"
            return item, inheritance.old_meta
        return item, _unknown

    def sessions(self) -> Iterable[Session]:
        """The session of the file."""
        state = self.state
        if not state.records:
            return
        title = state.name or state.title
        yield Session(
            agent="codex",
            id=self.id,
            title=title,
            title_rank=NAME_RANK if state.name else 10 if title else 0,
            title_source="name" if state.name else "prompt" if title else None,
            project_path=state.cwd,
            repository=state.repository,
            git_branch=state.branch,
            host_app=state.host,
            agent_version=state.version,
            models=tuple(state.models),
            started_at=parse_time(state.started),
            ended_at=parse_time(state.ended),
            parent_id=state.parent,
            fork_of=state.fork_of,
            agent_name=state.agent_name,
        )

    # -- for the functions that read records ---------------------------------------------------

    @property
    def place(self) -> str:
        """The id of the record at hand: its place, since few records have one of their own.

        What a fork copied has the place it has in the parent's file, so that both are known to be
        the same.
        """
        state = self.state
        if self.inherited and state.fork_of:
            return f"{state.fork_of}@{self.at - state.copied_from}"
        return f"{self.id}@{self.at}"

    def event(self, text: str, raw: str | None = None) -> Event:
        """The record at hand as an Event."""
        kind = self.kind.removeprefix("event_msg ").removeprefix("response_item ")
        return Event(
            session_id=self.id,
            type=kind,
            id=self.place,
            text=text,
            raw=raw,
            timestamp=self.when,
            offset=self.at,
            length=self.length,
        )

    def message(
        self,
        role: Role,
        kind: MessageKind,
        text: str,
        attached: tuple[Attachment, ...] = (),
        api_id: str | None = None,
    ) -> Message:
        """The record at hand as a Message of its own."""
        return Message(
            session_id=self.id,
            id=self.place,
            role=role,
            kind=kind,
            text=text,
            timestamp=self.when,
            record_ids=(self.place,),
            attachments=attached,
            api_id=api_id,
            offset=self.at,
            length=self.length,
        )

    def answer(self, part: int, **values: object) -> Message:
        """The record at hand as a part of an answer: reasoning, then one text, then calls, make one
        message.
        """
        state = self.state
        if state.answer is None or (part != CALLS and state.parts & (TEXT | CALLS)):
            state.answer, state.parts = self.place, 0
        state.parts |= part
        state.last_answer = state.answer
        return Message(
            session_id=self.id,
            id=state.answer,
            role="assistant",
            kind="answer",
            model=state.model,
            timestamp=self.when,
            record_ids=(self.place,),
            offset=self.at,
            length=self.length,
            **values,  # type: ignore[arg-type]
        )

    def close(self) -> None:
        """The answer that was being written is complete."""
        self.state.answer = None

    def is_new(self, space: str, text: str, origin: int) -> bool:
        """Whether a text has not been told by another place; each place tells it as often as it was
        said.
        """
        key = space + mark_of(text)
        counts = self.state.seen.pop(key, None) or [0, 0, 0]
        told = max(counts)
        counts[origin] += 1
        remember(self.state.seen, key, counts, MAX_SEEN)
        return counts[origin] > told

    def uses(self, model: str | None) -> None:
        """Notes the model that answers from here on."""
        if model:
            self.state.model = model
            if model not in self.state.models:
                self.state.models.append(model)


def _unknown(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    reader.unknown(reader.kind)
    return (reader.event("", reader.line.rstrip(b"\r").decode("utf-8", "replace")),)


def _notice(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    return (reader.event(describe(item.type or "", payload_of(reader.line))),)


def _marker(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    reader.skipped(reader.kind, "a marker without content")
    return ()


def _copied(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    reader.skipped(reader.kind, _INHERITED)
    return ()


def _repeated(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    reader.skipped(reader.kind, "written before in this file")
    return ()


def _told(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    if item.type in ("task_started", "turn_started"):
        reader.close()
    reader.skipped(reader.kind, REPEATED[item.type or record.type or ""])
    return ()


_LINES: dict[str, Handler] = {
    "compacted": conversation.compacted,
    "inter_agent_communication": conversation.agent_message,
    "inter_agent_communication_metadata": _told,
    "session_meta": inheritance.session_meta,
    "token_usage_record": _told,
    "turn_context": inheritance.turn_context,
    "world_state": _told,
}
_ITEMS: dict[str, Handler] = {
    "agent_message": conversation.agent_message,
    "compaction": _told,
    "context_compaction": _told,
    "custom_tool_call": calls.custom_call,
    "custom_tool_call_output": outcomes.output,
    "function_call": calls.function_call,
    "function_call_output": outcomes.output,
    "ghost_snapshot": _told,
    "image_generation_call": calls.image_call,
    "local_shell_call": calls.shell_call,
    "message": conversation.message,
    "reasoning": conversation.reasoning,
    "tool_search_call": calls.function_call,
    "tool_search_output": outcomes.search_output,
    "web_search_call": calls.web_call,
}
_EVENTS: dict[str, Handler] = {
    "agent_message": conversation.agent_said,
    "agent_reasoning": conversation.agent_thought,
    "agent_reasoning_raw_content": conversation.agent_thought,
    "collab_agent_spawn_end": outcomes.spawned,
    "error": conversation.error,
    "exec_command_end": outcomes.executed,
    "image_generation_end": outcomes.drawn_event,
    "item_completed": turn_items.completed,
    "mcp_tool_call_end": outcomes.mcp_ended,
    "patch_apply_end": outcomes.patched,
    "stream_error": conversation.error,
    "task_complete": conversation.turn_ended,
    "thread_name_updated": conversation.named,
    "token_count": tokens.token_count,
    "turn_aborted": conversation.aborted,
    "turn_complete": conversation.turn_ended,
    "user_message": conversation.user_said,
    "web_search_end": outcomes.searched,
    **{kind: _told for kind in REPEATED if kind not in _ITEMS and kind not in _LINES},
}
