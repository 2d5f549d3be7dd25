"""Writes a session as Codex does: `.codex/sessions/<day>/rollout-<time>-<id>.jsonl`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bench.provenance.session import Edit, Prompt, Session, Shell, Step
from bench.provenance.writers.changes import diff_lines, plain

from agent_journal.demo.writing import compact, iso, put


def write(home: str, session: Session) -> None:
    """Write one session into a home folder."""
    rollout = _Rollout(session)
    for step in session.steps:
        rollout.add(step)
    started = session.started
    name = f"rollout-{started:%Y-%m-%dT%H-%M-%S}-{session.id}.jsonl"
    path = f"{home}/.codex/sessions/{started:%Y/%m/%d}/{name}"
    put(path, "\n".join(rollout.lines) + "\n", session.ended)


class _Rollout:
    """The log of one session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.lines: list[str] = []
        when = session.started
        head = {"id": session.id, "timestamp": iso(when), "cwd": session.folder, "source": "cli"}
        head |= {"originator": "codex_cli_rs", "cli_version": "0.142.0"}
        self._line("session_meta", when, head)

    def _line(self, kind: str, when: datetime, payload: dict[str, Any]) -> None:
        self.lines.append(compact({"timestamp": iso(when), "type": kind, "payload": payload}))

    def add(self, step: Step) -> None:
        """Add a step."""
        if isinstance(step, Prompt):
            self._prompt(step)
        elif isinstance(step, Shell):
            self._shell(step)
        else:
            self._patch(step)

    def _prompt(self, prompt: Prompt) -> None:
        context = {"cwd": self.session.folder, "approval_policy": "never", "model": "gpt-5.5-codex"}
        self._line("turn_context", prompt.when, context)
        content = [{"type": "input_text", "text": prompt.text}]
        message = {"type": "message", "role": "user", "content": content}
        self._line("response_item", prompt.when, message)
        event = {"type": "user_message", "message": prompt.text, "images": []}
        self._line("event_msg", prompt.when, event)

    def _shell(self, shell: Shell) -> None:
        call_id = f"call_{len(self.lines)}"
        given = compact({"command": ["bash", "-lc", shell.command]})
        call = {"type": "function_call", "name": "shell", "call_id": call_id, "arguments": given}
        self._line("response_item", shell.when, call)
        output = f"Exit code: 0\nWall time: 0.1 seconds\nOutput:\n{shell.output}"
        answer = {"type": "function_call_output", "call_id": call_id, "output": output}
        self._line("response_item", shell.when, answer)

    def _patch(self, edit: Edit) -> None:
        call_id = f"call_{len(self.lines)}"
        call = {"type": "custom_tool_call", "name": "apply_patch", "call_id": call_id}
        call["input"] = _patch_text(edit)
        self._line("response_item", edit.when, call)
        if not edit.has_failed:
            path = f"{self.session.folder}/{edit.path}"
            done = {"type": "patch_apply_end", "call_id": call_id, "stdout": "", "stderr": ""}
            changes = {path: _recorded(edit)}
            self._line("event_msg", edit.when, done | {"success": True, "changes": changes})
        output = "Exit code: 0\nOutput:\nSuccess. Updated the following files:\n"
        if edit.has_failed:
            output = f"apply_patch verification failed: no such lines in {edit.path}"
        answer = {"type": "custom_tool_call_output", "call_id": call_id, "output": output}
        self._line("response_item", edit.when, answer)


def _patch_text(edit: Edit) -> str:
    if edit.before is None:
        body = [f"*** Add File: {edit.path}"]
        body += [f"+{line}" for line in plain(edit.after).splitlines()]
    else:
        lines = ["@@" if line.startswith("@@") else line for line in diff_lines(edit)]
        body = [f"*** Update File: {edit.path}", *lines]
    return "\n".join(["*** Begin Patch", *body, "*** End Patch", ""])


def _recorded(edit: Edit) -> dict[str, Any]:
    if edit.before is None:
        return {"type": "add", "content": edit.after}
    diff = "\n".join(diff_lines(edit)) + "\n"
    return {"type": "update", "unified_diff": diff, "move_path": None}
