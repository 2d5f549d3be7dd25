"""A rollout: the transcript of one session, `rollout-<time>-<id>.jsonl`.

It contains each text twice: as the model was sent it (`response_item`), and as the person saw it
(`event_msg`, or `item_completed` in newer files). Each text is read where it comes first; the
order of the conversation is the order of the lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from msgspec.structs import replace

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.codex import (
    agents,
    call_events,
    calls,
    conversation,
    inheritance,
    outcomes,
    rollbacks,
    session_meta,
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
    RolloutState,
    digest_of,
    payload_of,
)
from agent_journal.connectors.jsonl import LogReader
from agent_journal.connectors.loose import remember
from agent_journal.model import Attachment, Event, Message, MessageKind, Piece, Role, Session
from agent_journal.text.dates import parse_time

# Reads the record with that payload; the reader has the rest
ReadRecord = Callable[["RolloutReader", Record, Item], Iterable[Piece]]
_SPOKEN_RANK = 10
_NULS = "NUL bytes"


class RolloutReader(LogReader[Record, RolloutState]):
    """Reads a rollout.

    The attributes describe the current record, for the functions that read it.
    """

    record_type = Record
    state_type = RolloutState
    record_starts = ('{"timestamp":', '{"type":', '{"record_type":')

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        name = file.name.rpartition("/")[2]
        self.id = file.session_id or session_of(name) or name.partition(".jsonl")[0]
        self.record_offset = 0
        self.record_length = 0
        self.line = b""
        self.kind = ""
        self.timestamp: datetime | None = None
        self.is_inherited = False
        self.completeness = self.state.records

    def record(self, record: Record, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """Return the pieces of one line."""
        self.record_offset = offset
        self.record_length = length
        self.line = line
        if self.state.nuls_until == offset:  # on the line of NULs that an earlier sync read
            self.state.nuls_until = offset + length
        self.timestamp = parse_time(record.timestamp)
        item, read = self._sort(record)
        self.is_inherited = self.state.inheritance == inheritance.INHERITED
        if read not in _HEADS:
            read = self._unless_written_before(record, item, read)
        self.mapped(self.kind)
        pieces = tuple(read(self, record, item))
        self._advance(record)
        return pieces

    def _sort(self, record: Record) -> tuple[Item, ReadRecord]:
        """Set the kind of a line; return its payload and the function that reads it."""
        outer = record.type or ""
        item = record.payload
        if outer == "response_item":
            kind = item.type or ""
            if not kind and item.role:
                kind = "message"
            self.kind = f"response_item {kind}".rstrip()[:80]
            return item, _ITEMS.get(kind, _unknown)
        if outer == "event_msg":
            kind = item.type or ""
            self.kind = f"event_msg {kind}".rstrip()[:80]
            return item, _EVENTS.get(kind, _unknown)
        self.kind = outer[:80] or "no type"
        if outer in _LINES:
            return item, _LINES[outer]
        if outer in _ITEMS:
            return record, _ITEMS[outer]
        if not outer:
            return item, self._sort_untyped(record)
        return item, _unknown

    def _sort_untyped(self, record: Record) -> ReadRecord:
        """Set the kind of a line without a type, as old versions wrote them."""
        if record.record_type == "state":
            self.kind = "state"
            return _marker
        if isinstance(record.id, str) and record.timestamp and record.text is None:
            self.kind = "head"
            return session_meta.old_meta
        return _unknown

    def _unless_written_before(self, record: Record, item: Item, read: ReadRecord) -> ReadRecord:
        """Return `read`, or what reads a line that the parent's file or this one has already."""
        self.is_inherited = inheritance.track_copy(self.state, record, item, self.timestamp)
        is_repeat = inheritance.track_repeat(self.state, self.timestamp, self.line)
        if is_repeat:
            return _repeated
        # Of a sub-agent's copy only the token counts matter: its own sums continue from them
        if self.is_inherited and self.state.is_subagent and read is not tokens.token_count:
            return _inherited
        return read

    def _advance(self, record: Record) -> None:
        """Count the current record, and note its time."""
        state = self.state
        state.records += 1
        self.completeness = state.records
        if self.timestamp is None:
            return
        state.started = state.started or record.timestamp
        ended = parse_time(state.ended)
        if ended is None or ended < self.timestamp:  # lines may be out of order
            state.ended = record.timestamp
        state.last_time = self.timestamp.timestamp()

    def sessions(self) -> Iterable[Session]:
        """Return the session of the file."""
        state = self.state
        if not state.records:
            return ()
        session = Session(
            agent="codex",
            id=self.id,
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
        return (self._titled(session), *agents.children(self))

    def _titled(self, session: Session) -> Session:
        state = self.state
        if state.name:
            return replace(session, title=state.name, title_rank=NAME_RANK, title_source="name")
        title = state.spoken
        if title.text is None:
            return session
        return replace(
            session, title=title.text, title_rank=_SPOKEN_RANK, title_source=title.source
        )

    def _padded(self, line: bytes, text: bytes) -> None:
        """Account for what surrounds the text of a line; NULs are damage that a crash left.

        Those of one line are one problem, also where the line grows after it was read.
        """
        nuls = line.count(0) - text.count(0)
        has_had_nuls = self.state.nuls_until == self.offset
        if nuls and has_had_nuls:
            self.ledger.add("malformed", "line", nuls, _NULS, count=0)
        elif nuls:
            self.ledger.add("malformed", "line", nuls, _NULS)
            self.ledger.trouble(self.offset + _first_nul(line, text), "line", _NULS)
        if nuls or has_had_nuls:
            self.state.nuls_until = self.offset + len(line)
        self._separated(len(line) - len(text) - nuls)

    # -- for the functions that read records ---------------------------------------------------

    @property
    def record_id(self) -> str:
        """The id of the current record: its place, since few records have an id.

        A record that a fork copied has the place it has in the parent's file, so that both are
        recognised as the same.
        """
        state = self.state
        if self.is_inherited and state.fork_of:
            return f"{state.fork_of}@{self.record_offset - state.copied_from}"
        return f"{self.id}@{self.record_offset}"

    def event(self, text: str, raw: str | None = None) -> Event:
        """Return the current record as an Event."""
        kind = self.kind.removeprefix("event_msg ").removeprefix("response_item ")
        return Event(
            session_id=self.id,
            type=kind,
            id=self.record_id,
            text=text,
            raw=raw,
            timestamp=self.timestamp,
            offset=self.record_offset,
            length=self.record_length,
        )

    def unknown_event(self) -> Event:
        """Count the current record as unknown; return it as an Event with its raw JSON."""
        self.unknown(self.kind)
        return self.event("", self.line.rstrip(b"\r").decode("utf-8", "replace"))

    def message(
        self,
        role: Role,
        kind: MessageKind,
        text: str,
        attachments: tuple[Attachment, ...] = (),
        api_id: str | None = None,
        part: str = "",
    ) -> Message:
        """Return the current record, or a part of it, as a whole Message."""
        message_id = self.record_id + part
        rollbacks.note_message(self.state, self.id, message_id)
        return Message(
            session_id=self.id,
            id=message_id,
            role=role,
            kind=kind,
            text=text,
            timestamp=self.timestamp,
            record_ids=(self.record_id,),
            attachments=attachments,
            api_id=api_id,
            offset=self.record_offset,
            length=self.record_length,
        )

    def answer(self, part: int, **fields: object) -> Message:
        """Return the current record as a part of an answer.

        Reasoning, then one text, then calls, make up one message.
        """
        state = self.state
        if state.answer is None or (part != CALLS and state.parts & (TEXT | CALLS)):
            state.answer = self.record_id
            state.parts = 0
            rollbacks.note_message(state, self.id, state.answer)
        state.parts |= part
        state.last_answer = state.answer
        return Message(
            session_id=self.id,
            id=state.answer,
            role="assistant",
            kind="answer",
            model=state.model,
            timestamp=self.timestamp,
            record_ids=(self.record_id,),
            offset=self.record_offset,
            length=self.record_length,
            **fields,  # type: ignore[arg-type]
        )

    def end_answer(self) -> None:
        """Note that the answer that was being written is complete."""
        self.state.answer = None

    def note_text(self, space: str, text: str, source: int) -> bool:
        """Count a text; return whether it is new, not one that another source recorded already.

        A source records a text as often as it was said.
        """
        key = space + digest_of(text)
        counts = self.state.seen.pop(key, None) or [0, 0, 0]
        known = max(counts)
        counts[source] += 1
        remember(self.state.seen, key, counts, MAX_SEEN)
        return counts[source] > known

    def set_model(self, model: str | None) -> None:
        """Note the model that answers from here on."""
        if not model:
            return
        self.state.model = model
        if model not in self.state.models:
            self.state.models.append(model)


def _unknown(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    return (reader.unknown_event(),)


def _notice(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    return (reader.event(describe(item.type or "", payload_of(reader.line))),)


def _marker(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    reader.skipped(reader.kind, "a marker without content")
    return ()


def _inherited(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    reader.skipped(reader.kind, "copied from the parent session")
    return ()


def _repeated(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    reader.skipped(reader.kind, "repeats an earlier line of this file")
    return ()


def _redundant(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    if item.type in ("task_started", "turn_started"):
        reader.end_answer()
        rollbacks.note_turn(reader.state)
    reader.skipped(reader.kind, REPEATED[item.type or record.type or ""])
    return ()


def _first_nul(line: bytes, text: bytes) -> int:
    """Where the first NUL around the text of a line is."""
    lead = line.index(text)
    before = line.find(0, 0, lead)
    if before >= 0:
        return before
    return line.index(0, lead + len(text))


_HEADS = (session_meta.session_meta, session_meta.old_meta)
_LINES: dict[str, ReadRecord] = {
    "compacted": conversation.compacted,
    "inter_agent_communication": agents.agent_message,
    "inter_agent_communication_metadata": _redundant,
    "session_meta": session_meta.session_meta,
    "token_usage_record": _redundant,
    "turn_context": session_meta.turn_context,
    "world_state": _redundant,
}
_ITEMS: dict[str, ReadRecord] = {
    "agent_message": agents.agent_message,
    "compaction": _redundant,
    "context_compaction": _redundant,
    "custom_tool_call": calls.custom_call,
    "custom_tool_call_output": outcomes.output,
    "function_call": calls.function_call,
    "function_call_output": outcomes.output,
    "ghost_snapshot": _redundant,
    "image_generation_call": calls.image_call,
    "local_shell_call": calls.shell_call,
    "message": conversation.message,
    "reasoning": conversation.reasoning,
    "tool_search_call": calls.function_call,
    "tool_search_output": outcomes.search_output,
    "web_search_call": calls.web_call,
}
_EVENTS: dict[str, ReadRecord] = {
    **dict.fromkeys(TEMPLATES, _notice),
    "agent_message": conversation.shown_answer,
    "agent_reasoning": conversation.shown_reasoning,
    "agent_reasoning_raw_content": conversation.shown_reasoning,
    "collab_agent_spawn_end": agents.agent_spawn_end,
    "error": conversation.error,
    "exec_command_end": call_events.exec_command_end,
    "image_generation_end": call_events.image_generation_end,
    "item_completed": turn_items.item_completed,
    "mcp_tool_call_end": call_events.mcp_tool_call_end,
    "patch_apply_end": call_events.patch_apply_end,
    "stream_error": conversation.error,
    "sub_agent_activity": agents.activity,
    "task_complete": conversation.turn_ended,
    "thread_name_updated": conversation.named,
    "thread_rolled_back": rollbacks.rolled_back,
    "token_count": tokens.token_count,
    "turn_aborted": conversation.aborted,
    "turn_complete": conversation.turn_ended,
    "user_message": conversation.user_message,
    "web_search_end": call_events.web_search_end,
    **{kind: _redundant for kind in REPEATED if kind not in _ITEMS and kind not in _LINES},
}
