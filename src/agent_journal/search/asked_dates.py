"""The time that a question names: `what did we change on 7 May 2026`, `what broke last week`.

A date in a question is no condition, as `date:` is: sessions near it come first. People write the
date of what they talk about, which may be a day before or after the session.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from agent_journal.text.dates import local, parse_bound

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_NUMBERS = {name: number for number, name in enumerate(_MONTHS, 1)}
_NUMBERS |= {name[:3]: number for name, number in _NUMBERS.items()} | {"sept": 9}
_MONTH = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_DAY = r"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)[0-9]{2})"
_ISO = (
    r"(?<![\w-])(?P<year>(?:19|20)[0-9]{2})-(?P<number>0[1-9]|1[0-2])"
    r"(?:-(?P<day>[0-3][0-9]))?(?![\w-])"
)
_WEEKDAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
# As seen from today
_SPOKEN = (
    r"\b(?P<spoken>today|yesterday|(?:last|this)\s+(?:week|month|year)"
    r"|(?:\d{1,3}|an?|one)\s+(?:day|week|month|year)s?\s+ago"
    rf"|(?:last|on|this)\s+(?:{_WEEKDAY}))\b"
)
_SPOKEN_HINTS = frozenset(("today", "yesterday", "ago", "week", "month", "year"))
_SPOKEN_HINTS |= frozenset(_WEEKDAY.split("|"))
_FORMS = (
    _SPOKEN,
    _ISO,
    rf"\b{_DAY}\s+(?:of\s+)?(?P<month>{_MONTH})\b\.?(?:,?\s+{_YEAR}\b)?",
    rf"\b(?P<month>{_MONTH})\.?\s+{_DAY}\b(?:,?\s+{_YEAR}\b)?",
    rf"\b(?P<month>{_MONTH})\.?,?\s+(?:of\s+)?{_YEAR}\b",
    rf"\b(?:in|during|since|of|early|late|mid|last)\s+(?P<month>{_MONTH})\b",
    # `may` and `march` alone are verbs
    rf"\b(?P<month>{'|'.join(name for name in _MONTHS if name not in ('may', 'march'))})\b",
)
_YEAR_AND_MONTH = re.compile("[12][0-9]{3}-[01]")
_SIGNS = ".,;:?!()\"'"
_FADES = 10  # days: with each so many outside of the date, its weight falls to a third
_LONGEST = 2_000  # characters of a question; nobody asks longer ones


class AskedDate(NamedTuple):
    """A date as it was asked for; without a year, it is in every year."""

    year: int | None
    month: int
    day: int | None

    def nearness(self, first: date, last: date) -> float:
        """How near a session is that lasted from one day to another: 1 within, less outside."""
        years = [self.year]
        if self.year is None:
            years = list(range(first.year - 1, last.year + 2))
        spans = [self._span(year) for year in years if year is not None]
        distance = min((_days_between(first, last, span) for span in spans if span), default=None)
        if distance is None:
            return 0.0
        return _faded(distance)

    def latest(self) -> tuple[date, date] | None:
        """The first and last day that are meant; without a year, those that came last."""
        if self.year is not None:
            return self._span(self.year)
        today = local(datetime.now(UTC)).date()
        spans = (self._span(year) for year in (today.year, today.year - 1))
        return next((span for span in spans if span and span[0] <= today), None)

    def _span(self, year: int) -> tuple[date, date] | None:
        """The first and last day that are meant; None for 30 February."""
        if not 1 < year < 9999:
            return None
        if self.day is None:
            first = date(year, self.month, 1)
            next_month = (first + timedelta(days=31)).replace(day=1)
            return first, next_month - timedelta(days=1)
        try:
            only = date(year, self.month, self.day)
        except ValueError:
            return None
        return only, only


class AskedDays(NamedTuple):
    """Some days as seen from today: `last week`."""

    first: date
    last: date

    def latest(self) -> tuple[date, date]:
        """The first and last day that are meant."""
        return self.first, self.last

    def nearness(self, first: date, last: date) -> float:
        """How near a session is that lasted from one day to another: 1 within, less outside."""
        return _faded(_days_between(first, last, self))


Asked = AskedDate | AskedDays


def find_dates(question: str) -> list[Asked]:
    """The dates that a question names, none of them twice."""
    return list(dict.fromkeys(map(_asked, _matches(question))))


def date_words(question: str) -> frozenset[str]:
    """The words of a question that name its dates, in lower case."""
    words = (word for match in _matches(question) for word in match[0].split())
    return frozenset(word.strip(_SIGNS).lower() for word in words)


def _matches(question: str) -> list[re.Match[str]]:
    """The places where a question names a date."""
    text = question[:_LONGEST]
    found: list[re.Match[str]] = []
    if not _may_name_one(text):
        return found
    for form in _FORMS:
        pattern = re.compile(form, re.IGNORECASE)
        found += pattern.finditer(text)
        text = pattern.sub(" ", text)  # `7 May 2026` is not also the month
    return found


def nearness(dates: list[Asked], first: date, last: date) -> float:
    """How near a session is to the nearest of several dates; 0 where there are none."""
    return max((asked.nearness(first, last) for asked in dates), default=0.0)


def _may_name_one(text: str) -> bool:
    """Whether to look for dates at all: the expressions take a while to compile."""
    words = (word.strip(_SIGNS).lower() for word in text.split())
    if any(word in _NUMBERS or word in _SPOKEN_HINTS for word in words):
        return True
    return _YEAR_AND_MONTH.search(text) is not None


def _asked(match: re.Match[str]) -> Asked:
    groups = match.groupdict()
    if groups.get("spoken"):
        return _spoken(groups["spoken"])
    year = groups.get("year")
    day = groups.get("day")
    month = _NUMBERS.get((groups.get("month") or "").lower(), 0)
    if not month:
        month = int(groups["number"])
    return AskedDate(_number(year), month, _number(day))


def _spoken(text: str) -> AskedDays:
    first = parse_bound(text)
    last = parse_bound(text, end=True)
    return AskedDays(local(first).date(), local(last).date())


def _faded(days: int) -> float:
    """How near something is that is so many days away."""
    return float(2.718281828459045 ** (-days / _FADES))


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    return int(text)


def _days_between(first: date, last: date, span: tuple[date, date]) -> int:
    begin, end = span
    if last < begin:
        return (begin - last) // timedelta(days=1)
    if first > end:
        return (first - end) // timedelta(days=1)
    return 0
