"""The limits that numbers and times in pieces of other packages' readers must keep."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypeVar, get_args

import msgspec

from agent_journal.connectors.values import count, integer
from agent_journal.model import Piece, Session

T = TypeVar("T", bound=msgspec.Struct)
_SIGNED = frozenset(("exit_code",))
_PIECES = (*get_args(Piece), Session)


def within_limits(piece: T) -> tuple[T, list[str]]:
    """The piece without impossible numbers and times, and the names of those; types are checked."""
    if not isinstance(piece, _PIECES):
        raise TypeError(
            f"a reader returned {type(piece).__name__}, which is not a piece of the model"
        )
    left_out: list[str] = []
    values = _possible(msgspec.to_builtins(piece, builtin_types=(datetime,)), left_out)
    return msgspec.convert(values, type(piece), builtin_types=(datetime,)), left_out


def _possible(value: Any, left_out: list[str]) -> Any:
    if isinstance(value, (list, tuple)):
        return [_possible(item, left_out) for item in value]
    if not isinstance(value, dict):
        return value
    impossible = [name for name, item in value.items() if not _is_possible(name, item)]
    left_out += impossible
    return {
        name: _possible(item, left_out) for name, item in value.items() if name not in impossible
    }


def _is_possible(name: str, value: Any) -> bool:
    if name == "result_at" and isinstance(value, (list, tuple)):
        return all(count(number) is not None for number in value[:2])
    if isinstance(value, datetime):
        return _is_time(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if name in _SIGNED:
            return integer(value) is not None
        return count(value) is not None
    return True


def _is_time(value: datetime) -> bool:
    """Whether a time has a zone and can be converted to UTC."""
    try:
        return value.tzinfo is not None and value.astimezone(UTC) is not None
    except OverflowError:
        return False
