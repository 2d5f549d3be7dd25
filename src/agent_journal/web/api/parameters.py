"""The parameters of the API: those of the commands, each read and checked as its option is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from starlette.datastructures import QueryParams

from agent_journal.answers.agent_names import agent_named
from agent_journal.errors import UsageError
from agent_journal.text.plain import one_line
from agent_journal.text.suggestions import did_you_mean

MOST_LETTERS = 1_000  # of one value
_MOST_VALUES = 20  # of a parameter that may be given more than once

Values = Mapping[str, Any]
Others = Callable[[], tuple[str, ...]]  # agents in the journal that have no connector


class Parameter(NamedTuple):
    """A parameter: its name, what values it takes, and what it does."""

    name: str
    meaning: str
    type: str = "string"  # of JSON schema
    default: Any = None
    least: int | None = None
    most: int | None = None
    choices: Sequence[str] = ()
    is_required: bool = False
    is_list: bool = False
    form: str = ""  # agent or time: what kind of text it is


def read_parameters(
    allowed: Sequence[Parameter], given: QueryParams, find_others: Others
) -> dict[str, Any]:
    """Read what a request asks for; UsageError names the parameter that is wrong."""
    names = [parameter.name for parameter in allowed]
    for name in given:
        if name not in names and name != "mask":
            hint = did_you_mean(name, names) or f"there are: {', '.join(names) or 'none'}"
            raise UsageError(f"no parameter '{one_line(name, 40)}'", hint)
    return {parameter.name: _read(parameter, given, find_others) for parameter in allowed}


def _read(parameter: Parameter, given: QueryParams, find_others: Others) -> Any:
    texts = given.getlist(parameter.name)
    if parameter.is_list:
        if len(texts) > _MOST_VALUES:
            raise _wrong(parameter, f"it may be given {_MOST_VALUES} times")
        return tuple(_value(parameter, text, find_others) for text in texts)
    if len(texts) > 1:
        raise _wrong(parameter, "it may be given once")
    if not texts or not texts[0].strip():
        if parameter.is_required:
            raise UsageError(f"Missing parameter '{parameter.name}'.")
        return parameter.default
    return _value(parameter, texts[0], find_others)


def _value(parameter: Parameter, text: str, find_others: Others) -> Any:
    if len(text) > MOST_LETTERS:
        raise _wrong(parameter, f"it has more than {MOST_LETTERS:,} characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _wrong(parameter, "it is not UTF-8") from None
    if parameter.choices and text not in parameter.choices:
        options = ", ".join(map(repr, parameter.choices))
        raise _wrong(parameter, f"{one_line(text, 40)!r} is not one of {options}")
    if parameter.type == "integer":
        return _number(parameter, text)
    if parameter.type == "boolean":
        return _flag(parameter, text)
    if parameter.form not in _FORMS:
        return text
    try:
        return _FORMS[parameter.form](parameter, text, find_others)
    except ValueError as error:
        raise _wrong(parameter, str(error)) from error


def _number(parameter: Parameter, text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 12:
        raise _wrong(parameter, f"{one_line(text, 40)!r} is not a number")
    number = int(text)
    if parameter.least is not None and number < parameter.least:
        raise _wrong(parameter, f"{number:,} is less than {parameter.least:,}")
    if parameter.most is not None and number > parameter.most:
        raise _wrong(parameter, f"{number:,} is more than {parameter.most:,}")
    return number


def _flag(parameter: Parameter, text: str) -> bool:
    if text in ("1", "true"):
        return True
    if text in ("0", "false"):
        return False
    raise _wrong(parameter, f"{one_line(text, 40)!r} is not true or false")


def _agent(parameter: Parameter, text: str, find_others: Others) -> str:
    return agent_named(text, find_others)


def _time(parameter: Parameter, text: str, find_others: Others) -> Any:
    from agent_journal.text.dates import parse_bound

    return parse_bound(text, end=parameter.name == "until")


def _project(parameter: Parameter, text: str, find_others: Others) -> str:
    if text == ".":
        raise ValueError("the server has no current folder; give a part of a name")
    return text


def _tokens(parameter: Parameter, text: str, find_others: Others) -> int | str:
    if text == "max":
        return "max"
    return _number(parameter._replace(least=1), text)


_FORMS: dict[str, Callable[[Parameter, str, Others], Any]] = {
    "agent": _agent,
    "time": _time,
    "project": _project,
    "tokens": _tokens,
}


def _wrong(parameter: Parameter, reason: str) -> UsageError:
    return UsageError(f"{parameter.name}: {reason}")


# -- those that several kinds have ---------------------------------------------------------------

AGENT = Parameter(
    "agent",
    "Only sessions of this agent; the beginning of its name is enough. May be given more than "
    "once.",
    is_list=True,
    form="agent",
)
PROJECT = Parameter(
    "project",
    "Only sessions of projects whose folder or repository contains this text.",
    form="project",
)
SINCE = Parameter(
    "since", "Only what is active since this time: 6h, 2d, yesterday, 2026-01-31.", form="time"
)
UNTIL = Parameter("until", "Only what started until this time.", form="time")
TIMEZONE = Parameter(
    "timezone", "Time zone for days and hours, such as Europe/Berlin; else the system's."
)
SESSION = Parameter(
    "id", "The session: any unique prefix of an id, agent:id, or last.", is_required=True
)
