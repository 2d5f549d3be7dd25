"""Where a name is, and the value that follows it: between quotes, or up to where it ends."""

from __future__ import annotations

import re
from typing import NamedTuple

from agent_journal.text.redaction import values
from agent_journal.text.redaction.names import Word, words_before

_LONGEST = 4096  # characters of a value
_SHORTEST = 6  # characters of a value without quotes
_SHORTEST_PASSWORD = 4  # of a variable such as DB_PASSWORD
_LONGEST_SENTENCE = 200  # a longer value with spaces in it is prose

# Each level of JSON within JSON doubles the backslashes before a quote, and adds one.
SLASHES = r"\\{0,16}+"
# The start of another line, perhaps one of a diff or with a number
BREAK = (
    r"(?:(?:\r?\n|\\{1,16}[rn])(?:[+-]|[ ]{0,8}[0-9]{1,6}(?:\t|→|\\{1,16}t))?"
    r"(?:[ \t]|\\{1,16}t){0,60}+)"
)
_SIGN = r"""[^\s"'`,;<>(){}\[\]\\|&]"""
# A value goes on after `&`, except where another name, an entity or a command follows it.
_AND = r"&(?!&|[\w.\[\]%-]{1,60}=|(?:quot|apos|lt|gt|#[0-9x]{1,5});)"
_ESCAPED = r"\\[$!#*?~^@%]"
_BARE = rf"(?P<bare>{_SIGN}{{1,4096}}+(?:(?:{_AND}|{_ESCAPED}){_SIGN}{{0,4096}}+){{0,16}}+)"
OPENED = rf"""(?:[fbruFBRUN@$]{{0,2}}(?P<slashes>{SLASHES})(?P<quote>["'`])|{_BARE})"""
_QUOTES = {quote: re.compile(rf"(\\*){quote}|[\r\n]") for quote in "\"'`"}
_REST = re.compile(r"""[^\s"'`\\]{1,4096}""")  # of a setting on a line of its own
_NEXT_SETTING = re.compile(r";[\w. -]{1,40}=")
_AFTER_REST = ",;)]}|&>"
_LINE = re.compile(r"(?:\A|[\r\n]|\\[nr])[ \t+-]{0,40}+(?:(?:export|ENV|ARG|set)[ \t]{1,4})?\Z")


class Place(NamedTuple):
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
    def qualifier(self) -> str:
        """What precedes the word in the name, or the words before it in a sentence."""
        return words_before(self.text, self.start, self.at)

    @property
    def is_variable(self) -> bool:
        """Whether the name is one of the environment."""
        return self.text[self.start : self.at + len(self.word.word)].isupper()

    @property
    def is_short_pass(self) -> bool:
        """Whether the word is `pass` alone, which is also a verb."""
        return self.word.word == b"pass" and not self.text[self.at + 4 : self.at + 5].isalpha()

    @property
    def is_parameter(self) -> bool:
        """Whether the name is one of a query."""
        return self.text[max(0, self.start - 1) : self.start] in ("?", "&")


class Value(NamedTuple):
    """A value after a name."""

    text: str
    start: int
    end: int
    is_quoted: bool


Found = tuple[Value | None, bool]  # a value, and whether it is secret


def read_value(place: Place, match: re.Match[str]) -> Value | None:
    """Return the value that a match leads to: bare, or up to the quote that closes it."""
    if match["bare"] is None:
        return _quoted_value(place.text, match)
    start, end = match.span("bare")
    if place.is_parameter:
        end = start + len(match["bare"].partition("&")[0])
    elif place.is_variable and place.text[start - 1] == "=":
        end = _end_of_setting(place, start, end)
    if end - start < _SHORTEST and not _is_short_password(place, place.text[start:end]):
        return None
    return Value(place.text[start:end], start, end, is_quoted=False)


def _is_short_password(place: Place, value: str) -> bool:
    """Whether a value is long enough for a variable that surely has a password."""
    if place.word.word != b"pass" or place.is_short_pass or not place.is_variable:
        return False
    return len(value) >= _SHORTEST_PASSWORD and values.has_digit(value)


def _end_of_setting(place: Place, start: int, end: int) -> int:
    """Return the end of a value that has a line for itself, where any sign may be in it."""
    before = place.text[max(0, place.start - 50) : place.start]
    if not _LINE.search(before) and place.start > 0:
        return end
    rest = _REST.match(place.text, end)
    if rest is None or (rest[0][0] in "([{" and values.is_name(place.text[start:end])):
        return end
    found = _NEXT_SETTING.search(rest[0])
    text = rest[0]
    if found is not None:
        text = text[: found.start()]
    return end + len(text.rstrip(_AFTER_REST))


def _quoted_value(text: str, match: re.Match[str]) -> Value | None:
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
            return Value(value, start, end, is_quoted=True)
    return None
