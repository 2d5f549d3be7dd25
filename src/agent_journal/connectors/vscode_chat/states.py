"""How a turn ended: the states of five years of versions, brought to ours."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from agent_journal.connectors.values import count, mapping, string
from agent_journal.model import MessageState
from agent_journal.text.dates import parse_time

_PENDING, _COMPLETE, _CANCELLED, _FAILED, _NEEDS_INPUT = range(5)
_FIRST_TIME = 1e11  # milliseconds in 1973: smaller numbers are no times
Outcome = tuple[MessageState | None, str | None, str | None]


def outcome_of(request: dict[str, Any]) -> Outcome:
    """State, stop reason and error text of a turn; no state for one that was never answered."""
    result = mapping(request.get("result"))
    details = mapping(result.get("errorDetails")) or mapping(request.get("responseErrorDetails"))
    message, code = string(details.get("message")), string(details.get("code"))
    is_cancel = code == "canceled" or message == "Canceled"
    value = count(mapping(request.get("modelState")).get("value"))
    if value == _CANCELLED or (value is None and (request.get("isCanceled") is True or is_cancel)):
        return "cancelled", "cancelled", None if is_cancel else message
    if value in (_PENDING, _NEEDS_INPUT):
        # The window died while it ran
        return "cancelled", "interrupted", None if is_cancel else message
    if value == _FAILED or (details and not is_cancel):
        return "failed", code, message or "the request failed"
    if value == _COMPLETE or result or request.get("response"):
        return "complete", None, None
    return None, None, None


def undone(request: dict[str, Any]) -> tuple[bool, str | None]:
    """Whether the person rolled the turn back, and the checkpoint from which on when it was only a
    part of it.
    """
    removed = request.get("shouldBeRemovedOnSend")
    after = string(mapping(removed).get("afterUndoStop"))
    hidden = request.get("isHidden") is True or request.get("hiddenFromTranscript") is True
    return hidden or (bool(removed) and after is None), after


def moment(value: Any) -> datetime | None:
    """A time in milliseconds; None for what cannot be one, as the -1 of old files."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return parse_time(value) if is_number and value > _FIRST_TIME else None
