"""Writes a session as Copilot CLI does: `.copilot/session-state/<id>/events.jsonl`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bench.provenance.session import Edit, Prompt, Session, Shell, Step, made_id
from bench.provenance.writers.changes import plain, replacement

from agent_journal.demo.copilot_files import git_diff
from agent_journal.demo.writing import compact, iso, put


def write(home: str, session: Session) -> None:
    """Write one session into a home folder."""
    log = _Log(session)
    for step in session.steps:
        log.add(step)
    folder = f"{home}/.copilot/session-state/{session.id}"
    put(f"{folder}/events.jsonl", "\n".join(log.lines) + "\n", session.ended)
    workspace = f"id: {session.id}\ncwd: {session.folder}\ngit_root: {session.folder}\n"
    put(f"{folder}/workspace.yaml", workspace, session.ended)


class _Log:
    """The events of one session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.lines: list[str] = []
        self.parent: str | None = None
        self._event(
            "session.start",
            session.started,
            sessionId=session.id,
            version=1,
            producer="copilot-agent",
            copilotVersion="1.0.102",
            startTime=iso(session.started),
            context={"cwd": session.folder, "gitRoot": session.folder, "branch": "main"},
        )

    def _event(self, kind: str, when: datetime, **data: Any) -> None:
        own = made_id(self.session.id, len(self.lines))
        record = {"type": kind, "data": data, "id": own, "timestamp": iso(when)}
        self.lines.append(compact(record | {"parentId": self.parent}))
        self.parent = own

    def add(self, step: Step) -> None:
        """Add a step."""
        if isinstance(step, Prompt):
            self._event("user.message", step.when, content=step.text, attachments=[])
        elif isinstance(step, Shell):
            self._shell(step)
        else:
            self._edit(step)

    def _shell(self, shell: Shell) -> None:
        text = f"{shell.output}\n<exited with exit code 0>"
        self._call("bash", shell, {"command": shell.command}, {"content": text})

    def _edit(self, edit: Edit) -> None:
        path = f"{self.session.folder}/{edit.path}"
        if edit.before is None:
            tool = "create"
            given = {"path": path, "file_text": plain(edit.after)}
        else:
            tool = "edit"
            change = replacement(edit)
            given = {"path": path, "old_str": change.old, "new_str": change.new}
        detail = git_diff(path, plain(edit.before), plain(edit.after))
        if edit.has_failed:
            self._call(tool, edit, given, None)
            return
        result = {"content": f"File {path} updated.", "detailedContent": detail}
        self._call(tool, edit, given, result)

    def _call(
        self, tool: str, step: Step, given: dict[str, Any], result: dict[str, Any] | None
    ) -> None:
        call_id = f"call_{made_id(self.session.id, len(self.lines), tool)[:12]}"
        request = {"toolCallId": call_id, "name": tool, "arguments": given, "type": "function"}
        message_id = made_id(self.session.id, call_id)
        head = {"messageId": message_id, "content": "", "toolRequests": [request]}
        self._event("assistant.message", step.when, **head)
        start = {"toolCallId": call_id, "toolName": tool, "arguments": given}
        self._event("tool.execution_start", step.when, **start)
        outcome: dict[str, Any] = {"success": result is not None}
        if result is None:
            outcome["error"] = {"message": "No match found", "code": "failure"}
        else:
            outcome["result"] = result
        self._event("tool.execution_complete", step.when, toolCallId=call_id, **outcome)
