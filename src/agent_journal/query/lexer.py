"""How queries are spelled: text becomes tokens in linear time, and texts become what is read as
them.

What is special is special only where a word can begin: at the start, after a space, a closing quote
or a parenthesis of a group. Inside a word, everything is the word: `what's`, `foo()`, `C++`, `a|b`,
`5"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.text.suggestions import near_words

FIELDS = (
    *(
        "agent",
        "project",
        "repo",
        "branch",
        "model",
        "role",
        "kind",
        "tool",
        "file",
        "is",
        "session",
    ),
    *("date", "since", "until", "sort"),
)
MAX_DEPTH = 100
MAX_REGEX = 1000  # compiling takes time and memory, and nobody types more

_VISIBLE = re.compile(r"\S")
_WORD_STOP = re.compile(r"[\s()]")
_VALUE_STOP = re.compile(r"[\s(),]")
_OPERATOR = re.compile(r"(OR|AND|NOT|\|)(?=[\s()]|\Z)")
# `file://x` is an address and `model::User` a path of code, although they begin like fields.
_NAME = re.compile(r"([A-Za-z]{2,9}):(?!//|:)")
# The first bare slash must be the closing one, else it is a path. Comments begin with /* and no
# expression can.
_REGEX = re.compile(r"/(?![\s/*+?)])([^/\\]*(?:\\.[^/\\]*)*)/(i?)(?=[\s)]|\Z)", re.DOTALL)
# With a space in it, it must look like one: `from /tmp to build/` does not.
_SIGN = re.compile(r"[*+\[{|^$\\]|\(\?")
_SPACE = re.compile(r"\s")
_PAIR = re.compile(r"\\.|/", re.DOTALL)
# What no path has: without a closing slash, or with flags of other tools, it was still meant as an
# expression.
_OPEN_REGEX = re.compile(r"/(?=\^|[^/]*?(?:\.[*+]|\\[bdsw]|\(\?))[^/]+(?:/[gimsuxy]+)?")
# After a minus that excludes, besides letters and digits; with other signs it is text: -> -=
_EXCLUDABLE = frozenset("\"(/\\._*'@#$~")
# Ordinary names that are one slip away from a field.
_NO_SLIPS = frozenset(
    ("kid", "modal", "mode", "modem", "modes", "repro", "short", "sine", "too", "untie", "util")
)


class Misread(Exception):
    """Why a text is no query: where, what is wrong, and how to put it right."""

    def __init__(self, place: int, what: str, cure: str) -> None:
        super().__init__(what)
        self.place = place
        self.what = what
        self.cure = cure


class Raw(NamedTuple):
    """One value of a field as it was typed."""

    text: str
    place: int
    is_quoted: bool


class Token(NamedTuple):
    """A piece of a query; its kind is `(`, `)`, `or`, `and`, `not`, `word`, `phrase`, `regex` or
    `field`.
    """

    kind: str
    place: int
    text: str = ""
    values: tuple[Raw, ...] = ()
    ignore_case: bool = False


class Lexer:
    """Reads the tokens of one text, in order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.depth = 0

    def __iter__(self) -> Iterator[Token]:
        while visible := _VISIBLE.search(self.text, self.place):
            self.place = visible.start()
            token = (
                self._parenthesis()
                or self._operator()
                or self._regex()
                or self._field()
                or self._text()
            )
            if token.kind != "and":  # it says what is so anyway
                yield token

    def _parenthesis(self) -> Token | None:
        place, char = self.place, self.text[self.place]
        if char == "(":
            self.depth += 1
            if self.depth > MAX_DEPTH:
                what = f"groups lie in groups more than {MAX_DEPTH} deep"
                raise Misread(place, what, "take out parentheses, or put the text in double quotes")
        elif char == ")" and self.depth:
            self.depth -= 1
        else:
            return None
        self.place += 1
        return Token(char, place)

    def _operator(self) -> Token | None:
        place = self.place
        word = self._operator_at(place)
        if word is not None:
            self.place += len(word)
            return Token("or" if word == "|" else word.lower(), place, word)
        following = self.text[place + 1 : place + 2]
        is_minus = self.text[place] == "-" and following and _can_exclude(following)
        if not is_minus or self._operator_at(place + 1) is not None:
            return None
        self.place += 1
        return Token("not", place, "-")

    def _operator_at(self, place: int) -> str | None:
        found = _OPERATOR.match(self.text, place)
        return found[1] if found and self._is_end(found.end()) else None

    def _is_end(self, place: int) -> bool:
        """Outside of groups a closing parenthesis ends nothing: it is a character as any other."""
        return bool(self.depth) or not self.text.startswith(")", place)

    def _regex(self) -> Token | None:
        place = self.place
        if self.text[place] != "/":
            return None
        found = _REGEX.match(self.text, place)
        if (
            found
            and self._is_end(found.end())
            and (not _SPACE.search(found[1]) or _SIGN.search(found[1]))
        ):
            _check_regex(found[1], place + 1)
            self.place = found.end()
            return Token(
                "regex", place, _PAIR.sub(_without_escape, found[1]), ignore_case=bool(found[2])
            )
        word = self._until(_WORD_STOP)
        self.place = place
        if _OPEN_REGEX.fullmatch(word):
            cure = "end it with / or /i, or begin with \\/ to find the slash itself"
            raise Misread(place, "this regular expression is not closed", cure)
        return None

    def _field(self) -> Token | None:
        place = self.place
        found = _NAME.match(self.text, place)
        if found is None:
            return None
        name = found[1]
        if name not in FIELDS:
            self._refuse_slip(name, found.end())
            return None
        self.place = found.end()
        values = [self._value(name)]
        while self.text.startswith(",", self.place):
            self.place += 1
            values.append(self._value(name))
        return Token("field", place, name, tuple(values))

    def _refuse_slip(self, name: str, place: int) -> None:
        """Refuses `agnt:claude` and `Agent:claude`; `foo:bar`, `agnt:` and `dates:)` are text."""
        char = self.text[place : place + 1]
        near = (
            _nearest_field(name.lower()) if char and (char.isalnum() or char in '"*._~/') else None
        )
        if near is not None:
            cure = f"did you mean {near}:… ? To find the text as it is, put it in double quotes"
            raise Misread(self.place, f"there is no field '{name}:'", cure)

    def _value(self, name: str) -> Raw:
        place = self.place
        is_quoted = self.text.startswith('"', place)
        text = self._quoted() if is_quoted else self._until(_VALUE_STOP)
        if not text:
            what = f"'{name}:' has no value here"
            raise Misread(
                place,
                what,
                f'write it without a space, as in {name}:value, or "{name}:" to find the text',
            )
        return Raw(text, place, is_quoted)

    def _text(self) -> Token:
        place = self.place
        if self.text[place] == '"':
            return Token("phrase", place, self._quoted())
        if self.text.startswith("\\/", place):  # the way to write a slash that begins no expression
            self.place += 1
        return Token("word", place, self._until(_WORD_STOP))

    def _quoted(self) -> str:
        start = self.place + 1
        end = self.text.find('"', start)
        if end < 0:
            end = len(self.text)
        self.place = min(end + 1, len(self.text))
        return self.text[start:end].strip()

    def _until(self, stop: re.Pattern[str]) -> str:
        """The text up to a stop; parentheses that belong to it, as in `f(x)`, are none."""
        start, opened = self.place, 0
        self.place = len(self.text)
        for found in stop.finditer(self.text, start):
            char = found[0]
            if char == "(":
                opened += 1
            elif char == ")" and (opened or not self.depth):
                opened = max(0, opened - 1)
            else:
                self.place = found.start()
                break
        return self.text[start : self.place]


def _can_exclude(char: str) -> bool:
    return char.isalnum() or char in _EXCLUDABLE or (char > "\x7f" and not char.isspace())


def _check_regex(pattern: str, place: int) -> None:
    import warnings

    if len(pattern) > MAX_REGEX:
        raise Misread(
            place,
            f"this regular expression has more than {MAX_REGEX} characters",
            "make it shorter",
        )
    try:
        with warnings.catch_warnings():
            # Of `[[`, which may mean something else in a later Python
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (
        Exception
    ) as error:  # it refuses with re.error, ValueError, OverflowError or RecursionError
        what = (
            f"this regular expression is not valid: {shown(getattr(error, 'msg', str(error)), 80)}"
        )
        cure = "correct it, or begin with \\/ to find the slash itself"
        raise Misread(place + (getattr(error, "pos", None) or 0), what, cure) from None


def _without_escape(pair: re.Match[str]) -> str:
    return "/" if pair[0] == "\\/" else pair[0]


def _nearest_field(name: str) -> str | None:
    """The field that was meant. Stricter than difflib, which takes update: for date: and filter:
    for file:.
    """
    if name in _NO_SLIPS:
        return None
    for field in FIELDS:
        if name == field or (len(field) > 3 and field[0] == name[0] and _is_one_slip(name, field)):
            return field
    return None


def _is_one_slip(name: str, field: str) -> bool:
    if len(name) == len(field):
        wrong = [at for at in range(len(name)) if name[at] != field[at]]
        # Of four letters, one other letter makes another word too often: data, rule, port.
        if len(wrong) == 1:
            return len(field) > 4
        return (
            len(wrong) == 2
            and name[wrong[0]] == field[wrong[1]]
            and name[wrong[1]] == field[wrong[0]]
        )
    short, long = sorted((name, field), key=len)
    return len(long) - len(short) == 1 and any(
        long[:at] + long[at + 1 :] == short for at in range(len(long))
    )


# -- values and spelling -----------------------------------------------------------------------


def starred(text: str) -> tuple[str, bool]:
    """A text without the star at its end, if that is its only one: **bold** and *.py are as they
    are.
    """
    is_prefix = len(text) > 1 and text.find("*") == len(text) - 1
    return (text[:-1], True) if is_prefix else (text, False)


def starred_word(text: str) -> tuple[str, bool]:
    """The same for a word, which needs something to look up before the star: /* has nothing."""
    return starred(text) if any(map(str.isalnum, text)) else (text, False)


def chosen(name: str, raw: Raw, choices: tuple[str, ...]) -> str:
    """The value of a field that can have only some."""
    word = raw.text.lower()
    if word in choices:
        return word
    near = near_words(word[:40], choices)
    cure = f"did you mean {name}:{near[0]}?" if near else f"use one of: {', '.join(choices)}"
    raise Misread(raw.place, f"'{name}:' cannot be '{shown(raw.text)}'", cure)


def spell_word(text: str, is_prefix: bool, is_slash_elsewhere: bool) -> str:
    """A word as it is read; a slash at its start is escaped where it, with a later one, would make
    an expression.
    """
    text += "*" * is_prefix
    if not text.startswith("/"):
        return text
    is_mistakable = _OPEN_REGEX.fullmatch(text) or (
        is_slash_elsewhere and _REGEX.match(text + " /")
    )
    return "\\" + text if is_mistakable else text


def spell_regex(pattern: str, ignore_case: bool) -> str:
    """A regular expression between slashes."""
    return (
        "/"
        + _PAIR.sub(lambda pair: "\\/" if pair[0] == "/" else pair[0], pattern)
        + ("/i" if ignore_case else "/")
    )


def spell_value(text: str, is_prefix: bool = False) -> str:
    """A value of a field, in quotes where it needs them (then it has none: there is no way to type
    that).
    """
    if is_prefix:
        return text + "*"
    is_plain = (
        not _VALUE_STOP.search(text) and not starred(text)[1] and not text.startswith((":", "//"))
    )
    return text if is_plain or '"' in text else f'"{text}"'


def spell_not(text: str) -> str:
    """The exclusion of what is spelled so."""
    return f"-{text}" if _can_exclude(text[0]) else f"NOT {text}"


def spell_group(text: str) -> str:
    """A text in parentheses; a word with a parenthesis in it must not take the closing one for its
    own.
    """
    return f"({text} )" if "(" in text.rsplit(" ", 1)[-1] else f"({text})"


# -- messages ----------------------------------------------------------------------------------


def shown(text: str, size: int = 40) -> str:
    """A text fit for a message: of a bearable length, and without characters that move the cursor."""
    text = text if len(text) <= size else text[: size - 1] + "…"
    return "".join(char if char.isprintable() else " " for char in text)


def pointed(text: str, place: int) -> str:
    """The text around a place on one line, and a caret under the place on the next."""
    from unicodedata import east_asian_width

    start = place - 40 if place > 50 else 0
    before = ("…" if start else "") + shown(text[start:place], 60)
    columns = sum(2 if east_asian_width(char) in "WF" else 1 for char in before)
    return f"{before}{shown(text[place:])}\n{' ' * columns}^"
