"""When Claude Code deletes transcripts: one number of `settings.json`; nothing else is read."""

from __future__ import annotations

import json
import os

DEFAULT_DAYS = 30


def cleanup_days(root: str) -> int:
    """The days after which transcripts are deleted; managed and local settings are not read."""
    try:
        with open(os.path.join(root, "settings.json"), encoding="utf-8") as file:
            value = json.load(file).get("cleanupPeriodDays")
    except (OSError, ValueError, AttributeError, RecursionError):
        return DEFAULT_DAYS
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return DEFAULT_DAYS
