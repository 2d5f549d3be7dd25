"""What a conversion keeps, changes and loses, field by field."""

from __future__ import annotations

from typing import Literal

import msgspec

Fate = Literal["mapped", "adapted", "dropped"]
_ORDER: tuple[Fate, ...] = ("mapped", "adapted", "dropped")


class Loss(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of one field: unchanged, written in another form, or lost, and why."""

    field: str  # as the model names it: messages.reasoning, tool_calls.duration_ms
    fate: Fate
    count: int
    why: str = ""


class Losses:
    """The report of a conversion, added to while it is written."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, Fate, str], int] = {}

    def mapped(self, field: str, count: int = 1) -> None:
        """The target has a place for it, and it is unchanged there."""
        self.add(field, "mapped", count=count)

    def adapted(self, field: str, why: str, count: int = 1) -> None:
        """All of it is there, but in another form."""
        self.add(field, "adapted", why, count)

    def dropped(self, field: str, why: str, count: int = 1) -> None:
        """It is not in the written files, or not all of it."""
        self.add(field, "dropped", why, count)

    def add(self, field: str, fate: Fate, why: str = "", count: int = 1) -> None:
        """Counts what became of a field."""
        if count:
            key = (field, fate, why)
            self._counts[key] = self._counts.get(key, 0) + count

    @property
    def is_lossy(self) -> bool:
        """Whether anything was lost."""
        return any(fate == "dropped" for _, fate, _ in self._counts)

    def entries(self) -> list[Loss]:
        """The report: field by field, the best fate first."""
        found = (
            Loss(field, fate, count, why) for (field, fate, why), count in self._counts.items()
        )
        return sorted(found, key=lambda loss: (loss.field, _ORDER.index(loss.fate), loss.why))
