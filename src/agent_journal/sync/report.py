"""What a sync did: counted while it runs, and reported at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agent_journal.store.catalog.listing import SessionKey
    from agent_journal.sync.intake import Intake


class Report(NamedTuple):
    """What a sync did."""

    sessions: int
    new_sessions: int
    changed_files: int
    rewritten_files: int
    repaired_parts: int
    read_bytes: int
    vanished_files: int
    problems: int
    seconds: float
    # Of files that take longer than one sync has time for
    unfinished_files: int = 0
    unread_bytes: int = 0
    left_sessions: int = 0  # which only earlier versions of rewritten files have
    other_copies: int = 0  # files that have more of a session than the one that is read
    lost_files: int = 0  # of which the archive has lost bytes
    rewritten_lost: int = 0  # rewritten files whose earlier version is not kept: it has lost bytes
    # With an index or another package's connector; sessions are kept and read all the same
    trouble: str = ""
    unknown_files: tuple[str, ...] = ()  # of those that were named


class Totals:
    """What all rounds of intake did together."""

    def __init__(self) -> None:
        self.changed = 0
        self.rewritten: list[int] = []  # the versions before
        self.in_rewritten: set[SessionKey] = set()
        self.compared: set[int] = set()
        self.repaired = 0
        self.read_bytes = 0
        self.unfinished = 0
        self.unread_bytes = 0
        self.unknown: dict[str, str] = {}  # files that were named, with what is wrong

    def add(self, intake: Intake) -> None:
        """Add what one round did."""
        self.changed += intake.changed
        self.rewritten += intake.rewritten
        self.in_rewritten |= intake.in_rewritten
        self.compared |= intake.compared
        self.repaired += intake.repaired
        self.read_bytes += intake.done_bytes
        self.unfinished += intake.unfinished
        self.unread_bytes += intake.unread_bytes
