"""The envelope that every answer comes in, whatever its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

SCHEMA = 1  # raised when a field is removed or changes its meaning


class Answer(NamedTuple):
    """Items of one kind, how many there are in all, and extra fields of the kind."""

    kind: str
    items: Sequence[Mapping[str, Any]]
    total: int | None  # None: not counted
    limit: int | None = None  # None: all were asked for
    has_more: bool = False
    problems: int = 0
    extra: Mapping[str, Any] = MappingProxyType({})

    def envelope(self) -> dict[str, Any]:
        """Return the object that --json prints."""
        state = "more" if self.has_more else "complete"
        return {
            "schema": SCHEMA,
            "kind": self.kind,
            "items": list(self.items),
            "page": {"state": state, "total": self.total, "limit": self.limit},
            "problems": self.problems,
            **self.extra,
        }


def whole_answer(
    kind: str, items: Sequence[Mapping[str, Any]], *, problems: int = 0, **extra: Any
) -> Answer:
    """Return an answer that has all its items."""
    return Answer(kind, items, total=len(items), problems=problems, extra=extra)


def page_answer(
    kind: str, items: Sequence[Mapping[str, Any]], *, total: int, limit: int | None, **extra: Any
) -> Answer:
    """Return an answer that has some of `total` items."""
    has_more = len(items) < total
    return Answer(kind, items, total=total, limit=limit, has_more=has_more, extra=extra)


def iso_time(micros: int | None) -> str | None:
    """Return a time of the catalog in ISO 8601, in UTC."""
    from agent_journal.text.dates import from_micros

    when = from_micros(micros)
    if when is None:
        return None
    return when.isoformat().replace("+00:00", "Z")
