"""The events of a session in the form that Copilot CLI resumes:
`{"type","data","id","timestamp","parentId","agentId"?}`.

Each event names the one before it. A tool call is three events: requested in the answer, started,
completed; one that never ended has no third, and Copilot CLI itself says so to the model. The
events of a sub-agent are between the start and the end of the call that started it, marked with its
`agentId`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from agent_journal.convert.accounting import TITLE, Written
from agent_journal.convert.copilot_cli.results import attachment, completed
from agent_journal.convert.parts import Clock, Edits, json_line, parsed, tool_name
from agent_journal.convert.target import NewIdentity
from agent_journal.model import FileEdit, Message, Session, ToolCall
from agent_journal.text.plain import one_line

ABORTS = ("user_initiated", "remote_command", "user_abort", "autopilot_credit_limit")
SOURCE = "agent-journal"  # of what no person typed
BEGINNING = "[This conversation begins with the agent.]"
_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,40}\Z")  # others are refused by the API
_AGENT_SIDE = ("assistant", "tool")


class Events:
    """The lines of events.jsonl, for a session and its sub-agents."""

    def __init__(
        self, family: Sequence[Session], start: Mapping[str, Any], fresh: NewIdentity
    ) -> None:
        self.lines: list[bytes] = []
        self.written = Written()
        self.message_count = 0  # of what the model sees
        self.new_id = fresh.new_id
        self._now = fresh.now
        self._parent: str | None = None
        self._used_ids: set[str] = set()
        main, *children = family
        self._children = _by_parent_call(children)
        self._agents = {child.id: fresh.new_id() for child in children}
        clock = Clock(main, fresh.now)
        self.add("session.start", {**start, "startTime": clock.at(None)}, clock.at(None))
        _Thread(self, main, clock, None).write()
        # The call that started these is not known
        unannounced = [child for group in self._children.values() for child in group]
        for child in unannounced:
            self.sub_agent(child, None)

    def add(
        self, kind: str, data: Mapping[str, Any], timestamp: str, agent_id: str | None = None
    ) -> None:
        """Adds one event; the first message is always the user's."""
        if kind == "assistant.message" and not self.message_count:
            self.add("user.message", {"content": BEGINNING, "source": SOURCE}, timestamp)
        if kind in ("user.message", "assistant.message"):
            self.message_count += 1
        event_id = self.new_id()
        record: dict[str, Any] = {
            "type": kind,
            "data": data,
            "id": event_id,
            "timestamp": timestamp,
            "parentId": self._parent,
        }
        if agent_id:
            record["agentId"] = agent_id
        self.lines.append(json_line(record))
        self._parent = event_id

    def take_children(self, call: ToolCall) -> list[Session]:
        """The sub-agents that a call started, each given out once."""
        if not call.id:
            return []
        return self._children.pop(call.id, [])

    def sub_agent(self, child: Session, call_id: str | None) -> None:
        """Adds the events of a sub-agent; only with its call it can be announced."""
        agent_id = self._agents[child.id]
        clock = Clock(child, self._now)
        thread = _Thread(self, child, clock, agent_id)
        if call_id is None:
            thread.write()
            return
        self.written.add(child)
        name = one_line(child.agent_name, 80) or "agent"
        about = {
            "toolCallId": call_id,
            "agentName": name,
            "agentDisplayName": one_line(child.title, TITLE) or name,
        }
        started = {**about, "agentDescription": ""}
        parent_agent = self._agents.get(child.parent_id or "")
        if parent_agent:
            started["parentId"] = parent_agent
        self.add("subagent.started", started, clock.at(None), agent_id)
        thread.write()
        self.add("subagent.completed", about, clock.at(None), agent_id)

    def call_id(self, wanted: str) -> str:
        """An id for a call that no other call has, in letters that the API allows."""
        chosen = wanted
        if not _CALL_ID.match(wanted) or wanted in self._used_ids:
            chosen = f"call_{self.new_id().replace('-', '')}"
        self._used_ids.add(chosen)
        return chosen


def _by_parent_call(children: Sequence[Session]) -> dict[str, list[Session]]:
    groups: dict[str, list[Session]] = {}
    for child in children:
        groups.setdefault(child.parent_call_id or "", []).append(child)
    return groups


class _Thread:
    """The conversation of a session, or of a sub-agent."""

    def __init__(
        self, events: Events, session: Session, clock: Clock, agent_id: str | None
    ) -> None:
        self.events = events
        self.session = session
        self.clock = clock
        self.agent_id = agent_id
        self.edits = Edits(session)
        self.reasoning: list[Message] = []  # of answers that are nothing else

    def write(self) -> None:
        """Adds the events of all messages, and of edits after the answer that they belong to."""
        waiting: list[FileEdit] = []
        for message in self.session.messages:
            if is_only_reasoning(message):
                self.reasoning.append(message)
            elif left_out(message) is None:
                self._message(message)
            waiting += self.edits.by_message.get(message.id, ())
            if message.role == "assistant":
                self._edits_without_call(waiting)
                waiting = []
        self._edits_without_call(waiting)

    def _add(self, kind: str, data: Mapping[str, Any], when: datetime | None) -> None:
        self.events.add(kind, data, self.clock.at(when), self.agent_id)

    # -- the person's side ---------------------------------------------------------------------

    def _message(self, message: Message) -> None:
        is_of_agent = message.role in _AGENT_SIDE
        if is_of_agent and message.kind != "error":
            self._answer(message)
        elif message.kind == "shell" and message.tool_calls:
            self._shell(message)
        else:
            if message.kind == "prompt":
                self.reasoning = []  # the next answer is to another prompt
            if message.text.strip() or message.attachments:
                self._event(message)
            if not is_of_agent and message.tool_calls:
                self._answer(_bare_answer(message))

    def _event(self, message: Message) -> None:
        """The event of a message that is not an answer, by its kind."""
        text = message.text
        if message.kind == "compaction" and self.events.message_count:
            self.events.written.add(message)
            summary = {"success": True, "summaryContent": text}
            self._add("session.compaction_complete", summary, message.timestamp)
        elif message.kind == "error":
            error = {"errorType": "converted", "message": text}
            self._add("session.error", error, message.timestamp)
        elif message.kind == "notice":
            notice = {"infoType": "converted", "message": text}
            self._add("session.info", notice, message.timestamp)
        elif message.kind == "interrupt":
            reason = text if text in ABORTS else ABORTS[0]
            self._add("abort", {"reason": reason}, message.timestamp)
        else:
            self._prompt(message)

    def _prompt(self, message: Message) -> None:
        attachments = []
        for attached in message.attachments:
            form = attachment(attached)
            if form is not None:
                attachments.append(form)
                self.events.written.add(attached)
        names = [form["displayName"] for form in attachments]
        data: dict[str, Any] = {"content": message.text or f"[attached: {', '.join(names)}]"}
        if attachments:
            data["attachments"] = attachments
        if message.kind == "skill":
            data["source"] = f"skill-{SOURCE}"
        elif message.kind == "shell":
            data["agentMode"] = "shell"
        elif message.kind != "prompt":
            data["source"] = SOURCE
        self._add("user.message", data, message.timestamp)

    def _shell(self, message: Message) -> None:
        """A shell command that the person ran."""
        for call in message.tool_calls:
            call_id = self.events.call_id(call.id)
            arguments = parsed(call.arguments)
            if not isinstance(arguments, dict):
                arguments = {"command": message.text}
            about = {
                "toolCallId": call_id,
                "toolName": call.name or "local_shell",
                "arguments": arguments,
            }
            self._add("tool.user_requested", about, call.started_at or message.timestamp)
            self._complete(call, {"toolCallId": call_id, "isUserRequested": True})

    # -- the model's side ----------------------------------------------------------------------

    def _answer(self, message: Message) -> None:
        data: dict[str, Any] = {"messageId": self.events.new_id(), "content": message.text}
        if message.model:
            data["model"] = message.model
        reasoning = [earlier.reasoning for earlier in self.reasoning]
        self.events.written.update(self.reasoning)
        self.reasoning = []
        if message.reasoning:
            reasoning.append(message.reasoning)
        if reasoning:
            data["reasoningText"] = "\n\n".join(reasoning)
        calls = [(call, self.events.call_id(call.id)) for call in message.tool_calls]
        if calls:
            data["toolRequests"] = [_request(call, call_id) for call, call_id in calls]
        self._add("assistant.message", data, message.timestamp)
        for call, call_id in calls:
            self._call(call, call_id)

    def _call(self, call: ToolCall, call_id: str) -> None:
        if _is_started(call):
            data: dict[str, Any] = {"toolCallId": call_id, "toolName": tool_name(call)}
            self._add("tool.execution_start", data | _given_to(call), call.started_at)
        for child in self.events.take_children(call):
            self.events.sub_agent(child, call_id)
        self._complete(call, {"toolCallId": call_id})

    def _complete(self, call: ToolCall, about: Mapping[str, Any]) -> None:
        """The result of a call, if there is one."""
        changed = self.edits.by_call.get(call.id, [])
        data = completed(call, changed, self.edits)
        if data is None:
            return
        if "fileEdits" in data:
            self.events.written.update(changed)
        shown = data.get("result", {}).get("detailedContent")
        if call.display and shown == call.display:
            self.events.written.add(call)
        self._add("tool.execution_complete", {**about, **data}, call.ended_at)

    def _edits_without_call(self, edits: Sequence[FileEdit]) -> None:
        """Edits that no call made, as calls of edit: a change of a file has no other place."""
        for edit in edits:
            call = edit_call(edit)
            call_id = self.events.call_id("")
            self.edits.by_call[call.id] = [edit]
            data = {
                "messageId": self.events.new_id(),
                "content": "",
                "toolRequests": [_request(call, call_id)],
            }
            self._add("assistant.message", data, edit.timestamp)
            self._call(call, call_id)


def _bare_answer(message: Message) -> Message:
    """An answer for the calls of a message that is not one."""
    return Message(
        session_id="",
        id="",
        role="assistant",
        kind="answer",
        tool_calls=message.tool_calls,
        timestamp=message.timestamp,
    )


def _is_started(call: ToolCall) -> bool:
    return call.status is not None or call.started_at is not None or call.result is not None


def _given_to(call: ToolCall) -> dict[str, Any]:
    """The arguments of a call and its server, where it has them."""
    given: dict[str, Any] = {}
    arguments = parsed(call.arguments)
    if arguments is not None:
        is_plain = isinstance(arguments, (dict, str))
        given["arguments"] = arguments if is_plain else {"input": arguments}
    if call.server:
        given["mcpServerName"] = call.server
    return given


def _request(call: ToolCall, call_id: str) -> dict[str, Any]:
    request: dict[str, Any] = {
        "toolCallId": call_id,
        "name": tool_name(call),
        "type": "function",
        **_given_to(call),
    }
    if isinstance(request.get("arguments"), str):
        request["type"] = "custom"  # of a function, text would be left out
    if call.title:
        request["intentionSummary"] = call.title
    return request


def is_only_reasoning(message: Message) -> bool:
    """Whether an answer has nothing to show; it becomes part of the next answer."""
    is_answer = message.role == "assistant" and message.kind != "error"
    is_empty = not message.text.strip() and not message.tool_calls
    return is_answer and is_empty and bool(message.reasoning) and not message.is_branch


def left_out(message: Message) -> str | None:
    """Why a message has no event; None when it has one."""
    if message.kind == "system_prompt":
        return "Copilot CLI has its own system prompt"
    if message.is_branch or message.state == "hidden":
        return "a rewind removed it, and Copilot CLI keeps one line of conversation"
    if message.text.strip() or message.reasoning or message.tool_calls:
        return None
    if message.role == "user" and message.attachments:
        return None
    return "it is empty"


def edit_call(edit: FileEdit) -> ToolCall:
    """A call of edit that represents a change of a file."""
    undone = ", and undone later" if edit.state == "undone" else ""
    return ToolCall(
        session_id=edit.session_id,
        id=f"edit {edit.path} {edit.seq}",
        name="create" if edit.kind == "create" else "edit",
        arguments=json.dumps({"path": edit.path}),
        result=f"{edit.kind}: {edit.path}{undone}",
        status="ok",
        started_at=edit.timestamp,
        ended_at=edit.timestamp,
    )
