"""What Gemini CLI 0.27 to 0.61 demand of a session they resume, from their behaviour alone: no
import of ours.

`faults(root)` looks through a folder laid out as `~/.gemini`; an empty list is a valid folder.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

NAME = re.compile(r"session-\d{4}-\d\d-\d\dT\d\d-\d\d-([0-9a-f]{8})\.json\Z")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")
TYPES = {"user", "gemini", "info", "error", "warning"}
STATUSES = {"success", "error", "cancelled"}
NOW = "2026-11-15T18:00:00.000Z"  # of conversions in tests


def faults(root: Path) -> list[str]:
    found: list[str] = []
    paths = sorted(root.glob("tmp/*/chats/*.json"))
    if not paths:
        found.append("no session")
    for path in paths:
        document = json.loads(path.read_text(encoding="utf-8"))
        name = NAME.match(path.name)
        if name is None:
            found.append(f"{path.name}: not a name of a session")
        elif str(document.get("sessionId")).startswith(name[1]):
            found.append(f"{path.name}: is deleted with the session that has these letters")
        if document.get("kind") != "main":
            found.append(f"{path.name}: a sub-agent among the sessions is deleted")
        found += [f"{path.name}: {fault}" for fault in _document(document)]
        below = path.parent / str(document.get("sessionId"))
        for inner in sorted(below.glob("*.json")):
            inner_document = json.loads(inner.read_text(encoding="utf-8"))
            found += [
                f"{inner.name}: {fault}" for fault in _document(inner_document, is_main=False)
            ]
    return found


def _document(document: dict[str, Any], is_main: bool = True) -> list[str]:
    found = [
        f"no {name}"
        for name in ("sessionId", "projectHash", "startTime")
        if not isinstance(document.get(name), str) or not document[name]
    ]
    if document.get("lastUpdated") != NOW:
        found.append("lastUpdated is not now: it would be deleted after 30 days")
    messages = document.get("messages")
    if not isinstance(messages, list):
        return [*found, "no messages"]
    said = [m.get("type") for m in messages if m.get("type") in ("user", "gemini")]
    if is_main and said[:1] != ["user"]:
        found.append("the first message is not the user's")
    ids = [message.get("id") for message in messages]
    if len(set(ids)) != len(ids) or not all(ids):
        found.append("two messages of one id, or none")
    for number, message in enumerate(messages, 1):
        found += [f"message {number}: {fault}" for fault in _message(message)]
    return found


def _message(message: dict[str, Any]) -> list[str]:
    kind = message.get("type")
    if kind not in TYPES or not TIME.match(str(message.get("timestamp"))):
        return [f"type {kind!r} or its time"]
    content = message.get("content")
    if kind == "user":
        texts = [part.get("text") for part in content] if isinstance(content, list) else []
        if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
            return ["a prompt without text"]
        if any(text.lstrip()[:1] in ("/", "?") for text in texts):
            return ["a prompt that is dropped as a command"]
        return []
    if not isinstance(content, str):
        return ["content is no text"]
    if content and not content.strip():
        return ["a text of spaces, which is sent to the model"]
    calls = message.get("toolCalls", [])
    if kind == "gemini" and not (content or calls or message.get("thoughts")):
        return ["an empty answer is dropped"]
    return [fault for call in calls for fault in _call(call)]


def _call(call: dict[str, Any]) -> list[str]:
    found = []
    if not call.get("id") or not call.get("name") or call.get("status") not in STATUSES:
        found.append("a call without id, name or status")
    if not isinstance(call.get("args"), dict):
        found.append("arguments that are no object")
    result = call.get("result")
    if not isinstance(result, list) or len(result) != 1:
        return [*found, "a call without a result"]
    response = result[0].get("functionResponse", {})
    if (response.get("id"), response.get("name")) != (call.get("id"), call.get("name")):
        found.append("the result of another call")
    key = "output" if call.get("status") == "success" else "error"
    if not isinstance(response.get("response", {}).get(key), str):
        found.append(f"a result without {key}")
    return found
