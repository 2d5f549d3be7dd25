"""What a query means: the tree of the search language, and the filters that listings share.

`parser.parse` turns typed text into a tree and `rendering.render` turns a tree back into text.
Every front door (search, ls, export, the web, MCP) uses these, so that a query means the same
everywhere. docs/query.md explains the language to users.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from agent_journal.query.filters import Query as Query
from agent_journal.text.dates import parse_bound

ROLES = ("user", "assistant", "system", "tool")
FLAGS = (
    "prompt",
    "answer",
    "error",
    "failed",
    "subagent",
    "edited",
    "hidden",
    "tool",
    "reasoning",
    "starred",
    "waiting",
    "interrupted",
    "unfinished",
)
SORTS = ("newest", "oldest", "relevance")
CONTENTS = ("image", "edit", "error", "todo", "plan")  # what a session can have

_MOMENT = timedelta(microseconds=1)


# -- the tree ----------------------------------------------------------------------------------
# Named tuples are equal when their contents are: check the type before comparing nodes of
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
    """One value of a field; a `*` that is not at the end (`*.py`, `src/**`) is part of the text."""

    text: str
    is_prefix: bool = False


class Field(NamedTuple):
    """A property that must have one of the values."""

    name: str
    values: tuple[Value, ...]


class Dates(NamedTuple):
    """A span of time as typed; `>` before `since` or `<` before `until` excludes that day."""

    since: str | None
    until: str | None


class And(NamedTuple):
    """All of its nodes must hold; there are two or more, and none of them is an And."""

    nodes: tuple[Node, ...]


class Or(NamedTuple):
    """One of its nodes must hold; there are two or more, and none of them is an Or."""

    nodes: tuple[Node, ...]


class Not(NamedTuple):
    """Its node must not hold; that is never another Not."""

    node: Node


Node = Word | Phrase | Regex | Field | Dates | And | Or | Not


class Parsed(NamedTuple):
    """A query: what must hold (None: no condition) and the order of the results."""

    tree: Node | None
    sort: str | None


# -- walking -----------------------------------------------------------------------------------


def words_of(tree: Node | None) -> tuple[Word | Phrase, ...]:
    """The words and phrases to highlight in results: each once, without excluded ones."""
    nodes = _walk(tree, with_excluded=False)
    return tuple(dict.fromkeys(node for node in nodes if isinstance(node, (Word, Phrase))))


def fields_of(tree: Node | None) -> tuple[Field, ...]:
    """The fields of a query, excluded ones too; dates are not fields."""
    return tuple(node for node in _walk(tree, with_excluded=True) if isinstance(node, Field))


def exclusions_of(tree: Node | None) -> tuple[Not, ...]:
    """What a query excludes, but not what a person cannot have typed."""
    found = [node for node in _walk(tree, with_excluded=True) if isinstance(node, Not)]
    return tuple(node for node in found if not _is_internal(node.node))


def _is_internal(node: Node) -> bool:
    """Whether it is the condition of an option; no field that can be typed has a space."""
    return isinstance(node, Field) and " " in node.name


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly inside a node."""
    if isinstance(node, (And, Or)):
        return node.nodes
    if isinstance(node, Not):
        return (node.node,)
    return ()


def _walk(tree: Node | None, *, with_excluded: bool) -> Iterator[Node]:
    waiting: list[Node] = []
    if tree is not None:
        waiting.append(tree)
    while waiting:
        node = waiting.pop()
        if with_excluded or not isinstance(node, Not):
            yield node
            waiting.extend(reversed(children(node)))


# -- dates -------------------------------------------------------------------------------------


def bounds(dates: Dates, now: datetime | None = None) -> tuple[datetime | None, datetime | None]:
    """The first and the last moment of a span, both included; None is open."""
    first = last = None
    if dates.since is not None:
        first = _first_moment(dates.since, now)
    if dates.until is not None:
        last = _last_moment(dates.until, now)
    return first, last


def _first_moment(since: str, now: datetime | None) -> datetime:
    if since.startswith(">"):
        return parse_bound(since[1:], now=now, end=True) + _MOMENT
    return parse_bound(since, now=now)


def _last_moment(until: str, now: datetime | None) -> datetime:
    if until.startswith("<"):
        return parse_bound(until[1:], now=now) - _MOMENT
    return parse_bound(until, now=now, end=True)


def is_moment(text: str, now: datetime) -> bool:
    """Whether a date means a single moment instead of a day, month or year."""
    return parse_bound(text, now=now) == parse_bound(text, now=now, end=True)
