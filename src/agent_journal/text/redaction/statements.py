"""Names and values without a sign between them: options, netrc, XML, `ENV NAME x`."""

from __future__ import annotations

import re

from agent_journal.text.redaction import values
from agent_journal.text.redaction.commands import find_beside_name
from agent_journal.text.redaction.judgement import is_long, is_odd, is_secret, is_told
from agent_journal.text.redaction.names import is_open, is_secret_key
from agent_journal.text.redaction.places import (
    BREAK,
    OPENED,
    SLASHES,
    Found,
    Place,
    Value,
    read_value,
)
from agent_journal.text.redaction.printed import find_printed

_SPACE = r"(?:\s|\\{1,16}[nrt])"
_OPTION = re.compile(
    r"(?i:[a-z]{0,12}(?:[_-]?(?:key|base|value|data|string)){0,2})"
    rf"""(?:[ \t]{{1,4}}|{SLASHES}["'],[ ]{{0,2}})(?!-(?:-|[A-Za-z](?![\w-]))|[$<]){OPENED}"""
)
_NETRC = re.compile(rf"(?i:pass(?:word)?){_SPACE}{{1,8}}{OPENED}")
_IS_NETRC = re.compile(
    rf"(?:login|account|USER){_SPACE}{{1,4}}\S{{1,80}}?(?:{_SPACE}|[+-]){{1,20}}\Z"
)
_NETRC_WORDS = ("login", "account", "USER")
_LINES = r"(?:\s|\\{1,16}[nrt]|(?<=[n\n])[+-]){0,40}"
_ELEMENT = re.compile(
    rf"""[\w.-]{{0,40}}(?:(?:{SLASHES}["'])?(?:[ \t][^<>\r\n]{{0,100}})?>(?:{_LINES}<value>)?"""
    rf"|</(?:key|name|t[dh]|dt)>{_LINES}<[a-z]{{1,10}}>)"
    rf"{_LINES}(?P<data><!\[CDATA\[)?(?P<bare>[^<>\s]{{4,4096}}?)>?{_LINES}</"
)
_IS_ELEMENT = re.compile(
    rf"""<(?:(?:[\w.-]{{1,20}}:)?|[a-z][^<>\r\n]{{1,40}}={SLASHES}["'](?:[\w.]{{1,20}})?|key>|name>|t[dh]>|dt>)\Z"""
)
# Commands and statements that give a name and its value, without a sign between them
_IS_COMMAND = re.compile(
    r"(?:ENV|ARG|setx|set(?:[ ]-[gU]?x)?|config(?:[ ]--\w{1,10})?|\#define)[ \t]{1,4}\Z"
)
_CELLS = ("td>", "th>", "dt>")
_BLANKS = frozenset(" \t")
_IN_TAGS = frozenset("<>:\"'")
_TOLD = re.compile(
    r"(?i:[a-z]{0,12}(?:[ _-]?(?:key|base|value|data)){0,2})"
    rf"(?:[ \t]|\\{{1,16}}t){{1,40}}(?:--body[ =])?(?![$<-])"
    rf"""(?=[^\s0-9]{{0,200}}+[0-9]|["'`]?[a-z]{{3,10}}[-.][a-z]{{3,10}}[-.]){OPENED}"""
)
_USER_AND = re.compile(
    r"(?i:credentials?)(?:[:=]?(?:[ ](?:is|are))?:?[ ][\w.@+-]{1,40}[ ]?[/:][ ]?"
    rf"""|\({SLASHES}["'][\w.@+-]{{1,60}}{SLASHES}["'],[ ]?){OPENED}"""
)
# The sentence goes on up to a colon, and nothing follows the value in its line.
_LED_TO = re.compile(
    r"(?i:pass(?:word|phrase|code))(?:[ ](?!(?:id|hash|commit|version|request|session|file|line)\b)"
    r"[\w`'()./@-]{1,60}){1,14}:(?:[ ]|"
    rf"{BREAK}{{1,3}})(?=[^\s\\\"']{{6,200}}+(?:[\r\n\\\"']|\Z)){OPENED}"
)
# Before the name: `x as the password`, `x is our token`
_TOLD_BEFORE = re.compile(
    r"[`'\"]?[ ](?:as|is)[ ](?:(?:the|an?|my|our|your|its|new)[ ]){0,2}"
    r"(?:[\w.-]{1,20}[ ]){0,3}[\w.-]{0,40}\Z"
)
# The name goes on: `as the password hash`
_IS_OTHER = re.compile(
    r"(?i:[a-z]{0,12}(?:[ _-](?:key|base|data)){0,2})"
    r"[ ](?!(?:and|but|for|from|here|if|in|now|of|on|or|please|so|then|to|when|with)\b)[a-z]"
)
_VALUE_BACKWARDS = re.compile(r"""[^\s"'`\\,;<>(){}\[\]|]{6,}""")
_LONGEST_TOLD = 1000  # characters of a value before its name


def find_unjoined(place: Place) -> Found:
    """Return the value that no sign joins to a name, and whether it is secret."""
    text, at, start = place.text, place.at, place.start
    sign = text[start - 1 : start]
    if sign == "-" or text.startswith("--", start):
        value, is_found = _after_option(place)
        if is_found:
            return value, True
    if sign in _IN_TAGS and _IS_ELEMENT.search(text, max(0, start - 60), start):
        return _in_element(place)
    before = text[max(0, at - 60) : at]
    if place.word.word == b"pass" and any(word in before for word in _NETRC_WORDS):
        value, is_found = _in_netrc(place)
        if is_found:
            return value, True
    if sign in _BLANKS and _IS_COMMAND.search(text, max(0, start - 30), start):
        value, is_found = _after_option(place)
        is_word = value is None or (not place.is_variable and _is_word(value.text))
        if is_found and not is_word:
            return value, True
    printed = find_printed(text, at)
    if printed is not None:
        return printed, True
    return _in_sentence(place, before)


def _is_word(text: str) -> bool:
    return values.are_words(text) and not values.is_passphrase(text)


def _in_sentence(place: Place, before: str) -> Found:
    """Return the value in `with password x` or `use x as the password`."""
    match = _TOLD.match(place.text, place.at) or _USER_AND.match(place.text, place.at)
    if match is not None:
        value = read_value(place, match)
        if value is not None and (is_told(place, value) or _is_of_user(match, value)):
            return value, True
    if place.word.kind == "password" and not place.is_short_pass:
        led = _led_to(place)
        if led is not None:
            return led, True
    if " as " in before or " is " in before:
        return _told_before(place)
    match = find_beside_name(place.text, place.at, place.start)
    if match is None or values.is_placeholder(match["bare"]):
        return None, False
    return Value(match["bare"], *match.span("bare"), is_quoted=False), True


def _is_of_user(match: re.Match[str], value: Value) -> bool:
    """Whether a value is a password that stands beside a name: `credentials: bob / x`."""
    if match.re is not _USER_AND or values.is_placeholder(value.text):
        return False
    return is_odd(value.text)


def _led_to(place: Place) -> Value | None:
    """Return the value that a sentence about a password ends with: `… is generated for bob: x`."""
    match = _LED_TO.match(place.text, place.at)
    if match is None:
        return None
    value = read_value(place, match)
    if value is None or not is_told(place, value):
        return None
    return value


def _told_before(place: Place) -> Found:
    told = _TOLD_BEFORE.search(place.text, max(0, place.at - 100), place.at)
    if told is None or _IS_OTHER.match(place.text, place.at):
        return None, False
    end = told.start()
    backwards = place.text[max(0, end - _LONGEST_TOLD) : end][::-1]
    match = _VALUE_BACKWARDS.match(backwards)
    if match is None:
        return None, False
    start = end - match.end()
    value = Value(place.text[start:end], start, end, is_quoted=False)
    return value, is_told(place, value)


def _after_option(place: Place) -> Found:
    """Return the value of `--password x`, also in a list of strings; not an ordinary word."""
    match = _OPTION.match(place.text, place.at)
    if match is None:
        return None, False
    value = read_value(place, match)
    if value is None or " " in value.text or is_open(place.word, place.before):
        return value, False
    if values.is_placeholder(value.text) or values.is_path(value.text):
        return value, False
    if place.word.kind == "key" and not is_secret_key(place.before):
        return value, is_long(value.text) and value.text[0] not in "{["
    is_phrase = place.word.kind == "password" and values.is_passphrase(value.text)
    return value, is_phrase or (values.has_letter(value.text) and values.is_random(value.text))


def _in_element(place: Place) -> Found:
    """Return what is in an element of XML."""
    match = _ELEMENT.match(place.text, place.at)
    if match is None or is_open(place.word, place.before):
        return None, False
    start, end = match.span("bare")
    if match["data"] is not None:
        end -= len("]]")
    value = Value(place.text[start:end], start, end, is_quoted=True)
    if place.text.startswith(_CELLS, place.start - 3):
        return value, is_told(place, value)
    return value, is_secret(place, value)


def _in_netrc(place: Place) -> Found:
    match = _NETRC.match(place.text, place.at)
    before = place.text[max(0, place.at - 60) : place.at]
    if match is None or not _IS_NETRC.search(before):
        return None, False
    value = read_value(place, match)
    return value, value is not None and not values.is_placeholder(value.text)
