"""The prompts that edits were made for; those of sub-agents lead to the main session's."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.provenance.sessions import Sessions
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.line_prompts import (
    Edges,
    call_in,
    edges_of_request,
    is_beside_messages,
    prompt_before,
    text_of,
    words_before,
)
from agent_journal.store.catalog.line_rows import Writing


class Prompt(NamedTuple):
    """What a person asked for: its position in the session, and its text."""

    position: int
    text: str


class Prompts:
    """Finds prompts, each once."""

    def __init__(self, db: Connection, sessions: Sessions, bodies: BodyReader) -> None:
        self._db = db
        self._sessions = sessions
        self._bodies = bodies
        self._found: dict[int, Prompt | None] = {}
        self._is_beside: dict[tuple[int, int], bool] = {}
        self._texts: dict[tuple[int, int], Prompt] = {}

    def prompt_of(self, writing: Writing) -> Prompt | None:
        """The prompt that an edit was made for; None where the journal has none."""
        if writing.id not in self._found:
            self._found[writing.id] = self._find(writing)
        return self._found[writing.id]

    def words_before(self, writing: Writing) -> str:
        """What the agent said before it made an edit."""
        edges = self._edges_of(writing)
        return words_before(self._db, self._bodies, writing.session, edges)

    def _edges_of(self, writing: Writing) -> Edges:
        """Where an edit is; a record of edits is another file than the conversation."""
        key = (writing.session, writing.file_id)
        if key not in self._is_beside:
            self._is_beside[key] = is_beside_messages(self._db, *key)
        if self._is_beside[key] or writing.source != "edit":
            return Edges(writing.file_id, writing.seq, writing.time)
        return edges_of_request(self._db, self._bodies, writing)

    def _find(self, writing: Writing) -> Prompt | None:
        edges = self._edges_of(writing)
        session = self._sessions.row(writing.session)
        main = self._sessions.main_of(writing.session)
        if session.row_id != main:
            edges = call_in(self._db, main, session.parent_call_uid) or Edges(
                None, -1, session.started_at
            )
        said = prompt_before(self._db, main, edges)
        if said is None:
            return None
        key = (main, said.position)
        if key not in self._texts:
            self._texts[key] = Prompt(said.position, text_of(self._bodies, said))
        return self._texts[key]
