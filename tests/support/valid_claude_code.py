"""What Claude Code 2.1 demands of a session it resumes, written from its observed behaviour alone:
no import of ours.

`faults(root)` looks through a folder laid out as `~/.claude` and tells everything that would keep a
session from being listed, resumed with all of its messages, or accepted by the API. An empty list
is a valid folder.
"""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from pathlib import Path
from typing import Any

UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\Z")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")
SEMVER = re.compile(r"\d+\.\d+\.\d+\Z")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}\Z")
TOOL_ID = re.compile(r"[a-zA-Z0-9_-]+\Z")
# What is sent to the API as it is: names of the API that it still serves
CLAUDE_MODEL = re.compile(r"claude-[a-z]+-(?:[4-9]|\d\d)(?:-\d{1,2})?(?:-20\d{6})?\Z")
STOPS = {"end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal"}
TRANSCRIPT = {"user", "assistant", "system", "attachment"}


def faults(root: Path) -> list[str]:
    found: list[str] = []
    transcripts = sorted(root.glob("projects/*/*.jsonl"))
    if not transcripts:
        found.append("no transcript")
    for path in transcripts:
        if not UUID4.match(path.stem):
            found.append(f"{path.name}: the name is no uuid")
        found += [f"{path.name}: {fault}" for fault in _transcript(path, path.stem, None)]
        for below in sorted((path.parent / path.stem).glob("subagents/agent-*.jsonl")):
            agent_id = below.stem.removeprefix("agent-")
            found += [f"{below.name}: {fault}" for fault in _transcript(below, path.stem, agent_id)]
            found += [f"{below.name}: {fault}" for fault in _meta(below.with_suffix(".meta.json"))]
    for task in sorted(root.glob("tasks/*/*.json")):
        found += _task(task)
    return found


def _records(path: Path, found: list[str]) -> list[dict[str, Any]]:
    data = path.read_bytes()
    if (
        not data.endswith(b"\n")
        or b"\r" in data
        or b"\0" in data
        or data.startswith(b"\xef\xbb\xbf")
    ):
        found.append("no clean lines")
    records = []
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        try:
            record = json.loads(line)
        except ValueError as error:
            found.append(f"line {number}: {error}")
            continue
        if not isinstance(record, dict):
            found.append(f"line {number}: no object")
        else:
            records.append(record)
    return records


def _transcript(path: Path, session_id: str, agent_id: str | None) -> list[str]:
    found: list[str] = []
    records = _records(path, found)
    spoken = [record for record in records if record.get("type") in TRANSCRIPT]
    if not spoken:
        return [*found, "no message"]
    said = [record["type"] for record in spoken if record["type"] != "system"]
    if said[:1] != ["user"] or records[0] is not spoken[0]:
        found.append("the first message is not the user's")
    found += _origin(spoken)
    seen: set[str] = set()
    for number, record in enumerate(spoken, 1):
        found += [
            f"message {number}: {fault}" for fault in _envelope(record, seen, session_id, agent_id)
        ]
        folder = _folder(str(record.get("cwd")))
        project = path.parent.name if agent_id is None else path.parent.parent.parent.name
        if folder != project:
            found.append(f"message {number}: of {record.get('cwd')} in the folder {project}")
    found += _times(spoken)
    found += _chain(spoken)
    found += _conversation(spoken)
    for record in records:
        if record.get("type") == "custom-title" and not (
            record.get("customTitle") and record.get("sessionId")
        ):
            found.append("a title without a title or a session")
    return found


def _envelope(
    record: dict[str, Any], seen: set[str], session_id: str, agent_id: str | None
) -> list[str]:
    found = []
    uuid = record.get("uuid")
    if not isinstance(uuid, str) or not UUID4.match(uuid) or uuid in seen:
        found.append(f"uuid {uuid!r}")
    seen.add(str(uuid))
    if "parentUuid" not in record:
        found.append("no parentUuid")
    if not TIME.match(str(record.get("timestamp"))):
        found.append(f"timestamp {record.get('timestamp')!r}")
    if record.get("sessionId") != session_id:
        found.append("sessionId is not the name of the file")
    if not SEMVER.match(str(record.get("version"))):
        found.append("version")
    if record.get("userType") != "external" or not isinstance(record.get("cwd"), str):
        found.append("userType or cwd")
    if record.get("isSidechain") is not (agent_id is not None) or record.get("agentId") != agent_id:
        found.append("isSidechain or agentId")
    if not isinstance(record.get("gitBranch"), str):
        found.append("gitBranch")
    return found


def _origin(spoken: list[dict[str, Any]]) -> list[str]:
    """The first line, and no other, says where the session comes from."""
    if any("converted" in record for record in spoken[1:]):
        return ["a later line says where the session comes from"]
    if set(spoken[0].get("converted") or ()) != {"by", "agent", "session"}:
        return ["no word of where the session comes from"]
    return []


def _times(spoken: list[dict[str, Any]]) -> list[str]:
    """Versions up to 2.1.100 continue from the first line with the newest time: it must be the
    last line.
    """
    times = [str(record.get("timestamp")) for record in spoken]
    return [
        f"message {number}: {time} is not after {before}"
        for number, (before, time) in enumerate(itertools.pairwise(times), 2)
        if time <= before
    ]


def _chain(spoken: list[dict[str, Any]]) -> list[str]:
    """From the last line back to the start: everything must be reached but what lies before a
    compaction.
    """
    found = []
    place = {record.get("uuid"): number for number, record in enumerate(spoken)}
    for record in spoken:
        parent = record.get("parentUuid")
        if parent is not None and place.get(parent, len(spoken)) >= place[record.get("uuid")]:
            found.append(f"parent {parent} is not before its child")
    if found:
        return found
    roots = [record for record in spoken if record.get("parentUuid") is None]
    for root in roots[1:]:
        if root.get("subtype") != "compact_boundary" and not _is_prompt(root):
            found.append(f"{root['uuid']} begins a chain of its own")
    return found


def _is_prompt(record: dict[str, Any]) -> bool:
    return record["type"] == "user" and isinstance(record["message"].get("content"), str)


def _conversation(spoken: list[dict[str, Any]]) -> list[str]:
    found: list[str] = []
    asked: set[str] = set()
    for number, record in enumerate(spoken):
        where = f"message {number + 1}"
        if record["type"] == "assistant":
            found += [f"{where}: {fault}" for fault in _answer(record, asked)]
            uses = _uses(record)
            after = spoken[number + 1] if number + 1 < len(spoken) else None
            if uses and (after is None or after["type"] != "user" or _results(after) != uses):
                found.append(f"{where}: {uses} have no result in the user line after it")
        elif record["type"] == "user":
            found += [f"{where}: {fault}" for fault in _user(record)]
            before = spoken[number - 1] if number else None
            given = _results(record)
            if given and (
                before is None or before["type"] != "assistant" or given != _uses(before)
            ):
                found.append(f"{where}: results of no call before it")
        elif record["type"] == "system" and record.get("subtype") == "compact_boundary":
            after = spoken[number + 1] if number + 1 < len(spoken) else {}
            if not after.get("isCompactSummary") or after.get("parentUuid") != record["uuid"]:
                found.append(f"{where}: no summary behind the border")
    return found


def _answer(record: dict[str, Any], asked: set[str]) -> list[str]:
    message, found = record.get("message") or {}, []
    if not str(message.get("id")).startswith("msg_"):
        found.append("message id")
    if (
        message.get("type") != "message"
        or message.get("role") != "assistant"
        or not message.get("model")
    ):
        found.append("type, role or model")
    model = str(message.get("model"))
    if model.startswith("claude-") and not CLAUDE_MODEL.match(model):
        found.append(f"model {model!r}")
    if message.get("stop_reason") not in STOPS or "stop_sequence" not in message:
        found.append(f"stop reason {message.get('stop_reason')!r}")
    tokens = message.get("usage") or {}
    if not all(isinstance(tokens.get(name), int) for name in ("input_tokens", "output_tokens")):
        found.append("usage")
    if any(tokens.values()):
        found.append("usage that would be counted again")
    content = message.get("content")
    if not isinstance(content, list) or not content:
        return [*found, "no content"]
    for block in content:
        found += _block(block, asked)
    return found


def _block(block: dict[str, Any], asked: set[str]) -> list[str]:
    kind = block.get("type")
    if kind == "text":
        return [] if str(block.get("text") or "").strip() else ["an empty text"]
    if kind in ("thinking", "redacted_thinking"):
        return [] if block.get("signature") else ["thinking without a signature"]
    if kind != "tool_use":
        return [f"a block of type {kind}"]
    found = []
    if not TOOL_NAME.match(str(block.get("name"))) or not TOOL_ID.match(str(block.get("id"))):
        found.append(f"tool {block.get('name')!r} {block.get('id')!r}")
    if block.get("id") in asked:
        found.append(f"call {block.get('id')} twice")
    asked.add(str(block.get("id")))
    return found if isinstance(block.get("input"), dict) else [*found, "input is no object"]


def _uses(record: dict[str, Any]) -> list[str]:
    content = record.get("message", {}).get("content")
    blocks = content if isinstance(content, list) else []
    return [block["id"] for block in blocks if block.get("type") == "tool_use"]


def _results(record: dict[str, Any]) -> list[str]:
    content = record.get("message", {}).get("content")
    blocks = content if isinstance(content, list) else []
    return [block["tool_use_id"] for block in blocks if block.get("type") == "tool_result"]


def _user(record: dict[str, Any]) -> list[str]:
    message = record.get("message") or {}
    content = message.get("content")
    if record.get("isVisibleInTranscriptOnly") and not record.get("isCompactSummary"):
        return ["a text for the person that the model would be given"]
    if message.get("role") != "user" or not isinstance(content, (str, list)):
        return ["no user message"]
    if not (content.strip() if isinstance(content, str) else content):
        return ["no user message"]
    for block in content if isinstance(content, list) else []:
        if block.get("type") == "tool_result" and not isinstance(block.get("content"), (str, list)):
            return ["a result of no text"]
    return []


def _meta(path: Path) -> list[str]:
    if not path.exists():
        return ["no meta.json"]
    meta = json.loads(path.read_text())
    return (
        []
        if isinstance(meta.get("agentType"), str) and isinstance(meta.get("spawnDepth"), int)
        else ["meta.json"]
    )


def _task(path: Path) -> list[str]:
    task = json.loads(path.read_text())
    is_valid = (
        task.get("id") == path.stem
        and bool(task.get("subject"))
        and task.get("status") in ("pending", "in_progress", "completed")
        and all(isinstance(task.get(name), list) for name in ("blocks", "blockedBy"))
        and isinstance(task.get("description"), str)
    )
    return [] if is_valid else [f"task {path}"]


def _folder(path: str) -> str:
    """The folder of a working folder: everything but letters and digits is a hyphen, long names get
    a hash.
    """
    path = unicodedata.normalize("NFC", path)
    units = [int.from_bytes(pair, "little") for pair in _pairs(path.encode("utf-16-le"))]
    name = "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)
    if len(name) <= 200:
        return name
    number = 0
    for unit in units:
        number = (number * 31 + unit) % 2**32
    number = abs(number - 2**32 if number & 2**31 else number)
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return f"{name[:200]}-{digits or '0'}"


def _pairs(data: bytes) -> list[bytes]:
    return [data[at : at + 2] for at in range(0, len(data), 2)]
