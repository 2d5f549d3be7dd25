"""`rows`: the rows that an SQL query gave."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypedDict

from agent_journal.answers.answer import Answer, page_answer

if TYPE_CHECKING:
    from agent_journal.sql.database import Result

_WITH_ZONE = "TIMESTAMP WITH TIME ZONE"


class ColumnItem(TypedDict):
    """A column of the result."""

    name: str
    type: str


class RowsExtra(TypedDict):
    """The columns, in order."""

    columns: list[ColumnItem]


def rows_answer(result: Result, limit: int | None) -> Answer:
    """Return the rows, each by the names of its columns."""
    columns = [
        ColumnItem(name=name, type=kind)
        for name, kind in zip(result.columns, result.types, strict=True)
    ]
    names = _distinct(result.columns)
    as_json = [_encoder(kind) for kind in result.types]
    items = [
        {name: encode(value) for name, encode, value in zip(names, as_json, row, strict=True)}
        for row in result.rows
    ]
    total = len(items) + result.has_more
    return page_answer("rows", items, total=total, limit=limit, columns=columns)


def plain_value(value: Any) -> Any:
    """Return a value as JSON can have it."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        if value == value.to_integral_value():
            return int(value)
        return float(value)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return [plain_value(item) for item in value]
    if isinstance(value, dict):
        return {str(name): plain_value(item) for name, item in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def _encoder(kind: str) -> Callable[[Any], Any]:
    if kind == _WITH_ZONE:
        return _utc
    return plain_value


def _utc(value: Any) -> Any:
    """Return a time with a zone as all answers have it: 2026-01-31T12:00:00Z."""
    try:
        return datetime.fromisoformat(value).astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (TypeError, ValueError, OverflowError):  # NULL, infinity, before the year 1
        return value


def _distinct(names: list[str]) -> list[str]:
    """Return the names of columns with a number after those that occur again."""
    distinct: list[str] = []
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            distinct.append(f"{name}_{seen[name]}")
        else:
            distinct.append(name)
    return distinct
