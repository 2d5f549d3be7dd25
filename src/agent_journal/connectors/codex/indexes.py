"""The small logs beside the rollouts: what the person typed, and the names given to sessions.

`{"session_id":"<id>","ts":1756568693,"text":"fix it"}` and
`{"id":"<id>","thread_name":"Parser","updated_at":…}`
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from agent_journal.connectors.base import Content
from agent_journal.connectors.jsonl import DocumentReader, LogReader, decode_document
from agent_journal.connectors.values import mapping, string, title_of
from agent_journal.model import HistoryEntry, Piece, Problem, Session
from agent_journal.text.dates import parse_time

# A name that the person gave outranks the first prompt, and the index of names the rollout
NAME_RANK = 60


class _TypedPrompt(msgspec.Struct):
    session_id: Any = None
    ts: Any = None
    text: Any = None


class _HistoryState(msgspec.Struct, omit_defaults=True):
    position: int = 0


class HistoryReader(LogReader[_TypedPrompt, _HistoryState]):
    """Reads `history.jsonl`: one line for each prompt, oldest first."""

    record_type = _TypedPrompt
    state_type = _HistoryState
    record_starts = ('{"session_id":',)

    def sessions(self) -> Iterable[Session]:
        """Return nothing: a history describes no session."""
        return ()

    def record(
        self, record: _TypedPrompt, offset: int, length: int, line: bytes
    ) -> Iterable[Piece]:
        """Return the entry of one line."""
        if not isinstance(record.text, str):
            self.unknown("history")
            return ()
        self.mapped("history")
        entry = HistoryEntry(
            text=record.text,
            position=self.state.position,
            timestamp=parse_time(record.ts),
            session_id=string(record.session_id),
        )
        self.state.position += 1
        return (entry,)


class NamesReader(DocumentReader):
    """Reads `session_index.jsonl`: the names of sessions, of which the last one counts."""

    kind = "names"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Yield a problem for each broken line; the names become titles of sessions."""
        names: dict[str, str] = {}
        offset = 0
        lines = data.split(b"\n")
        for number, line in enumerate(lines, 1):
            try:
                entry = _decoded(line)
            except ValueError as error:
                if number < len(lines):  # the last line may still be being written
                    yield Problem(reason=str(error), kind=self.kind, offset=offset)
                entry = {}
            session_id = string(entry.get("id"))
            name = title_of(entry.get("thread_name"))
            if session_id and name:
                names[session_id] = name
            offset += len(line) + 1
        self.found_sessions = [
            _named_session(session_id, name) for session_id, name in names.items()
        ]


def _decoded(line: bytes) -> dict[str, Any]:
    if not line.strip(b"\0 \t\r"):
        return {}
    return mapping(decode_document(line))


def _named_session(session_id: str, name: str) -> Session:
    return Session(
        agent="codex",
        id=session_id,
        title=name,
        title_rank=NAME_RANK + 1,
        title_source="name",
        is_hint=True,
    )
