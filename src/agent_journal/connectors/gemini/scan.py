"""The first look through a log: which record of each message is the last word, and what was
rewound.

A message is written anew whenever it grows (tokens, tool results), a checkpoint repeats all of
them, and `$rewindTo` takes back. So the log is read twice, and only ids and places are held in
between: memory does not grow with the texts.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.gemini.records import (
    Header,
    Line,
    NoState,
    checkpoint_of,
    id_of,
    told_in,
)
from agent_journal.connectors.jsonl import LogReader
from agent_journal.model import Piece, Session

# Where a message stands: the place of its line, and its number in a checkpoint (-1: it is the
# line).
Place = tuple[int, int]
ALONE = -1


class Plan:
    """What a log comes to in the end."""

    def __init__(self) -> None:
        self.header = Header()
        self.first: dict[str, Place] = {}
        self.last: dict[str, Place] = {}
        self.current: dict[str, None] = {}  # the messages that were not rewound, in their order
        self.moved: set[str] = set()  # the messages that were written again after others
        self._newest = ""

    def add(self, message_id: str, place: Place) -> None:
        """A message stands here. What a checkpoint repeats may be shortened, so a line of its own
        counts more.
        """
        is_again = self.first.setdefault(message_id, place) != place
        if is_again and place[1] == ALONE and message_id != self._newest:
            self.moved.add(message_id)
        self._newest = message_id
        self.current.setdefault(message_id)
        if place[1] == ALONE or self.last.get(message_id, place)[1] != ALONE:
            self.last[message_id] = place

    def rewind(self, message_id: str) -> None:
        """That message and all after it are taken back; all of them when it is not known."""
        ids = list(self.current)
        for gone in ids[ids.index(message_id) :] if message_id in self.current else ids:
            del self.current[gone]


class Scan(LogReader[Line, NoState]):
    """Reads a log for its plan; its account is not used."""

    record_type = Line
    state_type = NoState

    def __init__(self, file: FileIdentity) -> None:
        super().__init__(file, None)
        self.plan = Plan()

    def record(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """Notes what one line says."""
        plan = self.plan
        if record.rewind_to is not None:
            plan.rewind(record.rewind_to)
        elif record.id:
            plan.add(record.id, (offset, ALONE))
        else:
            if bytes(record.update):
                plan.header.take(told_in(record.update))
            elif record.session_id:
                plan.header.take(told_in(line))
            for number, raw in enumerate(checkpoint_of(record)):
                plan.add(id_of(raw) or unnamed(offset, number), (offset, number))
        return ()

    def sessions(self) -> Iterable[Session]:
        """None: this is only the first look."""
        return ()


def unnamed(offset: int, number: int) -> str:
    """The id of a message that has none."""
    return f"line-{offset}" if number == ALONE else f"line-{offset}-{number}"
