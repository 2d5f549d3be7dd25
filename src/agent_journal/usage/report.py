"""Adds the sums up by day, week, month, session, model, project or agent, and prices them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from agent_journal.query.tree import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import PROJECT, PROJECT_NAMES
from agent_journal.store.catalog.sums import INCOMPLETE, QUARTER, RECORDED
from agent_journal.text.dates import to_micros
from agent_journal.text.names import model_name
from agent_journal.usage.prices import SCALE, Book, Tokens

GROUPS = ("daily", "weekly", "monthly", "session", "model", "project", "agent")
_KEYS = {
    "daily": "NULL",
    "weekly": "NULL",
    "monthly": "NULL",
    "session": "u.session_id",
    "model": "u.model",
    "project": f"coalesce({PROJECT}, '')",
    "agent": "s.agent",
}
_ADDED = ("input", "cache_read", "cache_write", "cache_write_1h", "output", "reasoning", "premium")
_CREDITS = "copilot-cli"  # its recorded cost is in credits of a cent


class Line:
    """What was used in one period, session, model, project or by one agent. Tokens are None where
    none is recorded.
    """

    __slots__ = (
        "agents",
        "cache_read",
        "cache_write",
        "cache_write_1h",
        "credits_micro",
        "input",
        "key",
        "models",
        "output",
        "premium",
        "priced",
        "reasoning",
        "recorded",
        "requests",
        "unpriced",
    )

    def __init__(self, key: Any) -> None:
        self.key = key
        self.agents: dict[str, None] = {}
        self.models: dict[str, int] = {}
        self.requests = 0
        self.input: int | None = None
        self.cache_read: int | None = None
        self.cache_write: int | None = None
        self.cache_write_1h: int | None = None
        self.output: int | None = None
        self.reasoning: int | None = None
        self.premium: float | None = None
        self.recorded: int | None = None  # micro-dollars
        self.priced: int | None = None  # micro-dollars / SCALE
        self.credits_micro: int | None = None
        self.unpriced: dict[str, int] = {}  # model -> tokens

    @property
    def total(self) -> int | None:
        """All tokens; None when none were recorded."""
        told = [
            part
            for part in (self.input, self.cache_read, self.cache_write, self.output)
            if part is not None
        ]
        return sum(told) if told else None

    @property
    def cost_micro_usd(self) -> int | None:
        """Recorded and priced cost together; None when nothing is known of it."""
        if self.recorded is None and self.priced is None:
            return None
        return (self.recorded or 0) + ((self.priced or 0) + SCALE // 2) // SCALE

    def add(self, row: Sum, name: str, priced: int | None) -> None:
        """Takes in a sum of a model of that plain name, and what it costs."""
        self.agents[row.agent] = None
        self.requests += row.requests
        for field in _ADDED:
            value = getattr(row, field)
            if value is not None:
                setattr(self, field, (getattr(self, field) or 0) + value)
        tokens = (
            (row.input or 0) + (row.cache_read or 0) + (row.cache_write or 0) + (row.output or 0)
        )
        self.models[name] = self.models.get(name, 0) + tokens
        if row.size_class == RECORDED:
            self.recorded = _plus(self.recorded, row.cost)
            if row.agent == _CREDITS:
                self.credits_micro = _plus(self.credits_micro, row.cost)
        elif priced is None:
            self.unpriced[name] = self.unpriced.get(name, 0) + tokens
        else:
            self.priced = _plus(self.priced, priced)


class Sum(NamedTuple):
    """Responses of one model that cost alike, in a quarter of an hour."""

    key: Any
    agent: str
    quarter: int
    model: str
    size_class: int
    requests: int
    input: int | None
    cache_read: int | None
    cache_write: int | None
    cache_write_1h: int | None
    output: int | None
    reasoning: int | None
    cost: int | None
    premium: float | None


class Report(NamedTuple):
    """The lines, the sum of all, and whose prices they are."""

    lines: list[Line]
    total: Line
    book: Book


def report(
    db: Connection | None, book: Book, group: str, query: Query, label: Callable[[int], str]
) -> Report:
    """What a query means, by `group`; `label` gives the period that a quarter of an hour belongs
    to.
    """
    rows = sums_by(db, group, query) if db is not None else []
    names = {
        model: model_name(model) if model else "unknown" for model in {row.model for row in rows}
    }
    book.learn({names[row.model] for row in rows if row.model and row.size_class != RECORDED})
    lines: dict[Any, Line] = {}
    total = Line("total")
    for row in rows:
        name = names[row.model]
        key = row.key
        if group in ("daily", "weekly", "monthly"):
            key = label(row.quarter)
        elif group == "model":
            key = name
        priced = cost_of(book, name, row)
        for line in (lines.get(key) or lines.setdefault(key, Line(key)), total):
            line.add(row, name, priced)
    return Report(_sorted(lines.values(), group), total, book)


def sums_by(db: Connection, group: str, query: Query) -> list[Sum]:
    """The sums of the sessions that a query means, with the key of their group."""
    conditions: list[str] = ["1"]
    values: list[str] = []
    agents = (query.agent,) if isinstance(query.agent, str) else query.agent or ()
    if agents:
        conditions.append(f"s.agent IN ({', '.join('?' * len(agents))})")
        values += agents
    if query.project is not None:
        conditions.append(f"instr(lower({PROJECT_NAMES}), ?) > 0")
        values.append(query.project.lower())
    for bound, sign in ((query.since, ">="), (query.until, "<=")):
        if bound is not None:
            conditions.append(f"u.quarter {sign} ?")
            values.append(str((to_micros(bound) or 0) // QUARTER))
    found = db.execute(
        f"SELECT {_KEYS[group]}, s.agent, u.quarter, u.model, u.size_class, sum(u.requests), sum(u.input_tokens), "
        "sum(u.cache_read_tokens), sum(u.cache_write_tokens), sum(u.cache_write_1h_tokens), sum(u.output_tokens), "
        "sum(u.reasoning_tokens), sum(u.cost_micro_usd), sum(u.premium_requests) "
        f"FROM usage_sums u JOIN sessions s ON s.id = u.session_id WHERE {' AND '.join(conditions)} "
        "GROUP BY 1, 2, 3, 4, 5",
        values,
    )
    return [Sum(*row) for row in found]


def cost_of(book: Book, name: str, row: Sum) -> int | None:
    """What a sum costs, in micro-dollars / SCALE: dollars for a million tokens are micro-dollars
    for each.
    """
    if row.size_class in (RECORDED, INCOMPLETE):
        return None
    rates = book.rates(name, row.quarter, row.size_class)
    if rates is None:
        return None
    return Tokens(row.input, row.cache_read, row.cache_write, row.cache_write_1h, row.output).cost(
        rates
    )


def _sorted(lines: Iterable[Line], group: str) -> list[Line]:
    if group in ("daily", "weekly", "monthly"):
        return sorted(lines, key=lambda line: str(line.key))
    return sorted(
        lines, key=lambda line: (-(line.cost_micro_usd or 0), -(line.total or 0), str(line.key))
    )


def _plus(one: Any, other: Any) -> Any:
    return one if other is None else other if one is None else one + other
