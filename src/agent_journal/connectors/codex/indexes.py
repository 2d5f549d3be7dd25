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

# A name given by hand, before the first prompt; the index of names before the rollout
NAME_RANK = 60


class _Typed(msgspec.Struct):
    session_id: Any = None
    ts: Any = None
    text: Any = None


class _Position(msgspec.Struct, omit_defaults=True):
    position: int = 0


class HistoryReader(LogReader[_Typed, _Position]):
    """`history.jsonl`: one line for each prompt, oldest first."""

    record_type = _Typed
    state_type = _Position
    record_starts = ('{"session_id":',)

    def sessions(self) -> Iterable[Session]:
        """A history tells of no session as a whole."""
        return ()

    def record(self, record: _Typed, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """One entry."""
        if not isinstance(record.text, str):
            self.unknown("history")
            return ()
        self.mapped("history")
        position, self.state.position = self.state.position, self.state.position + 1
        return (
            HistoryEntry(
                text=record.text,
                position=position,
                timestamp=parse_time(record.ts),
                session_id=string(record.session_id),
            ),
        )


class NamesReader(DocumentReader):
    """`session_index.jsonl`: names of sessions; the last one of a session holds."""

    kind = "names"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """A title for each session that was named; a problem for each line that is none."""
        names: dict[str, str] = {}
        *lines, last = data.split(b"\n")
        at = 0
        for line in [*lines, last]:
            try:
                entry = mapping(decode_document(line)) if line.strip(b"\0 \t\r") else {}
            except ValueError as error:
                if line is not last:  # that one is still being written
                    yield Problem(reason=str(error), kind=self.kind, offset=at)
                entry = {}
            session_id, name = string(entry.get("id")), title_of(entry.get("thread_name"))
            if session_id and name:
                names[session_id] = name
            at += len(line) + 1
        self.found_sessions = [
            Session(
                agent="codex",
                id=key,
                title=name,
                title_rank=NAME_RANK + 1,
                title_source="name",
                is_hint=True,
            )
            for key, name in names.items()
        ]
