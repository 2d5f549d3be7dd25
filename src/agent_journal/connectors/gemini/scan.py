"""The first pass through a log: which record of each message is the last, and what was rewound.

A message is written again whenever it grows (tokens, tool results), a checkpoint repeats all of
them, and `$rewindTo` takes messages back. So the log is read twice, and only ids and places are
held in between: memory does not grow with the texts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.gemini.prompts import opening_of
from agent_journal.connectors.gemini.records import (
    Header,
    Line,
    NoState,
    checkpoint_of,
    fields_in,
    id_of,
    message_of,
)
from agent_journal.connectors.jsonl import LogReader
from agent_journal.model import Piece, Session

ALONE = -1
_CONTEXT = b"<session_context>"
_SNAPSHOT = b"<state_snapshot>"


class Place(NamedTuple):
    """Where a message is: the offset of its line, and its number in a checkpoint or ALONE."""

    offset: int
    number: int


class Outline:
    """The messages of a log and where each was first and last written."""

    def __init__(self) -> None:
        self.header = Header()
        self.opening = ""  # the first text after the context
        # Of the first message: empty when it has none, None when it is not known
        self.first_id: str | None = None
        self.first: dict[str, Place] = {}
        self.last: dict[str, Place] = {}
        self.current: dict[str, None] = {}  # the messages that were not rewound, in their order
        self.moved: set[str] = set()  # the messages that were written again after others
        self.copies: set[str] = set()  # the messages that repeat others, under new ids
        self._newest = ""
        self._contexts: set[str] = set()  # the messages that a conversation begins with
        self._snapshots: set[str] = set()  # the messages that a compaction made

    def add(self, message_id: str, place: Place) -> None:
        """Note a message. A checkpoint may shorten it, so a line that is the message wins."""
        is_alone = place.number == ALONE
        is_repeated = self.first.setdefault(message_id, place) != place
        if is_repeated and is_alone and message_id != self._newest:
            self.moved.add(message_id)
        self._newest = message_id
        self.current.setdefault(message_id)
        if is_alone or self.last.get(message_id, place).number != ALONE:
            self.last[message_id] = place

    def note_user(self, message_id: str, line: bytes) -> None:
        """Note what is known by a mark in the user's message."""
        if _SNAPSHOT in line:
            self._snapshots.add(message_id)
        elif _CONTEXT in line:
            self._contexts.add(message_id)

    def note_copies(self, ids: list[str]) -> None:
        """Note the messages of a checkpoint if they repeat the conversation under new ids.

        Gemini CLI 0.61 does so when it shortens old results: it writes all messages as lines, from
        the context on, and then the checkpoint with these.
        """
        if not ids or ids[0] not in self._contexts:
            return
        begin = self.first[ids[0]]
        places = [self.first[message_id] for message_id in ids]
        are_lines = all(place.number == ALONE for place in places)
        if are_lines and min(places) == begin and min(self.first.values()) < begin:
            self.copies.update(ids)
            self.copies -= self._snapshots

    def rewind(self, message_id: str) -> None:
        """Take back that message and all after it; all messages when it is not known."""
        ids = list(self.current)
        if message_id in self.current:
            ids = ids[ids.index(message_id) :]
        for rewound in ids:
            del self.current[rewound]


class Scan(LogReader[Line, NoState]):
    """Reads a log for its outline; its ledger is not used."""

    record_type = Line
    state_type = NoState

    def __init__(self, file: FileIdentity) -> None:
        super().__init__(file, None)
        self.outline = Outline()
        self._has_begun = False

    def record(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """Note what one line says."""
        outline = self.outline
        if not self._has_begun:
            self._begin(record)
        if record.rewind_to is not None:
            outline.rewind(record.rewind_to)
            return ()
        if record.type == "user" and not outline.opening:
            outline.opening = _opening(line)
        if record.id:
            outline.add(record.id, Place(offset, ALONE))
            if record.type == "user":
                outline.note_user(record.id, line)
            return ()
        if bytes(record.update):
            outline.header.update(fields_in(record.update))
        elif record.session_id:
            outline.header.update(fields_in(line))
        ids = []
        for number, raw in enumerate(checkpoint_of(record)):
            ids.append(id_of(raw) or unnamed(offset, number))
            outline.add(ids[-1], Place(offset, number))
            if not outline.opening:
                outline.opening = _opening(raw)
        outline.note_copies(ids)
        return ()

    def _begin(self, record: Line) -> None:
        """Note the id of the first message, unless that may be in a line that is damaged."""
        checkpoint = checkpoint_of(record)
        if checkpoint:
            first_id = id_of(checkpoint[0]) or ""
        elif record.id or (record.type is not None and not record.session_id):
            first_id = record.id or ""
        else:
            return
        self._has_begun = True
        if not self.ledger.troubles:
            self.outline.first_id = first_id

    def sessions(self) -> Iterable[Session]:
        """Return nothing: this is only the first pass."""
        return ()


def _opening(raw: bytes | msgspec.Raw) -> str:
    try:
        return opening_of(message_of(raw))
    except ValueError:
        return ""


def unnamed(offset: int, number: int) -> str:
    """Return an id for a message that has none."""
    if number == ALONE:
        return f"line-{offset}"
    return f"line-{offset}-{number}"
