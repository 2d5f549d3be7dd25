"""Turns the fields and dates of a query into tantivy queries.

What is known of whole sessions (project, model, …) is looked up in the catalog.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from agent_journal.query.lexer import split_star
from agent_journal.query.tree import Dates, Field, Value, bounds
from agent_journal.search.lexical_documents import analyzers
from agent_journal.search.query_parts import QueryParts
from agent_journal.search.terms import prepared
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.session_filters import (
    is_session_field,
    is_session_flag,
    message_counts,
    sessions_with_flag,
    sessions_with_value,
)
from agent_journal.text.dates import to_micros

if TYPE_CHECKING:
    import tantivy

CALLED_WITH = "called with"  # a field that nobody can type: what tools were called with
SessionCosts = Callable[[], Mapping[int, float]]  # the dollars of each session, by its row
_FLAGS = {
    "prompt": ("kind", ("prompt",)),
    "answer": ("kind", ("answer",)),
    "tool": ("kind", ("tool",)),
    "reasoning": ("kind", ("reasoning",)),
    "failed": ("status", ("failed", "error")),
    "hidden": ("flag", ("hidden",)),
}
_AMOUNT_FIELDS = ("cost", "messages")
_CONTENTS = {"image": ("flag", "image"), "todo": ("kind", "todo"), "plan": ("kind", "plan")}
_GLOB = re.compile(r"(\*\*/|\*\*|\*|\?)")
_GLOB_PATTERNS = {"**/": "(.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


class FieldQueries(QueryParts):
    """Makes the queries for the fields and dates of one search."""

    def __init__(
        self, db: Connection, searcher: tantivy.Searcher, costs: SessionCosts | None
    ) -> None:
        super().__init__()
        self._db = db
        self._searcher = searcher
        self._costs = costs
        self._now = datetime.now(UTC)

    def field(self, field: Field) -> tantivy.Query | None:
        """The query for what has one of the values of a field."""
        if is_session_field(field.name):
            return self._sessions_with(field)
        if field.name in _AMOUNT_FIELDS:
            return self.in_sessions(self._with_amount(field))
        return self._any_of([self._value(field.name, value) for value in field.values])

    def _value(self, name: str, value: Value) -> tantivy.Query | None:
        if name == "is":
            return self._flag(value.text)
        if name == "has":
            return self.in_sessions(self.sessions_having(value.text))
        if name == "file":
            return self._path(value)
        if name == "tool":
            return self._tool(value)
        if name == CALLED_WITH:
            return self._called_with_text(value.text)
        return self._raw(name, value)

    def dates(self, node: Dates) -> tantivy.Query | None:
        """The query for what happened in a span of time."""
        since, until = bounds(node, self._now)
        if since is None and until is None:
            return None
        return self._unscored(self._time_range(to_micros(since), to_micros(until)))

    def has_time(self) -> tantivy.Query:
        """The query for what has a time."""
        return self._time_range(1, None)

    def _time_range(self, low: int | None, high: int | None) -> tantivy.Query:
        import tantivy

        integer = tantivy.FieldType.Integer
        return self._query.range_query(self._schema, "time", integer, low, high)

    def _raw(self, name: str, value: Value) -> tantivy.Query:
        text = value.text.lower()
        if value.is_prefix:
            return self._pattern(name, f"{re.escape(text)}.*", value.text)
        return self._term(name, text)

    def _tool(self, value: Value) -> tantivy.Query | None:
        """A tool by its name; for `Bash(git push)`, its calls with these words in a row."""
        name, parenthesis, words = value.text.partition("(")
        if not parenthesis or not words.endswith(")"):
            return self._raw("tool", value)
        called = self._raw("tool", Value(*split_star(name)))
        terms = list(analyzers()["words"].analyze(prepared(words)))
        if not terms:
            return called
        return self._all_of([called, self._called_with(terms)])

    def _called_with(self, terms: list[str]) -> tantivy.Query | None:
        """Calls with terms in a row in what they were called with.

        Of contents the index knows only which words are in them; they may be in a row in the
        result instead.
        """
        contents = [self._term("contents", term) for term in terms]
        in_contents = self._all_of([*contents, self._row("body", terms)])
        return self._any_of([self._row("command", terms), in_contents])

    def _called_with_text(self, text: str) -> tantivy.Query:
        """Calls whose command, or another short argument, has words in a row."""
        terms = list(analyzers()["words"].analyze(prepared(text)))
        if not terms:
            return self._query.empty_query()
        return self._row("command", terms)

    def _row(self, field: str, terms: list[str]) -> tantivy.Query:
        if len(terms) == 1:
            return self._term(field, terms[0])
        return self._query.phrase_query(self._schema, field, terms)  # type: ignore[arg-type]

    def _path(self, value: Value) -> tantivy.Query:
        return self._pattern("path", path_pattern(value), value.text)

    def _flag(self, flag: str) -> tantivy.Query | None:
        if is_session_flag(flag):
            return self.in_sessions(sessions_with_flag(self._db, flag))
        if flag == "error":
            return self._any_of([self._term("kind", "error"), self._term("status", "error")])
        name, values = _FLAGS[flag]
        return self._any_of([self._term(name, value) for value in values])

    def _sessions_with(self, field: Field) -> tantivy.Query:
        ids: list[int] = []
        for value in field.values:
            ids += sessions_with_value(self._db, field.name, value.text, is_prefix=value.is_prefix)
        return self.in_sessions(ids)

    def sessions_having(self, content: str) -> list[int]:
        """The rows of the sessions with a picture, an edit, an error, a to-do list or a plan."""
        if content == "edit":
            return sessions_with_flag(self._db, "edited")
        if content == "error":
            wanted = self._any_of([self._flag("error"), self._flag("failed")])
        else:
            wanted = self._term(*_CONTENTS[content])
        assert wanted is not None
        found = self._searcher.search(wanted, max(1, self._searcher.num_docs)).hits
        places = [place for _, place in found]
        sessions = self._searcher.fast_field_values("session", places)
        return sorted({int(session) for session in sessions if session})

    def _with_amount(self, field: Field) -> list[int]:
        """The sessions whose cost or number of messages is in one of the ranges."""
        from agent_journal.query.amounts import parse_amounts

        amounts: Mapping[int, float] = {}
        if field.name == "messages":
            amounts = message_counts(self._db)
        elif self._costs is not None:
            amounts = self._costs()
        ranges = [parse_amounts(value.text) for value in field.values]
        wanted = [found for found in ranges if found is not None]
        return [
            session_id
            for session_id, amount in amounts.items()
            if any(found.contains(amount) for found in wanted)
        ]

    def in_sessions(self, ids: list[int]) -> tantivy.Query:
        """What is in some sessions."""
        if not ids:
            return self._query.empty_query()
        return self._unscored(self._query.term_set_query(self._schema, "session", ids))


def path_pattern(value: Value) -> str:
    """The expression for paths that a value means: their end, from a folder on, or a glob.

    `*` stays in one folder, `**` does not. A folder means everything in it.
    """
    text = value.text.replace("\\", "/")
    if text.startswith("~/"):
        text = os.path.expanduser(text)
    text = text.lower().removeprefix("./").rstrip("/")
    pattern = "".join(map(_glob_part, _GLOB.split(text)))
    if not text.startswith("/"):
        pattern = f"(.*/)?{pattern}"
    if value.is_prefix:
        return pattern + ".*"
    return pattern + "(/.*)?"


def _glob_part(part: str) -> str:
    return _GLOB_PATTERNS.get(part, re.escape(part))
