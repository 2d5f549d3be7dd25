"""Sub-agents that another transcript reports: `progress`, results, and the queue.

    {"type":"progress","parentToolUseID":"toolu_1","data":{"type":"agent_progress","agentId":"a1",
     "prompt":"Look","message":{"type":"assistant","uuid":"…","message":{…}}},…}

Such a line holds one message of the sub-agent. Most sub-agents have a file, which says the same and
more: then only the link to the call is taken from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from msgspec import Raw, Struct, field
from msgspec.structs import replace

from agent_journal.connectors.base import Content
from agent_journal.connectors.claude_code.harness import plain
from agent_journal.connectors.claude_code.outcomes import prompt_mark
from agent_journal.connectors.claude_code.records import (
    ApiMessage,
    Block,
    LineContext,
    Record,
    Tokens,
    decoded,
)
from agent_journal.connectors.claude_code.state import (
    DESCRIPTION,
    AgentThread,
    SessionFacts,
    TranscriptState,
)
from agent_journal.connectors.claude_code.threads import Threads
from agent_journal.connectors.values import one_line
from agent_journal.model import Message, Piece, Session, ToolCall
from agent_journal.text.dates import parse_time

_MARK = b'"agent_progress"'
_AGENT_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")
_TASK_ID = re.compile(r"<task-id>([A-Za-z0-9_-]{1,80})</task-id>")
_TASK_CALL = re.compile(r"<tool-use-id>([^<>\s]{1,80})</tool-use-id>")
_TASK_START = '{"task_id":'
_MESSAGES = ("user", "assistant")


class _Progress(Struct, gc=False, rename="camel"):
    agent_id: str | None = None
    prompt: str | None = None
    message: Record = field(default_factory=Record)


class _ProgressLine(Struct, gc=False):
    data: _Progress = field(default_factory=_Progress)
    call_id: str | None = field(default=None, name="parentToolUseID")


class _Report(Struct, gc=False):
    status: str | None = None
    content: list[Block | str] | None = None
    usage: Tokens | None = None


class _Task(Struct, gc=False):
    task_id: str | None = None
    tool_use_id: str | None = None


class AgentLine(NamedTuple):
    """A message of a sub-agent, and the call that started it.

    `task` is what it was asked, on the first line only.
    """

    thread: AgentThread
    message: Record
    call_id: str | None
    task: str | None = None


_progress_line = msgspec.json.Decoder(_ProgressLine)
_report = msgspec.json.Decoder(_Report)
_task = msgspec.json.Decoder(_Task)


class Agents:
    """The sub-agents that a transcript reports, beside those it contains."""

    def __init__(self, threads: Threads, state: TranscriptState) -> None:
        self._threads = threads
        self._state = state
        self.content: Content | None = None

    def sessions(self) -> Iterable[Session]:
        """The sub-agents without a file; of the others, what started them."""
        for thread in self._state.agents.values():
            session = thread.facts.session(self._threads.project_dir)
            if not thread.has_file:
                yield session
            elif session.parent_call_id is not None:
                # Its own file knows the parent: this one may be that of the outermost session
                yield replace(session, is_hint=True, parent_id=None, project_dir=None)

    def find_line(self, line: bytes, parent: SessionFacts) -> AgentLine | None:
        """The message of a sub-agent in a `progress` line; None for any other progress."""
        if _MARK not in line:
            return None
        decoded_line = decoded(Raw(line), _progress_line)
        if decoded_line is None or decoded_line.data.message.type not in _MESSAGES:
            return None
        progress = decoded_line.data
        thread = self._thread(progress.agent_id, parent.id)
        if thread is None:
            return None
        message = progress.message
        message.parent_uuid = thread.last_line
        task = None
        if not thread.facts.has_lines and message.type != "user":
            task = progress.prompt
        thread.last_line = message.uuid or thread.last_line
        if message.type == "assistant":
            thread.last_text = _text_mark(message.message) or thread.last_text
        return AgentLine(thread, message, decoded_line.call_id, task)

    def report(self, pieces: Iterable[Piece], record: Record) -> AgentLine | None:
        """The last answer of a sub-agent without a file, which is only in the result of its call.

        The usage in such a result is that of this answer.
        """
        if not self._state.agents:
            return None
        for piece in pieces:
            if not isinstance(piece, ToolCall) or not piece.child_session_id:
                continue
            thread = self._state.agents.get(_agent_in(piece.child_session_id))
            if thread is not None and thread.facts.has_lines and not thread.has_file:
                return _report_of(thread, piece.id, decoded(record.tool_use_result, _report))
        return None

    def context(self, agent_line: AgentLine, line: LineContext) -> LineContext:
        """What the pieces of a sub-agent's message have in common."""
        message = agent_line.message
        record_ids: tuple[str, ...] = ()
        if message.uuid is not None:
            record_ids = (message.uuid,)
        return line._replace(
            session_id=agent_line.thread.facts.id,
            time=parse_time(message.timestamp) or line.time,
            record_ids=record_ids,
            is_child=True,
            path=("data", "message"),
        )

    def link(self, agent_line: AgentLine, session_id: str) -> Iterable[Piece]:
        """Note which call started a sub-agent; the call, if it has no result yet."""
        facts = agent_line.thread.facts
        call_id = agent_line.call_id
        if not call_id or facts.parent_call is not None:
            return ()
        facts.parent_call = call_id
        call = self._state.calls.get(call_id)
        if call is None:
            return ()
        facts.agent_name = facts.agent_name or call.agent_type
        if call.description:
            facts.titles[DESCRIPTION] = one_line(call.description)
        return (ToolCall(session_id=session_id, id=call_id, child_session_id=facts.id),)

    def note(self, pieces: Iterable[Piece]) -> None:
        """Learn from results and notifications which calls started sub-agents that have a file."""
        for piece in pieces:
            if isinstance(piece, ToolCall) and piece.child_session_id:
                self._link_file(_agent_in(piece.child_session_id), piece.id)
            elif isinstance(piece, Message) and piece.kind == "notification":
                self.note_task(piece.text)

    def note_task(self, text: str) -> None:
        """Learn from a queued notice which call started a sub-agent that has a file."""
        if text.startswith(_TASK_START):
            task = decoded(Raw(text.encode()), _task) or _Task()
            self._link_file(task.task_id, task.tool_use_id)
            return
        agent_id = _TASK_ID.search(text)
        call_id = _TASK_CALL.search(text)
        if agent_id is not None and call_id is not None:
            self._link_file(agent_id[1], call_id[1])

    def _link_file(self, agent_id: str | None, call_id: str | None) -> None:
        """Note a link to a sub-agent; tasks that are none have no file of that name."""
        if agent_id is None or not _AGENT_ID.fullmatch(agent_id):
            return
        if agent_id in self._state.agents or self._has_file(agent_id):
            thread = self._thread(agent_id, self._state.main.id)
            if thread is not None and call_id and thread.facts.parent_call is None:
                thread.facts.parent_call = call_id

    def _thread(self, agent_id: str | None, parent_id: str) -> AgentThread | None:
        if agent_id is None or not _AGENT_ID.fullmatch(agent_id):
            return None
        thread = self._state.agents.get(agent_id)
        if thread is None:
            session_id = f"agent-{agent_id}"
            if self._threads.owner:
                session_id = f"{self._threads.owner}/{session_id}"
            facts = SessionFacts(id=session_id, parent=parent_id)
            thread = AgentThread(facts, has_file=self._has_file(agent_id))
            self._state.agents[agent_id] = thread
        return thread

    def _has_file(self, agent_id: str) -> bool:
        if self.content is None:
            return False
        names = self._threads.names_of_agent(agent_id)
        return any(self.content.has_sibling(name) for name in names)


def _agent_in(session_id: str) -> str:
    return session_id.rpartition("agent-")[2]


def _report_of(thread: AgentThread, call_id: str, report: _Report | None) -> AgentLine | None:
    """The answer in a result; None if the call did not end well or `progress` had it already."""
    if report is None or report.status != "completed":
        return None
    # Nothing else names the response: the call does so in every copy of the line
    answer = ApiMessage(id=call_id, content=report.content, usage=report.usage)
    if thread.facts.models:
        answer.model = thread.facts.models[-1]
    mark = _text_mark(answer)
    if mark is None or mark == thread.last_text:
        return None
    message = Record(type="assistant", parent_uuid=thread.last_line, message=answer)
    return AgentLine(thread, message, call_id)


def _text_mark(message: ApiMessage) -> str | None:
    text = plain(message.content)
    if not text.strip():
        return None
    return prompt_mark(text)
