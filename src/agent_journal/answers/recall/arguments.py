"""The parameters of a tool: what each takes, its schema, and the arguments of a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from agent_journal.errors import UsageError
from agent_journal.text.suggestions import did_you_mean

MOST_LETTERS = 4_000  # of a text
_TYPES = {"text": "string", "number": "integer", "flag": "boolean", "choice": "string"}
_TRUE = ("true", "yes", "1")
_FALSE = ("false", "no", "0")


class Parameter(NamedTuple):
    """One parameter of a tool; without a default it may be left out."""

    name: str
    kind: Literal["text", "number", "flag", "choice"] = "text"
    meaning: str = ""
    default: str | int | bool | None = None
    least: int = 0
    most: int = 0
    choices: tuple[str, ...] = ()
    is_required: bool = False

    def schema(self) -> dict[str, Any]:
        """Its part of the tool's schema."""
        schema: dict[str, Any] = {"type": _TYPES[self.kind]}
        if self.meaning:
            schema["description"] = self.meaning
        if self.kind == "number":
            schema |= {"minimum": self.least, "maximum": self.most}
        if self.kind == "choice":
            schema["enum"] = list(self.choices)
        if self.default is not None:
            schema["default"] = self.default
        return schema

    def read(self, value: object) -> str | int | bool:
        """The value of an argument; UsageError when the parameter does not take it."""
        found: str | int | bool | None
        if self.kind == "number":
            found = _number(value)
            if found is None or not self.least <= found <= self.most:
                raise UsageError(f"{self.name} is a number from {self.least} to {self.most:,}")
            return found
        if self.kind == "flag":
            found = _flag(value)
            if found is None:
                raise UsageError(f"{self.name} is true or false")
            return found
        if not isinstance(value, str) or len(value) > MOST_LETTERS:
            raise UsageError(f"{self.name} is a text of at most {MOST_LETTERS:,} characters")
        if self.kind == "choice" and value not in self.choices:
            raise UsageError(f"{self.name} is one of {', '.join(self.choices)}")
        return value


class Arguments:
    """The arguments of one call, checked."""

    def __init__(self, parameters: Sequence[Parameter], given: Mapping[str, object]) -> None:
        self._values: dict[str, str | int | bool | None] = {}
        known = [parameter.name for parameter in parameters]
        for name in given:
            if name not in known:
                hint = did_you_mean(name, known) or f"there are {', '.join(known)}"
                raise UsageError(f"no parameter {name!r}", hint)
        for parameter in parameters:
            value = given.get(parameter.name)
            if value is None or value == "":
                if parameter.is_required:
                    raise UsageError(f"{parameter.name} is missing")
                self._values[parameter.name] = parameter.default
            else:
                self._values[parameter.name] = parameter.read(value)

    def text(self, name: str) -> str | None:
        """The text of an argument; None when it was left out."""
        value = self._values[name]
        if value is None:
            return None
        return str(value).encode("utf-8", "replace").decode()

    def number(self, name: str) -> int:
        """The number of an argument that has a default."""
        value = self._values[name]
        assert isinstance(value, int)
        return value

    def known_number(self, name: str) -> int | None:
        """The number of an argument; None when it was left out."""
        if self._values[name] is None:
            return None
        return self.number(name)

    def is_set(self, name: str) -> bool:
        """Whether a flag is set."""
        return self._values[name] is True


def _number(value: object) -> int | None:
    """A whole number, also when it was written as a text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10:
        return int(value)
    if isinstance(value, int):
        return value
    return None


def _flag(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    word = str(value).lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    return None
