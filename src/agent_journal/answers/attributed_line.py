"""A line and who wrote it, as answers show it."""

from __future__ import annotations

from typing import TypedDict

from agent_journal.provenance.candidates import Candidate
from agent_journal.provenance.prompts import Prompts
from agent_journal.provenance.sessions import Sessions
from agent_journal.text.plain import one_line

_LONGEST = 160  # letters of a prompt's first line
_NAMED = 24  # letters of a session id that are looked at to tell sessions apart


class PromptItem(TypedDict):
    """A prompt: where it is in its session, and its first line."""

    position: int
    text: str


class OtherItem(TypedDict):
    """Another session that could have written a line, and its newest edit that says so."""

    session: str
    agent: str
    edit: int


class Teller:
    """Says who made an edit, and what for."""

    def __init__(self, sessions: Sessions, prompts: Prompts) -> None:
        self._sessions = sessions
        self._prompts = prompts

    def session_id(self, row_id: int | None) -> str | None:
        """The id of a session."""
        if row_id is None:
            return None
        return self._sessions.row(row_id).uid

    def agent(self, row_id: int | None) -> str | None:
        """The agent of a session."""
        if row_id is None:
            return None
        return self._sessions.row(row_id).agent

    def prompt(self, candidate: Candidate | None) -> PromptItem | None:
        """The prompt that an edit was made for."""
        if candidate is None:
            return None
        found = self._prompts.prompt_of(candidate.writing)
        if found is None:
            return None
        return PromptItem(position=found.position, text=first_line(found.text))

    def sub_agent(self, candidate: Candidate | None) -> str | None:
        """The id of the sub-agent that made an edit; None when the session itself did."""
        if candidate is None or candidate.writing.session == candidate.session:
            return None
        return self._sessions.row(candidate.writing.session).uid

    def words(self, candidate: Candidate | None) -> str | None:
        """What the agent said before an edit; None where it said nothing."""
        if candidate is None:
            return None
        return self._prompts.words_before(candidate.writing) or None

    def other(self, candidate: Candidate) -> OtherItem:
        """A session that could have written a line."""
        row = self._sessions.row(candidate.session)
        return OtherItem(session=row.uid, agent=row.agent, edit=candidate.edit)


def first_line(text: str) -> str:
    """The first line of a prompt."""
    first, _, _ = text.strip().partition("\n")
    return one_line(first, _LONGEST)
