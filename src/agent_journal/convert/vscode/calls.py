"""Tool calls: the part that VS Code shows, and what its metadata has of it (arguments and results,
whole).
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from agent_journal.convert.vscode.parts import MAX_TEXT, Part, described, milliseconds
from agent_journal.export.prose import clean
from agent_journal.model import ToolCall
from agent_journal.text.plain import one_line

# Characters of an output in the window, which draws all of it; the metadata has the whole
MAX_SHOWN = 100_000
_ODD = re.compile(r"[^A-Za-z0-9_-]")  # models refuse other letters in names and ids
_APPROVALS = {"auto": 1, "setting": 2, "rule": 3, "user": 4, "denied": 0, "skipped": 5}
_TELLING = (
    "command",
    "cmd",
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
)
_STATUSES = {
    "in_progress": "in-progress",
    "in-progress": "in-progress",
    "completed": "completed",
    "complete": "completed",
    "done": "completed",
}


class Shown(NamedTuple):
    """A call as a part of the answer; `lost` characters of its result are nowhere in the file."""

    part: Part
    lost: int


class Names:
    """Ids for calls: plain letters, each once in a document."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def give(self, name: str) -> str:
        """The id as it is, or as near to it as may be."""
        plain = _ODD.sub("_", name)[:120] or "call"
        unique, number = plain, 1
        while unique in self._taken:
            number += 1
            unique = f"{plain}-{number}"
        self._taken.add(unique)
        return unique


def shown(call: ToolCall, call_id: str, is_whole_aside: bool, parent: str | None) -> Shown:
    """The part for a call; `is_whole_aside`: the metadata has its result, so that here it may be
    cut.
    """
    arguments = parsed(call.arguments)
    command = _command(call, arguments)
    text = call.display if call.display and is_whole_aside else call.result
    output, lost = _cut(text or "", MAX_SHOWN if is_whole_aside else MAX_TEXT, is_whole_aside)
    is_terminal = command is not None
    part: Part = {
        "kind": "toolInvocationSerialized",
        "toolId": call.name or "unknown",
        "toolCallId": call_id,
        "invocationMessage": _title(call, arguments),
        "isConfirmed": {"type": _confirmation(call)},
        "isComplete": True,
        "source": _source(call),
        "resultDetails": {
            "input": _pretty(call.arguments, arguments),
            "output": _outputs(call, "" if is_terminal and is_whole_aside else output),
            "isError": call.status == "error" or (call.status == "failed" and not is_terminal),
        },
    }
    if command is not None:
        part["toolSpecificData"] = _terminal(call, command, output[:MAX_SHOWN])
    elif todos := todos_in(call, arguments):
        part["toolSpecificData"] = {"kind": "todoList", "todoList": todos}
    if parent is not None:
        part["subAgentInvocationId"] = parent
    return Shown(part, lost)


def asked(call: ToolCall, call_id: str) -> dict[str, Any]:
    """The call as the model asked for it."""
    return {
        "id": call_id,
        "name": _ODD.sub("_", call.name or "unknown")[:64],
        "arguments": call.arguments or "",
    }


def answered(call: ToolCall) -> dict[str, Any] | None:
    """What the model was told; None when nothing is known of it."""
    if call.result is None:
        return None
    return {"$mid": 20, "content": [{"$mid": 21, "value": call.result}] if call.result else []}


def parsed(arguments: str | None) -> Any:
    """Arguments as data; None for what is no JSON."""
    try:
        return json.loads(arguments) if arguments else None
    except (ValueError, RecursionError):
        return None


def todos_in(call: ToolCall, arguments: Any) -> list[dict[str, str]]:
    """The list a todo tool wrote."""
    told = arguments if call.kind == "todo" and isinstance(arguments, dict) else {}
    listed: list[Any] = next(
        (told[key] for key in ("todos", "todoList") if isinstance(told.get(key), list)), []
    )
    found = []
    for number, item in enumerate(one for one in listed if isinstance(one, dict)):
        title = item.get("content") or item.get("title") or item.get("description")
        if isinstance(title, str) and title:
            status = _STATUSES.get(str(item.get("status")), "not-started")
            found.append(
                {"id": str(item.get("id") or number + 1), "title": title, "status": status}
            )
    return found


def _confirmation(call: ToolCall) -> int:
    if call.approval is not None:
        return _APPROVALS[call.approval]
    return 0 if call.status == "denied" else 1


def _title(call: ToolCall, arguments: Any) -> str:
    values = arguments if isinstance(arguments, dict) else {}
    telling = next((values[name] for name in _TELLING if isinstance(values.get(name), str)), "")
    told = call.title or f"{call.name or 'unknown tool'} {telling}"
    return one_line(clean(told[:4_000]), 300) or "unknown tool"


def _source(call: ToolCall) -> dict[str, str]:
    if not call.server:
        return {"type": "external", "label": "External"}
    label = one_line(call.server, 100) or "server"
    return {
        "type": "mcp",
        "label": label,
        "serverLabel": label,
        "collectionId": "imported",
        "definitionId": label,
    }


def _pretty(text: str | None, arguments: Any) -> str:
    return (
        (text or "") if arguments is None else json.dumps(arguments, ensure_ascii=False, indent=2)
    )


def _command(call: ToolCall, arguments: Any) -> str | None:
    if call.kind != "shell" or not isinstance(arguments, dict):
        return None
    command = arguments.get("command") or arguments.get("cmd")
    if isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        import shlex

        return shlex.join(command)
    return command if isinstance(command, str) and command.strip() else None


def _terminal(call: ToolCall, command: str, output: str) -> dict[str, Any]:
    state: dict[str, int] = {}
    if call.exit_code is not None:
        state["exitCode"] = call.exit_code
    if call.duration_ms is not None:
        state["duration"] = call.duration_ms
    if call.started_at is not None:
        state["timestamp"] = milliseconds(call.started_at)
    data: dict[str, Any] = {
        "kind": "terminal",
        "commandLine": {"original": command},
        "language": "sh",
    }
    if output:
        # It is drawn by a terminal: nothing in it may steer that.
        text = clean(output)
        data["terminalCommandOutput"] = {"text": text, "lineCount": text.count("\n") + 1}
    if state:
        data["terminalCommandState"] = state
    return data


def _outputs(call: ToolCall, text: str) -> list[dict[str, Any]]:
    texts = [text] if text else []
    texts += [f"[{described(attachment)}]" for attachment in call.attachments]
    texts += [f"[{attachment.text}]" for attachment in call.attachments if attachment.text]
    return [{"type": "embed", "isText": True, "value": one} for one in texts]


def _cut(text: str, limit: int, is_whole_aside: bool) -> tuple[str, int]:
    """At most so many characters, and how many are lost with that."""
    if len(text) <= limit:
        return text, 0
    more = len(text) - limit
    where = "the model was told all of it" if is_whole_aside else "left out"
    return f"{text[:limit]}\n… {more:,} more characters: {where}", 0 if is_whole_aside else more
