"""Repairs what VS Code cannot load: one bad part of one turn makes it show an empty chat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agent_journal.connectors.values import mapping, string
from agent_journal.connectors.vscode_chat.attachments import variables_of
from agent_journal.connectors.vscode_chat.calls import command_of
from agent_journal.connectors.vscode_chat.prose import reference_text, thinking_text
from agent_journal.connectors.vscode_chat.results import text_of
from agent_journal.convert.losses import Losses
from agent_journal.convert.vscode.parts import message_of

_MESSAGE_KINDS = frozenset(
    ("text", "agent", "subcommand", "slash", "prompt", "tool", "toolset", "dynamic", "var")
)
_WITH_CONTENT = frozenset(
    (
        "warning",
        "info",
        "systemNotification",
        "progressMessage",
        "progressTask",
        "progressTaskSerialized",
    )
)
# What a window shows for a while; in a stored chat it empties versions up to 1.105.
_TRANSIENT = frozenset(("mcpServersStarting", "prepareToolInvocation"))
_PENDING = (0, 4)
_CANCELLED = 2
_FIRST_TIME = 1e11  # milliseconds in 1973: smaller numbers are no times, larger ones no durations
_BLANK = "VS Code would show an empty chat"


def repaired_request(
    request: dict[str, Any], new_id: Callable[[], str], losses: Losses
) -> dict[str, Any]:
    """One turn, with as little changed as possible."""
    turn = {**request, "message": _message(request.get("message"), losses)}
    if string(turn.get("requestId")) is None:
        turn["requestId"] = f"request_{new_id()}"
    turn["variableData"] = {"variables": _variables(request, losses)}
    if turn.get("response") is None:
        turn.pop("response", None)
    else:
        turn["response"] = _response(turn["response"], losses)
    for name in ("contentReferences", "codeCitations", "followups"):
        if name in turn:
            turn[name] = loadable(turn[name]) if isinstance(turn[name], list) else []
    _outcome(turn, losses)
    return turn


def loadable(value: Any) -> Any:
    """The value with the mark on every address by which an import recognises one."""
    if isinstance(value, list):
        return [loadable(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {name: loadable(inner) for name, inner in value.items()}
    if isinstance(found.get("scheme"), str) and isinstance(found.get("path"), str):
        found.setdefault("$mid", 1)
    return found


def _message(message: Any, losses: Losses) -> Any:
    if isinstance(message, str):
        return message
    text = string(mapping(message).get("text")) or ""
    units = text.encode("utf-16-le", "surrogatepass")
    parts = mapping(message).get("parts")
    if isinstance(parts, list) and all(_is_loadable(part, units) for part in parts):
        losses.mapped("message.parts", len(parts))
        return {**message, "text": text, "parts": loadable(parts)}
    losses.adapted("message.parts", f"one part for the whole text: with the original {_BLANK}")
    return {**mapping(message), **message_of(text)}


def _is_loadable(part: Any, units: bytes) -> bool:
    span = mapping(mapping(part).get("range"))
    start = span.get("start")
    end = span.get("endExclusive")
    if mapping(part).get("kind") not in _MESSAGE_KINDS:
        return False
    if type(start) is not int or type(end) is not int:
        return False
    if not 0 <= start <= end <= len(units) // 2 or not isinstance(part.get("editorRange"), dict):
        return False
    if part["kind"] == "text":
        covered = units[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")
        return bool(part.get("text") == covered)
    return part["kind"] != "agent" or isinstance(part.get("agent"), dict)


def _variables(request: dict[str, Any], losses: Losses) -> list[Any]:
    listed = mapping(request.get("variableData")).get("variables")
    found = variables_of(request)
    losses.mapped("variables", len(found))
    if isinstance(listed, list):
        losses.dropped("variables", f"not an object: {_BLANK}", len(listed) - len(found))
    return [
        {"id": f"variable-{number}", "name": f"variable {number}", **loadable(variable)}
        for number, variable in enumerate(found, 1)
    ]


# -- the response ------------------------------------------------------------------------------


def _response(response: Any, losses: Losses) -> list[Any]:
    parts = response if isinstance(response, list) else [response]
    repaired = [_part(part, losses) for part in parts]
    return [part for part in repaired if part is not None]


def _part(part: Any, losses: Losses) -> dict[str, Any] | None:
    if isinstance(part, str):
        losses.adapted("response.text", "as the part that newer versions write")
        return {"value": part}
    kind = mapping(part).get("kind")
    if not isinstance(part, dict) or not isinstance(kind, (str, type(None))):
        losses.dropped("response", f"not a part of an answer: {_BLANK}")
        return None
    repair = _REPAIRS.get(kind or "", _other)
    repaired = repair(loadable(part))
    name = f"response.{kind or 'markdown'}"
    if repaired is None:
        losses.dropped(name, "without what VS Code needs to show it")
    elif repaired.get("kind") != kind:
        losses.adapted(name, "as text: it lacks what VS Code needs to show it otherwise")
    else:
        losses.mapped(name)
    return repaired


def _other(part: dict[str, Any]) -> dict[str, Any] | None:
    if part.get("kind") in _TRANSIENT:
        return None
    if part.get("kind") in _WITH_CONTENT and not text_of(part.get("content")):
        return None
    return part


def _kindless(part: dict[str, Any]) -> dict[str, Any] | None:
    is_tree = isinstance(part.get("label"), str) and isinstance(part.get("uri"), dict)
    if isinstance(part.get("value"), str) or is_tree:
        return part
    return None


def _thinking(part: dict[str, Any]) -> dict[str, Any]:
    # A list of pieces empties the chat in versions without thinking
    return {**part, "value": thinking_text(part)}


def _reference(part: dict[str, Any]) -> dict[str, Any] | None:
    if isinstance(part.get("inlineReference"), dict):
        return part
    text = reference_text(part)
    if not text:
        return None
    return {"value": text}


def _edited(part: dict[str, Any]) -> dict[str, Any] | None:
    if not isinstance(part.get("uri"), dict):
        return None
    return part


def _call(part: dict[str, Any]) -> dict[str, Any]:
    if not text_of(part.get("invocationMessage")):
        title = text_of(part.get("pastTenseMessage")) or string(part.get("toolId"))
        part = {**part, "invocationMessage": title or "unknown tool"}
    shown = _specific(mapping(part.get("toolSpecificData")))
    if shown is None:
        part.pop("toolSpecificData", None)
    else:
        part["toolSpecificData"] = shown
    if part.get("isConfirmed") is not None and not isinstance(part["isConfirmed"], (bool, dict)):
        part.pop("isConfirmed")
    return part


def _specific(shown: dict[str, Any]) -> dict[str, Any] | None:
    """What a call shows in its own way; None when VS Code could not show it."""
    kind = string(shown.get("kind"))
    if kind != "terminal":
        return shown if kind is not None else None
    command = command_of(shown)
    if command is None:
        return None
    line = mapping(shown.get("commandLine"))
    if string(line.get("original")) is not None:
        return shown
    return {**shown, "commandLine": {**line, "original": command}}


_REPAIRS: dict[str, Callable[[dict[str, Any]], dict[str, Any] | None]] = {
    "": _kindless,
    "thinking": _thinking,
    "inlineReference": _reference,
    "toolInvocationSerialized": _call,
    "textEditGroup": _edited,
    "notebookEditGroup": _edited,
    "codeblockUri": _edited,
    "externalEdit": _edited,
}


# -- how it ended ------------------------------------------------------------------------------


def _outcome(turn: dict[str, Any], losses: Losses) -> None:
    _repair_result(turn)
    _repair_state(turn, losses)
    if not _is_time(turn.get("timestamp")):
        turn.pop("timestamp", None)
    waited = turn.get("timeSpentWaiting")
    if waited is not None and (not isinstance(waited, (int, float)) or waited > _FIRST_TIME):
        turn.pop("timeSpentWaiting")
        losses.dropped("timeSpentWaiting", "not a duration (VS Code bug)")
    context = turn.pop("usedContext", None)
    if context is not None:
        losses.dropped("usedContext", "an invalid value would remove the chat from the history")


def _repair_result(turn: dict[str, Any]) -> None:
    if not isinstance(turn.get("result"), dict):
        turn.pop("result", None)
    error = mapping(turn.get("responseErrorDetails"))
    if error and "result" not in turn:
        turn["result"] = {"errorDetails": error}
    result = mapping(turn.get("result"))
    details = result.get("errorDetails")
    if details is not None and string(mapping(details).get("message")) is None:
        repaired = {**mapping(details), "message": "the request failed"}
        turn["result"] = {**result, "errorDetails": repaired}


def _repair_state(turn: dict[str, Any], losses: Losses) -> None:
    state = mapping(turn.get("modelState"))
    if state.get("value") in _PENDING:
        turn["modelState"] = {**state, "value": _CANCELLED}
        losses.adapted("modelState", "cancelled, as VS Code exports a turn that was not finished")
    elif state.get("value") not in range(5):
        turn.pop("modelState", None)
    state = mapping(turn.get("modelState"))
    if "completedAt" in state and not _is_time(state["completedAt"]):
        turn["modelState"] = {name: value for name, value in state.items() if name != "completedAt"}


def _is_time(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > _FIRST_TIME
