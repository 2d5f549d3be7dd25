"""Small sessions for the targets, converted and read again."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agent_journal.model import FileEdit, Message, Session, ToolCall
from tests.support import valid_claude_code, valid_codex, valid_copilot_cli, valid_gemini
from tests.support.converting import ROOTS, convert, families, install
from tests.support.journals import aj, open_journal

START = datetime(2026, 11, 1, 9, tzinfo=UTC)
VALIDATORS = {
    "claude-code": valid_claude_code,
    "codex": valid_codex,
    "copilot-cli": valid_copilot_cli,
    "gemini": valid_gemini,
}
KINDS = (
    "prompt",
    "injected",
    "command",
    "command_output",
    "notification",
    "skill",
    "hook",
    "interrupt",
    "notice",
    "error",
    "shell",
)


def message(number: int, kind: Any = "prompt", role: Any = "user", **more: Any) -> Message:
    more.setdefault("text", f"{kind} {number}")
    more.setdefault("timestamp", START + timedelta(minutes=number))
    return Message(session_id="s", id=f"m{number}", role=role, kind=kind, seq=number, **more)


def call(name: str | None = "view", **more: Any) -> ToolCall:
    given = {"arguments": '{"path":"a.py"}', "result": "text", "status": "ok", **more}
    return ToolCall(session_id="s", id=given.pop("id", "c1"), name=name, **given)


def answer(number: int, *calls: ToolCall, **more: Any) -> Message:
    more.setdefault("model", "gpt-5")
    return message(number, "answer", "assistant", tool_calls=calls, **more)


def session(*messages: Message, **more: Any) -> Session:
    more.setdefault("project_path", "/work/app")
    return Session(
        agent=more.pop("agent", "codex"), id=more.pop("id", "s"), messages=messages, **more
    )


def back(target: str, home: Path, *family: Session) -> list[Session]:
    """The family written for an agent, found valid, and read again."""
    install(target, convert(target, family), home)
    assert VALIDATORS[target].faults(home / ROOTS[target]) == []
    assert aj(home, "sync", "--no-index").returncode == 0
    with open_journal(home) as journal:
        (found,) = families(journal)
    return found


def lines(target: str, *family: Session) -> list[dict[str, Any]]:
    content = convert(target, family).files[0].content
    return [json.loads(line) for line in content.split(b"\n")[:-1]]


def edit(path: str, call_id: str | None = "c1", **more: Any) -> FileEdit:
    more.setdefault("diff", "@@ -1,1 +1,1 @@\n-old\n+new")
    return FileEdit(session_id="s", path=path, call_id=call_id, timestamp=START, **more)
