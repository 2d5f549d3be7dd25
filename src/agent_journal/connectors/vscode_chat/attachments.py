"""What a person attached to a prompt: `variableData.variables[]`.

{"kind":"file","id":"…","name":"file:b.py","value":{"$mid":1,"scheme":"file","path":"/w/b.py"}}
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Any

from agent_journal.connectors.values import count, integer, items, mapping, string
from agent_journal.connectors.vscode_chat.uris import place_of, range_of
from agent_journal.model import Attachment

KINDS = frozenset(
    (
        "file",
        "directory",
        "symbol",
        "image",
        "implicit",
        "paste",
        "command",
        "diagnostic",
        "terminalCommand",
        "promptFile",
        "promptText",
        "tool",
        "toolset",
        "string",
        "workspace",
        "generic",
        "notebookOutput",
        "element",
        "scmHistoryItem",
        "scmHistoryItemChange",
        "scmHistoryItemChangeRange",
        "debugVariable",
        "agentFeedback",
        "debugEvents",
        "sessionReference",
        "browserView",
        "runtimeSession",
    )
)
_OMITTED = {1: "partly omitted", 2: "omitted", 3: "omitted: too many images"}
_TEXT_FIELDS = ("code", "output", "innerText", "problemMessage", "expression")


def attachment_of(variable: dict[str, Any]) -> Attachment | None:
    """One variable as an attachment; None when it was switched off."""
    kind = variable_kind(variable)
    if kind == "implicit" and variable.get("enabled") is False:
        return None
    value = _value(variable)
    place = place_of(value) or place_of(variable.get("uri"))
    if kind in ("promptFile", "promptText") and variable.get("automaticallyAdded") is True:
        kind = "instructions"
    data = _bytes(value) if kind == "image" else None
    return Attachment(
        kind=kind,
        name=string(variable.get("name")) or string(variable.get("fullName")),
        path=None if place is None else place.path,
        mime_type=string(variable.get("mimeType")),
        size=None if data is None else len(data),
        sha256=None if data is None else hashlib.sha256(data).hexdigest(),
        text=_text(kind, variable, value),
        note=_note(variable, value),
    )


def variable_kind(variable: dict[str, Any]) -> str:
    """The kind of a variable; old versions wrote none."""
    kind = string(variable.get("kind"))
    if kind is not None:
        return kind
    return "file" if place_of(_value(variable)) is not None else "generic"


def variables_of(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The variables of a request: a list, and a map of lists in the oldest files."""
    variables = mapping(request.get("variableData")).get("variables")
    if isinstance(variables, dict):
        return [{"name": name, "values": values} for name, values in variables.items()]
    return items(variables)


def _value(variable: dict[str, Any]) -> Any:
    if "value" in variable:
        return variable["value"]
    values = items(variable.get("values"))
    return values[0].get("value") if values else None


def _text(kind: str, variable: dict[str, Any], value: Any) -> str | None:
    for field in _TEXT_FIELDS:
        if (text := string(variable.get(field))) is not None:
            return text
    if kind == "terminalCommand":
        return string(variable.get("command"))
    return value if isinstance(value, str) and value and place_of(value) is None else None


def _note(variable: dict[str, Any], value: Any) -> str | None:
    notes = []
    lines = range_of(value) or range_of(variable)
    if lines is not None:
        notes.append(
            f"line {lines[0]}" if lines[0] == lines[1] else f"lines {lines[0]} to {lines[1]}"
        )
    if variable_kind(variable) == "terminalCommand" and string(variable.get("command")):
        notes.append(f"$ {variable['command']}")
        code = integer(variable.get("exitCode"))
        notes += [f"exit code {code}"] if code is not None else []
    omitted = _OMITTED.get(count(variable.get("omittedState")) or 0)
    return "; ".join([*notes, *([omitted] if omitted else [])]) or None


def _bytes(value: Any) -> bytes | None:
    return decoded_bytes(value) if isinstance(value, dict) else None


def decoded_bytes(value: Any) -> bytes | None:
    """Bytes in each of the ways VS Code wrote them: numbered keys, a Buffer, base64; None when it
    is none of these.
    """
    if isinstance(value, dict):
        encoded = value.get("$base64")
        if encoded is None and value.get("type") == "Buffer":
            return _from_numbers(value.get("data"))
        if encoded is None:
            return (
                _from_numbers([value[key] for key in sorted(value, key=_number)])
                if "0" in value
                else None
            )
        value = encoded
    if not isinstance(value, str):
        return None
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return None


def _number(key: str) -> int:
    return int(key) if key.isdecimal() and len(key) < 12 else 1 << 40


def _from_numbers(numbers: Any) -> bytes | None:
    try:
        # Of a number, bytes() makes that many zeros
        return bytes(numbers) if isinstance(numbers, list) else None
    except (TypeError, ValueError):
        return None
