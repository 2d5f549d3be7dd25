"""The messages of one session in the form that Gemini CLI resumes.

Gemini CLI repairs nothing: every call gets a result, and arguments are always an object. It drops
prompts that look like one of its commands, so these begin with a mark that nobody sees.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from agent_journal.connectors.converted import NO_RESULT, NOT_A_COMMAND, converted_note
from agent_journal.convert.accounting import Written
from agent_journal.convert.parts import Clock, Edits, attachment_text, parsed
from agent_journal.convert.target import NewIdentity
from agent_journal.model import FileEdit, Message, Session, ToolCall

_COMMAND_MARKS = ("/", "?")
_PRINTED = {"error": "error", "notice": "info", "interrupt": "info"}
_BEGINNING = "[This conversation begins with the agent.]"
_INTERRUPTED = "The person stopped the agent."
_STATUSES = {"error": "error", "denied": "cancelled", "interrupted": "cancelled"}


class Messages:
    """The messages of a session, or of one of its sub-agents."""

    def __init__(self, session: Session, fresh: NewIdentity, children: Mapping[str, str]) -> None:
        self.all: list[dict[str, Any]] = []
        self.written = Written()
        self.has_messages = False
        self._children = children  # session id of a sub-agent -> the name of its file
        self._new_id = fresh.new_id
        self._edits = Edits(session)
        self._clock = Clock(session, fresh.now)
        self._used_ids: set[str] = set()
        self._is_child = session.id in children
        self._has_prompt = False
        self.started = self._clock.last
        waiting: list[FileEdit] = []
        for message in session.messages:
            waiting += self._edits.by_message.get(message.id, ())
            if message.role == "assistant":
                # Before the answer: Gemini CLI takes a talk that ends with a call for interrupted
                self._edits_without_call(waiting)
                waiting = []
            if left_out(message) is None:
                self._message(message)
        self._edits_without_call(waiting)

    def _add(self, kind: str, content: Any, when: datetime | None, **more: Any) -> None:
        if kind == "user":
            self._has_prompt = True
        elif kind == "gemini" and not self._has_prompt and not self._is_child:
            self._text(converted_note("injected", _BEGINNING), when)
        record = {
            "id": self._new_id(),
            "timestamp": self._clock.at(when),
            "type": kind,
            "content": content,
        }
        self.all.append({**record, **more})

    def _message(self, message: Message) -> None:
        printed = _PRINTED.get(message.kind)
        if printed is not None:
            self._add(printed, message.text or _INTERRUPTED, message.timestamp)
            return
        self.has_messages = True
        if message.role in ("assistant", "tool"):
            self._answer(message)
        else:
            self._user(message)

    def _user(self, message: Message) -> None:
        if message.attachments:
            notes = "\n".join(map(attachment_text, message.attachments))
            self._text(converted_note("injected", notes), message.timestamp)
            self.written.update(message.attachments)
        text = message.text
        if message.kind == "shell":
            results = [call.result or "" for call in message.tool_calls]
            text = "\n".join((text, *results))
        if text.strip():
            self._text(self._shown(message, text), message.timestamp)
        if message.tool_calls and message.kind != "shell":
            self._answer(message, text="")

    def _text(self, text: str, when: datetime | None) -> None:
        self._add("user", [{"text": text}], when)

    def _shown(self, message: Message, text: str) -> str:
        is_typed = message.kind in ("prompt", "command") or self._is_child
        if not is_typed:
            return converted_note(message.kind, text)
        if text.lstrip().startswith(_COMMAND_MARKS):
            return NOT_A_COMMAND + text
        return text

    def _answer(self, message: Message, text: str | None = None) -> None:
        if text is None:
            text = message.text
        if not text.strip():  # it would be sent as a text of its own
            text = ""
        more: dict[str, Any] = {}
        if message.model:
            more["model"] = message.model
        if message.reasoning:
            thought = {"subject": "", "description": message.reasoning}
            more["thoughts"] = [{**thought, "timestamp": self._clock.at(message.timestamp)}]
        calls = [
            self._call(call, self._edits.by_call.get(call.id, []), message.timestamp)
            for call in message.tool_calls
        ]
        if calls:
            more["toolCalls"] = calls
        self._add("gemini", text, message.timestamp, **more)

    def _call(
        self, call: ToolCall, changed: list[FileEdit], when: datetime | None
    ) -> dict[str, Any]:
        self.written.add(call)
        call_id = self._call_id(call.id)
        name = call.name or "unknown"
        status = _STATUSES.get(call.status or "", "success")
        key = "output" if status == "success" else "error"
        answer: dict[str, Any] = {key: NO_RESULT if call.result is None else call.result}
        if call.exit_code is not None:
            answer["exitCode"] = call.exit_code
        response = {"id": call_id, "name": name, "response": answer}
        record: dict[str, Any] = {
            "id": call_id,
            "name": name,
            "args": _arguments(call),
            "status": status,
            "timestamp": self._clock.at(call.ended_at or when),
            "resultDisplay": self._display(call, changed),
            "result": [{"functionResponse": response}],
        }
        child = self._children.get(call.child_session_id or "")
        if child is not None:
            record["agentId"] = child
        return record

    def _display(self, call: ToolCall, changed: list[FileEdit]) -> Any:
        """What is shown of a call: the change it made, or its output."""
        if not changed:
            if call.display:
                return call.display
            return call.result or ""
        edit = changed[0]
        self.written.add(edit)
        display = {
            "fileName": edit.path.rpartition("/")[2],
            "filePath": edit.path,
            "fileDiff": self._edits.diff(edit) or "",
            "isNewFile": edit.kind == "create",
        }
        if edit.after is not None:
            display["newContent"] = edit.after
        return display

    def _edits_without_call(self, edits: list[FileEdit]) -> None:
        """Edits that no call made, as calls of edit: a change of a file has no other place."""
        for edit in edits:
            undone = ", and undone later" if edit.state == "undone" else ""
            call = ToolCall(
                session_id=edit.session_id,
                id="",
                name="edit",
                arguments=json.dumps({"file_path": edit.path}),
                result=f"{edit.kind}: {edit.path}{undone}",
                status="ok",
                ended_at=edit.timestamp,
            )
            record = self._call(call, [edit], edit.timestamp)
            self._add("gemini", "", edit.timestamp, toolCalls=[record])

    def _call_id(self, wanted: str) -> str:
        chosen = wanted
        if not wanted or wanted in self._used_ids:
            chosen = f"call_{self._new_id().replace('-', '')}"
        self._used_ids.add(chosen)
        return chosen


def _arguments(call: ToolCall) -> dict[str, Any]:
    values = parsed(call.arguments)
    if isinstance(values, dict):
        return values
    if values is None:
        return {}
    return {"input": values}


def left_out(message: Message) -> str | None:
    """Why a message is not written; None when it is."""
    if message.kind == "system_prompt":
        return "Gemini CLI has its own system prompt"
    if message.is_branch or message.state == "hidden":
        return "a rewind removed it, and Gemini CLI keeps one line of conversation"
    if message.text.strip() or message.reasoning or message.tool_calls:
        return None
    if message.role == "user" and message.attachments:
        return None
    if message.kind == "interrupt":
        return None
    return "it is empty"
