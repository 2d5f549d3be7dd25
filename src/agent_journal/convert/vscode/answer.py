"""One answer: messages, tool calls, edits and sub-agents as the parts of a response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent_journal.convert.accounting import Verdict, dropped
from agent_journal.convert.vscode import field_rules, usage
from agent_journal.convert.vscode.calls import answered, asked, shown, todos_in, unanswered
from agent_journal.convert.vscode.family import Family
from agent_journal.convert.vscode.parts import (
    MAX_TEXT,
    Parts,
    described,
    diff_of,
    edit_text,
    label_of,
    milliseconds,
    todos_text,
)
from agent_journal.model import Attachment, FileEdit, Message, Plan, Session, ToolCall, Usage
from agent_journal.model.arguments import parse_arguments
from agent_journal.text.plain import one_line

_MAX_DEPTH = 20  # of sub-agents in sub-agents


class Answer:
    """The parts of one response, and its metadata: rounds, results, and what VS Code hides."""

    def __init__(self, family: Family, session: Session, is_undone: bool) -> None:
        self.family = family
        self.account = family.account
        self.session = session
        self.is_undone = is_undone
        self.parts = Parts()
        self.rounds: list[dict[str, Any]] = []
        self.results: dict[str, Any] = {}
        self.kept: dict[str, list[Any]] = {}
        self.usage: list[Usage] = []  # of sub-agents

    def keep(self, fields: dict[str, Any], group: str = "messages") -> None:
        """Adds fields to the metadata."""
        if fields:
            self.kept.setdefault(group, []).append(fields)

    # -- messages ------------------------------------------------------------------------------

    def add_message(self, message: Message, is_error_of_turn: bool = False) -> None:
        """Adds a message of the turn; the text of its error is shown elsewhere."""
        is_answer = message.role == "assistant" and message.kind == "answer"
        is_quoted = not is_answer and not is_error_of_turn
        rules = field_rules.QUOTED if is_quoted else field_rules.MESSAGE
        self.keep(self.account.add("messages", message, rules))
        if (message.is_branch or message.state == "hidden") and not self.is_undone:
            self.parts.quote("Left behind when the person went back", "")
        if message.reasoning:
            self.parts.think(message.reasoning)
        if is_answer and message.text:
            self.parts.say(message.text)
        if is_quoted and message.text:
            self.parts.quote(label_of(message.kind), message.text)
        self._attachments(message.attachments)
        self.add_calls(message, is_of_model=message.role != "user")
        self.add_edits(message)

    def _attachments(self, attachments: Sequence[Attachment]) -> None:
        for attachment in attachments:
            self.account.add("attachments", attachment, field_rules.REMARKED)
            heading = f"Attached: {one_line(described(attachment), 300)}"
            self.parts.quote(heading, attachment.text or "")

    def add_calls(self, message: Message, is_of_model: bool) -> None:
        """Adds the calls of a message; those of the model are also shown to it again."""
        requests: list[dict[str, Any]] = []
        results: dict[str, Any] = {}
        for call in message.tool_calls:
            call_id = self.family.names.give(call.id)
            if is_of_model:
                requests.append(asked(call, call_id))
                result = answered(call)
                if result is not None:
                    results[call_id] = result
            self._call(call, call_id, self.session, is_whole_kept=is_of_model)
        if requests and not results:
            results = {request["id"]: unanswered() for request in requests}
        self.results |= results
        is_answer = message.kind == "answer"
        if is_of_model and (requests or (is_answer and message.text)):
            self.rounds.append(_round(message, requests))

    # -- calls ---------------------------------------------------------------------------------

    def _call(
        self,
        call: ToolCall,
        call_id: str,
        session: Session,
        is_whole_kept: bool,
        parent: str | None = None,
        depth: int = 0,
    ) -> None:
        """Adds a call; is_whole_kept: its whole result is in the metadata of the turn."""
        part, is_cut = shown(call, call_id, is_whole_kept, parent)
        child = self.family.take_child(call, session) if depth < _MAX_DEPTH else None
        exceptions: dict[str, Verdict] = {}
        if is_cut:
            why = f"the end of a result longer than {MAX_TEXT:,} characters"
            exceptions["result"] = dropped(why)
        if not is_whole_kept and call.display:
            exceptions["display"] = dropped("the result is shown instead")
        if call.child_session_id and child is None:
            exceptions["child_session_id"] = field_rules.ASIDE
        if call.arguments and not isinstance(parse_arguments(call.arguments), dict):
            exceptions["arguments"] = field_rules.WRAPPED
        if call_id != call.id:
            exceptions["id"] = field_rules.ASIDE
        about = self.account.add("tool_calls", call, field_rules.TOOL_CALL, exceptions)
        self.keep({"callId": call_id, **about}, "calls")
        for attachment in call.attachments:
            self.account.add("attachments", attachment, field_rules.REMARKED)
        if child is not None:
            part["toolSpecificData"] = _about(child, call)
        self.parts.add(part)
        for edit in self.family.edits(session).by_call.get(call.id, ()):
            self._edit(edit)
        if child is not None:
            self._sub_agent(child, call_id, depth + 1)

    # -- sub-agents ----------------------------------------------------------------------------

    def _sub_agent(self, child: Session, parent: str, depth: int) -> None:
        """Adds what a sub-agent did: its calls below its own call, its words as quotes."""
        about = self.account.add("sub_agents", child, field_rules.SUB_AGENT)
        self.keep({"callId": parent, **about}, "sub_agents")
        self.usage += usage.rows_of(child)
        first = _first(child)
        last = _last(child)
        for message in child.messages:
            is_quoted = message is not first and message is not last
            self._message_of_sub_agent(message, child, is_quoted)
            for call in message.tool_calls:
                call_id = self.family.names.give(call.id)
                self._call(call, call_id, child, is_whole_kept=False, parent=parent, depth=depth)
            for edit in self.family.edits(child).take_of_message(message):
                self._edit(edit)
        for stray in self.family.take_strays(child):
            self._stray(stray, depth)
        self._end_of(child)

    def _message_of_sub_agent(self, message: Message, child: Session, is_quoted: bool) -> None:
        if message.kind == "system_prompt":
            self.account.add("messages", message, field_rules.SYSTEM_PROMPT)
            return
        self.keep(self.account.add("messages", message, field_rules.QUOTED))
        name = one_line(child.agent_name, 80) or "Sub-agent"
        if message.reasoning:
            self.parts.quote(f"{name}, thinking", message.reasoning)
        if message.text and is_quoted:
            heading = name
            if message.kind != "answer":
                heading += f", {label_of(message.kind).lower()}"
            self.parts.quote(heading, message.text)
        self._attachments(message.attachments)

    def _stray(self, child: Session, depth: int) -> None:
        """A sub-agent without a call: VS Code shows sub-agents in calls, so one is made up."""
        call_id = self.family.names.give(f"sub-agent-{child.id.rpartition('/')[2]}")
        title = one_line(child.title or child.agent_name, 200) or "Sub-agent"
        self.parts.add(
            {
                "kind": "toolInvocationSerialized",
                "toolId": "runSubagent",
                "toolCallId": call_id,
                "invocationMessage": title,
                "pastTenseMessage": title,
                "generatedTitle": title,
                "isConfirmed": {"type": 1},
                "isComplete": True,
                "source": {"type": "external", "label": "External"},
                "toolSpecificData": _about(child, None),
            }
        )
        self._sub_agent(child, call_id, depth + 1)

    # -- edits, and the end of a session -------------------------------------------------------

    def add_edits(self, message: Message) -> None:
        """Adds the edits of a message that no call of it made."""
        for edit in self.family.edits(self.session).take_of_message(message):
            self._edit(edit)

    def _edit(self, edit: FileEdit) -> None:
        if edit.kind == "backup":
            self.account.add("file_edits", edit, field_rules.BACKUP)
            return
        diff = diff_of(edit, self.family.differ)
        exceptions: dict[str, Verdict] = {}
        if edit.diff is None or edit.kind == "create":
            exceptions["before"] = field_rules.AS_DIFF
            exceptions["after"] = field_rules.AS_DIFF
        if diff is not None and len(diff) > MAX_TEXT:
            diff = f"{diff[:MAX_TEXT]}\n…"
            exceptions["diff"] = dropped(f"the end of a diff longer than {MAX_TEXT:,} characters")
        about = self.account.add("file_edits", edit, field_rules.FILE_EDIT, exceptions)
        self.keep({"path": edit.path, **about}, "edits")
        self.parts.say(edit_text(edit, diff))

    def finish(self) -> None:
        """Adds what belongs to the whole session, at the end of the last answer."""
        for child in (*self.family.take_strays(self.session), *self.family.take_rest()):
            self._stray(child, 0)
        self._end_of(self.session)

    def _end_of(self, session: Session) -> None:
        for edit in self.family.edits(session).take_rest():
            self._edit(edit)
        calls = [call for message in session.messages for call in message.tool_calls]
        for plan in session.plans:
            self._plan(plan, calls)
        for todo in session.todos:
            about = self.account.add("todos", todo, field_rules.TODO)
            self.keep({"content": todo.content, **about}, "todos")
        titles = [todo.content for todo in session.todos]
        if titles and titles != _titles_shown_last(calls):
            self.parts.say(f"**Todos**\n\n{todos_text(session.todos)}")
        if session is not self.session:
            for event in session.events:
                self.account.add("events", event, field_rules.EVENT)
            for document in session.documents:
                self.account.add("documents", document, field_rules.DOCUMENT)

    def _plan(self, plan: Plan, calls: list[ToolCall]) -> None:
        about = self.account.add("plans", plan, field_rules.PLAN)
        self.keep({"name": plan.name, **about}, "plans")
        if not any(plan.text in _texts_of_plan(call) for call in calls):
            self.parts.quote(f"{plan.kind}: {one_line(plan.name, 200)}", plan.text)


def _round(message: Message, requests: list[dict[str, Any]]) -> dict[str, Any]:
    """What the model said in one go, and the calls it asked for."""
    record: dict[str, Any] = {
        "id": message.id,
        "response": message.text if message.kind == "answer" else "",
        "toolInputRetry": 0,
        "toolCalls": requests,
    }
    starts = [call.started_at for call in message.tool_calls if call.started_at]
    when = starts[0] if starts else message.timestamp
    if when:
        record["timestamp"] = milliseconds(when)
    if message.model:
        record["modelId"] = message.model
    return record


def _about(child: Session, call: ToolCall | None) -> dict[str, Any]:
    """What VS Code shows of a sub-agent in its call."""
    first = _first(child)
    last = _last(child)
    result = call.result if call else None
    facts = {
        "agentName": child.agent_name,
        "description": child.title,
        "prompt": first.text if first else None,
        "result": last.text if last else result,
        "modelName": usage.model_of(child.messages),
    }
    return {"kind": "subagent", **{name: value for name, value in facts.items() if value}}


def _titles_shown_last(calls: list[ToolCall]) -> list[str]:
    """The todos of the last call that has any."""
    for call in reversed(calls):
        todos = todos_in(call, parse_arguments(call.arguments))
        if todos:
            return [item["title"] for item in todos]
    return []


def _texts_of_plan(call: ToolCall) -> list[Any]:
    """The arguments of a call with a plan: the plan may be one of them, and shown already."""
    if call.kind != "plan":
        return []
    arguments = parse_arguments(call.arguments)
    return list(arguments.values()) if isinstance(arguments, dict) else []


def _first(child: Session) -> Message | None:
    """What a sub-agent was asked."""
    for message in child.messages:
        if message.kind != "system_prompt":
            return message if message.role == "user" and message.text else None
    return None


def _last(child: Session) -> Message | None:
    """What a sub-agent answered in the end."""
    for message in reversed(child.messages):
        if message.role == "assistant" and message.text:
            return message
    return None
