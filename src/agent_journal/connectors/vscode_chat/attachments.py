"""What a person attached to a prompt: `variableData.variables[]`.

{"kind":"file","id":"…","name":"file:b.py","value":{"$mid":1,"scheme":"file","path":"/w/b.py"}}
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.values import (
    count,
    first_string,
    integer,
    items,
    mapping,
    string,
)
from agent_journal.connectors.vscode_chat.uris import Place, place_of, range_of
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
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S*")
_TEXT_FIELDS = ("code", "output", "innerText", "problemMessage", "expression")


def attachment_of(variable: dict[str, Any]) -> Attachment | None:
    """One variable as an attachment; None if it was switched off."""
    kind = variable_kind(variable)
    if kind == "implicit" and variable.get("enabled") is False:
        return None
    value = _value(variable)
    place = _place(value) or place_of(variable.get("uri"))
    if kind in ("promptFile", "promptText") and variable.get("automaticallyAdded") is True:
        kind = "instructions"
    attachment = Attachment(
        kind=kind,
        name=first_string(variable, "name", "fullName"),
        path=place.path if place is not None else None,
        mime_type=string(variable.get("mimeType")),
        text=_text(variable, value),
        note=_note(variable, value),
    )
    if kind != "image" or not isinstance(value, dict):
        return attachment
    data = decoded_bytes(value)
    if data is None:
        return attachment
    return replace(attachment, size=len(data), sha256=hashlib.sha256(data).hexdigest())


def variable_kind(variable: dict[str, Any]) -> str:
    """The kind of a variable; old versions wrote none."""
    kind = string(variable.get("kind"))
    if kind is not None:
        return kind
    if _place(_value(variable)) is not None:
        return "file"
    return "generic"


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
    if not values:
        return None
    return values[0].get("value")


def _text(variable: dict[str, Any], value: Any) -> str | None:
    """All texts of a variable that its name and path do not say."""
    inner = mapping(value)
    texts = [string(variable.get(name)) for name in _TEXT_FIELDS]
    texts.append(string(mapping(variable.get("historyItem")).get("message")))
    texts += [string(item.get("text")) for item in items(variable.get("feedbackItems"))]
    texts.append(string(inner.get("value")))
    if _place(value) is None:
        texts.append(string(value))
    if not any(texts) and variable_kind(variable) == "terminalCommand":
        return string(variable.get("command"))
    return "\n".join(dict.fromkeys(filter(None, texts))) or None


def _place(value: Any) -> Place | None:
    """The place that a value means; a string is one if it is a whole URI, not a text."""
    if isinstance(value, str) and not _URI.fullmatch(value):
        return None
    return place_of(value)


def _note(variable: dict[str, Any], value: Any) -> str | None:
    notes = []
    lines = range_of(value) or range_of(variable)
    if lines is not None and lines.first == lines.last:
        notes.append(f"line {lines.first}")
    elif lines is not None:
        notes.append(f"lines {lines.first} to {lines.last}")
    if variable_kind(variable) == "terminalCommand" and string(variable.get("command")):
        notes.append(f"$ {variable['command']}")
        code = integer(variable.get("exitCode"))
        if code is not None:
            notes.append(f"exit code {code}")
    omitted = count(variable.get("omittedState"))
    if omitted in _OMITTED:
        notes.append(_OMITTED[omitted])
    return "; ".join(notes) or None


def decoded_bytes(value: Any) -> bytes | None:
    """Bytes in any of the ways VS Code writes them; None for anything else.

    They are an object with a key per byte, a Buffer, or base64 with or without an object around it.
    """
    if isinstance(value, dict):
        if value.get("$base64") is None:
            return _from_object(value)
        value = value["$base64"]
    if not isinstance(value, str):
        return None
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return None


def _from_object(value: dict[str, Any]) -> bytes | None:
    if value.get("type") == "Buffer":
        return _from_numbers(value.get("data"))
    if "0" in value:
        return _from_numbers([value[key] for key in sorted(value, key=_number)])
    return None


def _number(key: str) -> int:
    if key.isdecimal() and len(key) < 12:
        return int(key)
    return 1 << 40  # after all others


def _from_numbers(numbers: Any) -> bytes | None:
    if not isinstance(numbers, list):
        return None  # bytes() would turn a number into that many zeros
    try:
        return bytes(numbers)
    except (TypeError, ValueError):
        return None
