"""Dates as people say them: `last month`, `3 days ago`, `monday`, `in July`, `4 july 2025`.

A word for a day or a month means the latest one that has begun.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import NamedTuple

_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_SHORT = 3  # letters of a name that are enough
_UNITS = "minute|hour|day|week|month|year"
_AGO = re.compile(rf"(\d{{1,6}}|an?|one) ({_UNITS})s? ago", re.ASCII)
_LAST_FEW = re.compile(rf"last (\d{{1,6}}) ({_UNITS})s?", re.ASCII)
_MONTH_AND_DAY = re.compile(r"(?:([a-z]+) (\d\d?)|(\d\d?) ([a-z]+))(?: (\d{4}))?", re.ASCII)
_MONTH_AND_YEAR = re.compile(r"([a-z]+) (\d{4})", re.ASCII)


class Days(NamedTuple):
    """Some whole days: the first, and the one after the last."""

    first: date
    end: date


class Moments(NamedTuple):
    """A part of a day: its first and its last moment, which may be the same."""

    first: datetime
    last: datetime


def spoken_span(text: str, now: datetime) -> Days | Moments | None:
    """The time that a text in lower case means, with spaces or hyphens; None when it is none.

    Raises ValueError or OverflowError for what is outside of the calendar.
    """
    text = " ".join(re.split(r"[\s_,-]+", text.strip()))
    text = re.sub(r"^(?:in|on|the) ", "", text)
    found = _AGO.fullmatch(text)
    if found:
        return _ago(_number(found[1]), found[2], now)
    found = _LAST_FEW.fullmatch(text)
    if found:
        return Moments(_before(now, int(found[1]), found[2]), now)
    today = now.date()
    which, _, name = text.rpartition(" ")
    if which in ("", "last", "this"):
        for find in (_period, _weekday, _month):
            days = find(which, name, today)
            if days is not None:
                return days
    return _month_and_year(text) or _month_and_day(text, today)


def _number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    return 1


def _ago(number: int, unit: str, now: datetime) -> Days | Moments:
    moment = _before(now, number, unit)
    if unit in ("minute", "hour"):
        return Moments(moment, moment)
    return Days(moment.date(), moment.date() + _DAY)


def _before(now: datetime, number: int, unit: str) -> datetime:
    if unit == "year":
        return _months_before(now, 12 * number)
    if unit == "month":
        return _months_before(now, number)
    return now - number * timedelta(**{f"{unit}s": 1})


def _months_before(now: datetime, number: int) -> datetime:
    """The same day some months before; the last of that month where it is shorter."""
    months = now.year * 12 + now.month - 1 - number
    first = now.replace(year=months // 12, month=months % 12 + 1, day=1)
    last_day = (_next_month(first.date()) - _DAY).day
    return first.replace(day=min(now.day, last_day))


def _period(which: str, name: str, today: date) -> Days | None:
    """`this week`, `last month` and the like."""
    if not which:
        return None
    if name == "week":
        first = today - today.weekday() * _DAY
        if which == "last":
            first -= _WEEK
        return Days(first, first + _WEEK)
    if name == "month":
        first = today.replace(day=1)
        if which == "last":
            first = (first - _DAY).replace(day=1)
        return Days(first, _next_month(first))
    if name == "year":
        year = today.year
        if which == "last":
            year -= 1
        return Days(date(year, 1, 1), date(year + 1, 1, 1))
    return None


def _weekday(which: str, name: str, today: date) -> Days | None:
    """`monday`: today or before; `last monday`: before today; `this monday`: in this week."""
    number = _place(name, _WEEKDAYS)
    if number is None:
        return None
    back = (today.weekday() - number) % 7
    if which == "this":
        back = today.weekday() - number
    elif which == "last" and back == 0:
        back = 7
    day = today - back * _DAY
    return Days(day, day + _DAY)


def _month(which: str, name: str, today: date) -> Days | None:
    """`july`: the current one or before; `last july`: before it; `this july`: in this year."""
    place = _place(name, _MONTHS)
    if place is None:
        return None
    month = place + 1
    latest = today.month  # that can be meant in this year
    if which == "last":
        latest -= 1
    elif which == "this":
        latest = 12
    if month > latest:
        return _whole_month(today.year - 1, month)
    return _whole_month(today.year, month)


def _month_and_year(text: str) -> Days | None:
    found = _MONTH_AND_YEAR.fullmatch(text)
    if found is None:
        return None
    place = _place(found[1], _MONTHS)
    if place is None:
        return None
    return _whole_month(int(found[2]), place + 1)


def _month_and_day(text: str, today: date) -> Days | None:
    """`july 4` and `4 july`: the latest one, or that of a year."""
    found = _MONTH_AND_DAY.fullmatch(text)
    if found is None:
        return None
    place = _place(found[1] or found[4], _MONTHS)
    if place is None:
        return None
    month_and_day = (place + 1, int(found[2] or found[3]))
    year = today.year
    if found[5]:
        year = int(found[5])
    elif month_and_day > (today.month, today.day):
        year -= 1
    day = date(year, *month_and_day)
    return Days(day, day + _DAY)


def _place(name: str, names: tuple[str, ...]) -> int | None:
    """The place of a name in a list, by all of it or by its first letters."""
    if len(name) < _SHORT:
        return None
    for place, known in enumerate(names):
        if known.startswith(name):
            return place
    return None


def _whole_month(year: int, month: int) -> Days:
    first = date(year, month, 1)
    return Days(first, _next_month(first))


def _next_month(first: date) -> date:
    return (first + 31 * _DAY).replace(day=1)
