"""Numbers and times in pieces of another package's reader: held to what our own readers let pass."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from agent_journal.connectors.values import count, integer

T = TypeVar("T", bound=msgspec.Struct)
_SIGNED = frozenset(("exit_code",))


def within_limits(piece: T) -> tuple[T, list[str]]:
    """The piece with values of the right types, without numbers and times that cannot be; and the
    names of those.
    """
    left_out: list[str] = []
    values = _possible(msgspec.to_builtins(piece, builtin_types=(datetime,)), left_out)
    return msgspec.convert(values, type(piece), builtin_types=(datetime,)), left_out


def _possible(value: Any, left_out: list[str]) -> Any:
    if isinstance(value, (list, tuple)):
        return [_possible(one, left_out) for one in value]
    if not isinstance(value, dict):
        return value
    wrong = [name for name, one in value.items() if not _may_be(name, one)]
    left_out += wrong
    return {name: _possible(one, left_out) for name, one in value.items() if name not in wrong}


def _may_be(name: str, value: Any) -> bool:
    if name == "result_at" and isinstance(value, (list, tuple)):
        return all(count(number) is not None for number in value[:2])
    if isinstance(value, datetime):
        return _is_time(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (integer if name in _SIGNED else count)(value) is not None
    return True


def _is_time(value: datetime) -> bool:
    """Whether a time has a zone and is one in UTC, too."""
    try:
        return value.tzinfo is not None and value.astimezone(UTC) is not None
    except OverflowError:
        return False
