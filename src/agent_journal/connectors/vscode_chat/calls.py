"""Tool calls: a part of the response, with its arguments and result from `result.metadata`.

The part says which tool ran and who allowed it, `toolCallRounds` what the model asked for, and
`toolCallResults` what it got. Since 1.109 all three share an id (up to a `__vscode-…` suffix);
before, they share only their order.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import msgspec

from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import (
    count,
    first_string,
    integer,
    items,
    mapping,
    string,
)
from agent_journal.connectors.vscode_chat.requested import (
    RequestedCall,
    RequestedCalls,
    model_name,
    part_id,
    plain_id,
)
from agent_journal.connectors.vscode_chat.results import (
    ToolResult,
    details_of,
    is_stub,
    result_of,
    text_of,
)
from agent_journal.connectors.vscode_chat.states import WAITS_FOR_PERSON, Outcome
from agent_journal.model import Approval, Todo, ToolCall, ToolKind, ToolStatus
from agent_journal.text.dates import parse_time

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
_WRAPPER = '{"input": '
_ODD = re.compile(r"[^A-Za-z0-9_-]")
_ERRORS = (
    "ERROR while calling tool",
    "ERROR: Your input to the tool was invalid",
    "Applying patch failed",
)


class Calls:
    """The calls of one turn; `requested` are those that the model asked for."""

    def __init__(
        self, metadata: dict[str, Any], following: dict[str, Any], outcome: Outcome
    ) -> None:
        self.requested = RequestedCalls(metadata)
        self._results = mapping(metadata.get("toolCallResults"))
        if metadata.get("maxToolCallsExceeded") is True:
            # The limit of calls cut the turn: the results of its last round are in the metadata
            # of the next turn.
            self._results = {**mapping(following.get("toolCallResults")), **self._results}
        self._by_plain_id = {plain_id(key): value for key, value in self._results.items()}
        self._outcome = outcome

    def call(
        self, part: dict[str, Any], asked: RequestedCall | None, session_id: str, spare_id: str
    ) -> ToolCall:
        """One call; `part` is empty for one that the response does not show."""
        details = mapping(part.get("toolSpecificData"))
        terminal = mapping(details.get("terminalCommandState"))
        name = _name(part, asked) or "unknown"
        server = _server(part)
        arguments = _arguments(part, details, asked)
        result = self._result(part, details, asked)
        exit_code = integer(terminal.get("exitCode"))
        status = self._status(part, result, exit_code)
        return ToolCall(
            session_id=session_id,
            id=_call_id(part, asked) or spare_id,
            name=name,
            kind=_kind(name, server),
            title=_title(part, details, arguments),
            server=server,
            arguments=arguments,
            result=result.text,
            status=status,
            approval=self._approval(part, status),
            exit_code=exit_code,
            started_at=_start_time(asked),
            duration_ms=count(terminal.get("duration")),
            spilled_to=_spilled_to(result.text),
            attachments=result.attachments,
        )

    def _result(
        self, part: dict[str, Any], details: dict[str, Any], asked: RequestedCall | None
    ) -> ToolResult:
        if asked is not None:
            kept = self._results.get(asked.full_id)
        else:
            kept = self._by_plain_id.get(part_id(part))
        if is_stub(kept):
            kept = None
        text, attachments = result_of(kept)
        if text is None and not attachments:
            text, attachments = details_of(part.get("resultDetails"))
        text = text or string(mapping(details.get("terminalCommandOutput")).get("text"))
        if text is None and details.get("kind") == "simpleToolInvocation":
            text = string(details.get("output"))
        if text is None and details.get("kind") == "subagent":
            text = string(details.get("result"))
        if text is None and part.get("pastTenseMessage") != part.get("invocationMessage"):
            text = text_of(part.get("pastTenseMessage"))
        if text is None and isinstance(mapping(kept).get("content"), list):
            text = ""  # edit tools answer with nothing, which is an answer
        return ToolResult(text, attachments)

    def _status(
        self, part: dict[str, Any], result: ToolResult, exit_code: int | None
    ) -> ToolStatus | None:
        if approval_of(part) in ("denied", "skipped"):
            return "denied"
        if mapping(part.get("resultDetails")).get("isError") is True:
            return "error"
        if result.text and result.text.startswith(_ERRORS):
            return "error"
        if exit_code:
            return "failed"
        if result.text is not None or result.attachments or exit_code == 0:
            return "ok"
        if self._outcome.is_open:
            return "running"
        if self._outcome.state == "cancelled":
            return "interrupted"
        return None

    def _approval(self, part: dict[str, Any], status: ToolStatus | None) -> Approval | None:
        """Who let the call run; of a call that waits to be let, VS Code writes nothing."""
        approval = approval_of(part)
        is_waiting = status == "running" and self._outcome.stop_reason == WAITS_FOR_PERSON
        if approval is None and is_waiting:
            return "pending"
        return approval


def approval_of(part: dict[str, Any]) -> Approval | None:
    """Who let the call run; None where the file does not say."""
    confirmed = part.get("isConfirmed")
    if confirmed is True:
        return "user"
    if confirmed is False:
        return "denied"
    kind = mapping(confirmed).get("type")
    if not isinstance(kind, int):
        return None
    return _APPROVALS.get(kind)


def command_of(details: dict[str, Any]) -> str | None:
    """The command that really ran: as the person edited it, as the tool did, as the model wrote."""
    line = mapping(details.get("commandLine"))
    edited = first_string(line, "userEdited", "toolEdited", "original")
    return edited or string(details.get("command"))


def todos_of(call: ToolCall, details: dict[str, Any]) -> tuple[Todo, ...] | None:
    """The todo list a call wrote; None if it wrote none."""
    listed = None
    if details.get("kind") == "todoList":
        listed = details.get("todoList")
    if listed is None and call.name == "manage_todo_list" and call.arguments:
        listed = _decoded(call.arguments).get("todoList")
    if not isinstance(listed, list):
        return None
    todos = [_todo(item) for item in items(listed)]
    return tuple(todo for todo in todos if todo.content)


def _todo(item: dict[str, Any]) -> Todo:
    number = item.get("id")
    return Todo(
        content=string(item.get("title")) or "",
        status=string(item.get("status")),
        id=None if number is None else str(number),
        description=string(item.get("description")),
    )


def _call_id(part: dict[str, Any], asked: RequestedCall | None) -> str:
    call_id = part_id(part)
    if not call_id and asked is not None:
        call_id = asked.id
    return call_id


def _name(part: dict[str, Any], asked: RequestedCall | None) -> str:
    """The name the model used.

    It is as the part has it where models only get the name without its odd characters.
    """
    shown = model_name(part)
    if asked is None or not asked.name:
        return shown
    if _ODD.sub("_", shown)[:64] == asked.name:
        return shown
    return asked.name


def _kind(name: str, server: str | None) -> ToolKind:
    if name in SUBAGENTS:
        return "agent"
    return tool_kind(name, server)


def _server(part: dict[str, Any]) -> str | None:
    source = mapping(part.get("source"))
    if source.get("type") != "mcp":
        return None
    return first_string(source, "serverLabel", "label")


def _start_time(asked: RequestedCall | None) -> datetime | None:
    if asked is None or not count(asked.timestamp):
        return None
    return parse_time(asked.timestamp)


def _arguments(
    part: dict[str, Any], details: dict[str, Any], asked: RequestedCall | None
) -> str | None:
    """What the model asked for, or else what the part shows of it."""
    shown = string(mapping(part.get("resultDetails")).get("input"))
    if asked is not None and asked.arguments and not _is_wrapper(asked.arguments, shown):
        return asked.arguments
    if shown is not None:
        return shown
    kind = details.get("kind")
    if kind == "input" and details.get("rawInput") is not None:
        return msgspec.json.encode(details["rawInput"]).decode()
    if kind == "terminal":
        line = mapping(details.get("commandLine"))
        command = string(line.get("original")) or command_of(details)
        if command is not None:
            return msgspec.json.encode({"command": command}).decode()
    if kind == "simpleToolInvocation":
        return string(details.get("input"))
    return None


def _is_wrapper(arguments: str, shown: str | None) -> bool:
    """Whether a conversion made arguments an object that are none, as the part shows."""
    if shown is None or not arguments.startswith(_WRAPPER):
        return False
    inner = _decoded(arguments).get("input")
    if inner == shown:
        return True
    try:
        return bool(msgspec.json.decode(shown) == inner)
    except msgspec.DecodeError:
        return False


def _spilled_to(text: str | None) -> str | None:
    """The kept file with the whole result, where that was too large for the model."""
    if not text:
        return None
    found = _SPILLED.search(text, 0, 4_000)
    if found is None:
        return None
    return f"{found[1]}/content.txt"


def _title(part: dict[str, Any], details: dict[str, Any], arguments: str | None) -> str | None:
    """The command, where another one ran than the model asked for; else what VS Code shows."""
    command = command_of(details)
    if command is not None and command != _decoded(arguments).get("command"):
        return command
    return text_of(part.get("pastTenseMessage")) or text_of(part.get("invocationMessage"))


def _decoded(arguments: str | None) -> dict[str, Any]:
    if not arguments:
        return {}
    try:
        return mapping(msgspec.json.decode(arguments))
    except (msgspec.DecodeError, RecursionError):
        return {}
