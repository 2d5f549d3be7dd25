"""What Copilot CLI 1.0 demands of a session it resumes, written from its observed behaviour alone:
no import of ours.

`faults(root)` looks through a folder laid out as `~/.copilot`; an empty list is a valid folder.
Older versions repair nothing, so lines must be clean.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from pathlib import Path
from typing import Any

TOOL_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}\Z")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
NOT_PRINTABLE = re.compile("[\0-\x09\x0b-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # YAML has no pairs of them
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\Z")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")
REQUIRED: dict[str, dict[str, type]] = {
    "session.start": {
        "sessionId": str,
        "version": int,
        "producer": str,
        "copilotVersion": str,
        "startTime": str,
    },
    "user.message": {"content": str},
    "assistant.message": {"messageId": str, "content": str},
    "tool.execution_start": {"toolCallId": str, "toolName": str},
    "tool.execution_complete": {"toolCallId": str, "success": bool},
    "tool.user_requested": {"toolCallId": str, "toolName": str},
    "session.compaction_complete": {"success": bool, "summaryContent": str},
    "session.error": {"errorType": str, "message": str},
    "session.info": {"infoType": str, "message": str},
    "abort": {"reason": str},
    "subagent.started": {
        "toolCallId": str,
        "agentName": str,
        "agentDisplayName": str,
        "agentDescription": str,
    },
    "subagent.completed": {"toolCallId": str, "agentName": str, "agentDisplayName": str},
}
REASONS = {"user_initiated", "remote_command", "user_abort", "autopilot_credit_limit"}
ATTACHMENTS = {
    "file": ("path", "displayName"),
    "directory": ("path", "displayName"),
    "blob": ("mimeType",),
    "selection": ("filePath", "displayName", "text", "selection"),
}
KEYS = {
    "id",
    "cwd",
    "git_root",
    "repository",
    "host_type",
    "branch",
    "name",
    "user_named",
    "client_name",
    "summary",
    "summary_count",
    "fork_count",
    "created_at",
    "updated_at",
}


def faults(root: Path) -> list[str]:
    found: list[str] = []
    folders = sorted((root / "session-state").iterdir())
    for folder in folders:
        if not folder.is_dir() or not UUID4.match(folder.name):
            found.append(f"{folder.name}: no folder with a uuid for its name")
            continue
        found += [f"{folder.name}: {fault}" for fault in _session(folder)]
    return found or ([] if folders else ["no session"])


def _session(folder: Path) -> list[str]:
    found = []
    path = folder / "events.jsonl"
    if not path.exists():
        return ["no events.jsonl"]
    data = path.read_bytes()
    if not data.endswith(b"\n") or b"\r" in data or b"\0" in data or not data.isascii():
        found.append("lines are not clean ASCII with LF")
    events = []
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        try:
            events.append(json.loads(line))
        except ValueError as error:
            found.append(f"line {number}: {error}")
    found += _events(events, folder.name)
    found += _workspace(folder / "workspace.yaml", folder.name)
    return found + _todos(folder / "session.db")


def _events(events: list[dict[str, Any]], session_id: str) -> list[str]:
    found = []
    if not events or events[0].get("type") != "session.start":
        found.append("the first event is no session.start")
    if sum(event.get("type") == "session.start" for event in events) != 1:
        found.append("not one session.start")
    if not any(event.get("type") in ("user.message", "assistant.message") for event in events):
        found.append("no message")
    before: str | None = None
    seen: set[str] = set()
    for number, event in enumerate(events, 1):
        found += [f"line {number}: {fault}" for fault in _envelope(event, before, seen)]
        before = event.get("id")
        found += [
            f"line {number}: {fault}" for fault in _data(event.get("type"), event.get("data") or {})
        ]
    start = events[0].get("data", {}) if events else {}
    if (start.get("sessionId"), start.get("version")) != (session_id, 1) or not TIME.match(
        str(start.get("startTime"))
    ):
        found.append("session.start is of another session")
    if not isinstance(start.get("context", {}).get("cwd"), str):
        found.append("no working folder")
    if set(start.get("converted") or ()) != {"by", "agent", "session"}:
        found.append("no word of where the session comes from")
    messages = [event for event in events if str(event.get("type")).endswith(".message")]
    if messages and messages[0]["type"] != "user.message":
        found.append("the first message is not the user's")
    return found + _calls(events)


def _envelope(event: dict[str, Any], before: str | None, seen: set[str]) -> list[str]:
    found = []
    if set(event) - {"type", "data", "id", "timestamp", "parentId", "agentId"}:
        found.append("fields that no event has")
    if not UUID4.match(str(event.get("id"))) or event["id"] in seen:
        found.append(f"id {event.get('id')!r}")
    seen.add(str(event.get("id")))
    if event.get("parentId", "") != before:
        found.append("parentId is not the event before")
    if not TIME.match(str(event.get("timestamp"))):
        found.append(f"timestamp {event.get('timestamp')!r}")
    if not isinstance(event.get("data"), dict):
        found.append("no data")
    if "agentId" in event and not event["agentId"]:
        found.append("an empty agentId")
    return found


def _data(kind: Any, data: dict[str, Any]) -> list[str]:
    if kind not in REQUIRED:
        return [f"type {kind!r}"]
    found = [
        f"{kind}: missing field {name}"
        for name, form in REQUIRED[kind].items()
        if not isinstance(data.get(name), form)
    ]
    found += [f"{kind}: {fault}" for fault in _numbers(data) if kind != "session.start"]
    if kind == "abort" and data.get("reason") not in REASONS:
        found.append(f"reason {data.get('reason')!r}")
    found += _requests(data)
    for attached in data.get("attachments", ()):
        found += _attached(attached)
    if kind == "tool.execution_complete":
        found += _completion(data)
    if kind == "user.message" and not data.get("content", "").strip():
        found.append("an empty user message")
    if kind == "assistant.message" and not (data.get("content") or data.get("toolRequests")):
        found.append("an answer that is only reasoning")
    return found


def _requests(data: dict[str, Any]) -> list[str]:
    found = []
    for request in data.get("toolRequests", ()):
        if not TOOL_ID.match(request.get("toolCallId") or ""):
            found.append(f"a request with an id that the API refuses: {request.get('toolCallId')}")
        if not TOOL_NAME.match(request.get("name") or ""):
            found.append(f"a request with a name that the API refuses: {request.get('name')}")
        if (request.get("type") == "custom") != isinstance(request.get("arguments"), str):
            found.append("text as arguments of a function, which would be left out")
        if not isinstance(request.get("arguments", {}), (dict, str)):
            found.append(f"arguments that are no object: {request['arguments']}")
    return found


def _attached(attached: dict[str, Any]) -> list[str]:
    found = []
    needed = ATTACHMENTS.get(str(attached.get("type")))
    if needed is None or not all(isinstance(attached.get(name), (str, dict)) for name in needed):
        found.append(f"attachment {attached}")
    if "path" in attached and not os.path.exists(attached["path"]):
        found.append(f"an attached file that is not there: {attached['path']}")
    return found


def _completion(data: dict[str, Any]) -> list[str]:
    text = (
        (data.get("result") or {}).get("content")
        if data.get("success")
        else (data.get("error") or {}).get("message")
    )
    found = [] if isinstance(text, str) else ["a completion that says nothing"]
    for edit in data.get("fileEdits", ()):
        if edit.get("kind") not in ("create", "edit", "delete") or not edit.get("path"):
            found.append(f"edit {edit}")
    return found


def _numbers(data: dict[str, Any]) -> list[str]:
    """Counts must be whole and not below zero; what a tool was given is its own matter."""
    found = []
    for name, value in data.items():
        if name in ("arguments", "toolRequests"):
            continue
        inner = value if isinstance(value, list) else [value]
        for one in inner:
            if isinstance(one, dict):
                found += _numbers(one)
            elif isinstance(one, float) or (
                isinstance(one, int) and not isinstance(one, bool) and one < 0
            ):
                found.append(f"{name} is {one}")
    return found


def _calls(events: list[dict[str, Any]]) -> list[str]:
    """Each call is asked for once, then started, then completed, by one and the same agent."""
    found = []
    asked: dict[str, Any] = {}
    done: set[str] = set()
    for event in events:
        data, agent = event.get("data") or {}, event.get("agentId")
        requests = [request.get("toolCallId") for request in data.get("toolRequests", ())]
        if event.get("type") == "tool.user_requested":
            requests = [data.get("toolCallId")]
        for call in requests:
            if call in asked:
                found.append(f"call {call} twice")
            asked[call] = agent
        if event.get("type") in ("tool.execution_start", "tool.execution_complete"):
            if asked.get(data.get("toolCallId"), "") != agent:
                found.append(f"{event['type']} of no call of this agent: {data.get('toolCallId')}")
            if event["type"] == "tool.execution_complete":
                if data["toolCallId"] in done:
                    found.append(f"call {data['toolCallId']} completed twice")
                done.add(data["toolCallId"])
        if str(event.get("type")).startswith("subagent.") and data.get("toolCallId") not in asked:
            found.append(f"a sub-agent of no call: {data.get('toolCallId')}")
    return found


def _workspace(path: Path, session_id: str) -> list[str]:
    facts: dict[str, Any] = {}
    text = path.read_text(encoding="utf-8")
    for line in text.split("\n")[:-1]:
        name, _, value = line.partition(": ")
        facts[name] = json.loads(value)  # what we know of it: JSON values are YAML values
    if NOT_PRINTABLE.search(text) or SURROGATE.search(text):
        return ["workspace.yaml is no YAML"]
    found = [f"workspace.yaml has {name}" for name in set(facts) - KEYS]
    if facts.get("id") != session_id or not isinstance(facts.get("cwd"), str):
        found.append("workspace.yaml is of another session")
    if facts.get("summary_count") != 0 or not all(
        TIME.match(str(facts.get(n))) for n in ("created_at", "updated_at")
    ):
        found.append("workspace.yaml has no counts or times")
    return found + (
        ["a name that nobody gave"]
        if ("name" in facts) != (facts.get("user_named") is True)
        else []
    )


def _todos(path: Path) -> list[str]:
    if not path.exists():
        return []
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        columns = [row[1] for row in database.execute("PRAGMA table_info(todos)")]
        deps = [row[1] for row in database.execute("PRAGMA table_info(todo_deps)")]
        states = {row[0] for row in database.execute("SELECT DISTINCT status FROM todos")}
    finally:
        database.close()
    is_valid = columns == ["id", "title", "description", "status", "created_at", "updated_at"]
    is_valid = is_valid and deps == ["todo_id", "depends_on"]
    return (
        []
        if is_valid and states <= {"pending", "in_progress", "done", "blocked"}
        else ["session.db"]
    )
