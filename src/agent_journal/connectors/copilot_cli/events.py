"""The transcript: `session-state/<id>/events.jsonl`, or `session-state/<id>.jsonl` of early
versions.

`{"type":"assistant.message","data":{"messageId":"m1","content":"Done."},"id":"e5","timestamp":"2026-11-15T18:07:33Z"}`
File order is the order of events. Lines with an `agentId` are a sub-agent's and become a session of
their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.copilot_cli import conversation, lifecycle, tool_events
from agent_journal.connectors.copilot_cli.notices import EPHEMERAL, TEMPLATES, describe
from agent_journal.connectors.copilot_cli.records import Data, Record, State, Thread, event_data
from agent_journal.connectors.jsonl import LogReader
from agent_journal.model import Attachment, Event, Message, MessageKind, Piece, Role, Session
from agent_journal.text.dates import parse_time


class EventsReader(LogReader[Record, State]):
    """Reads a transcript. The attributes below are about the record at hand, for the functions that
    read it.
    """

    record_type = Record
    state_type = State
    agent_name = "copilot-cli"  # VS Code keeps transcripts of the same shape

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        self.id = file.session_id or file.name.rpartition("/")[2].removesuffix(".jsonl")
        self.session = self.id
        self.agent: str | None = None
        self.thread: Thread = self.state.main
        self.at = 0
        self.length = 0
        self.line = b""

    def record(self, record: Record, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one event."""
        kind = record.type
        data = record.data
        self.at, self.length, self.line = offset, length, line
        self._enter(record, data)
        handler = _HANDLERS.get(kind)
        if handler is not None:
            self.mapped(kind)
            return handler(self, record, data)
        if kind in TEMPLATES:
            self.mapped(kind)
            return (self.event(record, describe(kind, event_data(line))),)
        if kind.startswith("model."):
            self.skipped(kind, "repeats the conversation")
            return ()
        if kind in EPHEMERAL:
            self.skipped(kind, "live stream only")
            return ()
        self.unknown(kind[:80] or "no type")
        return (self.event(record, "", line.rstrip(b"\r").decode("utf-8", "replace")),)

    def sessions(self) -> Iterable[Session]:
        """The session and one for each sub-agent in it."""
        state = self.state
        if not state.seen:
            return
        yield Session(
            agent=self.agent_name,
            id=self.id,
            title=state.title,
            title_rank=10 if state.title else 0,
            title_source="prompt" if state.title else None,
            project_path=state.cwd,
            repository=state.repository,
            git_branch=state.branch,
            agent_version=state.version,
            models=tuple(state.main.models),
            started_at=parse_time(state.main.started),
            ended_at=parse_time(state.main.ended),
            parent_id=state.parent,
        )
        for agent_id, thread in state.agents.items():
            yield Session(
                agent=self.agent_name,
                id=f"{self.id}/{agent_id}",
                title=thread.title,
                title_rank=40 if thread.title else 0,
                title_source="agent" if thread.title else None,
                project_path=state.cwd,
                repository=state.repository,
                git_branch=state.branch,
                agent_version=state.version,
                models=tuple(thread.models),
                started_at=parse_time(thread.started),
                ended_at=parse_time(thread.ended),
                parent_id=self.id,
                parent_call_id=thread.call,
                agent_name=thread.name,
            )

    def _enter(self, record: Record, data: Data) -> None:
        """Finds the thread a record belongs to and notes its time."""
        state = self.state
        state.seen = True
        agent = record.agent_id or self._agent_by_call(record, data)
        self.agent = agent
        if agent is None:
            self.session, thread = self.id, state.main
        else:
            self.session = f"{self.id}/{agent}"
            found = state.agents.get(agent)
            thread = (
                found if found is not None else state.agents.setdefault(agent, Thread(models=[]))
            )
        self.thread = thread
        if record.timestamp:
            if thread.started is None:
                thread.started = record.timestamp
            thread.reaches(record.timestamp)
            if thread is not state.main:
                state.main.reaches(record.timestamp)

    def _agent_by_call(self, record: Record, data: Data) -> str | None:
        """The sub-agent by the call that started it, the only mark before there was an `agentId`."""
        call = data.parent_tool_call_id
        if call is None and record.type in (
            "subagent.started",
            "subagent.completed",
            "subagent.failed",
        ):
            call = data.tool_call_id
        if call is None:
            return None
        return next(
            (agent for agent, thread in self.state.agents.items() if thread.call == call), call
        )

    def record_id(self, record: Record) -> str:
        """The id of the record at hand; its place when it has none."""
        return record.id or f"{self.id}@{self.at}"

    def event(self, record: Record, text: str, raw: str | None = None) -> Event:
        """The record at hand as an Event."""
        return Event(
            session_id=self.session,
            type=record.type,
            id=record.id,
            text=text,
            raw=raw,
            timestamp=parse_time(record.timestamp),
            offset=self.at,
            length=self.length,
        )

    def message(
        self,
        record: Record,
        role: Role,
        kind: MessageKind,
        text: str,
        attached: tuple[Attachment, ...] = (),
    ) -> Message:
        """The record at hand as a Message."""
        record_id = self.record_id(record)
        return Message(
            session_id=self.session,
            id=record_id,
            role=role,
            kind=kind,
            text=text,
            timestamp=parse_time(record.timestamp),
            record_ids=(record_id,),
            attachments=attached,
            offset=self.at,
            length=self.length,
        )

    def uses(self, model: str | None) -> None:
        """Notes a model of the thread at hand; `auto` is not one."""
        if model and model != "auto" and model not in self.thread.models:
            self.thread.models.append(model)


_HANDLERS: dict[str, Callable[[EventsReader, Record, Data], Iterable[Piece]]] = {
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
    "session.binary_asset": tool_events.binary_asset,
    "session.compaction_complete": conversation.compaction,
    "session.context_changed": lifecycle.moved,
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
