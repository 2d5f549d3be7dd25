"""Names and values without a sign between them: options, netrc, XML, `ENV NAME x`."""

from __future__ import annotations

import re

from agent_journal.text.redaction import values
from agent_journal.text.redaction.judgement import is_long, is_mixed, is_secret
from agent_journal.text.redaction.names import Word, is_open, is_secret_key, start_of
from agent_journal.text.redaction.places import OPENED, SLASHES, Place, Value, read_value

_SPACE = r"(?:\s|\\{1,16}[nrt])"
_OPTION = re.compile(
    r"(?i:[a-z]{0,12}(?:[_-]?(?:key|base|value|data)){0,2})"
    rf"""(?:[ \t]{{1,4}}|{SLASHES}["'],[ ]{{0,2}})(?!-(?:-|[A-Za-z](?![\w-]))|[$<]){OPENED}"""
)
_IS_OPTION = re.compile(r"(?<![\w-])--[\w.-]{0,50}\Z")
_NETRC = re.compile(rf"(?i:password){_SPACE}{{1,8}}{OPENED}")
_IS_NETRC = re.compile(rf"(?:login|account){_SPACE}{{1,4}}\S{{1,80}}?(?:{_SPACE}|[+-]){{1,20}}\Z")
_ELEMENT = re.compile(
    rf"""[\w.-]{{0,40}}(?:(?:{SLASHES}["'])?(?:[ \t][^<>\r\n]{{0,100}})?>"""
    rf"|</(?:key|name)>{_SPACE}{{0,40}}<[a-z]{{1,10}}>)"
    rf"{_SPACE}{{0,40}}(?P<data><!\[CDATA\[)?(?P<bare>[^<>\s]{{4,4096}}+)>?{_SPACE}{{0,40}}</"
)
_IS_ELEMENT = re.compile(
    rf"""<(?:(?:[\w.-]{{1,20}}:)?|[a-z][^<>\r\n]{{1,40}}={SLASHES}["'](?:[\w.]{{1,20}})?|key>|name>)\Z"""
)
# Commands and statements that give a name and its value, without a sign between them
_IS_COMMAND = re.compile(
    r"(?:ENV|ARG|setx|set[ ]-[gU]?x|configure[ ]set|config(?:[ ]--\w{1,10})?|\#define)[ \t]{1,4}\Z"
)
_STATEMENT = re.compile(rf"PASSWORD[ ]{{1,4}}(?={SLASHES}['\"]){OPENED}")


def find_unjoined(text: str, at: int, word: Word) -> tuple[Value | None, bool]:
    """Return the value after a word and a space, and whether it is secret."""
    before = text[max(0, at - 60) : at]
    if "--" in before and _IS_OPTION.search(before):
        return _after_option(text, at, word)
    if "<" in before:
        return _in_element(text, at, word)
    if text[at : at + 1].isupper() or word.kind != "password":
        return _in_statement(text, at, word)
    if word.word == b"pass" and ("login" in before or "account" in before):
        return _in_netrc(text, at, word)
    return _in_statement(text, at, word)


def _in_statement(text: str, at: int, word: Word) -> tuple[Value | None, bool]:
    """Return the value in `ENV API_TOKEN x` or `WITH PASSWORD 'x'`."""
    start = start_of(text, at)
    if _IS_COMMAND.search(text[max(0, start - 30) : start]):
        return _after_option(text, at, word)
    match = _STATEMENT.match(text, at)
    if match is None:
        return None, False
    value = read_value(Place(text, word, at, start), match)
    return value, value is not None and is_mixed(value.text)


def _after_option(text: str, at: int, word: Word) -> tuple[Value | None, bool]:
    """Return the value of `--password x`, also in a list of strings; not an ordinary word."""
    match = _OPTION.match(text, at)
    if match is None:
        return None, False
    place = Place(text, word, at, start_of(text, at))
    value = read_value(place, match)
    if value is None or " " in value.text or is_open(word, place.before):
        return value, False
    if values.is_placeholder(value.text) or values.is_path(value.text):
        return value, False
    if word.kind == "key" and not is_secret_key(place.before):
        return value, is_long(value.text) and value.text[0] not in "{["
    return value, values.has_letter(value.text) and values.is_random(value.text)


def _in_element(text: str, at: int, word: Word) -> tuple[Value | None, bool]:
    """Return what is in an element of XML."""
    place = Place(text, word, at, start_of(text, at))
    if not _IS_ELEMENT.search(text[max(0, place.start - 60) : place.start]):
        return None, False
    match = _ELEMENT.match(text, at)
    if match is None or is_open(word, place.before):
        return None, False
    start, end = match.span("bare")
    if match["data"] is not None:
        end -= len("]]")
    value = Value(text[start:end], start, end, is_quoted=True)
    return value, is_secret(place, value)


def _in_netrc(text: str, at: int, word: Word) -> tuple[Value | None, bool]:
    match = _NETRC.match(text, at)
    if match is None or not _IS_NETRC.search(text[max(0, at - 60) : at]):
        return None, False
    place = Place(text, word, at, at)
    value = read_value(place, match)
    return value, value is not None and not values.is_placeholder(value.text)
