"""The small files of a session folder: `workspace.yaml`, `plan.md`, `checkpoints/`, the todo list
in `session.db`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from agent_journal.connectors.copilot_cli.todo_lists import TodoRow, todo_database
from agent_journal.convert.accounting import TITLE
from agent_journal.convert.parts import iso
from agent_journal.convert.target import NewIdentity
from agent_journal.export.names import file_name
from agent_journal.model import Plan, Session, Todo
from agent_journal.text.plain import one_line

TODO_STATES = {
    "pending": "pending",
    "in_progress": "in_progress",
    "in-progress": "in_progress",
    "completed": "done",
    "complete": "done",
    "done": "done",
    "blocked": "blocked",
}
# Letters that YAML allows only as escapes
_NOT_PRINTABLE = re.compile("[\x7f-\x84\x86-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+\Z")


def context(session: Session) -> dict[str, Any]:
    """The working folder of a session, as `session.start` has it."""
    found: dict[str, Any] = {"cwd": session.project_path or "/"}
    if session.repository and REPOSITORY.match(session.repository):
        found["repository"] = session.repository
    if session.git_branch:
        found["branch"] = session.git_branch
    return found


def workspace(session: Session, fresh: NewIdentity) -> bytes:
    """What Copilot CLI lists a session by."""
    facts: dict[str, Any] = {"id": fresh.session_id, "cwd": session.project_path or "/"}
    if session.git_branch:
        facts["branch"] = session.git_branch
    title = one_line(session.title, TITLE)
    if title:
        facts |= {"name": title, "user_named": True}
    start = session.started_at or session.ended_at or fresh.now
    facts |= {
        "summary_count": 0,
        "created_at": iso(start),
        "updated_at": iso(session.ended_at or start),
    }
    lines = [f"{name}: {_yaml(value)}\n" for name, value in facts.items()]
    return "".join(lines).encode()


def _yaml(value: Any) -> str:
    """A value in YAML: JSON with letters as they are, since YAML has no pairs of surrogates."""
    text = json.dumps(value, ensure_ascii=False)
    return _NOT_PRINTABLE.sub(lambda found: _escaped(found[0]), text)


def _escaped(letter: str) -> str:
    if "\ud800" <= letter <= "\udfff":  # half of a pair
        return "\ufffd"
    return f"\\u{ord(letter):04x}"


def find_plan(session: Session) -> Plan | None:
    """The plan of a session, which can have one: the last that was kept, or else approved."""
    plans = [plan for plan in session.plans if plan.text]
    kept = [plan for plan in plans if plan.kind == "plan"]
    approved = [plan for plan in plans if plan.kind == "exit_plan_mode" and plan.approved]
    for group in (kept, approved):
        if group:
            return group[-1]
    return None


def checkpoints(session: Session) -> list[tuple[str, bytes]]:
    """The checkpoints with their index."""
    plans = [plan for plan in session.plans if plan.kind == "checkpoint" and plan.text]
    if not plans:
        return []
    used_names: set[str] = set()
    index = ["| # | Title | File |", "| --- | --- | --- |"]
    bodies = []
    for number, plan in enumerate(plans, 1):
        name = f"{number:03}-" + file_name(plan.name, f"{number:03}", ".md", used_names)
        title = one_line(plan.name, 100).replace("|", "/")
        index.append(f"| {number} | {title} | {name} |")
        bodies.append((name, plan.text.encode("utf-8", "replace")))
    index_text = "\n".join([*index, ""])
    return [("index.md", index_text.encode("utf-8", "replace")), *bodies]


def todo_list(todos: Sequence[Todo], now: datetime) -> bytes:
    """The todo list as the database that the agent's own tool asks."""
    rows: list[TodoRow] = []
    ids: set[str] = set()
    for number, todo in enumerate(todos, 1):
        todo_id = todo.id
        if not todo_id or todo_id in ids:
            todo_id = f"todo-{number}"
        ids.add(todo_id)
        row = TodoRow(
            id=todo_id,
            title=todo.content,
            description=todo.description,
            status=TODO_STATES.get(todo.status or "", "pending"),
            created_at=todo.created_at or now,
            updated_at=todo.updated_at or todo.created_at or now,
            depends_on=todo.depends_on,
        )
        rows.append(row)
    return todo_database(rows)
