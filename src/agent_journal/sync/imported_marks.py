"""The stars, tags and titles in an export: they come back with `aj import`."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import msgspec

from agent_journal.errors import UsageError
from agent_journal.model.exchange import OwnMark
from agent_journal.store.marking import checked_tag, checked_title
from agent_journal.store.marks_file import STAR, TAG, TITLE, Mark
from agent_journal.text.dates import to_micros

_DAY = 86_400_000_000  # microseconds: clocks may differ, but not more
_LINE = b'{"mark":'


class _Document(msgspec.Struct):
    marks: list[Any] = []


class _Line(msgspec.Struct):
    mark: Any = None


def marks_of_export(path: str, agent: str, sessions: Collection[str]) -> list[Mark]:
    """The marks in an export about the sessions in it; those that make no sense are left out."""
    with open(path, "rb") as file:
        data = file.read()
    marks = []
    for value in _values(data):
        mark = _mark(value)
        if mark is not None and mark.agent == agent and mark.session_id in sessions:
            marks.append(mark)
    return marks


def _values(data: bytes) -> Iterable[Any]:
    try:
        return msgspec.json.decode(data, type=_Document).marks
    except msgspec.MsgspecError:
        return _values_in_lines(data)


def _values_in_lines(data: bytes) -> Iterator[Any]:
    for line in data.split(b"\n"):
        if line.startswith(_LINE):
            try:
                yield msgspec.json.decode(line, type=_Line).mark
            except msgspec.MsgspecError:
                continue


def _mark(value: Any) -> Mark | None:
    try:
        found = msgspec.convert(value, OwnMark)
        text = _checked_value(found)
    except (msgspec.MsgspecError, UsageError):
        return None
    if text is None or found.at is None or found.at.tzinfo is None:
        return None
    at = to_micros(found.at) or 0
    if not 0 < at < time.time_ns() // 1000 + _DAY:  # one of the future would always count
        return None
    return Mark(at, found.agent, found.session_id, found.kind, text, True)


def _checked_value(found: OwnMark) -> str | None:
    if found.kind == STAR:
        return ""
    if found.kind == TAG:
        return checked_tag(found.value)
    if found.kind == TITLE:
        return checked_title(found.value)
    return None
