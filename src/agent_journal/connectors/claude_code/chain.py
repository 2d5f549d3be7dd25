"""The chain of a transcript: each line names the line it follows.

    {"uuid":"a1","parentUuid":"u1","type":"assistant",…}
    {"uuid":"d1","parentUuid":"a1","type":"system","subtype":"turn_duration",…}
    {"uuid":"u2","parentUuid":"d1","type":"user",…}

Lines that become neither a message nor a call are bridged: here u2 follows a1.
"""

from __future__ import annotations

import hashlib
from zlib import crc32

import msgspec

from agent_journal.connectors.claude_code.records import Record
from agent_journal.connectors.claude_code.state import TranscriptState, keep_recent

_encode = msgspec.msgpack.Encoder().encode
_MARK_SIZE = 8
_CONTENT_SIZE = 4  # of a checksum of what a line says
_ENTRY_SIZE = _MARK_SIZE + _CONTENT_SIZE
_MAX_BRIDGES = 20_000
_FEW = 50  # lines that are looked up in the bytes of the others


class _Entries:
    """The first bytes of all entries of a state.

    A set of those that were saved takes 10 ms for a session of 50,000 lines: it is made when more
    than a few are looked up.
    """

    def __init__(self, saved: bytearray, size: int) -> None:
        self._saved = bytes(saved)
        self._size = size
        self._new: set[bytes] = set()
        self._looked_up = 0

    def add(self, start: bytes) -> None:
        """Add what an entry begins with."""
        self._new.add(start)

    def __contains__(self, start: bytes) -> bool:
        return start in self._new or (bool(self._saved) and self._is_saved(start))

    def _is_saved(self, start: bytes) -> bool:
        self._looked_up += 1
        if self._looked_up > _FEW:
            starts = range(0, len(self._saved), _ENTRY_SIZE)
            self._new.update(self._saved[at : at + self._size] for at in starts)
            self._saved = b""
            return start in self._new
        at = self._saved.find(start)
        while at % _ENTRY_SIZE and at >= 0:
            at = self._saved.find(start, at + 1)
        return at >= 0


class Chain:
    """The lines seen so far, and the message or call that each line follows."""

    def __init__(self, state: TranscriptState) -> None:
        self._state = state
        self._seen = _Entries(state.seen, _MARK_SIZE)
        self._said = _Entries(state.seen, _ENTRY_SIZE)

    def has(self, uuid: str) -> bool:
        """Whether a line with that uuid was added."""
        return _mark(uuid) in self._seen

    def add(self, uuid: str, record: Record, line: bytes) -> bool:
        """Add a line; False when it repeats an earlier one.

        Versions before 0.2.106 wrote whole sessions twice. A line that says something else is not
        a repetition: other programs make up ids, and edit or merge transcripts.
        """
        mark = _mark(uuid)
        entry = mark + _content_mark(record, line)
        if entry in self._said:
            return False
        self._seen.add(mark)
        self._said.add(entry)
        self._state.seen += entry
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


def _content_mark(record: Record, line: bytes) -> bytes:
    """A checksum of what a line says; where and when it was written may differ."""
    content = line
    if record.type in ("user", "assistant"):
        content = _encode((record.message.content, record.tool_use_result))
    return crc32(content).to_bytes(_CONTENT_SIZE, "big")


def _mark(uuid: str) -> bytes:
    return hashlib.blake2b(uuid.encode(), digest_size=_MARK_SIZE).digest()
