"""The transcript: `session-state/<id>/events.jsonl`; of early versions, `session-state/<id>.jsonl`.

    {"type":"assistant.message","data":{"messageId":"m1","content":"Done."},"id":"e5",
     "timestamp":"2026-11-15T18:07:33Z"}

File order is the order of events. Lines with an `agentId` are a sub-agent's, which is a session
too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from msgspec.structs import replace

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.copilot_cli import conversation, lifecycle, tool_events
from agent_journal.connectors.copilot_cli.notices import EPHEMERAL, TEMPLATES, describe
from agent_journal.connectors.copilot_cli.records import (
    Data,
    EventsState,
    Record,
    Thread,
    event_data,
)
from agent_journal.connectors.copilot_cli.sessions import (
    AGENT,
    GIVEN_TITLE,
    PROMPT_TITLE,
    with_title,
)
from agent_journal.connectors.copilot_cli.usage import UsageContext
from agent_journal.connectors.jsonl import LogReader
from agent_journal.model import Attachment, Event, Message, MessageKind, Piece, Role, Session
from agent_journal.text.dates import parse_time

_SUBAGENT_EVENTS = ("subagent.started", "subagent.completed", "subagent.failed")
_MAX_KIND = 80


class EventsReader(LogReader[Record, EventsState]):
    """Reads a transcript.

    The public attributes describe the current record, for the functions in _READ_BY_TYPE.
    """

    record_type = Record
    state_type = EventsState
    is_ranked_by_bytes = True
    agent_name = AGENT  # VS Code has transcripts of the same shape

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        self.main_id = file.session_id or file.name.rpartition("/")[2].removesuffix(".jsonl")
        self.session_id = self.main_id
        self.agent_id: str | None = None  # of a sub-agent
        self.thread: Thread = self.state.main
        self.record_offset = 0
        self.record_length = 0
        self.line = b""
        self.time: datetime | None = None

    def record(self, record: Record, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one event."""
        kind = record.type
        data = record.data
        self.record_offset = offset
        self.record_length = length
        self.line = line
        self.time = parse_time(record.timestamp)
        self._enter_thread(record, data)
        read = _READ_BY_TYPE.get(kind)
        if read is not None:
            self.mapped(kind)
            return read(self, record, data)
        if kind in TEMPLATES:
            self.mapped(kind)
            return (self.event(record, describe(kind, event_data(line))),)
        if kind.startswith("model."):
            self.skipped(kind, "repeats the conversation")
            return ()
        if kind in EPHEMERAL:
            self.skipped(kind, "live stream only")
            return ()
        self.unknown(kind[:_MAX_KIND] or "no type")
        return (self.event(record, "", line.rstrip(b"\r").decode("utf-8", "replace")),)

    def sessions(self) -> Iterable[Session]:
        """The session and its sub-agents."""
        state = self.state
        if not state.seen:
            return
        main = replace(self._session(self.main_id, state.main), parent_id=state.parent)
        yield with_title(main, state.spoken.text, PROMPT_TITLE, state.spoken.source)
        for agent_id, thread in state.agents.items():
            child = replace(
                self._session(f"{self.main_id}/{agent_id}", thread),
                parent_id=self.main_id,
                parent_call_id=thread.call,
                agent_name=thread.name,
            )
            yield with_title(child, thread.title, GIVEN_TITLE, "agent")

    def _session(self, session_id: str, thread: Thread) -> Session:
        state = self.state
        return Session(
            agent=self.agent_name,
            id=session_id,
            project_path=state.cwd,
            repository=state.repository,
            git_branch=state.branch,
            agent_version=state.version,
            models=tuple(thread.models),
            started_at=parse_time(thread.started),
            ended_at=parse_time(thread.ended),
        )

    def _enter_thread(self, record: Record, data: Data) -> None:
        """Find the thread that a record belongs to, and note the time there."""
        main = self.state.main
        self.state.seen = True
        agent_id = record.agent_id or self._agent_by_call(record, data)
        self.agent_id = agent_id
        if agent_id is None:
            self.session_id = self.main_id
            self.thread = main
        else:
            self.session_id = f"{self.main_id}/{agent_id}"
            self.thread = self._agent_thread(agent_id)
        timestamp = record.timestamp
        if not timestamp:
            return
        if self.thread.started is None:
            self.thread.started = timestamp
        self.thread.note_end(timestamp, self.time)
        if self.thread is not main:
            main.note_end(timestamp, self.time)

    def _agent_thread(self, agent_id: str) -> Thread:
        thread = self.state.agents.get(agent_id)
        if thread is None:
            thread = Thread(models=[])
            self.state.agents[agent_id] = thread
        return thread

    def _agent_by_call(self, record: Record, data: Data) -> str | None:
        """The sub-agent by the call that started it, for versions without an `agentId`."""
        call = data.parent_tool_call_id
        if call is None and record.type in _SUBAGENT_EVENTS:
            call = data.tool_call_id
        if call is None:
            return None
        for agent_id, thread in self.state.agents.items():
            if thread.call == call:
                return agent_id
        return call

    # -- the current record --------------------------------------------------------------------

    def record_id(self, record: Record) -> str:
        """The id of the current record; made of its place when it has none."""
        return record.id or f"{self.main_id}@{self.record_offset}"

    def event(self, record: Record, text: str, raw: str | None = None) -> Event:
        """The current record as an Event."""
        return Event(
            session_id=self.session_id,
            type=record.type,
            id=record.id,
            text=text,
            raw=raw,
            timestamp=self.time,
            offset=self.record_offset,
            length=self.record_length,
        )

    def message(
        self,
        record: Record,
        role: Role,
        kind: MessageKind,
        text: str,
        attachments: tuple[Attachment, ...] = (),
    ) -> Message:
        """The current record as a Message."""
        record_id = self.record_id(record)
        return Message(
            session_id=self.session_id,
            id=record_id,
            role=role,
            kind=kind,
            text=text,
            timestamp=self.time,
            record_ids=(record_id,),
            attachments=attachments,
            offset=self.record_offset,
            length=self.record_length,
        )

    def usage_context(self) -> UsageContext:
        """What all Usage of the current record has in common."""
        return UsageContext(
            session_id=self.session_id,
            time=self.time,
            segment=self.state.segment,
            is_sidechain=self.agent_id is not None,
        )


_READ_BY_TYPE: dict[str, Callable[[EventsReader, Record, Data], Iterable[Piece]]] = {
    "abort": conversation.abort,
    "assistant.message": conversation.assistant_message,
    "assistant.reasoning": conversation.reasoning,
    "assistant.turn_end": lifecycle.turn_marker,
    "assistant.turn_start": lifecycle.turn_marker,
    "hook.end": lifecycle.hook_ended,
    "hook.start": lifecycle.hook_started,
    "human_response.recorded": conversation.human_response,
    "permission.completed": lifecycle.permission,
    "permission.requested": lifecycle.permission,
    "result": lifecycle.stream_result,
    "session.auto_mode_resolved": lifecycle.model_resolved,
    "session.binary_asset": tool_events.binary_asset,
    "session.compaction_complete": conversation.compaction,
    "session.context_changed": lifecycle.context_changed,
    "session.error": conversation.error,
    "session.import_legacy": conversation.imported,
    "session.model_change": lifecycle.model_changed,
    "session.resume": lifecycle.resumed,
    "session.shutdown": lifecycle.shut_down,
    "session.start": lifecycle.started,
    "session.usage_record": lifecycle.usage_record,
    "skill.invoked": conversation.skill,
    "skill.invoked_ref": conversation.skill_again,
    "subagent.completed": tool_events.subagent_ended,
    "subagent.failed": tool_events.subagent_ended,
    "subagent.started": tool_events.subagent_started,
    "system.message": conversation.system_message,
    "system.notification": conversation.notification,
    "tool.execution_complete": tool_events.tool_complete,
    "tool.execution_start": tool_events.tool_start,
    "tool.user_requested": tool_events.user_shell,
    "user.message": conversation.user_message,
}
