"""Titles by the last line of their session.

    {"type":"summary","summary":"Fix the parser","leafUuid":"…"}

Old versions wrote the titles of other sessions into the file of a new one. A title whose line is in
the file is its session's; any other is reported with the id of the line, and can be found.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.connectors.claude_code.chain import Chain
from agent_journal.connectors.claude_code.records import LineContext, Record
from agent_journal.connectors.claude_code.state import SUMMARY, TranscriptState, keep_recent
from agent_journal.connectors.values import one_line
from agent_journal.model import Event, LineTitle, Piece

_MAX_SUMMARIES = 1_000


class Summaries:
    """The titles of a transcript, and those of them whose line has not been seen."""

    def __init__(self, state: TranscriptState, chain: Chain) -> None:
        self._state = state
        self._chain = chain

    def note(self, record: Record, context: LineContext) -> Iterable[Piece]:
        """Take a title; nothing if it is this session's."""
        leaf = record.leaf_uuid
        title = one_line(record.summary or "")
        if not title:
            return
        if leaf and self._chain.has(leaf):
            self._state.main.titles[SUMMARY] = title
            return
        if leaf:
            keep_recent(self._state.summaries, leaf, title, _MAX_SUMMARIES)
            yield LineTitle(line_id=leaf, title=title, rank=SUMMARY, source="summary")
        yield Event(
            session_id=context.session_id,
            type="summary",
            text=record.summary or "",
            timestamp=context.time,
            offset=context.offset,
            length=context.length,
        )

    def claim(self, uuid: str) -> None:
        """Take the title of an earlier summary that names this line."""
        title = self._state.summaries.pop(uuid, None)
        if title is not None:
            self._state.main.titles[SUMMARY] = title
