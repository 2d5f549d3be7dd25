"""Numbers, sizes, times and paths as people read them."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence

from agent_journal.text.plain import one_line

# How a session ended, where that is worth mentioning
ENDINGS = {
    "waiting": "waiting",
    "in_tool": "in a tool call",
    "interrupted": "interrupted",
    "cut_off": "cut off",
}
_MINUTE = 60
_HOUR = 3600
_DAY = 86400


def plural(count: int, noun: str) -> str:
    """`1 session`, `2 sessions`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun}s"


def human_size(size: float) -> str:
    """Bytes with a unit: `812 B`, `1.2 KB`, `340 MB`."""
    if size < 1000:
        return f"{size:.0f} B"
    for unit in ("KB", "MB"):
        size /= 1000
        if size < 1000:
            return _three_digits(size, unit)
    return _three_digits(size / 1000, "GB")


def _three_digits(size: float, unit: str) -> str:
    if size >= 100:
        return f"{size:.0f} {unit}"
    return f"{size:.1f} {unit}"


def human_duration(milliseconds: int) -> str:
    """How long something took: `1.5 s`, `3 min`, `5 h`, `2 d`."""
    seconds = milliseconds / 1000
    if seconds < 2 * _MINUTE:
        return f"{seconds:.1f} s"
    if seconds < 2 * _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    if seconds < 2 * _DAY:
        return f"{seconds / _HOUR:.0f} h"
    return f"{seconds / _DAY:.0f} d"


def hours_and_minutes(seconds: int) -> str:
    """A time that is left: `2h 05m`, `45m`."""
    minutes = max(0, seconds) // _MINUTE
    if minutes < 60:
        return f"{minutes}m"
    return f"{minutes // 60}h {minutes % 60:02d}m"


def human_count(number: int | None) -> str:
    """A number with separators; `?` when it is unknown."""
    if number is None:
        return "?"
    return f"{number:,}"


def compact_count(number: float | None) -> str:
    """A number in three digits or so: `812`, `1.2K`, `34.5M`; `?` when it is unknown."""
    if number is None:
        return "?"
    if number < 999.5:
        return f"{number:.0f}"
    for unit in ("K", "M", "B"):
        number /= 1000
        if number < 99.95:
            return f"{number:.1f}{unit}"
        if number < 999.5:
            return f"{number:.0f}{unit}"
    return f"{number / 1000:,.1f}T"


def human_money(micros: int) -> str:
    """Dollars and cents; less than a cent with two significant digits."""
    if not 0 < micros < 10_000:
        return f"${micros / 1e6:,.2f}"
    decimals = 8 - len(str(micros))
    return f"${micros / 1e6:.{decimals}f}".rstrip("0")


def human_time(micros: int | None, now: float | None = None) -> str:
    """A time in the local zone: recent ones by distance, others by date."""
    if micros is None:
        return "?"
    if now is None:
        now = time.time()
    seconds = micros / 1_000_000
    ago = now - seconds
    if 0 <= ago < _MINUTE:
        return "just now"
    if 0 <= ago < _HOUR:
        return f"{int(ago // _MINUTE)} min ago"
    if 0 <= ago < _DAY:
        return f"{int(ago // _HOUR)} h ago"
    try:
        local = time.localtime(seconds)
    except (ValueError, OverflowError, OSError):
        return "?"
    if 0 <= ago < 7 * _DAY:
        return time.strftime("%a %H:%M", local)
    return time.strftime("%Y-%m-%d", local)


def short_ids(ids: Sequence[str]) -> list[str]:
    """Shorten each id to eight characters, or to as many as tell it from the others."""
    short = [one_line(full[:8], 8) for full in ids]
    for length in (13, 23, 200):  # groups of a UUID end there
        times = Counter(short)
        for place, full in enumerate(ids):
            if times[short[place]] > 1:
                short[place] = one_line(full[:length], length)
    return short


def short_path(path: str | None) -> str:
    """A path with the home folder as ~."""
    if not path:
        return ""
    home = os.path.expanduser("~")
    if path == home or path.startswith(home + os.sep):
        return "~" + path[len(home) :]
    return path
