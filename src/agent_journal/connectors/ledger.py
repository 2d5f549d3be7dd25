"""The account of one file: every byte is mapped, skipped for a reason, unknown or malformed."""

from __future__ import annotations

from typing import Literal, NamedTuple

Status = Literal["mapped", "skipped", "unknown", "malformed"]


class Verdict(NamedTuple):
    """What became of a record, and why."""

    status: Status
    kind: str
    reason: str


class Trouble(NamedTuple):
    """A place in a file that could not be read as it should."""

    offset: int | None
    kind: str
    reason: str


class Ledger:
    """Counts records and bytes by what became of them, and remembers the places of trouble."""

    # A file of a million broken lines must not fill the journal: all are counted, but only so many
    # places are remembered.
    MAX_TROUBLES = 100

    def __init__(self) -> None:
        # Records and bytes. The keys are Verdicts, and can be looked up by plain tuples.
        self.counts: dict[tuple[Status, str, str], list[int]] = {}
        self.troubles: list[Trouble] = []

    def add(self, status: Status, kind: str, size: int, reason: str = "", count: int = 1) -> None:
        """Account for `count` records of `size` bytes together."""
        sums = self.counts.get((status, kind, reason))
        if sums is None:
            self.counts[Verdict(status, kind, reason)] = [count, size]
        else:
            sums[0] += count
            sums[1] += size

    def trouble(self, offset: int | None, kind: str, reason: str) -> None:
        """Remember the place of a problem."""
        if len(self.troubles) < self.MAX_TROUBLES:
            self.troubles.append(Trouble(offset, kind, reason[:1_000]))

    @property
    def total_bytes(self) -> int:
        """All bytes accounted for so far."""
        return sum(size for _, size in self.counts.values())
