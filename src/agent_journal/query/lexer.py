"""Splits a query into tokens, in linear time.

A character is special only where a word can begin: at the start, after a space, a closing quote or
a parenthesis of a group. Inside a word, every character belongs to the word: `what's`, `foo()`,
`C++`, `a|b`, `5"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_FIELD_NAMES = (
    "agent project repo branch model role kind tool file is has tag session cost messages "
    "date since until sort"
)
FIELDS = tuple(_FIELD_NAMES.split())
# Without a value they are ordinary words: `messages: []`, `it has: a`
_WORDS_TOO = frozenset(("cost", "has", "messages", "tag"))
MAX_DEPTH = 100
MAX_REGEX = 1000  # compiling takes time and memory, and nobody types more

_VISIBLE = re.compile(r"\S")
_SPACE = re.compile(r"\s")
_WORD_STOP = re.compile(r"[\s()]")
VALUE_STOP = re.compile(r"[\s(),]")
_OPERATOR = re.compile(r"(OR|AND|NOT|\|)(?=[\s()]|\Z)")
# `file://x` is an address and `model::User` a path in code, although they begin like fields.
_NAME = re.compile(r"([A-Za-z]{2,9}):(?!//|:)")
# The first unescaped slash must be the closing one, else it is a path. Comments begin with /*,
# which no expression can.
REGEX = re.compile(r"/(?![\s/*+?)])([^/\\]*(?:\\.[^/\\]*)*)/(i?)(?=[\s)]|\Z)", re.DOTALL)
# An expression with a space in it must have one of these: `from /tmp to build/` has none.
_REGEX_SIGN = re.compile(r"[*+\[{|^$\\]|\(\?")
ESCAPE_OR_SLASH = re.compile(r"\\.|/", re.DOTALL)
# Signs that no path has: without a closing slash, or with flags of other tools, it was still meant
# as an expression.
OPEN_REGEX = re.compile(r"/(?=\^|[^/]*?(?:\.[*+]|\\[bdsw]|\(\?))[^/]+(?:/[gimsuxy]+)?")
# A tool and words of its call: `Bash(git push)`
_CALL = re.compile(r"[^\s(),\"]+\([^()\"]*\)")
# A minus excludes what begins with a letter, a digit or one of these; -> and -= are text.
_EXCLUDABLE = frozenset("\"(/\\._*'@#$~")
# A field name that is one slip away from ours is reported only before one of these.
_VALUE_SIGNS = frozenset('"*._~/')
# Ordinary words that are one slip away from a field.
_OTHER_WORDS = (
    "cos kid message modal mode modem modes repro short sine stag tab tags tan tap tar tax too "
    "untie util"
)
_NOT_SLIPS = frozenset(_OTHER_WORDS.split())


class MalformedQuery(Exception):
    """Why a text is not a query: where, what is wrong, and how to fix it."""

    def __init__(self, place: int, problem: str, fix: str) -> None:
        super().__init__(problem)
        self.place = place
        self.problem = problem
        self.fix = fix


class Raw(NamedTuple):
    """One value of a field as it was typed."""

    text: str
    place: int
    is_quoted: bool


class Token(NamedTuple):
    """A piece of a query.

    Its kind is `(`, `)`, `or`, `and`, `not`, `word`, `phrase`, `regex` or `field`.
    """

    kind: str
    place: int
    text: str = ""
    values: tuple[Raw, ...] = ()
    ignore_case: bool = False


class Lexer:
    """Reads the tokens of one text, in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._depth = 0

    def __iter__(self) -> Iterator[Token]:
        while True:
            visible = _VISIBLE.search(self._text, self._place)
            if visible is None:
                return
            self._place = visible.start()
            token = self._next_token()
            if token.kind != "and":  # words are joined by AND without it
                yield token

    def _next_token(self) -> Token:
        for read in (self._parenthesis, self._operator, self._minus, self._regex, self._field):
            token = read()
            if token is not None:
                return token
        return self._word_or_phrase()

    def _parenthesis(self) -> Token | None:
        place = self._place
        char = self._text[place]
        if char == "(":
            self._depth += 1
            if self._depth > MAX_DEPTH:
                problem = f"groups are nested more than {MAX_DEPTH} levels deep"
                fix = "take out parentheses, or put the text in double quotes"
                raise MalformedQuery(place, problem, fix)
        elif char == ")" and self._depth:
            self._depth -= 1
        else:
            return None
        self._place += 1
        return Token(char, place)

    def _operator(self) -> Token | None:
        place = self._place
        word = self._operator_at(place)
        if word is None:
            return None
        self._place += len(word)
        kind = word.lower().replace("|", "or")
        return Token(kind, place, word)

    def _minus(self) -> Token | None:
        place = self._place
        if self._text[place] != "-":
            return None
        following = self._text[place + 1 : place + 2]
        if not following or not can_exclude(following):
            return None
        if self._operator_at(place + 1) is not None:
            return None
        self._place += 1
        return Token("not", place, "-")

    def _operator_at(self, place: int) -> str | None:
        found = _OPERATOR.match(self._text, place)
        if found and self._is_end(found.end()):
            return found[1]
        return None

    def _is_end(self, place: int) -> bool:
        """Outside of groups a closing parenthesis ends nothing: it is an ordinary character."""
        return bool(self._depth) or not self._text.startswith(")", place)

    def _regex(self) -> Token | None:
        place = self._place
        if self._text[place] != "/":
            return None
        found = REGEX.match(self._text, place)
        if found and self._is_end(found.end()) and _is_expression(found[1]):
            _check_regex(found[1], place + 1)
            self._place = found.end()
            pattern = ESCAPE_OR_SLASH.sub(_without_escape, found[1])
            return Token("regex", place, pattern, ignore_case=bool(found[2]))
        word = self._until(_WORD_STOP)
        self._place = place
        if OPEN_REGEX.fullmatch(word):
            fix = "end it with / or /i, or begin with \\/ to find the slash itself"
            raise MalformedQuery(place, "this regular expression is not closed", fix)
        return None

    def _field(self) -> Token | None:
        place = self._place
        found = _NAME.match(self._text, place)
        if found is None:
            return None
        name = found[1]
        if name not in FIELDS:
            self._refuse_slip(name, found.end())
            return None
        if name in _WORDS_TOO and self._is_without_value(found.end()):
            return None
        self._place = found.end()
        values = [self._value(name)]
        while self._text.startswith(",", self._place):
            self._place += 1
            values.append(self._value(name))
        return Token("field", place, name, tuple(values))

    def _refuse_slip(self, name: str, place: int) -> None:
        """Refuse `agnt:claude` and `Agent:claude`; `foo:bar`, `agnt:` and `dates:)` are text."""
        char = self._text[place : place + 1]
        if not char.isalnum() and char not in _VALUE_SIGNS:
            return
        near = _nearest_field(name.lower())
        if near is not None:
            fix = f"did you mean {near}:… ? To search for this text, put it in double quotes"
            raise MalformedQuery(self._place, f"there is no field '{name}:'", fix)

    def _is_without_value(self, place: int) -> bool:
        following = self._text[place : place + 1]
        return not following or following.isspace() or following in "[]{}()',;"

    def _value(self, name: str) -> Raw:
        place = self._place
        is_quoted = self._text.startswith('"', place)
        call = None
        if name == "tool":
            call = _CALL.match(self._text, place)
        if is_quoted:
            text = self._quoted()
        elif call is not None:
            text = call[0]
            self._place = call.end()
        else:
            text = self._until(VALUE_STOP)
        if not text:
            fix = f'write it without a space, as in {name}:value, or "{name}:" to find the text'
            raise MalformedQuery(place, f"'{name}:' has no value here", fix)
        return Raw(text, place, is_quoted)

    def _word_or_phrase(self) -> Token:
        place = self._place
        if self._text[place] == '"':
            return Token("phrase", place, self._quoted())
        # A slash that does not begin an expression, or a minus that does not exclude
        if self._text.startswith(("\\/", "\\-"), place):
            self._place += 1
        return Token("word", place, self._until(_WORD_STOP))

    def _quoted(self) -> str:
        start = self._place + 1
        end = self._text.find('"', start)
        if end < 0:
            end = len(self._text)
        self._place = min(end + 1, len(self._text))
        return self._text[start:end].strip()

    def _until(self, stop: re.Pattern[str]) -> str:
        """The text up to a stop; parentheses that belong to it, as in `f(x)`, do not stop it."""
        start = self._place
        opened = 0
        self._place = len(self._text)
        for found in stop.finditer(self._text, start):
            char = found[0]
            if char == "(":
                opened += 1
            elif char == ")" and (opened or not self._depth):
                opened = max(0, opened - 1)
            else:
                self._place = found.start()
                break
        return self._text[start : self._place]


def can_exclude(char: str) -> bool:
    """Whether a minus before this character excludes what follows."""
    if char.isascii():
        return char.isalnum() or char in _EXCLUDABLE
    return not char.isspace()


def split_star(text: str) -> tuple[str, bool]:
    """A text without the star at its end, and whether it had one.

    Only a star that is the only one counts: `**bold**` and `*.py` stay whole.
    """
    if len(text) > 1 and text.find("*") == len(text) - 1:
        return text[:-1], True
    return text, False


def printable(text: str, size: int = 40) -> str:
    """A text fit for a message: short, and without characters that move the cursor."""
    if len(text) > size:
        text = text[: size - 1] + "…"
    return "".join(map(_printable_char, text))


def _printable_char(char: str) -> str:
    if char.isprintable():
        return char
    return " "


def _is_expression(pattern: str) -> bool:
    if _SPACE.search(pattern):
        return _REGEX_SIGN.search(pattern) is not None
    return True


def _check_regex(pattern: str, place: int) -> None:
    import warnings

    if len(pattern) > MAX_REGEX:
        problem = f"this regular expression has more than {MAX_REGEX} characters"
        raise MalformedQuery(place, problem, "make it shorter")
    try:
        with warnings.catch_warnings():
            # About `[[`, which may get another meaning in a later Python
            warnings.simplefilter("ignore")
            re.compile(pattern)
    # It may raise re.error, ValueError, OverflowError or RecursionError.
    except Exception as error:
        reason = printable(getattr(error, "msg", str(error)), 80)
        offset = getattr(error, "pos", None) or 0
        problem = f"this regular expression is not valid: {reason}"
        fix = "correct it, or begin with \\/ to find the slash itself"
        raise MalformedQuery(place + offset, problem, fix) from None


def _without_escape(found: re.Match[str]) -> str:
    if found[0] == "\\/":
        return "/"
    return found[0]


def _nearest_field(name: str) -> str | None:
    """The field that was meant.

    Stricter than difflib, which takes `update:` for `date:` and `filter:` for `file:`.
    """
    if name in _NOT_SLIPS:
        return None
    for field in FIELDS:
        if name == field:
            return field
        if len(field) > 3 and field[0] == name[0] and _is_one_slip(name, field):
            return field
    return None


def _is_one_slip(name: str, field: str) -> bool:
    if len(name) == len(field):
        return _is_one_wrong_letter(name, field)
    short, long = sorted((name, field), key=len)
    if len(long) - len(short) != 1:
        return False
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def _is_one_wrong_letter(name: str, field: str) -> bool:
    """Whether one letter is different, or two are swapped."""
    wrong = [at for at in range(len(name)) if name[at] != field[at]]
    if len(wrong) == 1:
        # In four letters, one other letter makes another word too often: data, rule, port.
        return len(field) > 4
    if len(wrong) == 2:
        first, second = wrong
        return name[first] == field[second] and name[second] == field[first]
    return False
