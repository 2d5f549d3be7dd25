"""When Gemini CLI deletes sessions: one setting of `settings.json`; the rest is not looked at."""

from __future__ import annotations

import json
import os
import re

DEFAULT_DAYS = 30
_PERIOD = re.compile(r"(\d{1,6})([hdwm])\Z")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24}


def cleanup_days(root: str) -> int | None:
    """Return the days after which sessions are deleted; None when that is turned off."""
    try:
        with open(os.path.join(root, "settings.json"), encoding="utf-8") as file:
            setting = json.load(file)["general"]["sessionRetention"]
        if setting.get("enabled") is False:
            return None
        period = _PERIOD.match(setting["maxAge"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return DEFAULT_DAYS
    if period is None:
        return DEFAULT_DAYS
    return int(period[1]) * _HOURS[period[2]] // 24
