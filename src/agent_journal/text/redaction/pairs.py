"""Pairs of a name and a value where the value is first, and values that only their object marks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_journal.text.redaction import values
from agent_journal.text.redaction.places import OPENED, SLASHES, Place, Value, read_value
from agent_journal.text.redaction.secret import Secret, as_secret

_FARTHEST = 700  # characters between the word `value` and the name
_QUOTE = rf"""(?:{SLASHES}["'])?"""
_BLANK = r"(?:[\s,;+-]|\\{1,16}[nrt])"
_OTHER = rf"""(?:{SLASHES}["'][^"'<>\\{{}}]{{0,80}}{SLASHES}["']|[\w.-]{{1,40}})"""
# Another member of the same object, or attribute of the same element
MEMBER = rf"""{_QUOTE}[\w-]{{1,20}}{_QUOTE}[ ]{{0,4}}[:=][ ]{{0,4}}{_OTHER}{_BLANK}{{1,60}}+"""
_VALUE = re.compile(rf"""alue{_QUOTE}[ ]{{0,4}}[:=][ ]{{0,4}}{OPENED}""")
_TO_NAME = re.compile(
    rf"""{_QUOTE}{_BLANK}{{1,60}}+(?:{MEMBER}){{0,4}}?"""
    rf"""{_QUOTE}(?:(?:[a-z]{{1,12}}_?)?[Nn]ame|[Kk]ey|id|type){_QUOTE}[ ]{{0,4}}[:=][ ]{{0,4}}"""
    rf"{_QUOTE}[\w./-]{{0,80}}\Z"
)
# What Terraform says of an output that it hides elsewhere
_SENSITIVE = re.compile(
    rf"""sensitive{_QUOTE}[ ]?:[ ]?true{_BLANK}{{1,60}}+(?:{MEMBER}){{0,3}}?"""
    rf"""{SLASHES}"value{SLASHES}":[ ]?{SLASHES}"(?P<bare>[^"\\\r\n]{{4,4096}}+)"""
)


def find_before_name(place: Place) -> Value | None:
    """Return the value of a pair that ends with its name: `{"value": "x", "name": "TOKEN"}`."""
    text, start = place.text, place.start
    at = text.rfind("alue", max(0, start - _FARTHEST), start)
    if at < 0:
        return None
    match = _VALUE.match(text, at, start)
    if match is None:
        return None
    value = read_value(place, match)
    if value is None or value.end > start or not _TO_NAME.match(text, value.end, start):
        return None
    return value


def find_sensitive(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield values that `terraform output -json` calls sensitive."""
    at = folded.find(b"sensitive")
    while at >= 0:
        match = _SENSITIVE.match(text, at)
        if match is not None and not values.is_placeholder(match["bare"]):
            yield as_secret("secret", match.start("bare"), match.end("bare"), "")
        at = folded.find(b"sensitive", at + 9)
