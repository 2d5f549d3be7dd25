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


class Chain:
    """The lines seen so far, and the message or call that each line follows."""

    def __init__(self, state: TranscriptState) -> None:
        self._state = state
        entries = bytes(state.seen)
        starts = range(0, len(entries), _ENTRY_SIZE)
        self._seen = {entries[start : start + _MARK_SIZE] for start in starts}
        self._said = {entries[start : start + _ENTRY_SIZE] for start in starts}

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
