"""The lines of one rollout: a conversation in the form that Codex CLI resumes.

A `response_item` is what the model is given, an `event_msg` what the person sees: prompts and
answers are written as both. Left out is what would change how the session continues: the model, its
provider, token counts (a large one makes Codex compact at once), and instructions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from agent_journal.connectors.converted import converted_note
from agent_journal.convert.accounting import Written
from agent_journal.convert.parts import Clock, Edits, attachment_text, json_line, parsed, tool_name
from agent_journal.convert.target import NewIdentity
from agent_journal.model import FileEdit, Message, Session, ToolCall
from agent_journal.text.plain import one_line

VERSION = "0.100.0"  # whose form all tested versions read
_SHOWN_KINDS = ("prompt", "command")
_LONGEST = 64  # id of a call: longer ones are refused by the API
_CHANGES = {"create": "add", "delete": "delete"}


class Rollout:
    """The lines of a session, or of one of its sub-agents."""

    def __init__(
        self, session: Session, main: Session, ids: Mapping[str, str], fresh: NewIdentity
    ) -> None:
        self.lines: list[bytes] = []
        self.written = Written()
        self.has_messages = False
        self._session = session
        self._ids = ids
        self._fresh = fresh
        self._edits = Edits(session)
        self._clock = Clock(session, fresh.now)
        self._used_ids: set[str] = set()
        self.started = self._clock.last
        self._head(main)
        waiting: list[FileEdit] = []
        for message in session.messages:
            if left_out(message) is None:
                self._message(message)
                self.has_messages = True
            waiting += self._edits.by_message.get(message.id, ())
            if message.role == "assistant":
                self._edits_without_call(waiting)
                waiting = []
        self._edits_without_call(waiting)

    # -- one line ------------------------------------------------------------------------------

    def _add(self, kind: str, payload: Mapping[str, Any], when: datetime | None) -> None:
        line = {"timestamp": self._clock.at(when), "type": kind, "payload": payload}
        self.lines.append(json_line(line))

    def _item(self, payload: Mapping[str, Any], when: datetime | None) -> None:
        self._add("response_item", payload, when)

    def _event(self, payload: Mapping[str, Any], when: datetime | None) -> None:
        self._add("event_msg", payload, when)

    def _head(self, main: Session) -> None:
        session = self._session
        payload: dict[str, Any] = {
            "id": self._ids[session.id],
            "timestamp": self._clock.at(None),
            "cwd": main.project_path or "/",
            "originator": "codex_cli_rs",
            "cli_version": VERSION,
            "source": "cli",
            # Codex ignores other fields, and keeps the line
            "converted": self._fresh.origin(session),
        }
        if session is not main:
            parent = self._ids.get(session.parent_id or "", self._ids[main.id])
            spawn = {
                "parent_thread_id": parent,
                "depth": 1,
                "agent_nickname": one_line(session.agent_name, 80) or None,
            }
            payload["source"] = {"subagent": {"thread_spawn": spawn}}
        if session.git_branch:
            payload["git"] = {"branch": session.git_branch}
        self._add("session_meta", payload, None)

    # -- the person's side ---------------------------------------------------------------------

    def _message(self, message: Message) -> None:
        if message.kind == "error":
            self._event({"type": "error", "message": message.text}, message.timestamp)
        elif message.role in ("assistant", "tool"):
            self._answer(message)
        elif message.kind == "compaction":
            self._add("compacted", {"message": message.text}, message.timestamp)
        elif message.kind == "interrupt":
            self._event({"type": "turn_aborted", "reason": "interrupted"}, message.timestamp)
        elif message.kind == "notice":
            self._event({"type": "warning", "message": message.text}, message.timestamp)
        elif message.kind == "shell" and message.tool_calls:
            self._shell(message)
        else:
            self._user(message)

    def _user(self, message: Message) -> None:
        text = shown_text(message, is_child=self._is_child)
        parts = [attachment_text(attached) for attached in message.attachments]
        if parts:
            note = converted_note("injected", "\n".join(parts))
            self._user_item(note, message.timestamp)
            self.written.update(message.attachments)
        if text:
            self._user_item(text, message.timestamp)
            if message.kind in _SHOWN_KINDS:
                shown = {"type": "user_message", "message": text, "images": []}
                self._event(shown, message.timestamp)
        self._calls(message)

    @property
    def _is_child(self) -> bool:
        return self._ids[self._session.id] != self._fresh.session_id

    def _user_item(self, text: str, when: datetime | None) -> None:
        content = [{"type": "input_text", "text": text}]
        self._item({"type": "message", "role": "user", "content": content}, when)

    def _shell(self, message: Message) -> None:
        for call in message.tool_calls:
            result = call.result or ""
            if call.exit_code is not None:
                result = f"Exit code: {call.exit_code}\nOutput:\n{result}"
            text = (
                f"<user_shell_command>\n<command>\n{message.text}\n</command>\n"
                f"<result>\n{result}\n</result>\n</user_shell_command>"
            )
            self._user_item(text, message.timestamp)

    # -- the model's side ----------------------------------------------------------------------

    def _answer(self, message: Message) -> None:
        if message.reasoning:
            self._event({"type": "agent_reasoning", "text": message.reasoning}, message.timestamp)
        if message.text.strip():
            self._event({"type": "agent_message", "message": message.text}, message.timestamp)
            content = [{"type": "output_text", "text": message.text}]
            item = {"type": "message", "role": "assistant", "content": content}
            self._item(item, message.timestamp)
        self._calls(message)

    def _calls(self, message: Message) -> None:
        for call in message.tool_calls:
            self._call(call, self._edits.by_call.get(call.id, []), message.timestamp)

    def _call(self, call: ToolCall, changed: list[FileEdit], when: datetime | None) -> None:
        self.written.add(call)
        call_id = self._call_id(call.id)
        name = tool_name(call)
        values = parsed(call.arguments)
        is_text = isinstance(values, str)
        if is_text:
            item = {
                "type": "custom_tool_call",
                "status": "completed",
                "call_id": call_id,
                "name": name,
                "input": values,
            }
        else:
            item = {
                "type": "function_call",
                "name": name,
                "arguments": call.arguments or "{}",
                "call_id": call_id,
            }
        self._item(item, call.started_at or when)
        self._changes(call_id, call, changed)
        if call.result is not None:
            kind = "custom_tool_call_output" if is_text else "function_call_output"
            output = {"type": kind, "call_id": call_id, "output": call.result}
            self._item(output, call.ended_at)
        child = self._ids.get(call.child_session_id or "")
        if child is not None:
            started = {
                "type": "sub_agent_activity",
                "kind": "started",
                "event_id": call_id,
                "agent_thread_id": child,
            }
            self._event(started, call.ended_at)

    def _changes(self, call_id: str, call: ToolCall, edits: list[FileEdit]) -> None:
        """What a call changed, as Codex reports a patch."""
        changes: dict[str, Any] = {}
        for edit in edits:
            diff = self._edits.diff(edit)
            if edit.path in changes:
                continue
            changes[edit.path] = _change(edit, diff)
            self.written.add(edit)
        if changes:
            event = {
                "type": "patch_apply_end",
                "call_id": call_id,
                "stdout": "",
                "stderr": "",
                "success": True,
                "changes": changes,
            }
            self._event(event, call.ended_at)

    def _edits_without_call(self, edits: list[FileEdit]) -> None:
        """Edits that no call made, as calls of edit: a change of a file has no other place."""
        for edit in edits:
            undone = ", and undone later" if edit.state == "undone" else ""
            call = ToolCall(
                session_id=edit.session_id,
                id="",
                name="edit",
                arguments=json.dumps({"path": edit.path}),
                result=f"{edit.kind}: {edit.path}{undone}",
                started_at=edit.timestamp,
                ended_at=edit.timestamp,
            )
            self._call(call, [edit], edit.timestamp)

    def _call_id(self, wanted: str) -> str:
        chosen = wanted
        if not 0 < len(wanted) <= _LONGEST or wanted in self._used_ids:
            chosen = f"call_{self._fresh.new_id().replace('-', '')}"
        self._used_ids.add(chosen)
        return chosen


def _change(edit: FileEdit, diff: str | None) -> dict[str, Any]:
    kind = _CHANGES.get(edit.kind, "update")
    if kind == "add" and edit.after is not None:
        return {"type": "add", "content": edit.after}
    if kind == "delete":
        return {"type": "delete", "content": edit.before or ""}
    return {"type": "update", "unified_diff": diff or "", "move_path": None}


def shown_text(message: Message, is_child: bool) -> str:
    """A text of the user's side: that of the harness in an element, by which Codex knows it."""
    if not message.text.strip() or message.kind in _SHOWN_KINDS or is_child:
        return message.text
    return converted_note(message.kind, message.text)


def left_out(message: Message) -> str | None:
    """Why a message has no line; None when it has one."""
    if message.kind == "system_prompt":
        return "Codex CLI has its own instructions"
    if message.is_branch or message.state == "hidden":
        return "a rewind removed it, and Codex CLI keeps one line of conversation"
    if message.text.strip() or message.reasoning or message.tool_calls:
        return None
    if message.role == "user" and message.attachments:
        return None
    return "it is empty"
