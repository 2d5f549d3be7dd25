"""Days, weeks and months of a time zone."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date, datetime, timedelta, tzinfo

from agent_journal.errors import UsageError
from agent_journal.store.catalog.sum_classes import QUARTER
from agent_journal.store.catalog.usage_rows import Shift
from agent_journal.text.suggestions import did_you_mean

_SECONDS = QUARTER // 1_000_000
_PER_DAY = 86_400 // _SECONDS


def zone_named(name: str | None) -> tzinfo | None:
    """A time zone by its name; None is the zone of the system."""
    if name is None:
        return None
    from zoneinfo import ZoneInfo, available_timezones

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        hint = did_you_mean(name, available_timezones(), limit=2, cutoff=0.5)
        hint = hint or "names are like Europe/Berlin, UTC"
        raise UsageError(f"there is no time zone '{name}'", hint) from None


class Calendar:
    """Gives the day and hour of quarters of an hour; each is computed once."""

    def __init__(self, zone: tzinfo | None) -> None:
        self._zone = zone
        self._known: dict[int, tuple[date, int] | None] = {}

    def day_and_hour(self, quarter: int) -> tuple[date, int] | None:
        """The day, and the hour of it; None when the time is unknown."""
        if quarter not in self._known:
            self._known[quarter] = self._compute(quarter)
        return self._known[quarter]

    def _compute(self, quarter: int) -> tuple[date, int] | None:
        if quarter < 0:
            return None
        try:
            if self._zone is None:
                local = time.localtime(quarter * _SECONDS)
                return date(local.tm_year, local.tm_mon, local.tm_mday), local.tm_hour
            moment = datetime.fromtimestamp(quarter * _SECONDS, self._zone)
            return moment.date(), moment.hour
        except (ValueError, OverflowError, OSError):  # a clock that was far wrong
            return None

    def shifts(self, first: int, last: int) -> tuple[Shift, ...]:
        """How far the clocks are ahead from one quarter to another; empty where not in quarters."""
        found: list[Shift] = []
        before = self._ahead(first)
        for quarter in range(first + _PER_DAY, last + 2 * _PER_DAY, _PER_DAY):
            ahead = self._ahead(quarter)
            if ahead != before:
                changed = self._changed(quarter - _PER_DAY, quarter)
                found.append(Shift(changed, before // _SECONDS))
                before = ahead
            if ahead % _SECONDS:
                return ()
        return (*found, Shift(last + 1, before // _SECONDS))

    def _changed(self, first: int, last: int) -> int:
        """The first quarter after which the clocks are as in the last one."""
        ahead = self._ahead(last)
        while last - first > 1:
            middle = (first + last) // 2
            if self._ahead(middle) == ahead:
                last = middle
            else:
                first = middle
        return last

    def _ahead(self, quarter: int) -> int:
        """The seconds by which the clocks are ahead of UTC."""
        if self._zone is None:
            return time.localtime(quarter * _SECONDS).tm_gmtoff
        offset = datetime.fromtimestamp(quarter * _SECONDS, self._zone).utcoffset()
        assert offset is not None
        return round(offset.total_seconds())

    def labels(self, group: str) -> Callable[[int], str]:
        """The names of periods: `2026-11-15`, the Monday a week begins with, `2026-11`."""

        def label(quarter: int) -> str:
            moment = self.day_and_hour(quarter)
            if moment is None:
                return "unknown"
            day, _ = moment
            if group == "weekly":
                return (day - timedelta(days=day.weekday())).isoformat()
            if group == "monthly":
                return day.isoformat()[:7]
            return day.isoformat()

        return label
