"""Times as agents write them and as people type them; all of them become aware UTC datetimes."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
# Numbers below this are seconds, above milliseconds: 1e11 s is the year 5138, 1e11 ms is 1973.
_SECONDS_LIMIT = 1e11


def parse_time(value: object) -> datetime | None:
    """Read a time an agent wrote (ISO text, epoch seconds or milliseconds); None for others."""
    try:
        if isinstance(value, str):
            when = datetime.fromisoformat(value)
            if when.tzinfo is UTC:
                return when
            if when.tzinfo is None:
                return when.replace(tzinfo=UTC)
            return when.astimezone(UTC)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if abs(value) < _SECONDS_LIMIT:
                return EPOCH + timedelta(seconds=value)
            return EPOCH + timedelta(seconds=value / 1000)
    except (ValueError, OverflowError):
        return None
    return None


def to_micros(when: datetime | None) -> int | None:
    """Return microseconds since 1970 UTC, the form the catalog stores."""
    if when is None:
        return None
    span = when - EPOCH
    return (span.days * 86400 + span.seconds) * 1_000_000 + span.microseconds


def from_micros(micros: int | None) -> datetime | None:
    """Return the datetime for microseconds since 1970 UTC; None outside of the calendar."""
    if micros is None:
        return None
    try:
        return EPOCH + timedelta(microseconds=micros)
    except OverflowError:  # a commit may say any year
        return None


def local(when: datetime) -> datetime:
    """Return a time in the user's zone; unchanged where that would be outside of the calendar."""
    try:
        return when.astimezone()
    except (OverflowError, ValueError, OSError):
        return when


def parse_bound(text: str, *, now: datetime | None = None, end: bool = False) -> datetime:
    """Read a bound a person types: `2d`, `last week`, `2026-01`, `2026-01-31` or an ISO time.

    With `end`, a day or month means its last moment, so that `--until 2026-01` includes all of
    January. Raises ValueError with a sentence that names the accepted forms.
    """
    now = (now or datetime.now(UTC)).astimezone()
    text = text.strip().lower()
    span = _span(text, now)
    if span is None:
        forms = "2d, 6h, yesterday, 'last week', 2026-01, 2026-01-31 or 2026-01-31T14:00"
        raise ValueError(f"'{text}' is not a time; use {forms}")
    bound = span.last if end else span.first
    try:
        return bound.astimezone(UTC)
    except (OverflowError, ValueError):
        raise ValueError(f"'{text}' is outside of the calendar") from None


class _Span(NamedTuple):
    """The first and last moment that a text means."""

    first: datetime
    last: datetime


def _span(text: str, now: datetime) -> _Span | None:
    if text == "now":
        return _Span(now, now)
    if text == "today":
        return _days(now.date(), now.date() + timedelta(days=1))
    if text == "yesterday":
        return _days(now.date() - timedelta(days=1), now.date())
    try:
        if text.isascii() and text[:-1].isdecimal() and text[-1:] in _UNITS:
            moment = now - timedelta(**{_UNITS[text[-1]]: int(text[:-1])})
            return _Span(moment, moment)
        return _iso_span(text)
    except (ValueError, OverflowError):
        return _spoken_span(text, now)


def _spoken_span(text: str, now: datetime) -> _Span | None:
    from agent_journal.text.spoken_dates import Days, spoken_span  # seldom needed

    try:
        found = spoken_span(text, now)
        if isinstance(found, Days):
            return _days(found.first, found.end)
    except (ValueError, OverflowError):
        return None
    if found is None:
        return None
    return _Span(found.first, found.last)


def _iso_span(text: str) -> _Span:
    """Return the span of a year, a month, a day or a moment; ValueError for other texts."""
    if len(text) == 4 and text.isascii() and text.isdecimal():
        year = int(text)
        return _days(date(year, 1, 1), date(year + 1, 1, 1))
    if len(text) == 7:
        first = date.fromisoformat(text + "-01")
        return _days(first, (first + timedelta(days=31)).replace(day=1))
    if len(text) == 10:
        day = date.fromisoformat(text)
        return _days(day, day + timedelta(days=1))
    when = datetime.fromisoformat(text.upper())
    if when.tzinfo is None:
        when = when.astimezone()
    return _Span(when, when)


def _days(first: date, end: date) -> _Span:
    """Return the time from the midnight of a day to the last moment before another day."""
    return _Span(_midnight(first), _midnight(end) - _MICROSECOND)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day).astimezone()


def parse_age(text: str, *, now: datetime | None = None) -> datetime:
    """The moment that was so long ago: 90d, 6mo, 1y; or a date as parse_bound takes it."""
    import re

    units = r"(d|days?|w|weeks?|m|mo|months?|y|years?)"
    found = re.fullmatch(rf"(\d{{1,4}})\s*{units}", text.strip().lower())
    if found is not None and found[2] == "m":
        # Everywhere else minutes: of an age, whoever writes it means months
        raise ValueError(f"'{found[0]}' would be minutes; for months, use {found[1]}mo")
    if found is None:
        return parse_bound(text, now=now)
    days = {"d": 1, "w": 7, "m": 30.44, "y": 365.25}[found[2][0]]
    try:
        return (now or datetime.now(UTC)) - timedelta(days=int(found[1]) * days)
    except OverflowError:
        raise ValueError(f"{text!r} is before all dates") from None
