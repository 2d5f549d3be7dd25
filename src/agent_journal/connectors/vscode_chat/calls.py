"""Tool calls: a part of the response, joined with its arguments and its result from
`result.metadata`.

The part says which tool ran and who allowed it; `toolCallRounds` has what the model asked,
`toolCallResults` what it was told. Since 1.109 all three share an id (up to a `__vscode-…` suffix);
before, they share only their order.
"""

from __future__ import annotations

import bisect
import re
from collections import deque
from typing import Any, NamedTuple

import msgspec

from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import count, integer, items, mapping, string
from agent_journal.connectors.vscode_chat.results import Outcome, details_of, result_of, text_of
from agent_journal.model import Approval, Todo, ToolCall, ToolStatus
from agent_journal.text.dates import parse_time

_SUFFIX = "__vscode-"
_MODEL_NAMES = {
    "copilot_readFile": "read_file",
    "copilot_replaceString": "replace_string_in_file",
    "copilot_listDirectory": "list_dir",
    "copilot_multiReplaceString": "multi_replace_string_in_file",
    "copilot_findTextInFiles": "grep_search",
    "copilot_insertEdit": "insert_edit_into_file",
    "vscode_editFile_internal": "insert_edit_into_file",
    "copilot_findFiles": "file_search",
    "copilot_createFile": "create_file",
    "copilot_searchCodebase": "semantic_search",
    "copilot_createDirectory": "create_directory",
    "copilot_applyPatch": "apply_patch",
    "copilot_editNotebook": "edit_notebook_file",
    "copilot_getErrors": "get_errors",
    "copilot_runNotebookCell": "run_notebook_cell",
    "copilot_getChangedFiles": "get_changed_files",
    "copilot_fetchWebPage": "fetch_webpage",
    "vscode_fetchWebPage_internal": "fetch_webpage",
    "copilot_readNotebookCellOutput": "read_notebook_cell_output",
    "copilot_githubRepo": "github_repo",
    "copilot_memory": "memory",
    "copilot_searchWorkspaceSymbols": "search_workspace_symbols",
    "copilot_viewImage": "view_image",
    "copilot_findTestFiles": "test_search",
    "copilot_installExtension": "install_extension",
    "copilot_getVSCodeAPI": "get_vscode_api",
    "copilot_runVscodeCommand": "run_vscode_command",
}
SUBAGENTS = frozenset(("runSubagent", "search_subagent", "execution_subagent", "explore_subagent"))
_APPROVALS: dict[int, Approval] = {
    0: "denied",
    1: "auto",
    2: "setting",
    3: "rule",
    4: "user",
    5: "skipped",
}
_SPILLED = re.compile(r"chat-session-resources[/\\][^/\\\s]+[/\\]([^/\\\s]+)[/\\]content\.txt")
_ODD = re.compile(r"[^A-Za-z0-9_-]")
_ERRORS = (
    "ERROR while calling tool",
    "ERROR: Your input to the tool was invalid",
    "Applying patch failed",
)


class Asked(NamedTuple):
    """A call as the model asked for it; `full_id` is the id as it is written there."""

    id: str
    full_id: str
    name: str
    arguments: str | None
    timestamp: Any


class Calls:
    """The calls of one turn."""

    def __init__(
        self, metadata: dict[str, Any], following: dict[str, Any], cancelled: bool
    ) -> None:
        self._asked = [
            _asked(call, round_.get("timestamp"))
            for round_ in items(metadata.get("toolCallRounds"))
            for call in items(round_.get("toolCalls"))
        ]
        self._results = mapping(metadata.get("toolCallResults"))
        if metadata.get("maxToolCallsExceeded") is True:
            # The limit of calls cut the turn: the results of its last round are in the next turn's
            # metadata.
            self._results = {**mapping(following.get("toolCallResults")), **self._results}
        self._by_plain_id = {plain_id(key): value for key, value in self._results.items()}
        self._cancelled = cancelled
        self._used: set[int] = set()

    def match(self, parts: list[dict[str, Any]]) -> list[Asked | None]:
        """For each part of the response, in order, what the model asked."""
        by_id: dict[str, deque[int]] = {}
        by_name: dict[str, list[int]] = {}
        for place, asked in enumerate(self._asked):
            by_id.setdefault(asked.id, deque()).append(place)
            by_name.setdefault(asked.name, []).append(place)
        matched: list[Asked | None] = []
        after = 0
        for part in parts:
            call_id = plain_id(string(part.get("toolCallId")) or "")
            # A model may count its calls anew in each round: one id then stands for several, in
            # order.
            found = self._first(by_id.get(call_id)) if call_id else None
            if found is None and not is_child(part):
                found = self._next(by_name.get(model_name(part), []), after)
            if found is not None:
                self._used.add(found)
                after = found + 1
            matched.append(None if found is None else self._asked[found])
        return matched

    def _first(self, places: deque[int] | None) -> int | None:
        while places and places[0] in self._used:
            places.popleft()
        return places[0] if places else None

    def _next(self, places: list[int], after: int) -> int | None:
        at = bisect.bisect_left(places, after)
        return next((place for place in places[at:] if place not in self._used), None)

    def leftovers(self) -> list[Asked]:
        """What the model asked without a part of the response to show for it."""
        return [asked for place, asked in enumerate(self._asked) if place not in self._used]

    def call(
        self,
        part: dict[str, Any],
        asked: Asked | None,
        session_id: str,
        message_id: str,
        spare: str,
    ) -> ToolCall:
        """One call; `part` is empty for one the response does not show."""
        data, source = mapping(part.get("toolSpecificData")), mapping(part.get("source"))
        call_id = (
            plain_id(string(part.get("toolCallId")) or "") or (asked.id if asked else "") or spare
        )
        name = _name(part, asked) or "unknown"
        server = string(source.get("serverLabel")) or string(source.get("label"))
        server = server if source.get("type") == "mcp" else None
        text, attachments = self._result(part, data, asked)
        approval = approval_of(part)
        exit_code = integer(mapping(data.get("terminalCommandState")).get("exitCode"))
        return ToolCall(
            session_id=session_id,
            id=call_id,
            message_id=message_id,
            name=name,
            kind="agent" if name in SUBAGENTS else tool_kind(name, server),
            title=_title(part, data),
            server=server,
            arguments=(asked.arguments if asked else None) or _told_arguments(part, data),
            result=text,
            status=self._status(part, approval, text, exit_code, bool(attachments)),
            approval=approval,
            exit_code=exit_code,
            started_at=parse_time(asked.timestamp) if asked and count(asked.timestamp) else None,
            duration_ms=count(mapping(data.get("terminalCommandState")).get("duration")),
            spilled_to=_spilled_to(text),
            attachments=attachments,
        )

    def _result(self, part: dict[str, Any], data: dict[str, Any], asked: Asked | None) -> Outcome:
        if asked is not None:
            found = self._results.get(asked.full_id)
        else:
            found = self._by_plain_id.get(plain_id(string(part.get("toolCallId")) or ""))
        text, attachments = result_of(found)
        if text is None and not attachments:
            text, attachments = details_of(part.get("resultDetails"))
        text = text or string(mapping(data.get("terminalCommandOutput")).get("text"))
        if text is None and data.get("kind") == "simpleToolInvocation":
            text = string(data.get("output"))
        if text is None and data.get("kind") == "subagent":
            text = string(data.get("result"))
        text = text or text_of(part.get("pastTenseMessage"))
        if text is None and isinstance(mapping(found).get("content"), list):
            text = ""  # edit tools answer with nothing, which is an answer
        return text, attachments

    def _status(
        self,
        part: dict[str, Any],
        approval: Approval | None,
        text: str | None,
        exit_code: int | None,
        attached: bool,
    ) -> ToolStatus | None:
        if approval in ("denied", "skipped"):
            return "denied"
        if mapping(part.get("resultDetails")).get("isError") is True or (
            text and text.startswith(_ERRORS)
        ):
            return "error"
        if exit_code:
            return "failed"
        if text is not None or attached or exit_code == 0:
            return "ok"
        return "interrupted" if self._cancelled else None


def plain_id(call_id: str) -> str:
    """An id without the suffix VS Code gives it."""
    return call_id.partition(_SUFFIX)[0]


def model_name(part: dict[str, Any]) -> str:
    """The name the model knows a tool by."""
    tool = string(part.get("toolId")) or ""
    return _MODEL_NAMES.get(tool, tool)


def is_child(part: dict[str, Any]) -> bool:
    """Whether a call was made by a sub-agent."""
    return string(part.get("subAgentInvocationId")) is not None or part.get("fromSubAgent") is True


def approval_of(part: dict[str, Any]) -> Approval | None:
    """Who let the call run; None where the file does not say."""
    confirmed = part.get("isConfirmed")
    if isinstance(confirmed, bool):
        return "user" if confirmed else "denied"
    kind = mapping(confirmed).get("type")
    return _APPROVALS.get(kind) if isinstance(kind, int) else None


def command_of(data: dict[str, Any]) -> str | None:
    """The command that really ran: as the person edited it, as the tool did, as the model wrote it."""
    line = mapping(data.get("commandLine"))
    return next(
        filter(None, (string(line.get(key)) for key in ("userEdited", "toolEdited", "original"))),
        None,
    ) or (string(data.get("command")))


def todos_of(data: dict[str, Any], arguments: str | None) -> tuple[Todo, ...] | None:
    """The todo list a call wrote; None when it wrote none."""
    listed = data.get("todoList") if data.get("kind") == "todoList" else None
    if listed is None and arguments:
        try:
            listed = mapping(msgspec.json.decode(arguments)).get("todoList")
        except (msgspec.DecodeError, RecursionError):
            return None
    if not isinstance(listed, list):
        return None
    return tuple(
        Todo(
            content=title,
            status=string(item.get("status")),
            id=None if item.get("id") is None else str(item["id"]),
            description=string(item.get("description")),
        )
        for item in items(listed)
        if (title := string(item.get("title")))
    )


def _name(part: dict[str, Any], asked: Asked | None) -> str:
    """The name the model used; as the part has it where the model could not be given all its
    letters.
    """
    shown = model_name(part)
    return (
        shown
        if asked is None or not asked.name or _ODD.sub("_", shown)[:64] == asked.name
        else asked.name
    )


def _asked(call: dict[str, Any], timestamp: Any) -> Asked:
    full_id = string(call.get("id")) or ""
    return Asked(
        plain_id(full_id), full_id, string(call.get("name")) or "", _arguments(call), timestamp
    )


def _arguments(call: dict[str, Any]) -> str | None:
    arguments = call.get("arguments")
    if isinstance(arguments, str):
        return arguments or None
    return msgspec.json.encode(arguments).decode() if arguments else None


def _told_arguments(part: dict[str, Any], data: dict[str, Any]) -> str | None:
    told = string(mapping(part.get("resultDetails")).get("input"))
    if told is None and data.get("kind") == "input" and data.get("rawInput") is not None:
        told = msgspec.json.encode(data["rawInput"]).decode()
    if told is None and data.get("kind") == "terminal" and (command := command_of(data)):
        told = msgspec.json.encode({"command": command}).decode()
    return told or (
        string(data.get("input")) if data.get("kind") == "simpleToolInvocation" else None
    )


def _spilled_to(text: str | None) -> str | None:
    """The kept file with the whole result, where that was too large for the model."""
    found = _SPILLED.search(text, 0, 4_000) if text else None
    return f"{found[1]}/content.txt" if found else None


def _title(part: dict[str, Any], data: dict[str, Any]) -> str | None:
    line = mapping(data.get("commandLine"))
    if string(line.get("userEdited")) or string(line.get("toolEdited")):
        return command_of(data)
    return text_of(part.get("pastTenseMessage")) or text_of(part.get("invocationMessage"))
