"""Writes a session as Gemini CLI does: `.gemini/tmp/<project>/chats/session-….jsonl`."""

from __future__ import annotations

import json
import os
from typing import Any

from bench.provenance.session import Edit, Prompt, Session, Shell, Step
from bench.provenance.writers.changes import diff_lines, plain, replacement

from agent_journal.demo.writing import compact, hexadecimal, iso, put


def write(home: str, session: Session) -> None:
    """Write one session into a home folder."""
    project = os.path.basename(session.folder)
    head = {
        "sessionId": session.id,
        "projectHash": hexadecimal(64, session.folder),
        "startTime": iso(session.started),
        "lastUpdated": iso(session.ended),
        "kind": "main",
    }
    records = [head, *(_record(session, step, n) for n, step in enumerate(session.steps))]
    name = f"session-{session.started:%Y-%m-%dT%H-%M}-{session.id[:8]}.jsonl"
    text = "".join(compact(record) + "\n" for record in records)
    put(f"{home}/.gemini/tmp/{project}/chats/{name}", text, session.ended)
    _add_project(f"{home}/.gemini/projects.json", session, project)


def _add_project(path: str, session: Session, project: str) -> None:
    projects = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            projects = json.load(file)["projects"]
    projects[session.folder] = project
    put(path, compact({"projects": projects}), session.started)


def _record(session: Session, step: Step, number: int) -> dict[str, Any]:
    record: dict[str, Any] = {"id": f"{session.id[:8]}-{number}", "timestamp": iso(step.when)}
    if isinstance(step, Prompt):
        return record | {"type": "user", "content": [{"text": step.text}]}
    call = _shell(step) if isinstance(step, Shell) else _edit(session, step)
    name = call["name"]
    call["id"] = f"{name}-{number}"
    response = {"id": call["id"], "name": name, "response": {"output": call.pop("output")}}
    call["result"] = [{"functionResponse": response}]
    call["timestamp"] = iso(step.when)
    return record | {"type": "gemini", "content": "", "model": "gemini-3-pro", "toolCalls": [call]}


def _shell(shell: Shell) -> dict[str, Any]:
    output = f"Command: {shell.command}\nOutput: {shell.output}\nExit Code: 0"
    call = {"name": "run_shell_command", "args": {"command": shell.command}, "status": "success"}
    return call | {"output": output, "resultDisplay": shell.output}


def _edit(session: Session, edit: Edit) -> dict[str, Any]:
    path = f"{session.folder}/{edit.path}"
    if edit.is_whole:
        name = "write_file"
        given = {"file_path": path, "content": plain(edit.after)}
    else:
        name = "replace"
        change = replacement(edit)
        given = {"file_path": path, "old_string": change.old, "new_string": change.new}
    if edit.has_failed:
        output = "Failed to edit, could not find the string to replace."
        call = {"name": name, "args": given, "status": "error", "output": output}
        return call | {"resultDisplay": output}
    file_name = os.path.basename(path)
    head = [f"--- {file_name}\tCurrent", f"+++ {file_name}\tProposed"]
    display = {
        "fileDiff": "\n".join([*head, *diff_lines(edit)]) + "\n",
        "fileName": file_name,
        "filePath": path,
        "originalContent": edit.before if edit.before is not None else "",
        "newContent": edit.after,
        "isNewFile": edit.before is None,
    }
    output = f"Successfully modified file: {path}."
    call = {"name": name, "args": given, "status": "success", "output": output}
    return call | {"resultDisplay": display}
