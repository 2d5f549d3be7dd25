"""Which sessions meet a query that says nothing of single messages: by the catalog, without words.

`agent:codex is:starred date:7d` means whole sessions. `flaky`, `tool:bash` and `is:prompt` mean
messages: a search finds those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from agent_journal.journal import Journal
from agent_journal.query.amounts import parse_amounts
from agent_journal.query.tree import And, Dates, Field, Node, Not, Or, Value, bounds, children
from agent_journal.store.catalog.session_filters import (
    is_session_field,
    is_session_flag,
    sessions_with_flag,
    sessions_with_value,
)
from agent_journal.store.catalog.session_order import SessionKey
from agent_journal.text.dates import to_micros

AMOUNTS = ("cost", "messages")
Having = Callable[[str], Iterable[int]]  # the rows of the sessions that have an error, a plan …


def is_about_sessions(node: Node | None) -> bool:
    """Whether a query says something of whole sessions only."""
    if node is None or isinstance(node, Dates):
        return True
    if isinstance(node, (And, Or, Not)):
        return all(map(is_about_sessions, children(node)))
    if not isinstance(node, Field):
        return False
    if node.name == "is":
        return all(is_session_flag(value.text) for value in node.values)
    return is_session_field(node.name) or node.name in AMOUNTS or node.name == "has"


class SessionConditions:
    """Finds the sessions of a list that meet such a query."""

    def __init__(self, journal: Journal, keys: Iterable[SessionKey], having: Having) -> None:
        self._journal = journal
        self._keys = list(keys)
        self._having = having
        self._now = datetime.now(UTC)

    def matching(self, tree: Node | None) -> list[SessionKey]:
        """The sessions that meet it, in their order."""
        if tree is None:
            return self._keys
        found = self._node(tree)
        return [key for key in self._keys if key.row_id in found]

    def _node(self, node: Node) -> set[int]:
        match node:
            case And(nodes):
                return set.intersection(*map(self._node, nodes))
            case Or(nodes):
                return set.union(*map(self._node, nodes))
            case Not(inner):
                return {key.row_id for key in self._keys} - self._node(inner)
            case Dates():
                return self._in_time(node)
            case Field(name, values):
                return set[int]().union(*(self._value(name, value) for value in values))
        raise ValueError(f"{type(node).__name__} is not a condition on sessions")

    def _value(self, name: str, value: Value) -> Iterable[int]:
        if name == "is":
            return sessions_with_flag(self._journal.db, value.text)
        if name == "has":
            return self._having(value.text)
        if name in AMOUNTS:
            return self._with_amount(name, value.text)
        db = self._journal.db
        return sessions_with_value(db, name, value.text, is_prefix=value.is_prefix)

    def _with_amount(self, name: str, text: str) -> list[int]:
        amounts: dict[int, float] = {key.row_id: key.message_count for key in self._keys}
        if name == "cost":
            amounts = self._journal.session_costs()
        wanted = parse_amounts(text)
        if wanted is None:
            return []
        return [row_id for row_id, amount in amounts.items() if wanted.contains(amount)]

    def _in_time(self, dates: Dates) -> set[int]:
        """The sessions of which a part is in a span of time, as `aj ls --since` has it."""
        since, until = bounds(dates, self._now)
        first, last = to_micros(since), to_micros(until)
        return {key.row_id for key in self._keys if _overlaps(key, first, last)}


def _overlaps(key: SessionKey, first: int | None, last: int | None) -> bool:
    ended = key.ended_at
    if ended is None:
        ended = key.started_at
    started = key.started_at
    if started is None:
        started = key.ended_at
    if started is None or ended is None:
        return first is None and last is None
    if first is not None and ended < first:
        return False
    return last is None or started <= last
