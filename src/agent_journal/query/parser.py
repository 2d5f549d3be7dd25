"""Reads a query: tokens become a tree."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from agent_journal.errors import UsageError
from agent_journal.query.lexer import Lexer, MalformedQuery, Raw, Token, printable, split_star
from agent_journal.query.tree import (
    CONTENTS,
    FLAGS,
    ROLES,
    SORTS,
    And,
    Dates,
    Field,
    Node,
    Not,
    Or,
    Parsed,
    Phrase,
    Regex,
    Value,
    Word,
    bounds,
    is_moment,
)
from agent_journal.text.suggestions import near_words

_CHOICES = {"role": ROLES, "is": FLAGS, "has": CONTENTS, "sort": SORTS}
_AMOUNTS = {
    "cost": "cost:>5 (dollars), cost:<=0.5 or cost:1..5",
    "messages": "messages:>100, messages:<5 or messages:10..20",
}
_DATE_FORMS = (
    "use 2d, 12h, today, monday, last-month, 3-days-ago, 2026-01, 2026-01-31, 2026-01..2026-03, "
    ">2026-01-05 or <2d"
)
_SHORT = 100  # characters: such a text is within all limits
# The first of several words that make a date: they have to be one value.
_BEGINS_DATE = frozenset(("last", "this", "in", "on", "the", "a", "an", "one"))


class QuerySyntaxError(UsageError):
    """A text that is not a query; the hint shows where it fails and how to fix it."""

    code = "query"

    def __init__(self, text: str, error: MalformedQuery) -> None:
        super().__init__(
            f"cannot read the query at character {error.place + 1}: {error.problem}",
            f"{_with_caret(text, error.place)}\n{error.fix}",
        )
        self.place = error.place
        self.fix = error.fix


def parse(text: str, now: datetime | None = None) -> Parsed:
    """Return what a person typed as a tree; raise QuerySyntaxError and nothing else.

    Relative dates are checked against `now`.
    """
    parser = _Parser(now or datetime.now(UTC))
    try:
        for token in _limited_tokens(text):
            parser.take(token)
        return Parsed(parser.end(), parser.sort)
    except MalformedQuery as error:
        raise QuerySyntaxError(text, error) from None


def _limited_tokens(text: str) -> Iterable[Token]:
    if len(text) <= _SHORT:
        return _tokens(text)
    from agent_journal.query.limits import check_length, check_patterns

    check_length(text)
    return check_patterns(_tokens(text))


def _tokens(text: str) -> Iterable[Token]:
    if "-" not in text:
        return Lexer(text)
    from agent_journal.query.minus import settle_minuses  # 1 ms, and most queries have none

    return settle_minuses(Lexer(text))


def _with_caret(text: str, place: int) -> str:
    """The text around a place on one line, and a caret under the place on the next."""
    from unicodedata import east_asian_width

    if place > 50:
        before = "…" + printable(text[place - 40 : place], 60)
    else:
        before = printable(text[:place], 60)
    wide = sum(east_asian_width(char) in "WF" for char in before)
    indent = " " * (len(before) + wide)
    return f"{before}{printable(text[place:])}\n{indent}^"


class _Level:
    """A group that is being read, or the whole query."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.is_negated = False
        # Whether anything was read since the last OR, even if it was only a sort order
        self.is_filled = False
        self.last_or: Token | None = None
        self.last_not: Token | None = None
        self._branches: list[Node] = []
        self._nodes: list[Node] = []

    @property
    def is_empty(self) -> bool:
        return not self.is_filled and self.last_or is None

    def add(self, node: Node | None) -> None:
        if node is not None:
            if self.is_negated:
                node = _negated(node)
            self._nodes.append(node)
        self.is_filled = True
        self.is_negated = False
        self.last_not = None

    def negate(self, token: Token) -> None:
        self.is_filled = True
        self.is_negated = not self.is_negated
        self.last_not = token

    def branch(self, token: Token) -> None:
        if not self.is_filled:
            raise _dangling(token, "before")
        self._end_branch()
        self.is_filled = False
        self.last_or = token

    def end(self) -> Node | None:
        if self.last_or is not None and not self.is_filled:
            raise _dangling(self.last_or, "after")
        self._end_branch()
        return _joined(Or, self._branches)

    def _end_branch(self) -> None:
        if self.last_not is not None:
            raise _dangling(self.last_not, "after")
        node = _joined(And, self._nodes)
        if node is not None:
            self._branches.append(node)
        self._nodes = []


def _negated(node: Node) -> Node:
    if isinstance(node, Not):
        return node.node
    return Not(node)


def _dangling(token: Token, side: str) -> MalformedQuery:
    fix = f'put a word {side} it, or write "{token.text}" in double quotes to find it as text'
    return MalformedQuery(token.place, f"there is nothing {side} this {token.text}", fix)


def _joined(kind: type[And] | type[Or], nodes: list[Node]) -> Node | None:
    flat: list[Node] = []
    for node in nodes:
        if isinstance(node, kind):
            flat.extend(node.nodes)
        else:
            flat.append(node)
    if len(flat) > 1:
        return kind(tuple(flat))
    return next(iter(flat), None)


class _Parser:
    """Builds the tree from tokens. AND binds tighter than OR.

    It keeps a stack of groups instead of recursing: the caller may be near Python's limit.
    """

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.sort: str | None = None
        self._levels = [_Level(0)]

    def take(self, token: Token) -> None:
        level = self._levels[-1]
        if token.kind == "(":
            self._levels.append(_Level(token.place))
        elif token.kind == ")":
            self._close(level)
        elif token.kind == "or":
            level.branch(token)
        elif token.kind == "not":
            level.negate(token)
        elif token.kind == "field" and token.text == "sort":
            self._set_sort(token, level.is_negated)
            level.add(None)
        else:
            level.add(self._node(token))

    def end(self) -> Node | None:
        if len(self._levels) > 1:
            fix = "close it with ), or put the text in double quotes"
            raise MalformedQuery(self._levels[-1].place, "this group is not closed", fix)
        return self._levels[0].end()

    def _close(self, level: _Level) -> None:
        if level.is_empty:
            fix = 'put words in it, or write "()" in double quotes to find it as text'
            raise MalformedQuery(level.place, "this group is empty", fix)
        self._levels.pop()
        self._levels[-1].add(level.end())

    def _set_sort(self, token: Token, is_negated: bool) -> None:
        if is_negated or len(token.values) > 1:
            problem = "a query has one sort order, and it cannot be excluded"
            raise MalformedQuery(token.place, problem, "use sort:newest alone")
        self.sort = _choice("sort", token.values[0], SORTS)

    def _node(self, token: Token) -> Node | None:
        if token.kind == "word":
            return _word(token.text)
        if token.kind == "regex":
            return Regex(token.text, token.ignore_case)
        if token.kind == "phrase":
            if not token.text:
                return None  # a quote that was just opened
            return Phrase(token.text)
        if token.text in ("date", "since", "until"):
            spans: list[Node] = [_dates(token.text, value, self.now) for value in token.values]
            return _joined(Or, spans)
        return Field(token.text, tuple(_value(token.text, value) for value in token.values))


def _word(text: str) -> Word:
    # A prefix needs something to look up before the star; `/*` has nothing.
    if not any(map(str.isalnum, text)):
        return Word(text)
    return Word(*split_star(text))


def _value(name: str, raw: Raw) -> Value:
    if name in _CHOICES:
        return Value(_choice(name, raw, _CHOICES[name]))
    if name in _AMOUNTS:
        return Value(_amount(name, raw))
    if raw.is_quoted:
        return Value(raw.text)
    return Value(*split_star(raw.text))


def _choice(name: str, raw: Raw, choices: tuple[str, ...]) -> str:
    """The value of a field that accepts only some."""
    word = raw.text.lower()
    if word in choices:
        return word
    near = near_words(word[:40], choices)
    fix = f"use one of: {', '.join(choices)}"
    if near:
        fix = f"did you mean {name}:{near[0]}?"
    raise MalformedQuery(raw.place, f"'{name}:' cannot be '{printable(raw.text)}'", fix)


def _amount(name: str, raw: Raw) -> str:
    """The value of a field that takes numbers."""
    from agent_journal.query.amounts import parse_amounts

    if parse_amounts(raw.text) is None:
        problem = f"'{name}:' cannot be '{printable(raw.text)}'"
        raise MalformedQuery(raw.place, problem, f"use {_AMOUNTS[name]}")
    return raw.text


# -- dates -------------------------------------------------------------------------------------


def _dates(name: str, raw: Raw, now: datetime) -> Dates:
    try:
        dates = _span(name, raw, now)
        first, last = bounds(dates, now)
    except (ValueError, OverflowError, OSError):  # OSError: Windows, for years before 1970
        problem = f"'{printable(raw.text)}' is not a date"
        raise MalformedQuery(raw.place, problem, _date_fix(name, raw.text)) from None
    if first is None and last is None:
        raise MalformedQuery(raw.place, "this range has no end", _DATE_FORMS)
    if first is not None and last is not None and first > last:
        problem = "this range ends before it begins"
        raise MalformedQuery(raw.place, problem, "put the earlier date first")
    return dates


def _date_fix(name: str, text: str) -> str:
    if text in _BEGINS_DATE or (text.isdecimal() and len(text) < 4):
        return f'write several words as {name}:last-month or {name}:"3 days ago"'
    return _DATE_FORMS


def _span(name: str, raw: Raw, now: datetime) -> Dates:
    text = raw.text
    if name == "since":
        return Dates(text, None)
    if name == "until":
        return Dates(None, text)
    first, dots, last = text.partition("..")
    if dots:
        return Dates(first.strip() or None, last.strip() or None)
    if text.startswith((">", "<")):
        return _compared(text)
    if not is_moment(text, now):
        return Dates(text, text)
    is_age = text[:-1].isdigit() and not text.isdigit()  # 2d: the last two days
    if not is_age:
        problem = "this is a moment, not a span of time"
        fix = "use since: or until: with it, or two dots: a..b"
        raise MalformedQuery(raw.place, problem, fix)
    return Dates(text, None)


def _compared(text: str) -> Dates:
    """`>2026` and `<2026`, and with an equals sign."""
    bound = text
    if text[1:2] == "=":
        bound = text[2:].strip()
    if text[0] == ">":
        return Dates(bound, None)
    return Dates(None, bound)
