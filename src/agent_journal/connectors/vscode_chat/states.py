"""How a turn ended, in the states of all versions since 2021."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from agent_journal.connectors.values import count, mapping, string
from agent_journal.model import MessageState
from agent_journal.text.dates import parse_time

_PENDING, _COMPLETE, _CANCELLED, _FAILED, _NEEDS_INPUT = range(5)
_FIRST_TIME = 1e11  # milliseconds in 1973: smaller numbers are not times


WAITS_FOR_PERSON = "needs_input"
INTERRUPTED = "interrupted"


class Outcome(NamedTuple):
    """How a turn ended; no state for one that was never answered or waits for the person."""

    state: MessageState | None = None
    stop_reason: str | None = None
    error: str | None = None
    is_open: bool = False  # it was running, or waiting, when the file was written last


class Rollback(NamedTuple):
    """What the person undid of a turn: all of it, or what came after a checkpoint."""

    is_whole: bool
    after: str | None


def outcome_of(request: dict[str, Any], is_last: bool) -> Outcome:
    """How a turn ended; only the last one of a session can be open."""
    result = mapping(request.get("result"))
    details = mapping(result.get("errorDetails")) or mapping(request.get("responseErrorDetails"))
    message = string(details.get("message"))
    code = string(details.get("code"))
    error = message
    is_cancelled = code == "canceled" or message == "Canceled"
    if is_cancelled:
        error = None
    value = _state_value(request, is_cancelled)
    if value == _CANCELLED:
        return Outcome("cancelled", "cancelled", error)
    if value == _NEEDS_INPUT and is_last:
        return Outcome(None, WAITS_FOR_PERSON, error, is_open=True)
    if value in (_PENDING, _NEEDS_INPUT):
        # The window was closed while it ran, or it is still running.
        return Outcome("cancelled", INTERRUPTED, error, is_open=is_last)
    if value == _FAILED or (details and not is_cancelled):
        return Outcome("failed", code, message or "the request failed")
    if value == _COMPLETE or result or request.get("response"):
        return Outcome("complete")
    return Outcome()


def _state_value(request: dict[str, Any], is_cancelled: bool) -> int | None:
    value = count(mapping(request.get("modelState")).get("value"))
    if value is not None:
        return value
    if is_cancelled or request.get("isCanceled") is True:
        return _CANCELLED
    return None


def rollback_of(request: dict[str, Any]) -> Rollback:
    """What the person undid of a turn."""
    removed = request.get("shouldBeRemovedOnSend")
    after = string(mapping(removed).get("afterUndoStop"))
    is_hidden = request.get("isHidden") is True or request.get("hiddenFromTranscript") is True
    return Rollback(is_whole=is_hidden or (bool(removed) and after is None), after=after)


def moment(value: Any) -> datetime | None:
    """A time in milliseconds; None for what cannot be one, like the -1 of old files."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not value > _FIRST_TIME:  # NaN is not greater either
        return None
    return parse_time(value)
