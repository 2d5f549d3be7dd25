"""The chain of a transcript: each line names the line it follows.

    {"uuid":"a1","parentUuid":"u1","type":"assistant",…}
    {"uuid":"d1","parentUuid":"a1","type":"system","subtype":"turn_duration",…}
    {"uuid":"u2","parentUuid":"d1","type":"user",…}

Lines that become neither a message nor a call are bridged: here u2 follows a1.
"""

from __future__ import annotations

import hashlib

from agent_journal.connectors.claude_code.records import Record
from agent_journal.connectors.claude_code.state import TranscriptState, keep_recent

_MARK_SIZE = 8
_MAX_BRIDGES = 20_000
_UUID_LENGTH = 36


class Chain:
    """The lines seen so far, and the message or call that each line follows."""

    def __init__(self, state: TranscriptState) -> None:
        self._state = state
        marks = bytes(state.seen)
        starts = range(0, len(marks), _MARK_SIZE)
        self._seen = {marks[start : start + _MARK_SIZE] for start in starts}

    def has(self, uuid: str) -> bool:
        """Whether a line with that uuid was added."""
        return _mark(uuid) in self._seen

    def add(self, uuid: str) -> bool:
        """Add a line; False when it repeats an earlier one.

        Versions before 0.2.106 wrote whole sessions twice. Ids shorter than a UUID are made up and
        may repeat by chance.
        """
        mark = _mark(uuid)
        if mark in self._seen:
            return len(uuid) != _UUID_LENGTH
        self._seen.add(mark)
        self._state.seen += mark
        return True

    def parent(self, uuid: str | None) -> str | None:
        """The message or call behind a `parentUuid`, across the bridges."""
        if uuid is None:
            return None
        return self._state.bridges.get(uuid, uuid) or None

    def bridge(self, record: Record) -> None:
        """Let the lines that follow this one follow its parent instead."""
        if record.uuid is None:
            return
        # A compaction starts a new chain; the last line before it is in another field.
        before = self.parent(record.parent_uuid or record.logical_parent_uuid)
        keep_recent(self._state.bridges, record.uuid, before or "", _MAX_BRIDGES)


def _mark(uuid: str) -> bytes:
    return hashlib.blake2b(uuid.encode(), digest_size=_MARK_SIZE).digest()
