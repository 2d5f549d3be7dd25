"""Usage by day, model, agent, project and session at once, from two questions to the catalog."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from agent_journal.query.tree import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.sum_classes import RECORDED
from agent_journal.store.catalog.usage_rows import UsageSum, session_names, usage_sums
from agent_journal.text.names import model_name
from agent_journal.usage.prices import Book
from agent_journal.usage.report import Line, days_of, price_of, sorted_lines
from agent_journal.usage.zones import Calendar


class UsageOverview(NamedTuple):
    """What was used, by everything that `aj usage` can add it up by."""

    total: Line
    periods: list[Line]
    model_periods: list[Line]  # their keys are a period and a model
    models: list[Line]
    agents: list[Line]
    projects: list[Line]
    sessions: list[Line]  # their keys are rows
    book: Book


class _Groups:
    """Lines by their keys."""

    def __init__(self) -> None:
        self._lines: dict[Any, Line] = {}

    def add(self, key: Any, row: UsageSum, name: str, price: int | None) -> None:
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = Line(key)
        line.add(row, name, price)

    @property
    def lines(self) -> list[Line]:
        return list(self._lines.values())


def usage_overview(
    db: Connection | None, book: Book, period: str, query: Query, calendar: Calendar
) -> UsageOverview:
    """The usage that a query means; `period` is daily, weekly or monthly."""
    if db is None:
        return UsageOverview(Line("total"), [], [], [], [], [], [], book)
    label = calendar.labels(period)
    rows = usage_sums(db, period, query, days=days_of(db, book, period, calendar))
    names = _names(book, rows)
    total = Line("total")
    periods, model_periods, models, agents = _Groups(), _Groups(), _Groups(), _Groups()
    for row in rows:
        name = names[row.model]
        price = price_of(book, row)
        when = label(row.quarter)
        total.add(row, name, price)
        periods.add(when, row, name, price)
        model_periods.add((when, name), row, name, price)
        models.add(name, row, name, price)
        agents.add(row.agent, row, name, price)
    sessions = _sessions(db, book, query)
    return UsageOverview(
        total,
        sorted_lines(periods.lines, period),
        sorted_lines(model_periods.lines, period),
        sorted_lines(models.lines, "model"),
        sorted_lines(agents.lines, "agent"),
        sorted_lines(_projects(db, sessions), "project"),
        sorted_lines(sessions, "session"),
        book,
    )


def _sessions(db: Connection, book: Book, query: Query) -> list[Line]:
    rows = usage_sums(db, "session", query, days=days_of(db, book, "session", None))
    names = _names(book, rows)
    groups = _Groups()
    for row in rows:
        groups.add(row.key, row, names[row.model], price_of(book, row))
    return groups.lines


def _projects(db: Connection, sessions: Iterable[Line]) -> list[Line]:
    """The lines of projects, from those of their sessions."""
    known = session_names(db)
    lines: dict[str, Line] = {}
    for line in sessions:
        name = known.get(line.key)
        project = ""
        if name is not None:
            project = name.project or ""
        lines.setdefault(project, Line(project)).include(line)
    return list(lines.values())


def _names(book: Book, rows: list[UsageSum]) -> dict[str, str]:
    """The plain names of the models of some sums, whose prices are then known."""
    book.learn({row.model for row in rows if row.size_class != RECORDED})
    names = {model: model_name(model) for model in {row.model for row in rows} if model}
    names.setdefault("", "unknown")
    return names
