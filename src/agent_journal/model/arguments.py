"""The arguments of a tool call, which the model keeps as the text that the agent wrote."""

from __future__ import annotations

import json
from typing import Any


def parse_arguments(text: str | None) -> Any:
    """Return arguments as values; None without any, and the text itself where it is not JSON."""
    if not text:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
