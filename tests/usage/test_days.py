"""Sums of days, which the catalog adds up, are those of all quarters of an hour."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent_journal.query.tree import Query
from agent_journal.usage.prices import Price
from agent_journal.usage.report import Line, report
from agent_journal.usage.zones import Calendar, zone_named
from tests.support.journals import aj, claude_line, open_journal
from tests.support.usage_homes import answer, claude, priced

# Clocks that change, that are not ahead by whole hours, and that are behind
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An answer every seven hours of three years."""
    home = tmp_path_factory.mktemp("days")
    priced(home)
    when = datetime(2024, 1, 1, tzinfo=UTC)
    lines = [claude_line("user", 0, "go on")]
    for number in range(1, 3_700):
        model = ("model-a", "model-b", "nobody-knows")[number % 3]
        tokens = {"input_tokens": number, "output_tokens": number % 7}
        time = when.isoformat().replace("+00:00", "Z")
        more = {"uuid": f"u{number}", "requestId": f"r{number}", "timestamp": time}
        line = answer(number, tokens, model, **more)
        line["message"]["id"] = f"m{number}"
        lines.append(line)
        when += timedelta(hours=7)
    claude(home, "s1", lines)
    assert aj(home, "sync").returncode == 0
    return home


def _numbers(line: Line) -> dict[str, object]:
    return {**vars(line), "models": dict(line.models), "agents": list(line.agents)}


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("period", ["daily", "weekly", "monthly"])
def test_periods_of_every_zone(home: Path, zone: str, period: str) -> None:
    calendar = Calendar(zone_named(zone))
    labels = calendar.labels(period)
    with open_journal(home) as journal:
        book = journal.prices()
        book._models |= {"nobody-knows": None, "model-a": None, "model-b": None}
        by_quarter = report(journal.db, book, period, Query(), labels)
        by_day = report(journal.db, book, period, Query(), labels, calendar)
    assert len(by_day.lines) > 30
    assert list(map(_numbers, by_day.lines)) == list(map(_numbers, by_quarter.lines))
    assert _numbers(by_day.total) == _numbers(by_quarter.total)


def test_prices_that_change_by_day_and_by_hour(home: Path) -> None:
    """The sums of a model are by day, or by quarter, as its prices need it."""
    calendar = Calendar(zone_named("Europe/Berlin"))

    def price(start_day: int | None, hours: tuple[int, int] | None, rate: int) -> Price:
        rates = {"input": [(-1, rate)], "output": [(-1, rate)]}
        return Price(start_day, hours, rates)

    middle = (datetime(2025, 6, 1, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).days
    with open_journal(home) as journal:
        book = journal.prices()
        book._overrides = {}
        book._models = {
            "model-a": [price(None, None, 10**9), price(middle, None, 3 * 10**9)],
            "model-b": [price(None, None, 10**9), price(None, (0, 32), 5 * 10**9)],
            "nobody-knows": [price(None, None, 7 * 10**9)],
        }
        assert set(book.fixed_models()) == {"nobody-knows"}
        assert set(book.models_by_day()) == {"nobody-knows", "model-a"}
        by_quarter = report(journal.db, book, "daily", Query(), calendar.labels("daily"))
        by_day = report(journal.db, book, "daily", Query(), calendar.labels("daily"), calendar)
        by_model = report(journal.db, book, "model", Query(), str)
        costs = journal_costs(journal.db, book)
    assert list(map(_numbers, by_day.lines)) == list(map(_numbers, by_quarter.lines))
    assert by_model.total.priced == by_quarter.total.priced
    assert costs == by_quarter.total.cost_micro_usd


def journal_costs(db: object, book: object) -> int:
    from agent_journal.usage.report import session_costs

    return round(sum(session_costs(db, book).values()) * 1e6)  # type: ignore[arg-type]


def test_a_time_that_is_asked_for(home: Path) -> None:
    calendar = Calendar(zone_named("UTC"))
    since = datetime(2025, 3, 5, 11, 30, tzinfo=UTC)
    query = Query(since=since, until=since + timedelta(days=9))
    with open_journal(home) as journal:
        book = journal.prices()
        book._models |= {"nobody-knows": None, "model-a": None, "model-b": None}
        by_quarter = report(journal.db, book, "daily", query, calendar.labels("daily"))
        by_day = report(journal.db, book, "daily", query, calendar.labels("daily"), calendar)
    assert len(by_day.lines) == 10
    assert list(map(_numbers, by_day.lines)) == list(map(_numbers, by_quarter.lines))
