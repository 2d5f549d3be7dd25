"""Times as agents write them and as people type them; all of them become aware UTC datetimes."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
# Numbers below this are seconds, above milliseconds: 1e11 s is the year 5138, 1e11 ms is 1973.
_SECONDS_LIMIT = 1e11


def parse_time(value: object) -> datetime | None:
    """The time an agent wrote (ISO text, epoch seconds or milliseconds), or None when it is none."""
    try:
        if isinstance(value, str):
            when = datetime.fromisoformat(value)
            if when.tzinfo is UTC:
                return when
            return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            seconds = value if abs(value) < _SECONDS_LIMIT else value / 1000
            return EPOCH + timedelta(seconds=seconds)
    except (ValueError, OverflowError):
        return None
    return None


def to_micros(when: datetime | None) -> int | None:
    """Microseconds since 1970 UTC, the form the catalog stores."""
    if when is None:
        return None
    span = when - EPOCH
    return (span.days * 86400 + span.seconds) * 1_000_000 + span.microseconds


def from_micros(micros: int | None) -> datetime | None:
    """The datetime for microseconds since 1970 UTC."""
    return None if micros is None else EPOCH + timedelta(microseconds=micros)


def local(when: datetime) -> datetime:
    """A time in the user's zone; as it is where the zone would lead out of the calendar."""
    try:
        return when.astimezone()
    except (OverflowError, ValueError, OSError):
        return when


def parse_bound(text: str, *, now: datetime | None = None, end: bool = False) -> datetime:
    """A bound a person types: `2d`, `yesterday`, `2026-01`, `2026-01-31`, or a full ISO time in
    local time.

    With `end`, a day or month means its last moment, so that `--until 2026-01` includes all of
    January. Raises ValueError with a sentence that names the accepted forms.
    """
    now = (now or datetime.now(UTC)).astimezone()
    text = text.strip().lower()
    span = _span(text, now)
    if span is None:
        raise ValueError(
            f"'{text}' is not a time; use 2d, 6h, yesterday, 2026-01, 2026-01-31 or 2026-01-31T14:00"
        )
    first, last = span
    try:
        return (last if end else first).astimezone(UTC)
    except (OverflowError, ValueError):
        raise ValueError(f"'{text}' is outside of the calendar") from None


def _span(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    if text == "now":
        return now, now
    if text in ("today", "yesterday"):
        return _day(now.date() - timedelta(days=text == "yesterday"))
    if text[:-1].isdecimal() and text.isascii() and text[-1:] in _UNITS:
        try:
            moment = now - timedelta(**{_UNITS[text[-1]]: int(text[:-1])})
        except OverflowError:
            return None
        return moment, moment
    try:
        if len(text) == 4 and text.isdecimal() and text.isascii():
            return _midnight(date(int(text), 1, 1)), _midnight(
                date(int(text) + 1, 1, 1)
            ) - _MICROSECOND
        if len(text) == 7:
            first = date.fromisoformat(text + "-01")
            following = (first + timedelta(days=31)).replace(day=1)
            return _midnight(first), _midnight(following) - _MICROSECOND
        if len(text) == 10:
            return _day(date.fromisoformat(text))
        when = datetime.fromisoformat(text.upper())
        when = when.astimezone() if when.tzinfo is None else when
    except (ValueError, OverflowError):
        return None
    return when, when


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day).astimezone()


def _day(day: date) -> tuple[datetime, datetime]:
    return _midnight(day), _midnight(day + timedelta(days=1)) - _MICROSECOND
