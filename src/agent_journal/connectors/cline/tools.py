"""Tools as they were shown to the person, and the calls of the model that they belong to.

{"tool":"readFile","path":"a.py","content":"/home/sam/app/a.py"}   what was shown
{"name":"read_file","input":{"path":"a.py"}}                       the call
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from msgspec.structs import replace

from agent_journal.connectors.cline.edits import changed, diff_of_blocks, edits_of
from agent_journal.connectors.cline.exchange import arguments_of, as_json
from agent_journal.connectors.replacements import as_created
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import first_string, string, strings
from agent_journal.model import FileEdit, ToolCall

# The names of the model for what is shown, the usual one first
_NAMES: dict[str, tuple[str, ...]] = {
    "editedExistingFile": ("replace_in_file", "write_to_file", "apply_diff", "apply_patch"),
    "appliedDiff": ("apply_diff", "replace_in_file"),
    "newFileCreated": ("write_to_file", "apply_patch"),
    "readFile": ("read_file",),
    "listFilesTopLevel": ("list_files",),
    "listFilesRecursive": ("list_files",),
    "listCodeDefinitionNames": ("list_code_definition_names",),
    "searchFiles": ("search_files",),
    "codebaseSearch": ("codebase_search",),
    "webFetch": ("web_fetch",),
    "webSearch": ("web_search",),
    "newTask": ("new_task",),
    "updateTodoList": ("update_todo_list",),
    "command": ("execute_command",),
    "use_mcp_server": ("use_mcp_tool", "access_mcp_resource"),
    "use_subagents": ("use_subagents",),
    "followup": ("ask_followup_question",),
    "browser_action": ("browser_action",),
    "browser_action_launch": ("browser_action",),
}
# What says which of several calls of a tool it is
_KEYS = ("path", "command", "url", "query", "regex", "question", "tool_name", "uri", "action")
_EDITS = ("editedExistingFile", "appliedDiff", "newFileCreated")
# What is shown of these is what they gave back
_SHOW_RESULTS = (
    "listFilesTopLevel",
    "listFilesRecursive",
    "listCodeDefinitionNames",
    "searchFiles",
)
_FARTHEST = 20  # calls that are looked at to find the one that is shown


class Shown(NamedTuple):
    """A tool as it was shown: its name, and what was shown of it."""

    tool: str
    values: dict[str, Any]

    @property
    def name(self) -> str:
        """The name that the model calls it by."""
        return _NAMES.get(self.tool, (self.tool,))[0]

    @property
    def names(self) -> tuple[str, ...]:
        """All names that the model may call it by."""
        return _NAMES.get(self.tool, (self.tool,))

    @property
    def key(self) -> str | None:
        """The path, command or question that it is about."""
        return first_string(self.values, *_KEYS) or _tool_of_server(self.values)


class SentCalls:
    """The calls of the model in their order, each of which is shown once at most."""

    def __init__(self, calls: Iterable[ToolCall]) -> None:
        self._calls = list(calls)
        self._next = 0

    def match(self, shown: Shown) -> ToolCall | None:
        """The next call that may be the one that was shown."""
        last = min(len(self._calls), self._next + _FARTHEST)
        for number in range(self._next, last):
            call = self._calls[number]
            if call.name in shown.names and _is_about(call, shown.key):
                self._next = number + 1
                return _of_server(call, shown)
        return None


def shown_call(shown: Shown, call_id: str) -> ToolCall:
    """A call of which only what was shown is known."""
    call = ToolCall(
        session_id="",
        id=call_id,
        name=shown.name,
        kind=tool_kind(shown.name),
        arguments=as_json(shown.values),
    )
    content = string(shown.values.get("content"))
    if shown.tool in _SHOW_RESULTS and content is not None:
        call = replace(call, result=content, status="ok")
    return _of_server(call, shown)


def _of_server(call: ToolCall, shown: Shown) -> ToolCall:
    """The call, with the tool of an MCP server that it runs."""
    server = string(shown.values.get("serverName"))
    if server is None:
        return call
    name = string(shown.values.get("toolName")) or call.name
    return replace(call, name=name, server=server, kind=tool_kind(name, server))


def shown_edits(shown: Shown, call: ToolCall) -> list[FileEdit]:
    """The change that was shown, as the call asked for it where that is known."""
    if shown.tool not in _EDITS:
        return []
    edits = edits_of(call, arguments_of(call))
    if call.status is None:
        edits = _changes(shown, call)
    if shown.tool == "newFileCreated":
        edits = [as_created(edit) for edit in edits]
    return edits


def _changes(shown: Shown, call: ToolCall) -> list[FileEdit]:
    """The change by what was shown: a diff, blocks to replace, or the whole text of the file."""
    path = string(shown.values.get("path"))
    if path is None:
        return []
    edit = FileEdit(
        session_id=call.session_id,
        path=path,
        message_id=call.message_id,
        call_id=call.id,
        timestamp=call.started_at,
    )
    text = first_string(shown.values, "diff", "content")
    if text is None:
        return [edit]
    diff = diff_of_blocks(text)
    is_diff = diff != text or "diff" in shown.values
    return [changed(edit, diff if is_diff else None, {"content": text})]


def _is_about(call: ToolCall, key: str | None) -> bool:
    """Whether a call has this path, command or question; paths may be longer in one of both."""
    if key is None:
        return True
    found = first_string(arguments_of(call), *_KEYS)
    if found is None:
        return False
    first = key.strip().replace("\\", "/")
    second = found.strip().replace("\\", "/")
    return first == second or first.endswith(f"/{second}") or second.endswith(f"/{first}")


def _tool_of_server(values: dict[str, Any]) -> str | None:
    return first_string(values, "toolName") or next(iter(strings(values.get("prompts"))), None)
