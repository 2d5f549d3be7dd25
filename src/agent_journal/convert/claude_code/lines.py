"""The lines of one transcript: a conversation in the form that Claude Code resumes.

Each line has a uuid and that of the line before; each tool call is followed by its result; an
answer is written as one line for each block, all with the same message id. Reasoning is left out: a
block of it without the signature of the model that wrote it would be rejected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from agent_journal.convert.accounting import Written
from agent_journal.convert.claude_code.models import api_model
from agent_journal.convert.claude_code.results import denial, edit_details, result_block
from agent_journal.convert.parts import (
    Edits,
    RisingClock,
    attachment_text,
    json_line,
    parsed,
    tool_name,
)
from agent_journal.convert.target import NewIdentity
from agent_journal.model import Attachment, FileEdit, Message, Session, ToolCall

VERSION = "2.1.325"
UNKNOWN_MODEL = "unknown"
SYNTHETIC = "<synthetic>"
BEGINNING = "[This conversation begins with the agent.]"
_STOPS = ("end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal")
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_TAGS = {"ide": "ide_selection", "reminder": "system-reminder"}


class Transcript:
    """The lines of a session, or of one of its sub-agents (then with `agent_id`)."""

    def __init__(
        self,
        session: Session,
        head: Mapping[str, Any],
        fresh: NewIdentity,
        children: Mapping[str, str],
    ) -> None:
        self.session = session
        self.edits = Edits(session)
        self.lines: list[bytes] = []
        self.has_messages = False  # any that the model is given
        self.written = Written()
        self.with_own_time = Written()  # messages whose time need not be moved
        self.call_ids: dict[str, str] = {}
        self._head = head
        self._fresh = fresh
        self._children = children  # session id of a sub-agent -> its new agent id
        self._clock = RisingClock(session, fresh.now)
        self._parent: str | None = None
        self._trunk: str | None = None  # the last line before a branch that was abandoned
        self._in_branch = False
        self._last_call: str | None = None
        self._open_edits: list[FileEdit] = []
        self._used_ids: set[str] = set()
        for message in session.messages:
            self._message(message)
        self._edits_without_call(None)

    # -- one line ------------------------------------------------------------------------------

    def _add(self, kind: str, body: dict[str, Any], when: datetime | None, **more: Any) -> None:
        if kind == "assistant" and not self.has_messages:
            self._add(
                "user", {"message": {"role": "user", "content": BEGINNING}}, when, isMeta=True
            )
        if not self.lines:
            # Claude Code ignores other fields, and keeps the line
            more["converted"] = self._fresh.origin(self.session)
        self.has_messages = self.has_messages or kind != "system"
        uuid = self._fresh.new_id()
        record = {"parentUuid": self._parent, **self._head, "type": kind, **body, "uuid": uuid}
        self.lines.append(json_line({**record, "timestamp": self._clock.at(when), **more}))
        self._parent = uuid

    def _user(self, message: Message, text: str, **more: Any) -> None:
        self._add("user", {"message": {"role": "user", "content": text}}, message.timestamp, **more)

    # -- messages ------------------------------------------------------------------------------

    def _message(self, message: Message) -> None:
        self._enter_or_leave_branch(message.is_branch or message.state == "hidden")
        if self._clock.is_free(message.timestamp):
            self.with_own_time.add(message)
        if left_out(message) is None:
            if message.role == "assistant" or message.kind == "error":
                self._answer(message)
            elif message.role == "tool":
                self._calls(message, f"msg_{self._hex(24)}")
            else:
                self._user_side(message)
        self._open_edits += self.edits.by_message.get(message.id, ())
        if message.role == "assistant":
            self._edits_without_call(message)

    def _enter_or_leave_branch(self, is_branch: bool) -> None:
        """After a branch that was abandoned, the conversation continues where it began."""
        if is_branch == self._in_branch:
            return
        self._in_branch = is_branch
        if is_branch:
            self._trunk = self._parent
        else:
            self._parent = self._trunk

    def _user_side(self, message: Message) -> None:
        """What is on the user's side, by its kind."""
        kind, text = message.kind, message.text
        if kind == "compaction":
            self._compaction(message)
        elif kind == "shell":
            self._shell(message)
        elif kind == "notice" and not message.attachments:
            self._notice(message)
        elif kind == "interrupt":
            self._user(message, interruption(text))
        elif kind == "command" and text.startswith("/"):
            name, _, arguments = text.partition(" ")
            tags = (
                f"<command-name>{name}</command-name>",
                f"<command-message>{name[1:]}</command-message>",
                f"<command-args>{arguments}</command-args>",
            )
            self._user(message, "\n".join(tags))
        elif kind == "command_output":
            self._user(message, f"<local-command-stdout>{text}</local-command-stdout>")
        else:
            self.written.update(message.attachments)
            self._user(message, f"{reminders(message.attachments)}{text}", **self._marks(message))
        if kind != "shell" and message.tool_calls:
            self._calls(message, f"msg_{self._hex(24)}")

    def _marks(self, message: Message) -> dict[str, Any]:
        if message.kind == "notification":
            return {"origin": {"kind": "task-notification"}}
        if message.kind == "skill" and self._last_call is not None:
            return {"isMeta": True, "sourceToolUseID": self._last_call}
        if message.kind in ("prompt", "command"):
            return {}
        return {"isMeta": True}

    def _shell(self, message: Message) -> None:
        self._user(message, f"<bash-input>{message.text}</bash-input>")
        for call in message.tool_calls:
            output = f"<bash-stdout>{call.result or ''}</bash-stdout><bash-stderr></bash-stderr>"
            self._add("user", {"message": {"role": "user", "content": output}}, call.ended_at)

    def _notice(self, message: Message) -> None:
        """A line for the person, which the model is not given."""
        body = {
            "subtype": "informational",
            "content": message.text,
            "level": "info",
            "isMeta": False,
        }
        self._add("system", body, message.timestamp)

    def _compaction(self, message: Message) -> None:
        """A boundary, after which the conversation starts again with the summary."""
        if self.has_messages:
            before = self._parent
            self._parent = None
            body = {
                "subtype": "compact_boundary",
                "content": "Conversation compacted",
                "level": "info",
                "isMeta": False,
                "compactMetadata": {"trigger": "auto", "preTokens": 0},
            }
            self._add("system", body, message.timestamp, logicalParentUuid=before)
        self._user(message, message.text, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    # -- the model's side ----------------------------------------------------------------------

    def _answer(self, message: Message) -> None:
        api_id = f"msg_{self._hex(24)}"
        more: dict[str, Any] = {}
        if message.kind == "error":
            more["isApiErrorMessage"] = True
        if message.state == "cancelled":
            more["isAbortedMidStream"] = True
        if message.text.strip():  # the API rejects a block of spaces
            block = {"type": "text", "text": message.text}
            self._block(block, message, api_id, message.timestamp, **more)
        self._calls(message, api_id)

    def _block(
        self,
        block: dict[str, Any],
        message: Message,
        api_id: str,
        when: datetime | None,
        **more: Any,
    ) -> None:
        model = api_model(message.model) or UNKNOWN_MODEL
        if message.kind in ("error", "notice"):
            model = SYNTHETIC
        content = {
            "id": api_id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [block],
            "stop_reason": stop_reason(message),
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},  # so that nothing is counted twice
        }
        self._add("assistant", {"message": content}, when, **more)

    def _calls(self, message: Message, api_id: str) -> None:
        for call in message.tool_calls:
            changed = self.edits.by_call.get(call.id, ())
            self._call(call, message, api_id, changed[0] if changed else None)

    def _call(self, call: ToolCall, message: Message, api_id: str, edit: FileEdit | None) -> None:
        self.written.add(call)
        call_id = self._call_id(call)
        self._last_call = call_id
        block = {
            "type": "tool_use",
            "id": call_id,
            "name": tool_name(call),
            "input": _input_of(call),
        }
        self._block(block, message, api_id, call.started_at or message.timestamp)
        more: dict[str, Any] = {}
        details = self._details(call, edit)
        if details:
            more["toolUseResult"] = details
        why = denial(call)
        if why:
            more["toolDenialKind"] = why
        content = {"role": "user", "content": [result_block(call, call_id)]}
        self._add("user", {"message": content}, call.ended_at, **more)

    def _details(self, call: ToolCall, edit: FileEdit | None) -> dict[str, Any] | None:
        if edit is not None:
            self.written.add(edit)
            return edit_details(edit, call, self.edits)
        agent_id = self._children.get(call.child_session_id or "")
        if agent_id is None:
            return None
        details: dict[str, Any] = {"status": "completed", "agentId": agent_id, "content": []}
        if call.duration_ms is not None:
            details["totalDurationMs"] = call.duration_ms
        return details

    def _edits_without_call(self, message: Message | None) -> None:
        """Edits that no call made, as calls of Edit: a change of a file has no other place."""
        for edit in self._open_edits:
            call = edit_call(edit)
            about = message or Message(session_id="", id="", role="assistant", kind="answer")
            self._call(call, about, f"msg_{self._hex(24)}", edit)
        self._open_edits = []

    # -- ids -----------------------------------------------------------------------------------

    def _hex(self, length: int) -> str:
        return self._fresh.new_id().replace("-", "")[:length]

    def _call_id(self, call: ToolCall) -> str:
        chosen = call.id
        if not _ID.match(chosen) or chosen in self._used_ids:
            chosen = f"toolu_{self._hex(24)}"
        self._used_ids.add(chosen)
        self.call_ids.setdefault(call.id, chosen)
        return chosen

    def title(self, title: str) -> None:
        """Adds the title, as one that a person gave."""
        session_id = self._head["sessionId"]
        line = {"type": "custom-title", "customTitle": title, "sessionId": session_id}
        self.lines.append(json_line(line))

    def tag(self, tag: str) -> None:
        """Adds the tag of the session."""
        line = {"type": "tag", "tag": tag, "sessionId": self._head["sessionId"]}
        self.lines.append(json_line(line))


def left_out(message: Message) -> str | None:
    """Why a message has no line; None when it has one."""
    if message.kind == "system_prompt":
        return "Claude Code has its own system prompt"
    if message.text.strip() or message.tool_calls:
        return None
    if message.role == "user" and message.attachments:
        return None
    if message.reasoning:
        return "it is only reasoning, which no other model may be given"
    return "it is empty"


def edit_call(edit: FileEdit) -> ToolCall:
    """A call of Edit that represents a change of a file."""
    undone = ", and undone later" if edit.state == "undone" else ""
    return ToolCall(
        session_id=edit.session_id,
        id="",
        name="Edit",
        arguments=json.dumps({"file_path": edit.path}),
        result=f"{edit.kind}: {edit.path}{undone}",
        status="ok",
        started_at=edit.timestamp,
        ended_at=edit.timestamp,
    )


def _input_of(call: ToolCall) -> dict[str, Any]:
    """The arguments of a call as the object that the API needs."""
    arguments = parsed(call.arguments)
    if arguments is None:
        return {}
    if isinstance(arguments, dict):
        return arguments
    return {"input": arguments}


def stop_reason(message: Message) -> str:
    """Why the model stopped, in the words of its API."""
    if message.stop_reason in _STOPS:
        return message.stop_reason
    return "tool_use" if message.tool_calls else "end_turn"


def interruption(text: str) -> str:
    """The mark that Claude Code knows an interruption by."""
    mark = "[Request interrupted by user"
    return text if text.startswith(mark) else f"{mark}]"


def reminders(attachments: tuple[Attachment, ...]) -> str:
    """The attachments of a message, in the element in which Claude Code names such things.

    The bytes of files are not in the journal's model, so they can only be named.
    """
    return "".join(map(_reminder, attachments))


def _reminder(attachment: Attachment) -> str:
    tag = _TAGS.get(attachment.kind, "system-reminder")
    text = attachment.text or ""
    if attachment.kind not in _TAGS:
        text = attachment_text(attachment)
    return f"<{tag}>{text.replace('</' + tag, '</ ' + tag)}</{tag}>\n"
