"""Writes a session as Claude Code does: `.claude/projects/<folder>/<id>.jsonl`."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from bench.provenance.session import Edit, Prompt, Session, Shell, Step, made_id
from bench.provenance.writers.changes import plain, replacement

from agent_journal.demo.writing import compact, hunks, iso, put

_USAGE = {
    "input_tokens": 4,
    "cache_creation_input_tokens": 300,
    "cache_read_input_tokens": 18_000,
    "output_tokens": 200,
}
_PART = "Do your part of it."


def write(home: str, session: Session) -> None:
    """Write one session into a home folder."""
    folder = f"{home}/.claude/projects/{re.sub('[^A-Za-z0-9]', '-', session.folder)}"
    main = _Thread(session, None)
    child: _Thread | None = None
    for step in session.steps:
        if isinstance(step, Edit) and step.by_subagent:
            child = child or _Thread(session, made_id("agent", session.id)[:8])
            child.add(step)
            continue
        main.add(step)
    if child:
        child.lines.insert(0, child.first_prompt(session.started))
        main.start_agent(child, session.started)
        child.write(f"{folder}/{session.id}/subagents/agent-{child.agent}.jsonl")
    main.write(f"{folder}/{session.id}.jsonl")


class _Thread:
    """The lines of a session, or of its sub-agent."""

    def __init__(self, session: Session, agent: str | None) -> None:
        self.session = session
        self.agent = agent
        self.lines: list[str] = []
        self.parent: str | None = None

    def write(self, path: str) -> None:
        put(path, "\n".join(self.lines) + "\n", self.session.ended)

    def add(self, step: Step) -> None:
        """Add a step."""
        if isinstance(step, Prompt):
            self.lines.append(self._line("user", step.when, {"role": "user", "content": step.text}))
        elif isinstance(step, Shell):
            detail = {"stdout": step.output, "stderr": "", "interrupted": False, "isImage": False}
            self._call(step.when, "Bash", {"command": step.command}, step.output, detail)
        else:
            self._edit(step)

    def first_prompt(self, when: datetime) -> str:
        """Return the line that a sub-agent begins with."""
        return self._line("user", when, {"role": "user", "content": _PART})

    def start_agent(self, child: _Thread, when: datetime) -> None:
        """Add the call that started a sub-agent."""
        asked = {
            "description": "a part",
            "prompt": _PART,
            "subagent_type": "general",
        }
        text = [{"type": "text", "text": "Done."}]
        detail = {"status": "completed", "agentId": child.agent, "content": text}
        self._call(when, "Agent", asked, "Done.", detail)

    def _edit(self, edit: Edit) -> None:
        path = f"{self.session.folder}/{edit.path}"
        before = plain(edit.before)
        after = plain(edit.after)
        patch = list(hunks(before, after)) if edit.before is not None else []
        detail: dict[str, Any] = {"filePath": path, "structuredPatch": patch}
        detail |= {"originalFile": before or None, "userModified": False}
        if edit.is_whole:
            kind = "create" if edit.before is None else "update"
            given = {"file_path": path, "content": after}
            detail |= {"type": kind, "content": after}
            self._call(edit.when, "Write", given, f"File created successfully at: {path}", detail)
            return
        change = replacement(edit)
        given = {"file_path": path, "old_string": change.old, "new_string": change.new}
        detail |= {"oldString": change.old, "newString": change.new, "replaceAll": False}
        if edit.has_failed:
            text = "String to replace not found in file."
            self._call(edit.when, "Edit", given, text, f"Error: {text}", is_error=True)
            return
        self._call(edit.when, "Edit", given, f"The file {path} has been updated.", detail)

    def _call(
        self,
        when: datetime,
        tool: str,
        given: dict[str, Any],
        text: str,
        detail: object,
        is_error: bool = False,
    ) -> None:
        call_id = "toolu_" + made_id(self.session.id, self.agent, len(self.lines))[:18]
        block = {"type": "tool_use", "id": call_id, "name": tool, "input": given}
        message = {
            "id": f"msg_{call_id}",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": [block],
            "stop_reason": "tool_use",
            "usage": _USAGE,
        }
        self.lines.append(self._line("assistant", when, message, requestId=f"req_{call_id}"))
        result: dict[str, Any] = {"tool_use_id": call_id, "type": "tool_result", "content": text}
        if is_error:
            result["is_error"] = True
        answer = {"role": "user", "content": [result]}
        self.lines.append(self._line("user", when, answer, toolUseResult=detail))

    def _line(self, kind: str, when: datetime, message: object, **fields: object) -> str:
        own = made_id(self.session.id, self.agent, len(self.lines), kind)
        record: dict[str, object] = {
            "parentUuid": self.parent,
            "isSidechain": self.agent is not None,
            "type": kind,
            "message": message,
            "uuid": own,
            "timestamp": iso(when),
            "userType": "external",
            "cwd": self.session.folder,
            "sessionId": self.session.id,
            "version": "2.1.325",
            "gitBranch": "main",
        }
        if self.agent:
            record["agentId"] = self.agent
        self.parent = own
        return compact(record | fields)
