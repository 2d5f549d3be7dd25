"""Adds the sums up by day, week, month, session, model, project or agent, and prices them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

from agent_journal.query.tree import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.sum_classes import INCOMPLETE, RECORDED
from agent_journal.store.catalog.usage_rows import Days, UsageSum, quarter_span, usage_sums
from agent_journal.text.names import model_name
from agent_journal.usage.prices import SCALE, Book, Tokens
from agent_journal.usage.zones import Calendar

PERIODS = ("daily", "weekly", "monthly")
GROUPS = (*PERIODS, "session", "blocks", "model", "project", "agent")
_BY_TIME = (*PERIODS, "blocks")
# What lines are added up by; `models`, `unpriced` and `agents` aside
_NUMBERS = (
    *("requests", "input", "cache_read", "cache_write", "cache_write_1h", "output", "reasoning"),
    *("premium", "web_searches", "recorded", "priced", "credits_micro"),
)


class Line:
    """What was used in one period, session, model or project, or by one agent.

    Tokens are None where none are recorded.
    """

    def __init__(self, key: Any) -> None:
        self.key = key
        self.agents: dict[str, None] = {}
        self.models: dict[str, int | None] = {}  # tokens
        self.requests = 0
        self.input: int | None = None
        self.cache_read: int | None = None
        self.cache_write: int | None = None
        self.cache_write_1h: int | None = None
        self.output: int | None = None
        self.reasoning: int | None = None
        self.premium: float | None = None
        self.web_searches: int | None = None
        self.recorded: int | None = None  # micro-dollars
        self.priced: int | None = None  # micro-dollars / SCALE
        self.credits_micro: int | None = None
        self.unpriced: dict[str, int | None] = {}  # model -> tokens

    @property
    def total(self) -> int | None:
        """All tokens; None when none were recorded."""
        return _sum_of_known(self.input, self.cache_read, self.cache_write, self.output)

    @property
    def cost_micro_usd(self) -> int | None:
        """Recorded and priced cost together; None when neither is known."""
        if self.recorded is None and self.priced is None:
            return None
        return (self.recorded or 0) + ((self.priced or 0) + SCALE // 2) // SCALE

    def add(self, row: UsageSum, name: str, price: int | None) -> None:
        """Add a sum of a model with that plain name, and its price."""
        self.agents[row.agent] = None
        self.requests += row.requests
        self.input = _plus(self.input, row.input)
        self.cache_read = _plus(self.cache_read, row.cache_read)
        self.cache_write = _plus(self.cache_write, row.cache_write)
        self.cache_write_1h = _plus(self.cache_write_1h, row.cache_write_1h)
        self.output = _plus(self.output, row.output)
        self.reasoning = _plus(self.reasoning, row.reasoning)
        self.premium = _plus(self.premium, row.premium)
        self.web_searches = _plus(self.web_searches, row.web_searches)
        total = _sum_of_known(row.input, row.cache_read, row.cache_write, row.output)
        self.models[name] = _plus(self.models.get(name), total)
        if row.size_class == RECORDED:
            self.recorded = _plus(self.recorded, row.cost)
            if _records_credits(row.agent):
                self.credits_micro = _plus(self.credits_micro, row.cost)
        elif price is None:
            self.unpriced[name] = _plus(self.unpriced.get(name), total)
        else:
            self.priced = _plus(self.priced, price)

    def include(self, other: Line) -> None:
        """Add all of another line."""
        for name in _NUMBERS:
            setattr(self, name, _plus(getattr(self, name), getattr(other, name)))
        self.agents |= other.agents
        for model, tokens in other.models.items():
            self.models[model] = _plus(self.models.get(model), tokens)
        for model, tokens in other.unpriced.items():
            self.unpriced[model] = _plus(self.unpriced.get(model), tokens)


def sum_of(lines: Iterable[Line], key: Any) -> Line:
    """Return some lines as one."""
    total = Line(key)
    for line in lines:
        total.include(line)
    return total


class Report(NamedTuple):
    """The lines, their total, and the prices that were used."""

    lines: list[Line]
    total: Line
    book: Book


def report(
    db: Connection | None,
    book: Book,
    group: str,
    query: Query,
    label: Callable[[int], Any],
    calendar: Calendar | None = None,
) -> Report:
    """The usage that a query means, by `group`; `label` names the period of a quarter hour.

    Where periods are days, `calendar` says which: then the catalog adds them up.
    """
    rows: list[UsageSum] = []
    if db is not None:
        rows = usage_sums(db, group, query, days=days_of(db, book, group, calendar))
    names = {model: model_name(model) for model in {row.model for row in rows} if model}
    book.learn({row.model for row in rows if row.size_class != RECORDED})
    lines: dict[Any, Line] = {}
    total = Line("total")
    for row in rows:
        name = names.get(row.model, "unknown")
        key = row.key
        if group in _BY_TIME:
            key = label(row.quarter)
        elif group == "model":
            key = name  # several models of the agents may have one plain name
        price = price_of(book, row)
        line = lines.setdefault(key, Line(key))
        line.add(row, name, price)
        total.add(row, name, price)
    return Report(sorted_lines(lines.values(), group), total, book)


def days_of(db: Connection, book: Book, group: str, calendar: Calendar | None) -> Days | None:
    """What lets the catalog add up days; None where quarters of an hour are wanted."""
    if group not in _BY_TIME:
        return Days(book.models_by_day(), book.fixed_models())
    if calendar is None:
        return None
    shifts = calendar.shifts(*quarter_span(db))
    if not shifts:
        return None
    return Days(book.models_by_day(), book.fixed_models(), shifts)


def session_costs(db: Connection | None, book: Book) -> dict[int, float]:
    """The dollars that each session cost, by its row; those whose cost is known."""
    if db is None:
        return {}
    rows = usage_sums(db, "session", Query(), days=days_of(db, book, "session", None))
    book.learn({row.model for row in rows if row.size_class != RECORDED})
    costs: dict[int, int] = {}  # micro-dollars / SCALE
    for row in rows:
        cost = price_of(book, row)
        if row.size_class == RECORDED and row.cost is not None:
            cost = row.cost * SCALE
        if cost is not None:
            costs[row.key] = costs.get(row.key, 0) + cost
    return {row_id: (cost + SCALE // 2) // SCALE / 1e6 for row_id, cost in costs.items()}


def price_of(book: Book, row: UsageSum) -> int | None:
    """The price of a sum, in micro-dollars / SCALE; None when it has none."""
    if row.size_class in (RECORDED, INCOMPLETE):
        return None
    rates = book.rates(row.model, row.quarter, row.size_class)
    if rates is None:
        return None
    return _tokens(row).cost(rates)


def _tokens(row: UsageSum) -> Tokens:
    return Tokens(row.input, row.cache_read, row.cache_write, row.cache_write_1h, row.output)


@cache
def _records_credits(agent: str) -> bool:
    """Whether the costs that an agent records are in credits."""
    from agent_journal.connectors import get_connector
    from agent_journal.errors import JournalError

    try:
        return get_connector(agent).records_credits
    except (KeyError, JournalError):  # of a package that is no longer installed, or broken
        return False


def sorted_lines(lines: Iterable[Line], group: str) -> list[Line]:
    """Lines by time, or the most expensive first."""
    if group in _BY_TIME:
        return sorted(lines, key=lambda line: line.key)
    return sorted(
        lines, key=lambda line: (-(line.cost_micro_usd or 0), -(line.total or 0), str(line.key))
    )


def _sum_of_known(*numbers: int | None) -> int | None:
    """The sum of the numbers that are known; None when none is."""
    known = [number for number in numbers if number is not None]
    if not known:
        return None
    return sum(known)


def _plus(total: Any, more: Any) -> Any:
    if more is None:
        return total
    return (total or 0) + more


def shown_lines(lines: list[Line], group: str, limit: int | None) -> list[Line]:
    """At most so many lines: the newest periods, or the first lines of another group."""
    if limit is None:
        return lines
    if group in PERIODS:
        return lines[-limit:]
    return lines[:limit]
