"""The events of a session as Copilot CLI takes them up again:
`{"type","data","id","timestamp","parentId","agentId"?}`.

Each event names the one before it. A call of a tool is three events: asked for in the answer,
started, completed; one that never ended has no third, and Copilot CLI itself says so to the model.
Sub-agents stand between the start and the end of the call that started them, marked with their
`agentId`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from agent_journal.convert.accounting import TITLE
from agent_journal.convert.copilot_cli.results import attachment, completed
from agent_journal.convert.parts import Clock, Edits, json_line, parsed
from agent_journal.convert.target import NewIdentity
from agent_journal.model import FileEdit, Message, Session, ToolCall
from agent_journal.text.plain import one_line

ABORTS = ("user_initiated", "remote_command", "user_abort", "autopilot_credit_limit")
SOURCE = "agent-journal"  # of what no person typed


class Events:
    """The lines of events.jsonl, for a session and its sub-agents."""

    def __init__(
        self, family: Sequence[Session], start: Mapping[str, Any], fresh: NewIdentity
    ) -> None:
        self.lines: list[bytes] = []
        self.written: set[int] = set()  # the parts that found a place, by their identity in memory
        self.count = 0  # of what the model is told
        self.new_id = fresh.new_id
        self._now = fresh.now
        self._parent: str | None = None
        main = family[0]
        self._children: dict[str, list[Session]] = {}
        for child in family[1:]:
            self._children.setdefault(child.parent_call_id or "", []).append(child)
        self._used_ids: set[str] = set()
        self._agents = {child.id: fresh.new_id() for child in family[1:]}
        clock = Clock(main, fresh.now)
        self.add("session.start", {**start, "startTime": clock.at(None)}, clock.at(None))
        _Thread(self, main, clock, None).write()
        # The call that began it is unknown
        for child in [one for group in self._children.values() for one in group]:
            self.sub_agent(child, None)

    def add(
        self, kind: str, data: Mapping[str, Any], timestamp: str, agent_id: str | None = None
    ) -> None:
        """One event."""
        self.count += kind in ("user.message", "assistant.message")
        event_id = self.new_id()
        record = {
            "type": kind,
            "data": data,
            "id": event_id,
            "timestamp": timestamp,
            "parentId": self._parent,
        }
        self.lines.append(json_line({**record, **({"agentId": agent_id} if agent_id else {})}))
        self._parent = event_id

    def children(self, call: ToolCall) -> list[Session]:
        """The sub-agents that a call started, each told once."""
        return self._children.pop(call.id, []) if call.id else []

    def sub_agent(self, child: Session, call_id: str | None) -> None:
        """The events of a sub-agent; without a call there is nothing to announce it with."""
        agent_id, clock = self._agents[child.id], Clock(child, self._now)
        name = one_line(child.agent_name, 80) or "agent"
        about = {
            "toolCallId": call_id,
            "agentName": name,
            "agentDisplayName": one_line(child.title, TITLE) or name,
        }
        if call_id is not None:
            self.written.add(id(child))
            started: dict[str, Any] = {**about, "agentDescription": ""}
            above = self._agents.get(child.parent_id or "")
            self.add(
                "subagent.started",
                {**started, **({"parentId": above} if above else {})},
                clock.at(None),
                agent_id,
            )
        _Thread(self, child, clock, agent_id).write()
        if call_id is not None:
            self.add("subagent.completed", about, clock.at(None), agent_id)

    def call_id(self, wanted: str) -> str:
        """An id for a call that no other has."""
        chosen = (
            wanted
            if wanted and wanted not in self._used_ids
            else f"call_{self.new_id().replace('-', '')}"
        )
        self._used_ids.add(chosen)
        return chosen


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

    def write(self) -> None:
        waiting: list[FileEdit] = []
        for message in self.session.messages:
            if left_out(message) is None:
                self._message(message)
            waiting += self.edits.by_message.get(message.id, ())
            if message.role == "assistant":
                self._edits_without_call(waiting)
        self._edits_without_call(waiting)

    def _add(self, kind: str, data: Mapping[str, Any], when: datetime | None) -> None:
        self.events.add(kind, data, self.clock.at(when), self.agent_id)

    def _message(self, message: Message) -> None:
        kind, text, when = message.kind, message.text, message.timestamp
        if message.role in ("assistant", "tool") and kind != "error":
            self._answer(message)
        elif kind == "compaction" and self.events.count:  # there is something to sum up
            self.events.written.add(id(message))
            self._add(
                "session.compaction_complete", {"success": True, "summaryContent": text}, when
            )
        elif kind == "error":
            self._add("session.error", {"errorType": "converted", "message": text}, when)
        elif kind == "notice":
            self._add("session.info", {"infoType": "converted", "message": text}, when)
        elif kind == "interrupt":
            self._add("abort", {"reason": text if text in ABORTS else ABORTS[0]}, when)
        elif kind == "shell" and message.tool_calls:
            self._shell(message)
            return
        else:
            self._told(message)
        if message.role not in ("assistant", "tool") and message.tool_calls:
            self._answer(
                Message(
                    session_id="",
                    id="",
                    role="assistant",
                    kind="answer",
                    tool_calls=message.tool_calls,
                    timestamp=when,
                )
            )

    def _told(self, message: Message) -> None:
        data: dict[str, Any] = {"content": message.text}
        attached = [
            (one, found) for one in message.attachments if (found := attachment(one)) is not None
        ]
        if attached:
            data["attachments"] = [found for _, found in attached]
            self.events.written |= {id(one) for one, _ in attached}
        if message.kind == "skill":
            data["source"] = f"skill-{SOURCE}"
        elif message.kind == "shell":
            data["agentMode"] = "shell"
        elif message.kind != "prompt":
            data["source"] = SOURCE
        self._add("user.message", data, message.timestamp)

    def _shell(self, message: Message) -> None:
        """The person's own shell line."""
        for call in message.tool_calls:
            call_id = self.events.call_id(call.id)
            given = parsed(call.arguments)
            given = given if isinstance(given, dict) else {"command": message.text}
            about = {
                "toolCallId": call_id,
                "toolName": call.name or "local_shell",
                "arguments": given,
            }
            self._add("tool.user_requested", about, call.started_at or message.timestamp)
            self._complete(call, call_id, isUserRequested=True)

    # -- the model's side ----------------------------------------------------------------------

    def _answer(self, message: Message) -> None:
        data: dict[str, Any] = {"messageId": self.events.new_id(), "content": message.text}
        if message.model:
            data["model"] = message.model
        if message.reasoning:
            data["reasoningText"] = message.reasoning
        calls = [(call, self.events.call_id(call.id)) for call in message.tool_calls]
        if calls:
            data["toolRequests"] = [_request(call, call_id) for call, call_id in calls]
        self._add("assistant.message", data, message.timestamp)
        for call, call_id in calls:
            self._call(call, call_id)

    def _call(self, call: ToolCall, call_id: str) -> None:
        is_started = (
            call.status is not None or call.started_at is not None or call.result is not None
        )
        if is_started:
            data: dict[str, Any] = {"toolCallId": call_id, "toolName": call.name or "unknown"}
            data |= {"arguments": parsed(call.arguments)} if call.arguments is not None else {}
            data |= {"mcpServerName": call.server} if call.server else {}
            self._add("tool.execution_start", data, call.started_at)
        for child in self.events.children(call):
            self.events.sub_agent(child, call_id)
        self._complete(call, call_id)

    def _complete(self, call: ToolCall, call_id: str, **more: Any) -> None:
        changed = self.edits.by_call.get(call.id, [])
        data = completed(call, changed, self.edits)
        if data is not None:
            if "fileEdits" in data:
                self.events.written |= set(map(id, changed))
            if call.display and data.get("result", {}).get("detailedContent") == call.display:
                self.events.written.add(id(call))
            self._add(
                "tool.execution_complete", {"toolCallId": call_id, **more, **data}, call.ended_at
            )

    def _edits_without_call(self, waiting: list[FileEdit]) -> None:
        """Edits that no call made, as calls of edit: there is no other place for a change of a
        file.
        """
        for edit in waiting:
            call = edit_call(edit)
            call_id = self.events.call_id("")
            self.edits.by_call[call.id] = [edit]
            data = {"messageId": self.events.new_id(), "content": ""}
            self._add(
                "assistant.message",
                {**data, "toolRequests": [_request(call, call_id)]},
                edit.timestamp,
            )
            self._call(call, call_id)
        waiting.clear()


def _request(call: ToolCall, call_id: str) -> dict[str, Any]:
    request: dict[str, Any] = {
        "toolCallId": call_id,
        "name": call.name or "unknown",
        "type": "function",
    }
    request |= {"arguments": parsed(call.arguments)} if call.arguments is not None else {}
    request |= {"mcpServerName": call.server} if call.server else {}
    return request | ({"intentionSummary": call.title} if call.title else {})


def left_out(message: Message) -> str | None:
    """Why a message has no event, None when it has one."""
    if message.kind == "system_prompt":
        return "Copilot CLI has a system prompt of its own"
    if message.is_branch:
        return "it was left behind by a rewind, and Copilot CLI keeps one line of conversation"
    if (
        message.text.strip()
        or message.reasoning
        or message.tool_calls
        or (message.role == "user" and message.attachments)
    ):
        return None
    return "it is empty"


def edit_call(edit: FileEdit) -> ToolCall:
    """A call of edit that stands for a change of a file."""
    undone = ", and undone later" if edit.state == "undone" else ""
    return ToolCall(
        session_id=edit.session_id,
        id=f"edit {id(edit)}",
        name="create" if edit.kind == "create" else "edit",
        arguments=json.dumps({"path": edit.path}),
        result=f"{edit.kind}: {edit.path}{undone}",
        status="ok",
        started_at=edit.timestamp,
        ended_at=edit.timestamp,
    )
