"""What Codex CLI 0.98 to 0.166 demand of a rollout they resume, from their behaviour alone:
no import of ours.

`faults(root)` looks through a folder laid out as `~/.codex`; an empty list is a valid folder.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
NAME = re.compile(rf"rollout-\d{{4}}-\d\d-\d\dT\d\d-\d\d-\d\d-({UUID})\.jsonl\Z")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")
META = ("id", "timestamp", "cwd", "originator", "cli_version")
# They change the model, the provider or the instructions, or make Codex compact at once
NEVER = ("model_provider", "model", "history_mode", "base_instructions")
TYPES = {"session_meta", "response_item", "event_msg", "compacted"}
CALL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")  # the API refuses others, and longer ids
LONGEST_ID = 64
OUTPUTS = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}


def faults(root: Path) -> list[str]:
    found: list[str] = []
    paths = sorted(root.glob("sessions/*/*/*/*"))
    if not paths:
        found.append("no rollout")
    for path in paths:
        name = NAME.match(path.name)
        if name is None:
            found.append(f"{path.name}: not a name of a rollout")
            continue
        found += [f"{path.name}: {fault}" for fault in _rollout(path, name[1])]
    index = root / "session_index.jsonl"
    if index.exists():
        for line in index.read_text().split("\n")[:-1]:
            entry = json.loads(line)
            if not all(entry.get(field) for field in ("id", "thread_name", "updated_at")):
                found.append("an entry of the index without id, name or time")
    return found


def _rollout(path: Path, session_id: str) -> list[str]:
    data = path.read_bytes()
    found = []
    if not data.endswith(b"\n") or b"\0" in data:
        found.append("no clean lines")
    lines = [json.loads(line) for line in data.split(b"\n")[:-1]]
    found += _meta(lines[0], session_id)
    for number, line in enumerate(lines, 1):
        found += [f"line {number}: {fault}" for fault in _line(line)]
    items = [line["payload"] for line in lines if line.get("type") == "response_item"]
    events = [line["payload"] for line in lines if line.get("type") == "event_msg"]
    return found + _calls(items) + _twins(items, events)


def _meta(line: dict[str, Any], session_id: str) -> list[str]:
    if line.get("type") != "session_meta":
        return ["the first line is no session_meta"]
    payload = line["payload"]
    found = [f"no {name}" for name in META if not isinstance(payload.get(name), str)]
    found += [f"{name} is not to be written" for name in NEVER if name in payload]
    if payload.get("id") != session_id:
        found.append("the id is not that of the file name")
    return found


def _line(line: dict[str, Any]) -> list[str]:
    found = []
    if not TIME.match(str(line.get("timestamp"))):
        found.append("no timestamp: the line is ignored")
    if line.get("type") not in TYPES or not isinstance(line.get("payload"), dict):
        return [*found, f"type {line.get('type')!r}"]
    payload = line["payload"]
    if payload.get("type") == "token_count":
        found.append("a token count makes Codex compact")
    if line["type"] == "response_item":
        found += _item(payload)
    return found


def _item(item: dict[str, Any]) -> list[str]:
    kind = item.get("type")
    if kind == "message":
        return _content(item)
    if kind == "function_call":
        is_text = isinstance(item.get("arguments"), str) and item.get("name")
        return [] if is_text else ["a call whose arguments are no text"]
    if kind == "custom_tool_call":
        is_text = isinstance(item.get("input"), str) and item.get("name")
        return [] if is_text else ["a custom call whose input is no text"]
    if kind in OUTPUTS.values():
        return [] if isinstance(item.get("output"), str) else ["an output that is no text"]
    return [f"an item of type {kind!r}, which is dropped"]


def _content(item: dict[str, Any]) -> list[str]:
    part = {"user": "input_text", "assistant": "output_text"}.get(str(item.get("role")))
    if part is None:
        return [f"role {item.get('role')!r} is dropped"]
    content = item.get("content")
    if not isinstance(content, list) or not content:
        return ["content is no list"]
    texts = [block for block in content if block.get("type") == part]
    if len(texts) != len(content) or not all(isinstance(b.get("text"), str) for b in texts):
        return ["content of another type"]
    return []


def _calls(items: list[dict[str, Any]]) -> list[str]:
    """Each call has an id of its own; an output belongs to a call before it, of its kind."""
    found = []
    asked: dict[Any, str] = {}
    for item in items:
        kind = str(item.get("type"))
        call_id = item.get("call_id")
        if kind in OUTPUTS:
            if not call_id or call_id in asked:
                found.append(f"call {call_id!r} twice, or without an id")
            if len(str(call_id)) > LONGEST_ID or not CALL_NAME.match(str(item.get("name"))):
                found.append(f"call {call_id!r} has a name or an id that the API refuses")
            asked[call_id] = OUTPUTS[kind]
        elif kind in OUTPUTS.values() and asked.get(call_id) != kind:
            found.append(f"an output of no call: {call_id!r}")
    return found


def _twins(items: list[dict[str, Any]], events: list[dict[str, Any]]) -> list[str]:
    """What a person sees is what the model is given, and the other way round."""
    found = []
    for role, kind in (("user", "user_message"), ("assistant", "agent_message")):
        given = {
            block["text"] for item in items if item.get("role") == role for block in item["content"]
        }
        shown = {event.get("message") for event in events if event.get("type") == kind}
        if shown - given:
            found.append(f"a {kind} that the model is not given")
        if role == "assistant" and given - shown:
            found.append("an answer that nobody sees")
        hidden = {text for text in given - shown if not text.lstrip().startswith("<")}
        if role == "user" and hidden and shown:
            found.append("a prompt that nobody sees")
    return found
