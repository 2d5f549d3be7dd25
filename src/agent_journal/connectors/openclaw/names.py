"""The names of sessions in `sessions.json`. Its counters are of the last run: they are not read.

{"agent:main:main":{"sessionId":"80b34e78-…","displayName":"Garden","updatedAt":1775119380000}}
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.connectors.base import Content
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.values import mapping, string, title_of
from agent_journal.model import Piece, Session

_NAME_RANK = 30


class NamesReader(DocumentReader):
    """Reads the list of sessions."""

    kind = "names"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing but hints about sessions."""
        for entry in map(mapping, mapping(decode_document(data)).values()):
            session_id = string(entry.get("sessionId"))
            title = title_of(entry.get("displayName"))
            if session_id is not None and title is not None:
                hint = Session(
                    agent="openclaw",
                    id=session_id,
                    title=title,
                    title_rank=_NAME_RANK,
                    title_source="label",
                    is_hint=True,
                )
                self.found_sessions.append(hint)
        return ()
