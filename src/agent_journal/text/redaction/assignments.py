"""Values that are secret by the name before them: `password = …`, `API_TOKEN=…`, `--password …`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.text.redaction import values
from agent_journal.text.redaction.names import (
    WORDS,
    Word,
    is_any_key,
    is_open,
    is_secret_key,
    is_verb,
    start_of,
)
from agent_journal.text.redaction.secret import Secret, as_secret

# Lower case, and `_` for `-`
FOLDED = bytes(range(256)).lower().replace(b"-", b"_")
_LONGEST = 4096  # characters of a value
_SHORTEST = 6  # characters of a value without quotes
_SHORTEST_SECRET = 12  # characters of a token or key
_SHORTEST_KEY = 16  # characters of the value of any key
_LONGEST_SENTENCE = 200  # a longer value with spaces in it is prose

# -- between the name and the value ------------------------------------------------------------

# Each level of JSON within JSON doubles the backslashes before a quote, and adds one.
_SLASHES = r"\\{0,16}+"
_CLOSED = rf"""(?:{_SLASHES}["'`\]]){{0,3}}{_SLASHES}"""
_TYPE = r"""[ ]?[&A-Za-z][\w.\[\]| ]{0,24}?[ ]=[ ]?(?=["'`])"""
_ASSIGNED = (
    rf"{_CLOSED}[ \t]{{0,8}}(?:string[ ])?(?::{_TYPE}|:=|=>|={{1,3}}|:|\?=)[ \t]{{0,8}}(?:\*\*[ ])?"
)
_IN_CALL = rf"""(?P<comma>{_SLASHES}["'`])[ \t]{{0,4}},[ \t]{{0,4}}(?={_SLASHES}["'`])"""
_IN_PAIR = (
    rf"""(?:{_SLASHES}["'])?(?:[\s,;+-]|\\{{1,16}}[nrt]){{1,40}}(?:{_SLASHES}["'])?"""
    rf"""[Vv]alue(?:{_SLASHES}["'])?[ ]{{0,4}}[:=][ ]{{0,4}}"""
)
_IN_CELL = r"(?P<cell>[`*]{0,2}[ \t]{1,40}\|[ \t]{1,40})"
_IN_PROSE = r"(?P<prose>[ ](?:is|was|to)(?::[ ]|[ ]))"
_CALLED = rf"""(?P<call>\()(?={_SLASHES}["'`])"""

# -- values ------------------------------------------------------------------------------------

_SIGN = r"""[^\s"'`,;<>(){}\[\]\\|&]"""
# A value goes on after `&`, except where another name, an entity or a command follows it.
_AND = r"&(?!&|[\w.\[\]%-]{1,60}=|(?:quot|apos|lt|gt|#[0-9x]{1,5});)"
_ESCAPED = r"\\[$!#*?~^@%]"
_BARE = rf"(?P<bare>{_SIGN}{{1,4096}}+(?:(?:{_AND}|{_ESCAPED}){_SIGN}{{0,4096}}+){{0,16}}+)"
_OPENED = rf"""(?:[fbruFBRU@]{{0,2}}(?P<slashes>{_SLASHES})(?P<quote>["'`])|{_BARE})"""
_QUOTES = {quote: re.compile(rf"(\\*){quote}|[\r\n]") for quote in "\"'`"}
_REST = re.compile(r"""[^\s"'`\\]{1,4096}""")  # of a setting on a line of its own
_NEXT_SETTING = re.compile(r";[\w. -]{1,40}=")
_AFTER_REST = ",;)]}|&>"
_LINE = re.compile(r"(?:\A|[\r\n]|\\[nr])[ \t+-]{0,40}+(?:(?:export|ENV|ARG|set)[ \t]{1,4})?\Z")


_IS_CALL = re.compile(rf"""\([ \t]{{0,4}}{_SLASHES}["'`]\Z""")


class _Place(NamedTuple):
    """A word, in a text, and the name it is in."""

    text: str
    word: Word
    at: int
    start: int  # of the name

    @property
    def before(self) -> str:
        """What precedes the word in the name."""
        return self.text[self.start : self.at]

    @property
    def is_variable(self) -> bool:
        """Whether the name is one of the environment."""
        return self.text[self.start : self.at + len(self.word.word)].isupper()

    @property
    def is_parameter(self) -> bool:
        """Whether the name is one of a query."""
        return self.text[max(0, self.start - 1) : self.start] in ("?", "&")


class _Value(NamedTuple):
    """A value after a name."""

    text: str
    start: int
    end: int
    is_quoted: bool


_PATTERNS = {
    word.word: re.compile(
        rf"(?i:{word.whole})(?:{_ASSIGNED}|{_IN_PAIR}|{_IN_CALL}|{_IN_CELL}|{_CALLED}|{_IN_PROSE}){_OPENED}"
    )
    for word in WORDS
}


_SEARCHED = tuple((word.word, word.following, word) for word in WORDS)


def find_assigned(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield values after names that make them secret; `folded` has one byte for each character."""
    for letters, following, word in _SEARCHED:
        at = folded.find(letters)
        while at >= 0:
            after = at + len(letters)
            if folded[after : after + 1] in following:
                value, is_secret = _after_word(text, at, word)
                if value is not None:
                    if is_secret:
                        yield as_secret(_kind(word), value.start, value.end, "")
                    # There is no secret within a value without quotes that is none.
                    if is_secret or not value.is_quoted:
                        after = max(after, value.end)
            at = folded.find(letters, after)


def _kind(word: Word) -> str:
    if word.kind == "password":
        return "password"
    return "secret"


def _after_word(text: str, at: int, word: Word) -> tuple[_Value | None, bool]:
    """Return the value after a word, and whether it is secret."""
    match = _PATTERNS[word.word].match(text, at)
    if match is None:
        return _after_space(text, at, word)
    place = _Place(text, word, at, start_of(text, at))
    value = _value(place, match)
    if value is None or is_open(word, place.before):
        return value, False
    if _is_joined(place, match, value):
        return value, _is_secret(place, value)
    return _after_space(text, at, word)


def _is_joined(place: _Place, match: re.Match[str], value: _Value) -> bool:
    """Whether the value belongs to the name: always if one is assigned to the other."""
    if match["cell"] is not None:
        before = place.text[max(0, place.start - 4) : place.start]
        is_cell = before.rstrip(" \t`*").endswith("|")
        return is_cell and not values.names_secret(value.text)
    if match["comma"] is not None:
        before = place.text[max(0, place.start - 24) : place.start]
        return _IS_CALL.search(before) is not None and not values.names_secret(value.text)
    if match["prose"] is not None:
        is_long = place.word.kind == "password" or len(value.text) >= _SHORTEST_KEY
        return is_long and _is_mixed(value.text)
    if match["call"] is not None:
        is_setter = place.before.lower().endswith(("set", "set_", "with", "with_", "."))
        return is_setter and values.has_digit(value.text)
    return True


def _value(place: _Place, match: re.Match[str]) -> _Value | None:
    """Return the value that a match leads to: bare, or up to the quote that closes it."""
    if match["bare"] is None:
        return quoted_value(place.text, match)
    start, end = match.span("bare")
    if place.is_parameter:
        end = start + len(match["bare"].partition("&")[0])
    elif place.is_variable and place.text[start - 1] == "=":
        end = _end_of_setting(place, start, end)
    if end - start < _SHORTEST:
        return None
    return _Value(place.text[start:end], start, end, is_quoted=False)


def _end_of_setting(place: _Place, start: int, end: int) -> int:
    """Return the end of a value that has a line for itself, where any sign may be in it."""
    before = place.text[max(0, place.start - 50) : place.start]
    if not _LINE.search(before) and place.start > 0:
        return end
    rest = _REST.match(place.text, end)
    if rest is None or (rest[0][0] in "([" and values.is_name(place.text[start:end])):
        return end
    found = _NEXT_SETTING.search(rest[0])
    text = rest[0]
    if found is not None:
        text = text[: found.start()]
    return end + len(text.rstrip(_AFTER_REST))


def quoted_value(text: str, match: re.Match[str]) -> _Value | None:
    """Return what is between a quote and the one that closes it."""
    start = match.end()
    level = len(match["slashes"])
    for closing in _QUOTES[match["quote"]].finditer(text, start, start + _LONGEST + level + 1):
        if closing[1] is None:
            return None
        # The same number of backslashes as before the opening quote, except for whole pairs of
        # escaped backslashes.
        if len(closing[1]) % (2 * level + 2) == level:
            end = closing.end() - 1 - level
            value = text[start:end]
            is_prose = len(value) > _LONGEST_SENTENCE and " " in value
            if len(value) < 4 or is_prose:
                return None
            return _Value(value, start, end, is_quoted=True)
    return None


# -- whether a value is secret -----------------------------------------------------------------


def _is_secret(place: _Place, value: _Value) -> bool:
    if values.is_placeholder(value.text) or values.is_path(value.text):
        return False
    if not value.is_quoted and _is_code(place, value):
        return False
    if place.word.kind == "password":
        return _is_password(place, value)
    if place.word.kind == "key" and not is_secret_key(place.before):
        return _is_any_key(place, value)
    return _is_token(place, value)


def _is_code(place: _Place, value: _Value) -> bool:
    """Whether a value without quotes is a variable, a member or a call."""
    if values.is_member(value.text):
        return True
    if not values.is_name(value.text):
        return False
    after = place.text[value.end : value.end + 1]
    if after == "(":
        return True
    is_setting = place.text[value.start - 1] == "=" and place.is_variable
    is_yaml = place.text[value.start - 2 : value.start] == ": " and after not in ",)}"
    return not is_setting and not is_yaml and values.names_secret(value.text)


def _is_password(place: _Place, value: _Value) -> bool:
    if place.word.word == b"pass" and _is_short_name(place):
        # `pass` is also a verb
        if _is_verb(place, value):
            return False
        return values.has_digit(value.text) and values.has_letter(value.text)
    if values.is_sentence(value.text) or _is_within_word(place):
        return False
    if value.is_quoted or values.has_digit(value.text) or not values.is_name(value.text):
        return True
    # A word is a type or another name, except in settings.
    return place.is_variable and not value.text[0].isupper()


def _is_verb(place: _Place, value: _Value) -> bool:
    if is_verb(place.before):
        return True
    if place.before[-1:].islower() and not place.text[place.at].isupper():
        return True
    if place.before or value.is_quoted or place.text[value.start - 1] != " ":
        return False
    before = place.text[max(0, place.start - 2) : place.start]
    is_in_sentence = before[:1].isalnum() and before[1:] == " "
    return is_in_sentence and not _is_long(value.text)


def _is_within_word(place: _Place) -> bool:
    """Whether `pw` is only the end of another word, or of letters without a meaning."""
    is_short = place.word.word == b"pw" and place.text[place.at + 2 : place.at + 3] not in "dD"
    return is_short and place.before[-1:].isalnum()


def _is_short_name(place: _Place) -> bool:
    after = place.text[place.at + 4 : place.at + 5]
    return not after.isalpha()


def _is_token(place: _Place, value: _Value) -> bool:
    if len(value.text) < _SHORTEST_SECRET or not values.is_random(value.text):
        return False
    if value.is_quoted or place.is_variable or place.is_parameter:
        return True
    return not (values.is_name(value.text) and values.are_words(value.text))


def _is_any_key(place: _Place, value: _Value) -> bool:
    is_form = place.text[value.end : value.end + 1] == "&"
    if not (is_any_key(place.before) or place.is_parameter or is_form):
        return _is_dashed_option(place) and _is_long(value.text)
    return _is_long(value.text)


def _is_mixed(value: str) -> bool:
    """Whether a value has letters and digits, and not as words with a number have them."""
    if not values.has_digit(value) or not values.has_letter(value):
        return False
    return not values.are_words(value)


def _is_dashed_option(place: _Place) -> bool:
    return place.before.startswith("--")


def _is_long(value: str) -> bool:
    if len(value) < _SHORTEST_KEY or not values.is_random(value):
        return False
    return not values.are_words(value)


# -- after a space: options, netrc, elements ---------------------------------------------------

_SPACE = r"(?:\s|\\{1,16}[nrt])"
_OPTION = re.compile(
    r"(?i:[a-z]{0,12}(?:[_-]?(?:key|base|value|data)){0,2})"
    rf"""(?:[ \t]{{1,4}}|{_SLASHES}["'],[ ]{{0,2}})(?!-(?:-|[A-Za-z](?![\w-]))|[$<]){_OPENED}"""
)
_IS_OPTION = re.compile(r"(?<![\w-])--[\w.-]{0,50}\Z")
_NETRC = re.compile(rf"(?i:password){_SPACE}{{1,8}}{_OPENED}")
_IS_NETRC = re.compile(rf"(?:login|account){_SPACE}{{1,4}}\S{{1,80}}?(?:{_SPACE}|[+-]){{1,20}}\Z")
_ELEMENT = re.compile(
    rf"""[\w.-]{{0,40}}(?:(?:{_SLASHES}["'])?(?:[ \t][^<>\r\n]{{0,100}})?>"""
    rf"|</(?:key|name)>{_SPACE}{{0,40}}<[a-z]{{1,10}}>)"
    rf"{_SPACE}{{0,40}}(?P<data><!\[CDATA\[)?(?P<bare>[^<>\s]{{4,4096}}+)>?{_SPACE}{{0,40}}</"
)
_IS_ELEMENT = re.compile(
    rf"""<(?:(?:[\w.-]{{1,20}}:)?|[a-z][^<>\r\n]{{1,40}}={_SLASHES}["'](?:[\w.]{{1,20}})?|key>|name>)\Z"""
)
# Commands and statements that give a name and its value, without a sign between them
_IS_COMMAND = re.compile(
    r"(?:ENV|ARG|setx|set[ ]-[gU]?x|configure[ ]set|config(?:[ ]--\w{1,10})?|\#define)[ \t]{1,4}\Z"
)
_STATEMENT = re.compile(rf"PASSWORD[ ]{{1,4}}(?={_SLASHES}['\"]){_OPENED}")


def _after_space(text: str, at: int, word: Word) -> tuple[_Value | None, bool]:
    before = text[max(0, at - 60) : at]
    if "--" in before and _IS_OPTION.search(before):
        return _after_option(text, at, word)
    if "<" in before:
        return _in_element(text, at, word)
    if text[at : at + 1].isupper() or word.kind != "password":
        return _in_statement(text, at, word)
    if word.word == b"pass" and ("login" in before or "account" in before):
        return _in_netrc(text, at, before)
    return _in_statement(text, at, word)


def _in_statement(text: str, at: int, word: Word) -> tuple[_Value | None, bool]:
    """Return the value in `ENV API_TOKEN x` or `WITH PASSWORD 'x'`."""
    start = start_of(text, at)
    if _IS_COMMAND.search(text[max(0, start - 30) : start]):
        return _after_option(text, at, word)
    match = _STATEMENT.match(text, at)
    if match is None:
        return None, False
    value = _value(_Place(text, word, at, start), match)
    return value, value is not None and _is_mixed(value.text)


def _after_option(text: str, at: int, word: Word) -> tuple[_Value | None, bool]:
    """Return the value of `--password x`, also in a list of strings; not an ordinary word."""
    match = _OPTION.match(text, at)
    if match is None:
        return None, False
    place = _Place(text, word, at, start_of(text, at))
    value = _value(place, match)
    if value is None or " " in value.text or is_open(word, place.before):
        return value, False
    if values.is_placeholder(value.text) or values.is_path(value.text):
        return value, False
    if word.kind == "key" and not is_secret_key(place.before):
        return value, _is_long(value.text) and value.text[0] not in "{["
    return value, values.has_letter(value.text) and values.is_random(value.text)


def _in_element(text: str, at: int, word: Word) -> tuple[_Value | None, bool]:
    """Return what is in an element of XML."""
    place = _Place(text, word, at, start_of(text, at))
    if not _IS_ELEMENT.search(text[max(0, place.start - 60) : place.start]):
        return None, False
    match = _ELEMENT.match(text, at)
    if match is None or is_open(word, place.before):
        return None, False
    start, end = match.span("bare")
    if match["data"] is not None:
        end -= len("]]")
    value = _Value(text[start:end], start, end, is_quoted=True)
    return value, _is_secret(place, value)


def _in_netrc(text: str, at: int, before: str) -> tuple[_Value | None, bool]:
    match = _NETRC.match(text, at)
    if match is None or not _IS_NETRC.search(before):
        return None, False
    place = _Place(text, WORDS[0], at, at)
    value = _value(place, match)
    return value, value is not None and not values.is_placeholder(value.text)
