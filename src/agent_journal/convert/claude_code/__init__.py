"""Sessions as files that Claude Code resumes: `projects/<folder>/<id>.jsonl`, with sub-agents,
tasks and a plan.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Sequence
from typing import Any

from agent_journal.convert.accounting import TITLE, Written, account
from agent_journal.convert.claude_code.folders import project_folder
from agent_journal.convert.claude_code.lines import VERSION, Transcript, left_out
from agent_journal.convert.claude_code.rules import rules
from agent_journal.convert.parts import moved, nothing_to_continue
from agent_journal.convert.target import Converted, NewFile, NewIdentity
from agent_journal.model import Plan, Session, Todo
from agent_journal.text.plain import one_line

TASK_STATES = {
    "pending": "pending",
    "in_progress": "in_progress",
    "in-progress": "in_progress",
    "completed": "completed",
    "complete": "completed",
    "done": "completed",
}


class ClaudeCodeTarget:
    """Writes for Claude Code."""

    name = "claude-code"

    def convert(self, family: Sequence[Session], fresh: NewIdentity) -> Converted:
        """The session (first) and its sub-agents as the agent's own files."""
        main = family[0]
        folder = f"projects/{project_folder(main.project_path or '/')}"
        plan = find_plan(main)
        slug = f"plan-{fresh.new_id()[:8]}" if plan else None
        children = {child.id: f"a{fresh.new_id().replace('-', '')[:16]}" for child in family[1:]}
        scripts = {main.id: Transcript(main, _head(main, main, fresh, None, slug), fresh, children)}
        for child in family[1:]:
            scripts[child.id] = Transcript(
                child, _head(child, main, fresh, children[child.id], None), fresh, children
            )
        script = scripts[main.id]
        if not script.has_messages:
            raise nothing_to_continue(main)
        if main.tags:
            script.tag(main.tags[0])
        title = one_line(main.title, TITLE)
        if title:
            script.title(title)
        files = [NewFile(f"{folder}/{fresh.session_id}.jsonl", b"".join(script.lines))]
        for child in family[1:]:
            if scripts[child.id].has_messages:
                stem = f"{folder}/{fresh.session_id}/subagents/agent-{children[child.id]}"
                files.append(NewFile(f"{stem}.jsonl", b"".join(scripts[child.id].lines)))
                files.append(NewFile(f"{stem}.meta.json", _meta(child, main, children, scripts)))
        files += _tasks(main.todos, fresh.session_id)
        if plan:
            files.append(NewFile(f"plans/{slug}.md", plan.text.encode("utf-8", "replace")))
        own_times = Written()
        for script in scripts.values():
            own_times.update(script.with_own_time)
        written = _written(family, scripts, plan)
        losses = account(family, rules(family, written, own_times), left_out)
        return Converted(fresh.session_id, tuple(files), losses)


def installed_files(
    files: tuple[NewFile, ...], root: str, folder: str | None
) -> tuple[NewFile, ...]:
    """The files in the folder that is named after the working folder, also if they were kept in
    another one: older versions look nowhere else.
    """
    if folder is None:
        return files
    kept_in = posixpath.dirname(files[0].path)
    return moved(files, kept_in, f"projects/{project_folder(folder)}")


def _written(
    family: Sequence[Session], scripts: dict[str, Transcript], plan: Plan | None
) -> Written:
    """The parts of a family that have a place in the new files."""
    main = family[0]
    written = Written([plan, *main.todos])
    for script in scripts.values():
        written.update(script.written)
    written.update(child for child in family[1:] if _caller(child, main, scripts))
    return written


def _head(
    session: Session, main: Session, fresh: NewIdentity, agent_id: str | None, slug: str | None
) -> dict[str, Any]:
    head: dict[str, Any] = {
        "isSidechain": agent_id is not None,
        "userType": "external",
        "cwd": main.project_path or "/",
        "sessionId": fresh.session_id,
        "version": VERSION,
        "gitBranch": session.git_branch or "",
    }
    if agent_id:
        head["agentId"] = agent_id
    if slug:
        head["slug"] = slug
    return head


def _meta(
    child: Session, main: Session, children: dict[str, str], scripts: dict[str, Transcript]
) -> bytes:
    """Who started a sub-agent, and for what."""
    meta: dict[str, Any] = {"agentType": child.agent_name or "general-purpose"}
    description = one_line(child.title, TITLE)
    if description:
        meta["description"] = description
    call_id = _caller(child, main, scripts)
    if call_id:
        meta["toolUseId"] = call_id
    parent = children.get(child.parent_id or "")
    meta["spawnDepth"] = 2 if parent else 1
    if parent:
        meta["parentAgentId"] = parent
    return json.dumps(meta).encode()


def _caller(child: Session, main: Session, scripts: dict[str, Transcript]) -> str | None:
    """The call that started a sub-agent, by its new id."""
    above = scripts.get(child.parent_id or "", scripts[main.id])
    return above.call_ids.get(child.parent_call_id or "")


def find_plan(session: Session) -> Plan | None:
    """The plan of a session, which can have one: the last."""
    return next(
        (plan for plan in reversed(session.plans) if plan.kind == "plan" and plan.text), None
    )


def _tasks(todos: Sequence[Todo], session_id: str) -> list[NewFile]:
    numbers = {todo.id: str(number) for number, todo in enumerate(todos, 1) if todo.id is not None}
    found = []
    for number, todo in enumerate(todos, 1):
        task: dict[str, Any] = {
            "id": str(number),
            "subject": todo.content,
            "description": todo.description or "",
            "status": TASK_STATES.get(todo.status or "", "pending"),
            "blocks": [
                str(other_number)
                for other_number, other in enumerate(todos, 1)
                if todo.id and todo.id in other.depends_on
            ],
            "blockedBy": [numbers[other] for other in todo.depends_on if other in numbers],
        }
        if todo.active_form:
            task["activeForm"] = todo.active_form
        found.append(NewFile(f"tasks/{session_id}/{number}.json", json.dumps(task).encode()))
    return found
