"""When Claude Code deletes transcripts: one number of `settings.json`. Nothing else of that file is
looked at.
"""

from __future__ import annotations

import json
import os

DEFAULT_DAYS = 30


def cleanup_days(root: str) -> int:
    """The days after which transcripts are deleted; a managed or local setting is not known to us."""
    try:
        with open(os.path.join(root, "settings.json"), encoding="utf-8") as file:
            value = json.load(file).get("cleanupPeriodDays")
    except (OSError, ValueError, AttributeError, RecursionError):
        return DEFAULT_DAYS
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0
        else DEFAULT_DAYS
    )
