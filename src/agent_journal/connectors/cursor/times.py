"""Times as Cursor writes them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from agent_journal.text.dates import parse_time

_FIRST_TIME = 1e11  # milliseconds, in 1973: smaller numbers are not times


def time_of(value: Any) -> datetime | None:
    """Parse a time given as text or in milliseconds; None for anything else."""
    if isinstance(value, str):
        return parse_time(value)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and value > _FIRST_TIME:
        return parse_time(value)
    return None
