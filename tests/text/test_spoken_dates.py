"""Dates as people say them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from agent_journal.text.dates import parse_bound

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("last month", (2026, 10, 1), (2026, 11, 1)),
        ("last-month", (2026, 10, 1), (2026, 11, 1)),
        ("Last_Month", (2026, 10, 1), (2026, 11, 1)),
        ("this month", (2026, 11, 1), (2026, 12, 1)),
        ("last week", (2026, 11, 9), (2026, 11, 16)),
        ("this week", (2026, 11, 16), (2026, 11, 23)),
        ("last year", (2025, 1, 1), (2026, 1, 1)),
        ("this year", (2026, 1, 1), (2027, 1, 1)),
        ("in July", (2026, 7, 1), (2026, 8, 1)),
        ("july", (2026, 7, 1), (2026, 8, 1)),
        ("jul", (2026, 7, 1), (2026, 8, 1)),
        ("november", (2026, 11, 1), (2026, 12, 1)),
        ("last november", (2025, 11, 1), (2025, 12, 1)),
        ("december", (2025, 12, 1), (2026, 1, 1)),
        ("this december", (2026, 12, 1), (2027, 1, 1)),
        ("July 2025", (2025, 7, 1), (2025, 8, 1)),
        ("july 4", (2026, 7, 4), (2026, 7, 5)),
        ("on 4 July", (2026, 7, 4), (2026, 7, 5)),
        ("24 december", (2025, 12, 24), (2025, 12, 25)),
        ("December 24, 2024", (2024, 12, 24), (2024, 12, 25)),
        ("monday", (2026, 11, 16), (2026, 11, 17)),
        ("wednesday", (2026, 11, 18), (2026, 11, 19)),
        ("last wednesday", (2026, 11, 11), (2026, 11, 12)),
        ("last friday", (2026, 11, 13), (2026, 11, 14)),
        ("on fri", (2026, 11, 13), (2026, 11, 14)),
        ("this friday", (2026, 11, 20), (2026, 11, 21)),
        ("3 days ago", (2026, 11, 15), (2026, 11, 16)),
        ("3-days-ago", (2026, 11, 15), (2026, 11, 16)),
        ("1 day ago", (2026, 11, 17), (2026, 11, 18)),
        ("a week ago", (2026, 11, 11), (2026, 11, 12)),
        ("2 weeks ago", (2026, 11, 4), (2026, 11, 5)),
        ("one month ago", (2026, 10, 18), (2026, 10, 19)),
        ("11 months ago", (2025, 12, 18), (2025, 12, 19)),
        ("2 years ago", (2024, 11, 18), (2024, 11, 19)),
    ],
)
def test_days_weeks_and_months(
    text: str, first: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    assert parse_bound(text, now=NOW) == datetime(*first).astimezone()
    last = datetime(*end).astimezone() - timedelta(microseconds=1)
    assert parse_bound(text, now=NOW, end=True) == last


def test_hours_and_minutes_are_moments() -> None:
    for end in (False, True):
        assert parse_bound("2 hours ago", now=NOW, end=end) == NOW - timedelta(hours=2)
        assert parse_bound("an-hour-ago", now=NOW, end=end) == NOW - timedelta(hours=1)
        assert parse_bound("90 minutes ago", now=NOW, end=end) == NOW - timedelta(minutes=90)


def test_the_last_few_days_end_now() -> None:
    assert parse_bound("last 3 days", now=NOW) == NOW - timedelta(days=3)
    assert parse_bound("last 3 days", now=NOW, end=True) == NOW


def test_a_day_that_a_month_has_not_is_its_last() -> None:
    now = datetime(2026, 3, 31, 12, tzinfo=UTC)
    assert parse_bound("a month ago", now=now) == datetime(2026, 2, 28).astimezone()


@pytest.mark.parametrize(
    "text",
    [
        "next week",
        "last",
        "ago",
        "days ago",
        "last july 2025",
        "ju",
        "februar y",
        "february 30",
        "0 july",
        "july 0000",
        "999999 years ago",
        "999999 months ago",
        "9999999 days ago",
        "a days",
        "٣ days ago",
        "monday 2026",
        "week",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time"):
        parse_bound(text, now=NOW)
