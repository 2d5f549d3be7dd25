"""Changes values in the text of a JSON document; all else stays as it was written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\{\r?\n([ \t]+)\"")
_USUAL_INDENT = "  "
_DECODER = json.JSONDecoder()


class _Member(NamedTuple):
    """A name with its value, and where they are in the text."""

    name: str
    start: int  # of the name
    value: int
    end: int


class _Object(NamedTuple):
    """An object in the text, from its first brace up to after its last one."""

    start: int
    end: int
    members: list[_Member]

    def find(self, name: str) -> int:
        """The place of a member in the list."""
        return [member.name for member in self.members].index(name)


def edited(text: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The text of a document that says `old`, changed where `new` says something else."""
    return _changed(text, (), old, new)


def _changed(
    text: str, path: tuple[str, ...], old: Mapping[str, Any], new: Mapping[str, Any]
) -> str:
    for name in old:
        if name not in new:
            text = _without(text, _object_at(text, path), name)
    for name, value in new.items():
        if name not in old:
            text = _with(text, _object_at(text, path), name, value)
        elif isinstance(value, dict) and isinstance(old[name], dict):
            text = _changed(text, (*path, name), old[name], value)
        elif not _is_same(value, old[name]):
            text = _replaced(text, _object_at(text, path), name, value)
    return text


def _is_same(value: Any, other: Any) -> bool:
    """Whether two values are written alike: for Python, 1 and True are equal."""
    return json.dumps(value) == json.dumps(other)


def _object_at(text: str, path: Sequence[str]) -> _Object:
    found = _read_object(text, _after_space(text, 0))
    for name in path:
        found = _read_object(text, found.members[found.find(name)].value)
    return found


def _read_object(text: str, start: int) -> _Object:
    members: list[_Member] = []
    place = _after_space(text, start + 1)
    while text[place] != "}":
        if text[place] == ",":
            place = _after_space(text, place + 1)
        name, after_name = _DECODER.raw_decode(text, place)
        value = _after_space(text, _after_space(text, after_name) + 1)
        _, end = _DECODER.raw_decode(text, value)
        members.append(_Member(name, place, value, end))
        place = _after_space(text, end)
    return _Object(start, place + 1, members)


def _after_space(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    assert found is not None
    return found.end()


# -- changes -------------------------------------------------------------------------------------


def _without(text: str, place: _Object, name: str) -> str:
    """The text without a member, and without the comma that was needed for it."""
    number = place.find(name)
    member = place.members[number]
    if number:
        return text[: place.members[number - 1].end] + text[member.end :]
    if len(place.members) > 1:
        return text[: member.start] + text[place.members[1].start :]
    return text[: place.start] + "{}" + text[place.end :]


def _replaced(text: str, place: _Object, name: str, value: Any) -> str:
    member = place.members[place.find(name)]
    written = _written(text, value, _line_indent(text, member.start), _is_on_one_line(text, place))
    return text[: member.value] + written + text[member.end :]


def _with(text: str, place: _Object, name: str, value: Any) -> str:
    """The text with another member, at the end of an object."""
    is_short = _is_on_one_line(text, place)
    if place.members:
        indent = _line_indent(text, place.members[-1].start)
        lead, end = ",", ""
        start = stop = place.members[-1].end
    else:
        outer = _line_indent(text, place.start)
        indent = outer + _unit(text)
        lead, end = "", "" if is_short else _newline(text) + outer
        start, stop = place.start + 1, place.end - 1
    member = f"{json.dumps(name)}: {_written(text, value, indent, is_short)}"
    if not is_short:
        lead += _newline(text) + indent
    elif lead:
        lead += " "
    return text[:start] + lead + member + end + text[stop:]


def _is_on_one_line(text: str, place: _Object) -> bool:
    """Whether an object is written on one line; an empty one, whether the document is."""
    if not place.members:
        return "\n" not in text.strip() and len(text.strip()) > len("{}")
    return "\n" not in text[place.start : place.members[-1].start]


def _written(text: str, value: Any, indent: str, is_short: bool) -> str:
    """A value as JSON; half letters, which no file takes, can only be escaped."""
    step = None if is_short else _unit(text)
    written = json.dumps(value, indent=step, ensure_ascii=False)
    try:
        written.encode("utf-8")
    except UnicodeEncodeError:
        written = json.dumps(value, indent=step)
    return written.replace("\n", _newline(text) + indent)


def _line_indent(text: str, place: int) -> str:
    """The white space at the beginning of the line of a place."""
    start = text.rfind("\n", 0, place) + 1
    return text[start : len(text) - len(text[start:].lstrip(" \t"))]


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    if found:
        return found[1]
    return _USUAL_INDENT


def _newline(text: str) -> str:
    if "\r\n" in text:
        return "\r\n"
    return "\n"
