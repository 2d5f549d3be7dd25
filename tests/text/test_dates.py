"""Times as agents write them and as people type them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from agent_journal.text.dates import from_micros, parse_bound, parse_time, to_micros

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-11-15T18:00:00Z", datetime(2026, 11, 15, 18, tzinfo=UTC)),
        ("2026-11-15T20:00:00+02:00", datetime(2026, 11, 15, 18, tzinfo=UTC)),
        ("2026-11-15 18:00:00", datetime(2026, 11, 15, 18, tzinfo=UTC)),
        (1_794_765_600, datetime(2026, 11, 15, 18, tzinfo=UTC)),
        (1_794_765_600_000, datetime(2026, 11, 15, 18, tzinfo=UTC)),
        ("soon", None),
        (True, None),
        (None, None),
        (1e300, None),
    ],
)
def test_times_of_agents(written: object, expected: datetime | None) -> None:
    assert parse_time(written) == expected


def test_microseconds_and_back() -> None:
    when = NOW + timedelta(microseconds=1)
    assert from_micros(to_micros(when)) == when
    assert to_micros(None) is None
    assert from_micros(None) is None


def test_times_that_no_calendar_has_are_not_known() -> None:
    assert from_micros(253_402_300_800 * 1_000_000) is None  # the year 10000
    assert from_micros(-(2**64)) is None
    assert from_micros(2**64 * 1_000_000) is None


def test_relative_bounds() -> None:
    assert parse_bound("2d", now=NOW) == NOW - timedelta(days=2)
    assert parse_bound("90m", now=NOW, end=True) == NOW - timedelta(minutes=90)
    assert parse_bound(" NOW ", now=NOW) == NOW


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("2026", (2026, 1, 1), (2027, 1, 1)),
        ("2026-01", (2026, 1, 1), (2026, 2, 1)),
        ("2026-12", (2026, 12, 1), (2027, 1, 1)),
        ("2026-01-31", (2026, 1, 31), (2026, 2, 1)),
    ],
)
def test_a_year_month_or_day_is_a_span(
    text: str, first: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    assert parse_bound(text) == datetime(*first).astimezone()
    last = datetime(*end).astimezone() - timedelta(microseconds=1)
    assert parse_bound(text, end=True) == last


def test_today_follows_yesterday() -> None:
    last = parse_bound("yesterday", now=NOW, end=True)
    assert parse_bound("today", now=NOW) == last + timedelta(microseconds=1)


@pytest.mark.parametrize("text", ["", "d", "2026-13", "2026-02-30", "99999999999d", "9999", "soon"])
def test_other_texts_are_refused_with_the_accepted_forms(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time; use 2d, 6h, yesterday"):
        parse_bound(text)
