"""Secrets that SQL inserts: those of columns with a secret name, and passwords of users."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_journal.text.redaction import values
from agent_journal.text.redaction.judgement import is_odd, is_secret
from agent_journal.text.redaction.names import WORDS, is_open, start_of
from agent_journal.text.redaction.places import Place, Value
from agent_journal.text.redaction.secret import Secret, as_secret

_LONGEST = 100_000  # characters of a statement
_SPACE = r"(?:\s|\\{1,16}[nrt]|(?<=[n\n])[+-])"
_INSERT = re.compile(
    rf"(?i:insert[ ]into){_SPACE}{{1,8}}"
    rf"""(?P<table>[\w.`"\[\]\\]{{1,120}}?){_SPACE}{{0,8}}"""
    rf"(?:\((?P<columns>[^()]{{1,2000}})\){_SPACE}{{0,40}})?(?i:values?){_SPACE}{{0,40}}(?=\()"
)
_OF_USERS = re.compile(r"(?i)(?:user|account|login|credential|member|admin|customer)s?\W{0,3}\Z")
_ITEM = re.compile(
    rf"""{_SPACE}{{0,40}}(?:N?(?P<quote>\\{{0,16}}["'])(?P<value>(?:[^"'\\\r\n]|''){{0,1000}}+)(?P=quote)"""
    rf"""|[^,()"'\\]{{0,200}}+(?:\(\))?){_SPACE}{{0,40}}(?P<sign>[,)])"""
)
_NEXT_ROW = re.compile(rf"(?:,{_SPACE}{{0,40}})?\(")
_COLUMN = re.compile(r"[^,]+")
_NAME_END = r"""(?:[\s`"'\]\\]|\Z)"""
_NAMES = tuple((word, re.compile(rf"(?i:{word.whole}){_NAME_END}")) for word in WORDS)
_NO_PASSWORD = re.compile(r"[^@\s]+@[\w-]+\.[\w.-]+\Z|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-")


def find_inserted(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield secrets in statements that insert rows; `folded` is the text in lower case."""
    at = folded.find(b"insert into")
    while at >= 0:
        insert = _INSERT.match(text, at)
        if insert is not None:
            yield from _in_rows(text, insert)
        at = folded.find(b"insert into", at + 11)


def _in_rows(text: str, insert: re.Match[str]) -> Iterator[Secret]:
    places: dict[int, Place] = {}
    if insert["columns"] is not None:
        places = _places(text, *insert.span("columns"))
    is_of_users = insert["columns"] is None and _OF_USERS.search(insert["table"]) is not None
    if not places and not is_of_users:
        return
    for number, value in _cells(text, insert.end()):
        place = places.get(number)
        if place is not None and is_secret(place, value):
            yield as_secret("secret", value.start, value.end, "")
        elif is_of_users and _is_password(value.text):
            yield as_secret("password", value.start, value.end, "")


def _places(text: str, start: int, end: int) -> dict[int, Place]:
    """Return the columns that have a secret name, by their number."""
    places = {}
    for number, column in enumerate(_COLUMN.finditer(text, start, end)):
        for word, name in _NAMES:
            found = name.search(text, column.start(), column.end())
            if found is None:
                continue
            place = Place(text, word, found.start(), start_of(text, found.start()))
            if not is_open(word, place.before):
                places[number] = place
    return places


def _cells(text: str, at: int) -> Iterator[tuple[int, Value]]:
    """Yield the strings of all rows, each with the number of its column."""
    row = _NEXT_ROW.match(text, at)
    last = at + _LONGEST
    while row is not None:
        at = row.end()
        number = 0
        item = _ITEM.match(text, at, last)
        while item is not None:
            if item["value"] is not None:
                yield number, Value(item["value"], *item.span("value"), is_quoted=True)
            number += 1
            at = item.end()
            if item["sign"] == ")":
                break
            item = _ITEM.match(text, at, last)
        row = _NEXT_ROW.match(text, at)


def _is_password(value: str) -> bool:
    if values.is_placeholder(value) or values.is_path(value):
        return False
    return is_odd(value) and _NO_PASSWORD.match(value) is None
