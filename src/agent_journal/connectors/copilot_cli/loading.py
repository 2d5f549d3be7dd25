"""What Copilot CLI asks of every event before it loads a session."""

from __future__ import annotations

import json
import re
from typing import Any

from agent_journal.connectors.hooks import UUID

_ID = re.compile(UUID)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")


def is_loadable(line: bytes) -> bool:
    """Whether Copilot CLI takes a line of a log: for one odd event it refuses the whole session.

    Lines that are not JSON are skipped, as Copilot CLI does.
    """
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return True
    if not isinstance(event, dict):
        return False
    parent = event.get("parentId", "")
    has_parent = parent is None or _is(_ID, parent)
    return has_parent and _is(_ID, event.get("id")) and _is(_TIME, event.get("timestamp"))


def _is(form: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None
