"""What the sessions of a list cost, as `aj usage session` has it; for some of them, soon."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from agent_journal.query.filters import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.sum_classes import RECORDED
from agent_journal.store.catalog.usage_rows import usage_sums
from agent_journal.text.human import human_money
from agent_journal.usage.prices import Book
from agent_journal.usage.report import Line, price_of

_CENT = 10_000
_MOST_NAMED = 500  # sessions in a condition; of more, all sums are read


class SessionCost(NamedTuple):
    """The known cost of a session; `is_partial`: some of what it used has no price."""

    micro_usd: int
    is_partial: bool

    def __str__(self) -> str:
        """The cost as a list has it: in cents."""
        cost = human_money(self.micro_usd)
        if 0 < self.micro_usd < _CENT:
            cost = "<$0.01"
        if self.is_partial:
            return f"{cost} + ?"
        return cost


def listed_costs(
    db: Connection | None, book: Book, row_ids: Collection[int]
) -> dict[int, SessionCost]:
    """The costs of sessions by their rows; one whose cost is not known at all is missing."""
    if db is None:
        return {}
    named = row_ids if len(row_ids) <= _MOST_NAMED else None
    sums = usage_sums(db, "session", Query(), named)
    book.learn({row.model for row in sums if row.size_class != RECORDED})
    lines: dict[int, Line] = {}
    for row in sums:
        line = lines.setdefault(row.key, Line(row.key))
        line.add(row, row.model, price_of(book, row))
    costs = {}
    for row_id, line in lines.items():
        if line.cost_micro_usd is not None:
            costs[row_id] = SessionCost(line.cost_micro_usd, bool(line.unpriced))
    return costs
