"""What VS Code would not bring to life, mended: one bad part of one turn makes it show an empty
chat.
"""

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
_PENDING = (0, 4)
_CANCELLED = 2
_FIRST_TIME = 1e11  # milliseconds in 1973: smaller numbers are no times, larger ones no durations
_BLANK = "VS Code would show an empty chat"


def mended_request(
    request: dict[str, Any], new_id: Callable[[], str], losses: Losses
) -> dict[str, Any]:
    """One turn, with everything in it that can stay as it was."""
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
            turn[name] = alive(turn[name]) if isinstance(turn[name], list) else []
    _outcome(turn, losses)
    return turn


def alive(value: Any) -> Any:
    """The value with the mark on every address by which an import brings it to life."""
    if isinstance(value, list):
        return [alive(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {name: alive(one) for name, one in value.items()}
    if isinstance(found.get("scheme"), str) and isinstance(found.get("path"), str):
        found.setdefault("$mid", 1)
    return found


def _message(message: Any, losses: Losses) -> Any:
    if isinstance(message, str):
        return message
    text = string(mapping(message).get("text")) or ""
    units = text.encode("utf-16-le", "surrogatepass")
    parts = mapping(message).get("parts")
    if isinstance(parts, list) and all(_is_revivable(part, units) for part in parts):
        losses.mapped("message.parts", len(parts))
        return {**message, "text": text, "parts": alive(parts)}
    losses.adapted("message.parts", f"one part for the whole text: with the original {_BLANK}")
    return {**mapping(message), **message_of(text)}


def _is_revivable(part: Any, units: bytes) -> bool:
    span = mapping(mapping(part).get("range"))
    start, end = span.get("start"), span.get("endExclusive")
    if (
        mapping(part).get("kind") not in _MESSAGE_KINDS
        or type(start) is not int
        or type(end) is not int
    ):
        return False
    if not 0 <= start <= end <= len(units) // 2 or not isinstance(part.get("editorRange"), dict):
        return False
    if part["kind"] == "text":
        return bool(
            part.get("text") == units[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")
        )
    return part["kind"] != "agent" or isinstance(part.get("agent"), dict)


def _variables(request: dict[str, Any], losses: Losses) -> list[Any]:
    told = mapping(request.get("variableData")).get("variables")
    found = variables_of(request)
    losses.mapped("variables", len(found))
    losses.dropped(
        "variables", f"no object: {_BLANK}", len(told) - len(found) if isinstance(told, list) else 0
    )
    return [
        {"id": f"variable-{number}", "name": f"variable {number}", **alive(one)}
        for number, one in enumerate(found, 1)
    ]


# -- the response ------------------------------------------------------------------------------


def _response(response: Any, losses: Losses) -> list[Any]:
    parts = response if isinstance(response, list) else [response]
    mended = (_part(part, losses) for part in parts)
    return [part for part in mended if part is not None]


def _part(part: Any, losses: Losses) -> dict[str, Any] | None:
    if isinstance(part, str):
        losses.adapted("response.text", "as the part that newer versions write")
        return {"value": part}
    kind = mapping(part).get("kind")
    if not isinstance(part, dict) or not isinstance(kind, (str, type(None))):
        losses.dropped("response", f"no part of an answer: {_BLANK}")
        return None
    mended = _MENDERS.get(kind or "", _as_it_is)(alive(part))
    name = f"response.{kind or 'markdown'}"
    if mended is None:
        losses.dropped(name, "without what VS Code needs to show it")
    elif mended.get("kind") != kind:
        losses.adapted(name, "as text: it lacks what VS Code needs to show it otherwise")
    else:
        losses.mapped(name)
    return mended


def _as_it_is(part: dict[str, Any]) -> dict[str, Any] | None:
    if part.get("kind") in _WITH_CONTENT:
        return part if text_of(part.get("content")) else None
    return part


def _kindless(part: dict[str, Any]) -> dict[str, Any] | None:
    is_tree = isinstance(part.get("label"), str) and isinstance(part.get("uri"), dict)
    return part if isinstance(part.get("value"), str) or is_tree else None


def _thinking(part: dict[str, Any]) -> dict[str, Any]:
    # Pieces blank the chat in versions that know no thinking
    return {**part, "value": thinking_text(part)}


def _reference(part: dict[str, Any]) -> dict[str, Any] | None:
    if isinstance(part.get("inlineReference"), dict):
        return part
    text = reference_text(part)
    return {"value": text} if text else None


def _edited(part: dict[str, Any]) -> dict[str, Any] | None:
    return part if isinstance(part.get("uri"), dict) else None


def _call(part: dict[str, Any]) -> dict[str, Any]:
    if not text_of(part.get("invocationMessage")):
        told = text_of(part.get("pastTenseMessage")) or string(part.get("toolId")) or "unknown tool"
        part = {**part, "invocationMessage": told}
    data = mapping(part.get("toolSpecificData"))
    has_data = string(data.get("kind")) is not None and (
        data["kind"] != "terminal" or command_of(data) is not None
    )
    if not has_data:
        part.pop("toolSpecificData", None)
    elif (
        data["kind"] == "terminal"
        and string(mapping(data.get("commandLine")).get("original")) is None
    ):
        line = {**mapping(data.get("commandLine")), "original": command_of(data)}
        part["toolSpecificData"] = {**data, "commandLine": line}
    if part.get("isConfirmed") is not None and not isinstance(part["isConfirmed"], (bool, dict)):
        part.pop("isConfirmed")
    return part


_MENDERS: dict[str, Callable[[dict[str, Any]], dict[str, Any] | None]] = {
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
    if not isinstance(turn.get("result"), dict):
        turn.pop("result", None)
    error = mapping(turn.get("responseErrorDetails"))
    if error and "result" not in turn:
        turn["result"] = {"errorDetails": error}
    result = mapping(turn.get("result"))
    details = result.get("errorDetails")
    if details is not None and string(mapping(details).get("message")) is None:
        turn["result"] = {
            **result,
            "errorDetails": {**mapping(details), "message": "the request failed"},
        }
    state = mapping(turn.get("modelState"))
    if state.get("value") in _PENDING:
        turn["modelState"] = {**state, "value": _CANCELLED}
        losses.adapted("modelState", "cancelled, as VS Code exports a turn that was not finished")
    elif state.get("value") not in range(5):
        turn.pop("modelState", None)
    if not _is_time(mapping(turn.get("modelState")).get("completedAt", _FIRST_TIME + 1)):
        turn["modelState"] = {
            name: value for name, value in turn["modelState"].items() if name != "completedAt"
        }
    if not _is_time(turn.get("timestamp")):
        turn.pop("timestamp", None)
    waited = turn.get("timeSpentWaiting")
    if waited is not None and (not isinstance(waited, (int, float)) or waited > _FIRST_TIME):
        turn.pop("timeSpentWaiting")
        losses.dropped(
            "timeSpentWaiting", "a time where a duration should be, by a mistake of VS Code's logs"
        )
    if turn.pop("usedContext", None) is not None:
        losses.dropped(
            "usedContext", "with one that is not valid the chat is not kept in the history"
        )


def _is_time(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > _FIRST_TIME
