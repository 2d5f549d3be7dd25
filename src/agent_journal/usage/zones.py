"""Days, weeks and months of a time zone."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date, datetime, timedelta, tzinfo

from agent_journal.errors import UsageError
from agent_journal.store.catalog.sum_classes import QUARTER
from agent_journal.text.suggestions import did_you_mean

_SECONDS = QUARTER // 1_000_000


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
