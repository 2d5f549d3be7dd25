"""Reads the transcript of a session or of a sub-agent (threads.py lists where they are).

    {"parentUuid":null,"type":"user","message":{"role":"user","content":"hello"},"uuid":"u1",
     "timestamp":"…Z",…}
    {"type":"custom-title","customTitle":"Fix the parser","sessionId":"…"}

Every line is turned into pieces on its own; state.py has what lines must know of each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent_journal.connectors.base import Content, FileIdentity, Pause
from agent_journal.connectors.claude_code import harness
from agent_journal.connectors.claude_code.agents import Agents
from agent_journal.connectors.claude_code.answers import (
    SYNTHETIC,
    AnswerBlocks,
    answer_kind,
    usage_of,
)
from agent_journal.connectors.claude_code.chain import Chain
from agent_journal.connectors.claude_code.edits import delta_edits, snapshot_edits
from agent_journal.connectors.claude_code.line_events import changed_settings, line_event
from agent_journal.connectors.claude_code.outcomes import (
    TOOLS_WITH_INPUT,
    TRACKED_TOOLS,
    prompt_mark,
    task_input,
)
from agent_journal.connectors.claude_code.records import Block, LineContext, Record
from agent_journal.connectors.claude_code.state import (
    SESSION_METADATA,
    PendingCall,
    SessionFacts,
    TranscriptState,
    keep_recent,
)
from agent_journal.connectors.claude_code.summaries import Summaries
from agent_journal.connectors.claude_code.threads import Threads
from agent_journal.connectors.claude_code.totals import recorded_totals
from agent_journal.connectors.claude_code.user_side import UserSide
from agent_journal.connectors.jsonl import LogReader
from agent_journal.model import (
    Event,
    Message,
    MessageState,
    Piece,
    Session,
)
from agent_journal.text.dates import parse_time

_CONVERSATION = ("user", "assistant", "system", "attachment", "progress")
_MAX_PENDING_CALLS = 500
_MAX_RECENT = 200
_MAX_INPUT = 256 * 1024


class TranscriptReader(LogReader[Record, TranscriptState]):
    """Reads one transcript."""

    record_type = Record
    state_type = TranscriptState
    is_ranked_by_bytes = True

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        self._threads = Threads(file, self.state)
        self._chain = Chain(self.state)
        self._summaries = Summaries(self.state, self._chain)
        self._agents = Agents(self._threads, self.state)
        self._user_side = UserSide(self.state, self._chain, self._threads, self.quote)

    def sessions(self) -> Iterable[Session]:
        """The session of the file, and the sub-agents that it holds or reports."""
        yield from self._threads.sessions()
        yield from self._agents.sessions()

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """The pieces of all lines from `offset` on."""
        self._agents.content = content
        return super().read(content)

    def record(self, record: Record, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one line."""
        kind = record.type
        if kind not in _CONVERSATION:
            return self._metadata(record, offset, length, line)
        uuid = record.uuid
        record_ids: tuple[str, ...] = ()
        if uuid is not None:
            is_new = self._chain.add(uuid, record, line)
            if not is_new:
                self.skipped(kind, "written twice: the same uuid came before")
                return ()
            if self.state.summaries:
                self._summaries.claim(uuid)
            record_ids = (uuid,)
        facts = self._threads.of(record, offset)
        when = parse_time(record.timestamp)
        facts.note(record, when)
        is_child = self._threads.is_subagent or facts is not self.state.main
        context = LineContext(facts.id, when, offset, length, record_ids, is_child)
        pieces = self._line(record, context, facts, line)
        if record.prompt_source is None and record.session_kind is None:
            return pieces
        return [*changed_settings(record, context, facts), *pieces]

    def _line(
        self, record: Record, context: LineContext, facts: SessionFacts, line: bytes
    ) -> Iterable[Piece]:
        kind = record.type
        if kind == "assistant":
            return self._assistant(record, context, facts, line)
        if kind == "user":
            return self._user(record, context, facts, line)
        if kind == "system":
            return self._system(record, context, facts, line)
        if kind == "attachment":
            return self._attachment(record, context, facts, line)
        return self._progress(record, context, facts, line)

    # -- the model -----------------------------------------------------------------------------

    def _assistant(
        self, record: Record, context: LineContext, facts: SessionFacts, line: bytes
    ) -> Iterable[Piece]:
        message = record.message
        message_id = message.id or record.uuid or f"line-{context.offset}"
        answer = AnswerBlocks(message.content, message_id, context)
        for request in answer.requests:
            self._track_call(request, message_id)
        model = message.model
        if model == SYNTHETIC:
            model = None
        if model and model not in facts.models:
            facts.models.append(model)
        kind = answer_kind(record)
        text = "\n\n".join(filter(None, answer.texts))
        if kind == "answer" and text:
            facts.spoken.note_answer(text)
        piece = Message(
            session_id=context.session_id,
            id=message_id,
            role="assistant",
            kind=kind,
            text=text,
            reasoning="\n\n".join(filter(None, answer.reasoning)),
            model=model,
            timestamp=context.time,
            parent_id=self._answer_parent(record, message_id),
            record_ids=context.record_ids,
            tool_calls=tuple(answer.calls),
            attachments=tuple(answer.attachments),
            usage=usage_of(record, model, context),
            state=self._message_state(record),
            stop_reason=message.stop_reason,
            api_id=message.id,
            offset=context.offset,
            length=context.length,
        )
        if answer.unknown:
            return (piece, self._unknown_block("assistant", answer.unknown[0], context, line))
        self.mapped("assistant")
        return (piece,)

    def _answer_parent(self, record: Record, message_id: str) -> str | None:
        """What an answer follows; None for its later lines, which only follow its earlier ones."""
        is_continued = message_id in self.state.recent
        keep_recent(self.state.recent, message_id, 0, _MAX_RECENT)
        if is_continued:
            return None
        if self.state.queue:
            self._user_side.queue.answered()
        return self._chain.parent(record.parent_uuid)

    def _track_call(self, request: Block, message_id: str) -> None:
        """Remember what the result of a call will need."""
        if request.id is None or request.name not in TRACKED_TOOLS:
            return
        call = PendingCall(request.name, message_id)
        if request.name in TOOLS_WITH_INPUT and len(bytes(request.input)) <= _MAX_INPUT:
            call.input = bytes(request.input)
        keep_recent(self.state.calls, request.id, call, _MAX_PENDING_CALLS)
        task = task_input(request)
        if task is None:
            return
        call.description = task.description
        call.agent_type = task.subagent_type
        if task.prompt and not self._threads.is_subagent:
            mark = prompt_mark(task.prompt)
            keep_recent(self.state.tasks, mark, request.id, _MAX_PENDING_CALLS)

    def _message_state(self, record: Record) -> MessageState | None:
        if self._threads.is_internal:
            return "hidden"
        if record.is_api_error_message:
            return "failed"
        if record.is_aborted_mid_stream:
            return "cancelled"
        return None

    # -- the user side -------------------------------------------------------------------------

    def _user(
        self, record: Record, context: LineContext, facts: SessionFacts, line: bytes
    ) -> Iterable[Piece]:
        pieces, unknown = self._user_side.line(record, context, facts)
        self._agents.note(pieces)
        pieces += self._report(record, pieces, context, line)
        if not pieces:
            self._chain.bridge(record)
        if unknown:
            return [*pieces, self._unknown_block("user", unknown[0], context, line)]
        if pieces:
            self.mapped("user")
        else:
            self.skipped("user", "a message without content")
        return pieces

    # -- sub-agents that have no file ----------------------------------------------------------

    def _progress(
        self, record: Record, context: LineContext, facts: SessionFacts, line: bytes
    ) -> Iterable[Piece]:
        self._chain.bridge(record)
        agent_line = self._agents.find_line(line, facts)
        if agent_line is None:
            self.skipped("progress", "live progress, repeated in the result")
            return ()
        thread = agent_line.thread
        kind = "progress/agent_progress"
        pieces = [*self._agents.link(agent_line, context.session_id)]
        if thread.has_file:
            self.skipped(kind, "the sub-agent has a file of its own")
            return pieces
        message = agent_line.message
        inner = self._agents.context(agent_line, context)
        thread.facts.note(record, inner.time)
        if agent_line.task:
            pieces += self._user_side.task(agent_line.task, inner, thread.facts)
        if message.type == "assistant":
            pieces += self._assistant(message, inner, thread.facts, line)
        else:
            pieces += self._user(message, inner, thread.facts, line)
        is_known = self._verdict[0] != "unknown"
        if is_known:
            self.mapped(kind)
        return pieces

    def _report(
        self, record: Record, pieces: Iterable[Piece], context: LineContext, line: bytes
    ) -> Iterable[Piece]:
        """What a sub-agent answered in the end, where only its result has it."""
        agent_line = self._agents.report(pieces, record)
        if agent_line is None:
            return ()
        facts = agent_line.thread.facts
        facts.note(record, context.time)
        return self._assistant(
            agent_line.message, self._agents.context(agent_line, context), facts, line
        )

    # -- the harness ---------------------------------------------------------------------------

    def _system(
        self, record: Record, context: LineContext, facts: SessionFacts, line: bytes
    ) -> Iterable[Piece]:
        kind = "system"
        if record.subtype:
            kind = f"system/{record.subtype}"
        if record.subtype == "local_command":
            self.mapped(kind)
            return self._user_side.local_command(record, context, facts)
        self._chain.bridge(record)
        reason = harness.system_reason(record)
        if reason is not None:
            self.skipped(kind, reason)
            return ()
        if harness.is_system_event(record):
            self.mapped(kind)
            text = harness.system_text(record)
            return (line_event(record.subtype or "system", context, record.uuid, text=text),)
        self.unknown(kind)
        return (line_event(kind, context, record.uuid, raw=line),)

    def _attachment(
        self, record: Record, context: LineContext, facts: SessionFacts, line: bytes
    ) -> Iterable[Piece]:
        attached = record.attachment
        kind = f"attachment/{attached.type}"
        if attached.type == "queued_command":
            return self._queued_command(record, context, facts)
        if attached.type == "hook_additional_context":
            self.mapped(kind)
            return (self._user_side.hook_context(record, context),)
        self._chain.bridge(record)
        instructions = harness.instructions(attached)
        if instructions:
            self.mapped(kind)
            return (self._user_side.instructions(instructions, record, context),)
        reason = harness.attachment_reason(attached)
        if reason is not None:
            self.skipped(kind, reason)
            return ()
        if harness.is_attachment_event(attached):
            self.mapped(kind)
            text = harness.attachment_text(attached)
            return (line_event(kind, context, record.uuid, text=text),)
        self.unknown(kind)
        return (line_event(kind, context, record.uuid, raw=line),)

    def _queued_command(
        self, record: Record, context: LineContext, facts: SessionFacts
    ) -> Iterable[Piece]:
        kind = "attachment/queued_command"
        pieces = self._user_side.queued_command(record, context, facts)
        if pieces:
            self.mapped(kind)
        else:
            self.skipped(kind, "a blank prompt")
            self._chain.bridge(record)
        return pieces

    def _unknown_block(self, side: str, block: str, context: LineContext, line: bytes) -> Event:
        kind = f"{side}/{block}"
        self.unknown(kind)
        return line_event(kind, context, raw=line)

    # -- metadata ------------------------------------------------------------------------------

    def _metadata(self, record: Record, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        kind = record.type or "?"
        if kind == "queue-operation":
            self._agents.note_task(harness.plain(record.content))
        reason = harness.SKIPPED_TYPES.get(kind)
        if reason is not None:
            self.skipped(kind, reason)
            return ()
        main = self.state.main
        session_id = main.id or record.session_id or f"agent-{self._threads.agent_id}"
        when = parse_time(record.timestamp)
        context = LineContext(session_id, when, offset, length, record_ids=(), is_child=False)
        self.mapped(kind)
        if kind in SESSION_METADATA:
            main.note_metadata(record)
            return recorded_totals(line, context._replace(time=main.ended))
        if kind == "summary":
            return self._summary(record, context)
        if kind == "queue-operation":
            return self._queue_operation(record, context)
        if kind == "file-history-snapshot":
            return snapshot_edits(record, self.state, context)
        if kind == "file-history-delta":
            return delta_edits(record, self.state, context)
        return self._metadata_event(record, context, line)

    def _metadata_event(self, record: Record, context: LineContext, line: bytes) -> Iterable[Piece]:
        kind = record.type or "?"
        main = self.state.main
        if kind == "pr-link":
            main.repository = record.pr_repository or main.repository
            return (line_event(kind, context, record.uuid, text=record.pr_url or ""),)
        if kind == "agent-setting":
            return self._agent_setting(record, context)
        if kind not in harness.RAW_TYPES and not kind.startswith(harness.RAW_PREFIXES):
            self.unknown(kind)
        return (line_event(kind, context, record.uuid, raw=line),)

    def _agent_setting(self, record: Record, context: LineContext) -> Iterable[Piece]:
        if self.state.main.note_setting("agent-setting", record.agent_setting):
            return (line_event("agent-setting", context, text=record.agent_setting or ""),)
        self.skipped("agent-setting", "the same as before")
        return ()

    def _queue_operation(self, record: Record, context: LineContext) -> Iterable[Piece]:
        context = context._replace(is_child=self._threads.is_subagent)
        pieces = self._user_side.queue.operation(record, context, self.state.main)
        if not pieces:
            self.skipped("queue-operation", "nothing new: it leaves the queue, or is blank")
        return pieces

    def _summary(self, record: Record, context: LineContext) -> Iterable[Piece]:
        if not record.summary:
            self.skipped("summary", "a title without words")
            return ()
        return self._summaries.note(record, context)
