"""Shorthand for the trees of queries."""

from __future__ import annotations

from datetime import UTC, datetime

from agent_journal.query.parser import QuerySyntaxError, parse
from agent_journal.query.tree import And, Field, Parsed, Value, Word

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
A, B, C, D = map(Word, "abcd")


def typed(node: object) -> object:
    """A tree with the names of its types: named tuples with equal contents are equal."""
    if isinstance(node, tuple):
        return (type(node).__name__, *map(typed, node))
    return node


def words(text: str) -> And:
    return And(tuple(Word(word) for word in text.split()))


def field(name: str, *values: str) -> Field:
    return Field(name, tuple(Value(value) for value in values))


def parse_or_error(text: str) -> Parsed | QuerySyntaxError:
    try:
        return parse(text, NOW)
    except QuerySyntaxError as error:
        return error
