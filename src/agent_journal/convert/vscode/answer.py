"""One answer: messages, tool calls, edits and sub-agents as the parts of a response."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from agent_journal.convert.accounting import Verdict, dropped
from agent_journal.convert.vscode import field_rules, usage
from agent_journal.convert.vscode.calls import Names, answered, asked, parsed, shown, todos_in
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
from agent_journal.model.diffs import Differ
from agent_journal.text.plain import one_line

_MAX_DEPTH = 20  # of sub-agents in sub-agents


class Family:
    """All sessions of a conversion, and what is known over all answers."""

    def __init__(self, family: Sequence[Session], account: field_rules.Account) -> None:
        self.account = account
        self.names = Names()
        self.differ = Differ()
        self.children: dict[tuple[str, str | None], list[Session]] = {}
        for child in family[1:]:
            self.children.setdefault((child.parent_id or "", child.parent_call_id), []).append(
                child
            )
        self._by_id = {child.id: child for child in family[1:]}
        self._edits = {session.id: _Edits(session) for session in family}

    def child_of(self, call: ToolCall, session: Session) -> Session | None:
        """The sub-agent that a call started, once."""
        found = self._by_id.pop(call.child_session_id or "", None)
        for child in self.children.get((session.id, call.id), ()) if found is None else ():
            found = found or self._by_id.pop(child.id, None)
        return found

    def strays(self, session: Session) -> list[Session]:
        """The sub-agents of a session that no call is known of."""
        found = [
            child
            for (parent, _), told in self.children.items()
            for child in told
            if parent == session.id
        ]
        return [self._by_id.pop(child.id) for child in found if child.id in self._by_id]

    def rest(self) -> list[Session]:
        """Sub-agents that nothing led to."""
        found = list(self._by_id.values())
        self._by_id.clear()
        return found

    def edits(self, session: Session) -> _Edits:
        """The edits of a session."""
        return self._edits[session.id]


class _Edits:
    """The edits of a session, by the call or message they belong to."""

    def __init__(self, session: Session) -> None:
        calls = {call.id for message in session.messages for call in message.tool_calls}
        self.by_call: dict[str, list[FileEdit]] = {}
        self.by_message: dict[str | None, list[FileEdit]] = {}
        for edit in session.file_edits:
            if edit.call_id is not None and edit.call_id in calls:
                self.by_call.setdefault(edit.call_id, []).append(edit)
            else:
                self.by_message.setdefault(edit.message_id, []).append(edit)

    def of_message(self, message: Message) -> list[FileEdit]:
        """The edits that belong to a message and to no call of it."""
        return [
            edit
            for name in (message.id, *message.record_ids)
            for edit in self.by_message.pop(name, ())
        ]

    def rest(self) -> Iterable[FileEdit]:
        """The edits of messages that are not in the conversation."""
        found = [edit for edits in self.by_message.values() for edit in edits]
        self.by_message.clear()
        return found


class Answer:
    """The parts of one response, and what its metadata holds: rounds, results, and what VS Code
    does not show.
    """

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

    def aside(self, fields: dict[str, Any], where: str = "messages") -> None:
        """Fields for the metadata."""
        if fields:
            self.kept.setdefault(where, []).append(fields)

    # -- messages ------------------------------------------------------------------------------

    def take(self, message: Message, is_told: bool = False) -> None:
        """One message of the turn; `is_told`: its text stands elsewhere, as the error of the turn."""
        is_answer = message.role == "assistant" and message.kind == "answer"
        is_as_is = is_answer or is_told
        self.aside(
            self.account.take(
                "messages", message, field_rules.MESSAGE if is_as_is else field_rules.QUOTED
            )
        )
        if (message.is_branch or message.state == "hidden") and not self.is_undone:
            self.parts.quote("Left behind when the person went back", "")
        if message.reasoning:
            self.parts.think(message.reasoning)
        if is_answer:
            if message.text:
                self.parts.say(message.text)
        elif message.text and not is_told:
            self.parts.quote(label_of(message.kind), message.text)
        for attachment in message.attachments:
            self.account.take("attachments", attachment, field_rules.REMARKED)
            self._attachment(attachment)
        self.calls(message, is_models=message.role != "user")
        self.take_edits(message)

    def _attachment(self, attachment: Attachment) -> None:
        self.parts.quote(f"Attached: {one_line(described(attachment), 300)}", attachment.text or "")

    def calls(self, message: Message, is_models: bool) -> None:
        """The calls of a message; `is_models`: the model asked for them, so that it is to be told
        of them again.
        """
        said: list[dict[str, Any]] = []
        for call in message.tool_calls:
            call_id = self.family.names.give(call.id)
            if is_models:
                said.append(asked(call, call_id))
                result = answered(call)
                if result is not None:
                    self.results[call_id] = result
            self._call(call, call_id, self.session, is_models, None, 0)
        if is_models and (message.kind == "answer" or said) and (message.text or said):
            times = [call.started_at for call in message.tool_calls if call.started_at] + [
                message.timestamp
            ]
            self.rounds.append(
                {
                    "id": message.id,
                    "response": message.text if message.kind == "answer" else "",
                    "toolInputRetry": 0,
                    "toolCalls": said,
                    **({"timestamp": milliseconds(times[0])} if times[0] else {}),
                    **({"modelId": message.model} if message.model else {}),
                }
            )

    # -- calls ---------------------------------------------------------------------------------

    def _call(
        self,
        call: ToolCall,
        call_id: str,
        session: Session,
        is_whole_aside: bool,
        parent: str | None,
        depth: int,
    ) -> None:
        part, lost = shown(call, call_id, is_whole_aside, parent)
        child = self.family.child_of(call, session) if depth < _MAX_DEPTH else None
        but: dict[str, Verdict] = {}
        if lost:
            but["result"] = dropped(f"the end of a result longer than {MAX_TEXT:,} characters")
        if not is_whole_aside and call.display:
            but["display"] = dropped("the result is shown instead")
        if call.child_session_id and child is None:
            but["child_session_id"] = field_rules.ASIDE
        if call_id != call.id:
            but["id"] = field_rules.ASIDE
        self.aside(
            {
                "callId": call_id,
                **self.account.take("tool_calls", call, field_rules.TOOL_CALL, **but),
            },
            "calls",
        )
        for attachment in call.attachments:
            self.account.take("attachments", attachment, field_rules.REMARKED)
        if child is not None:
            part["toolSpecificData"] = self._about(child, call)
        self.parts.add(part)
        for edit in self.family.edits(session).by_call.get(call.id, ()):
            self._edit(edit)
        if child is not None:
            self._sub_agent(child, call_id, depth + 1)

    # -- sub-agents ----------------------------------------------------------------------------

    def _about(self, child: Session, call: ToolCall | None) -> dict[str, Any]:
        first = _first(child)
        last = _last(child)
        told = {
            "agentName": child.agent_name,
            "description": child.title,
            "prompt": first.text if first else None,
            "result": last.text if last else call.result if call else None,
            "modelName": usage.model_of(child.messages),
        }
        return {"kind": "subagent", **{name: value for name, value in told.items() if value}}

    def _sub_agent(self, child: Session, parent: str, depth: int) -> None:
        """What a sub-agent did: its calls by the id of the call that started it, its words as
        quotes.
        """
        about = self.account.take("sub_agents", child, field_rules.SUB_AGENT)
        self.aside({"callId": parent, **about}, "sub_agents")
        self.usage += usage.rows_of(child)
        first, last = _first(child), _last(child)
        name = one_line(child.agent_name, 80) or "Sub-agent"
        for message in child.messages:
            self._of_sub_agent(
                message, name, is_quoted=message is not first and message is not last
            )
            for call in message.tool_calls:
                self._call(call, self.family.names.give(call.id), child, False, parent, depth)
            for edit in self.family.edits(child).of_message(message):
                self._edit(edit)
        for stray in self.family.strays(child):
            self._stray(stray, depth)
        self._ends(child)

    def _of_sub_agent(self, message: Message, name: str, is_quoted: bool) -> None:
        if message.kind == "system_prompt":
            self.account.take("messages", message, field_rules.SYSTEM_PROMPT)
            return
        self.aside(self.account.take("messages", message, field_rules.QUOTED))
        if message.reasoning:
            self.parts.quote(f"{name}, thinking", message.reasoning)
        if message.text and is_quoted:
            word = "" if message.kind == "answer" else f", {label_of(message.kind).lower()}"
            self.parts.quote(f"{name}{word}", message.text)
        for attachment in message.attachments:
            self.account.take("attachments", attachment, field_rules.REMARKED)
            self._attachment(attachment)

    def _stray(self, child: Session, depth: int) -> None:
        """A sub-agent without a call: one is made up for it, because VS Code shows sub-agents in
        calls.
        """
        call_id = self.family.names.give(f"sub-agent-{child.id.rpartition('/')[2]}")
        self.parts.add(
            {
                "kind": "toolInvocationSerialized",
                "toolId": "runSubagent",
                "toolCallId": call_id,
                "invocationMessage": one_line(child.title or child.agent_name, 200) or "Sub-agent",
                "isConfirmed": {"type": 1},
                "isComplete": True,
                "source": {"type": "external", "label": "External"},
                "toolSpecificData": self._about(child, None),
            }
        )
        self._sub_agent(child, call_id, depth + 1)

    # -- edits, and what stands at the end -----------------------------------------------------

    def take_edits(self, message: Message | None) -> None:
        """The edits of a message that no call of it made."""
        for edit in (
            self.family.edits(self.session).of_message(message) if message is not None else ()
        ):
            self._edit(edit)

    def _edit(self, edit: FileEdit) -> None:
        if edit.kind == "backup":
            self.account.take("file_edits", edit, field_rules.BACKUP)
            return
        diff = diff_of(edit, self.family.differ)
        but: dict[str, Verdict] = {}
        if edit.diff is None or edit.kind == "create":
            but = {"before": field_rules.FILE_EDIT["diff"], "after": field_rules.FILE_EDIT["diff"]}
        if diff is not None and len(diff) > MAX_TEXT:
            diff = f"{diff[:MAX_TEXT]}\n…"
            but["diff"] = dropped(f"the end of a diff longer than {MAX_TEXT:,} characters")
        self.aside(
            {
                "path": edit.path,
                **self.account.take("file_edits", edit, field_rules.FILE_EDIT, **but),
            },
            "edits",
        )
        if diff is None and edit.after is not None and len(edit.after) > MAX_TEXT:
            but["after"] = dropped(f"the end of a file longer than {MAX_TEXT:,} characters")
        self.parts.say(edit_text(edit, diff))

    def finish(self) -> None:
        """At the end of the last answer: what belongs to the whole session."""
        for child in (*self.family.strays(self.session), *self.family.rest()):
            self._stray(child, 0)
        self._ends(self.session)

    def _ends(self, session: Session) -> None:
        for edit in self.family.edits(session).rest():
            self._edit(edit)
        calls = [call for message in session.messages for call in message.tool_calls]
        for plan in session.plans:
            self._plan(plan, calls)
        for todo in session.todos:
            self.aside(
                {"content": todo.content, **self.account.take("todos", todo, field_rules.TODO)},
                "todos",
            )
        shown_last = next(
            (
                todos
                for call in reversed(calls)
                if (todos := todos_in(call, parsed(call.arguments)))
            ),
            [],
        )
        if session.todos and [item["title"] for item in shown_last] != [
            todo.content for todo in session.todos
        ]:
            self.parts.say(f"**Todos**\n\n{todos_text(session.todos)}")
        if session is not self.session:
            for event in session.events:
                self.account.take("events", event, field_rules.EVENT)
            for document in session.documents:
                self.account.take("documents", document, field_rules.DOCUMENT)

    def _plan(self, plan: Plan, calls: list[ToolCall]) -> None:
        self.aside(
            {"name": plan.name, **self.account.take("plans", plan, field_rules.PLAN)}, "plans"
        )
        if not any(plan.text in _strings(call) for call in calls):
            self.parts.quote(f"{plan.kind}: {one_line(plan.name, 200)}", plan.text)


def _strings(call: ToolCall) -> list[Any]:
    """The arguments of a call that are texts: a plan is often one of them, and then told already."""
    arguments = parsed(call.arguments) if call.kind == "plan" else None
    return list(arguments.values()) if isinstance(arguments, dict) else []


def _first(child: Session) -> Message | None:
    """What a sub-agent was asked."""
    first = next((message for message in child.messages if message.kind != "system_prompt"), None)
    return first if first is not None and first.role == "user" and first.text else None


def _last(child: Session) -> Message | None:
    """What a sub-agent answered in the end."""
    spoken = [message for message in child.messages if message.role == "assistant" and message.text]
    return spoken[-1] if spoken else None
