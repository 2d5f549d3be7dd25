"""Which sessions are meant: the filters that listings share, and the language people search in.

`parse` turns what a person typed into a tree and `render` turns a tree into text that says the
same. Every front door (search, ls, export, the web, MCP) reads queries here, so that a query means
the same everywhere. docs/query.md explains the language to users.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.errors import UsageError
from agent_journal.text.dates import parse_bound

if TYPE_CHECKING:
    from agent_journal.query.lexer import Raw, Token

ROLES = ("user", "assistant", "system", "tool")
FLAGS = ("prompt", "answer", "error", "failed", "subagent", "edited", "hidden", "tool", "reasoning")
SORTS = ("newest", "oldest", "relevance")

_CHOICES = {"role": ROLES, "is": FLAGS, "sort": SORTS}
_DATE_FORMS = (
    "use 2d, 12h, today, yesterday, 2026-01, 2026-01-31, 2026-01..2026-03, >2026-01-05 or <2d"
)
_MOMENT = timedelta(microseconds=1)


class Query(NamedTuple):
    """Filters for sessions; None means any. `include_all` adds sub-agents and sessions without a
    message.
    """

    agent: str | tuple[str, ...] | None = None
    project: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    include_all: bool = False
    limit: int | None = None
    offset: int = 0


# -- the tree ----------------------------------------------------------------------------------
# Named tuples are equal when their contents are: ask for the type before comparing nodes of
# different kinds.


class Word(NamedTuple):
    """A word that must occur; with `is_prefix`, one that begins with it."""

    text: str
    is_prefix: bool = False


class Phrase(NamedTuple):
    """Words that must occur one after the other."""

    text: str


class Regex(NamedTuple):
    """A regular expression that must match; it compiles."""

    pattern: str
    ignore_case: bool = False


class Value(NamedTuple):
    """One value of a field; a `*` elsewhere than at the end (`*.py`, `src/**`) stays in the text."""

    text: str
    is_prefix: bool = False


class Field(NamedTuple):
    """A property that must have one of the values."""

    name: str
    values: tuple[Value, ...]


class Dates(NamedTuple):
    """A span of time, as it was typed; a `>` before `since` or a `<` before `until` leaves that day
    out.
    """

    since: str | None
    until: str | None


class And(NamedTuple):
    """Everything in it must hold; there are two nodes or more, and none of them is an And."""

    nodes: tuple[Node, ...]


class Or(NamedTuple):
    """Something in it must hold; there are two nodes or more, and none of them is an Or."""

    nodes: tuple[Node, ...]


class Not(NamedTuple):
    """What is in it must not hold; it is never another Not."""

    node: Node


Node = Word | Phrase | Regex | Field | Dates | And | Or | Not


class Parsed(NamedTuple):
    """A query: what must hold (None: nothing in particular) and the order of what is found."""

    tree: Node | None
    sort: str | None


class QuerySyntaxError(UsageError):
    """A text that is no query; the hint shows the place and the cure."""

    code = "query"

    def __init__(self, text: str, place: int, what: str, cure: str) -> None:
        from agent_journal.query.lexer import pointed

        super().__init__(
            f"cannot read the query at character {place + 1}: {what}",
            f"{pointed(text, place)}\n{cure}",
        )
        self.place = place
        self.cure = cure


# -- reading -----------------------------------------------------------------------------------


def parse(text: str, now: datetime | None = None) -> Parsed:
    """What a person typed, as a tree; raises QuerySyntaxError and nothing else. Relative dates are
    checked at `now`.
    """
    from agent_journal.query.lexer import Lexer, Misread

    parser = _Parser(now or datetime.now(UTC))
    try:
        for token in Lexer(text):
            parser.take(token)
        return Parsed(parser.end(), parser.sort)
    except Misread as error:
        raise QuerySyntaxError(text, error.place, error.what, error.cure) from None


def _misread(place: int, what: str, cure: str) -> Exception:
    from agent_journal.query.lexer import Misread

    return Misread(place, what, cure)


class _Level:
    """A group that is being read, or the whole query."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.branches: list[Node] = []
        self.nodes: list[Node] = []
        self.is_filled = False  # something stood here since the last OR, if only an order
        self.last_or: Token | None = None
        self.last_not: Token | None = None
        self.is_negated = False

    def add(self, node: Node | None) -> None:
        if node is not None and self.is_negated:
            node = node.node if isinstance(node, Not) else Not(node)
        if node is not None:
            self.nodes.append(node)
        self.is_filled, self.last_not, self.is_negated = True, None, False

    def negate(self, token: Token) -> None:
        self.is_filled, self.last_not, self.is_negated = True, token, not self.is_negated

    def branch(self, token: Token) -> None:
        if not self.is_filled:
            raise _loose(token, "before")
        self._end_branch()
        self.is_filled, self.last_or = False, token

    def end(self) -> Node | None:
        if self.last_or is not None and not self.is_filled:
            raise _loose(self.last_or, "after")
        self._end_branch()
        return _joined(Or, self.branches)

    def _end_branch(self) -> None:
        if self.last_not is not None:
            raise _loose(self.last_not, "after")
        node = _joined(And, self.nodes)
        if node is not None:
            self.branches.append(node)
        self.nodes = []


def _loose(token: Token, side: str) -> Exception:
    cure = f'put a word {side} it, or write "{token.text}" in double quotes to find it as text'
    return _misread(token.place, f"there is nothing {side} this {token.text}", cure)


def _joined(kind: type[And] | type[Or], nodes: list[Node]) -> Node | None:
    flat: list[Node] = []
    for node in nodes:
        if isinstance(node, kind):
            flat.extend(node.nodes)
        else:
            flat.append(node)
    return kind(tuple(flat)) if len(flat) > 1 else (flat[0] if flat else None)


class _Parser:
    """Puts tokens together. AND binds closer than OR; a stack of our own, for Python's may be
    nearly used up.
    """

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.sort: str | None = None
        self.levels = [_Level(0)]

    def take(self, token: Token) -> None:
        level = self.levels[-1]
        if token.kind == "(":
            self.levels.append(_Level(token.place))
        elif token.kind == ")":
            if not level.is_filled and level.last_or is None:
                cure = 'put words in it, or write "()" in double quotes to find it as text'
                raise _misread(level.place, "this group is empty", cure)
            self.levels.pop()
            self.levels[-1].add(level.end())
        elif token.kind == "or":
            level.branch(token)
        elif token.kind == "not":
            level.negate(token)
        else:
            level.add(self._node(token, level.is_negated))

    def end(self) -> Node | None:
        if len(self.levels) > 1:
            cure = "close it with ), or put the text in double quotes"
            raise _misread(self.levels[-1].place, "this group is not closed", cure)
        return self.levels[0].end()

    def _node(self, token: Token, is_negated: bool) -> Node | None:
        from agent_journal.query.lexer import chosen, starred_word

        if token.kind == "phrase":
            # A quote that was just opened says nothing yet
            return Phrase(token.text) if token.text else None
        if token.kind == "regex":
            return Regex(token.text, token.ignore_case)
        if token.kind == "word":
            return Word(*starred_word(token.text))
        if token.text == "sort":
            if is_negated or len(token.values) > 1:
                raise _misread(
                    token.place,
                    "a query has one order, and it cannot be excluded",
                    "use sort:newest alone",
                )
            self.sort = chosen("sort", token.values[0], SORTS)
            return None
        if token.text in ("date", "since", "until"):
            return _joined(Or, [_dates(token.text, value, self.now) for value in token.values])
        return Field(token.text, tuple(_value(token.text, value) for value in token.values))


def _value(name: str, raw: Raw) -> Value:
    from agent_journal.query.lexer import chosen, starred

    if name in _CHOICES:
        return Value(chosen(name, raw, _CHOICES[name]))
    return Value(raw.text) if raw.is_quoted else Value(*starred(raw.text))


# -- dates -------------------------------------------------------------------------------------


def bounds(dates: Dates, now: datetime | None = None) -> tuple[datetime | None, datetime | None]:
    """The first and the last moment of a span that `parse` returned; both are in it, and None is
    open.
    """
    since, until = dates
    first = last = None
    if since is not None:
        is_after = since.startswith(">")
        first = parse_bound(since[is_after:], now=now, end=is_after) + _MOMENT * is_after
    if until is not None:
        is_before = until.startswith("<")
        last = parse_bound(until[is_before:], now=now, end=not is_before) - _MOMENT * is_before
    return first, last


def _dates(name: str, raw: Raw, now: datetime) -> Dates:
    from agent_journal.query.lexer import shown

    try:
        dates = _span(name, raw, now)
        first, last = bounds(dates, now)
    except (ValueError, OverflowError, OSError):  # OSError: Windows, for years before 1970
        raise _misread(raw.place, f"'{shown(raw.text)}' is not a date", _DATE_FORMS) from None
    if first is None and last is None:
        raise _misread(raw.place, "this range has no end", _DATE_FORMS)
    if first is not None and last is not None and first > last:
        raise _misread(raw.place, "this range ends before it begins", "put the earlier date first")
    return dates


def _span(name: str, raw: Raw, now: datetime) -> Dates:
    text = raw.text
    if name != "date":
        return Dates(text, None) if name == "since" else Dates(None, text)
    first, dots, last = text.partition("..")
    if dots:
        return Dates(first.strip() or None, last.strip() or None)
    if text.startswith((">", "<")):
        is_inclusive = text[1:2] == "="
        bound = text[2:].strip() if is_inclusive else text
        return Dates(bound, None) if text[0] == ">" else Dates(None, bound)
    if not _is_moment(text, now):
        return Dates(text, text)
    # A time of day, not 2d, which means the last two days
    if text.isdigit() or not text[:-1].isdigit():
        raise _misread(
            raw.place,
            "this is a moment, not a span of time",
            "use since: or until: with it, or two dots: a..b",
        )
    return Dates(text, None)


def _is_moment(text: str, now: datetime) -> bool:
    return parse_bound(text, now=now) == parse_bound(text, now=now, end=True)


# -- writing -----------------------------------------------------------------------------------


def render(parsed: Parsed) -> str:
    """The query as text, in one spelling; `parse` makes the same of it."""
    order = [f"sort:{parsed.sort}"] if parsed.sort else []
    if parsed.tree is None:
        return "".join(order)
    text = _text(parsed.tree, False)
    if text.count("/") > 1:
        text = _text(parsed.tree, True)
    return " ".join([text, *order])


def _text(node: Node, has_slashes: bool) -> str:
    from agent_journal.query import lexer

    match node:
        case Word(text, is_prefix):
            return lexer.spell_word(text, is_prefix, has_slashes)
        case Phrase(text):
            return f'"{text}"'
        case Regex(pattern, ignore_case):
            return lexer.spell_regex(pattern, ignore_case)
        case Field(name, values):
            return f"{name}:{','.join([lexer.spell_value(*value) for value in values])}"
    if spans := _spans(node):
        return f"date:{','.join([lexer.spell_value(_span_text(span)) for span in spans])}"
    parts = []
    # No recursion in a comprehension: that would double the depth of the stack
    for inner in _inside(node):
        text = _text(inner, has_slashes)
        is_group = isinstance(inner, Or) or (isinstance(inner, And) and isinstance(node, Not))
        parts.append(lexer.spell_group(text) if is_group and not _spans(inner) else text)
    if isinstance(node, Not):
        return lexer.spell_not(parts[0])
    return (" " if isinstance(node, And) else " OR ").join(parts)


def _inside(node: Node) -> tuple[Node, ...]:
    return (
        node.nodes if isinstance(node, (And, Or)) else (node.node,) if isinstance(node, Not) else ()
    )


def _spans(node: Node) -> list[Dates]:
    """The dates one field can list; they need no parentheses, and had none if they were typed so."""
    nodes = node.nodes if isinstance(node, Or) else (node,)
    spans = [inner for inner in nodes if isinstance(inner, Dates)]
    return spans if len(spans) == len(nodes) else []


def _span_text(span: Dates) -> str:
    since, until = span.since or "", span.until or ""
    if (not until and since.startswith(">")) or (not since and until.startswith("<")):
        return since + until
    is_one = since == until and not _is_moment(since, datetime.now(UTC))
    return since if is_one else f"{since}..{until}"


# -- helpers -----------------------------------------------------------------------------------


def words_of(tree: Node | None) -> tuple[Word | Phrase, ...]:
    """The words and phrases to mark in what is found: each once, and none that is excluded."""
    nodes = _nodes(tree, with_excluded=False)
    return tuple(dict.fromkeys(node for node in nodes if isinstance(node, (Word, Phrase))))


def fields_of(tree: Node | None) -> tuple[Field, ...]:
    """The fields a query speaks of, also the excluded ones; dates are none."""
    return tuple(node for node in _nodes(tree, with_excluded=True) if isinstance(node, Field))


def _nodes(tree: Node | None, *, with_excluded: bool) -> Iterator[Node]:
    waiting = [] if tree is None else [tree]
    while waiting:
        node = waiting.pop()
        if with_excluded or not isinstance(node, Not):
            yield node
            waiting.extend(reversed(_inside(node)))
