"""Tool calls: the part that VS Code shows, and the whole arguments and results in its metadata."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from agent_journal.connectors.converted import NO_RESULT
from agent_journal.connectors.values import items, mapping
from agent_journal.convert.vscode.parts import MAX_TEXT, Part, described, milliseconds
from agent_journal.export.prose import clean
from agent_journal.model import ToolCall
from agent_journal.model.arguments import parse_arguments
from agent_journal.text.plain import one_line

# Characters of an output in the window, which draws all of it; the metadata has the whole
MAX_SHOWN = 100_000
_ODD = re.compile(r"[^A-Za-z0-9_-]")  # models reject other letters in names and ids
# A call that nobody approved yet never ran: to VS Code it was skipped.
_APPROVALS = {
    "auto": 1,
    "setting": 2,
    "rule": 3,
    "user": 4,
    "skipped": 5,
    "pending": 5,
}
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
        """The id itself, or one as near to it as possible."""
        plain = _ODD.sub("_", name)[:120] or "call"
        unique = plain
        number = 1
        while unique in self._taken:
            number += 1
            unique = f"{plain}-{number}"
        self._taken.add(unique)
        return unique


def shown(call: ToolCall, call_id: str, is_whole_kept: bool, parent: str | None) -> Shown:
    """The part for a call; is_whole_kept: the metadata has its result, so here it may be cut."""
    arguments = parse_arguments(call.arguments)
    command = _command(call, arguments)
    is_terminal = command is not None
    if is_whole_kept:
        output = _cut(call.display or call.result or "", MAX_SHOWN, "the model has all of it")
        lost = 0
    else:
        result = call.result or ""
        output = _cut(result, MAX_TEXT, "left out")
        lost = max(0, len(result) - MAX_TEXT)
    in_box = "" if is_terminal and is_whole_kept else output
    title = _title(call, arguments)
    part: Part = {
        "kind": "toolInvocationSerialized",
        "toolId": call.name or "unknown",
        "toolCallId": call_id,
        "invocationMessage": title,
        "pastTenseMessage": title,
        "generatedTitle": title,
        "isConfirmed": _confirmation(call),
        "isComplete": True,
        "source": _source(call),
        "resultDetails": {
            "input": _pretty(call.arguments, arguments),
            "output": _output(call, in_box),
            "isError": call.status == "error" or (call.status == "failed" and not is_terminal),
        },
    }
    if command is not None:
        part["toolSpecificData"] = _terminal(call, command, output[:MAX_SHOWN])
    else:
        todos = todos_in(call, arguments)
        if todos:
            part["toolSpecificData"] = {"kind": "todoList", "todoList": todos}
    if parent is not None:
        part["subAgentInvocationId"] = parent
    return Shown(part, lost)


def asked(call: ToolCall, call_id: str) -> dict[str, Any]:
    """The call as the model asked for it."""
    return {
        "id": call_id,
        "name": _ODD.sub("_", call.name or "unknown")[:64],
        "arguments": object_of(call.arguments),
    }


def object_of(arguments: str | None) -> str:
    """Arguments as the JSON object that models are given: other values as its `input`."""
    if not arguments:
        return "{}"
    values = parse_arguments(arguments)
    if isinstance(values, dict):
        return arguments
    if values is None:
        values = arguments
    return json.dumps({"input": values}, ensure_ascii=False)


def answered(call: ToolCall) -> dict[str, Any] | None:
    """The result as the model got it; None when it is not known."""
    if call.result is None:
        return None
    content = [{"$mid": 21, "value": call.result}] if call.result else []
    return {"$mid": 20, "content": content}


def unanswered() -> dict[str, Any]:
    """A result for a call without one: a round is left out when none of its calls has any."""
    return {"$mid": 20, "content": [{"$mid": 21, "value": NO_RESULT}]}


def todos_in(call: ToolCall, arguments: Any) -> list[dict[str, str]]:
    """The list a todo tool wrote."""
    if call.kind != "todo" or not isinstance(arguments, dict):
        return []
    lists = (arguments.get(name) for name in ("todos", "todoList"))
    listed = next((value for value in lists if isinstance(value, list)), [])
    found = []
    for number, item in enumerate(items(listed)):
        title = item.get("content") or item.get("title") or item.get("description")
        if isinstance(title, str) and title:
            status = _STATUSES.get(str(item.get("status")), "not-started")
            todo_id = str(item.get("id") or number + 1)
            found.append({"id": todo_id, "title": title, "status": status})
    return found


def _confirmation(call: ToolCall) -> dict[str, int] | bool:
    """Who let the call run. Before 1.104, only a plain false means that it did not."""
    approval = call.approval
    if approval is None and call.status == "denied":
        approval = "denied"
    if approval == "denied":
        return False
    return {"type": _APPROVALS[approval or "auto"]}


def _title(call: ToolCall, arguments: Any) -> str:
    values = mapping(arguments)
    telling = next((values[name] for name in _TELLING if isinstance(values.get(name), str)), "")
    title = call.title or f"{call.name or 'unknown tool'} {telling}"
    return one_line(clean(title[:4_000]), 300) or "unknown tool"


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
    if arguments is None or arguments is text:
        return text or ""
    return json.dumps(arguments, ensure_ascii=False, indent=2)


def _command(call: ToolCall, arguments: Any) -> str | None:
    if call.kind != "shell" or not isinstance(arguments, dict):
        return None
    command = arguments.get("command") or arguments.get("cmd")
    if isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        import shlex

        return shlex.join(command)
    if isinstance(command, str) and command.strip():
        return command
    return None


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
        "command": command,  # for 1.98 to 1.102; with a language, others hide the output
    }
    if output:
        # A terminal draws it: it may contain no control sequences.
        text = clean(output)
        data["terminalCommandOutput"] = {"text": text, "lineCount": text.count("\n") + 1}
    if state:
        data["terminalCommandState"] = state
    return data


def _output(call: ToolCall, text: str) -> str:
    """What is shown of a result. It is one text: version 1.100 stops drawing at a list."""
    texts = [text] if text else []
    texts += [f"[{described(attachment)}]" for attachment in call.attachments]
    texts += [f"[{attachment.text}]" for attachment in call.attachments if attachment.text]
    return "\n".join(texts)


def _cut(text: str, limit: int, where: str) -> str:
    """At most so many characters, and a remark on where the rest is."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n… {len(text) - limit:,} more characters: {where}"
