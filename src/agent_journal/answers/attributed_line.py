"""A line and who wrote it, as answers show it."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

from agent_journal.answers.answer import iso_time
from agent_journal.provenance.candidates import Candidate
from agent_journal.provenance.prompts import Prompt, Prompts
from agent_journal.provenance.sessions import Sessions
from agent_journal.text.plain import one_line

_LONGEST = 160  # letters of a prompt's first line


class PromptItem(TypedDict):
    """A prompt: where it is in its session, and its first line."""

    position: int
    text: str


class OtherItem(TypedDict):
    """Another session that could have written a line, and its newest edit that says so."""

    session: str
    agent: str
    edit: int


class EditItem(NamedTuple):
    """What is said of the edit that a line follows from."""

    session: str
    agent: str
    edit: int
    timestamp: str | None
    prompt: PromptItem | None
    sub_agent: str | None


class Teller:
    """Says who made an edit, and what for; of each edit once."""

    def __init__(self, sessions: Sessions, prompts: Prompts) -> None:
        self._sessions = sessions
        self._prompts = prompts
        self._edits: dict[int, EditItem] = {}

    def edit(self, candidate: Candidate) -> EditItem:
        """What is said of an edit."""
        if candidate.edit not in self._edits:
            self._edits[candidate.edit] = self._tell(candidate)
        return self._edits[candidate.edit]

    def session_id(self, row_id: int | None) -> str | None:
        """The id of a session."""
        if row_id is None:
            return None
        return self._sessions.row(row_id).uid

    def words(self, candidate: Candidate | None) -> str | None:
        """What the agent said before an edit; None where it said nothing."""
        if candidate is None:
            return None
        return self._prompts.words_before(candidate.writing) or None

    def other(self, candidate: Candidate) -> OtherItem:
        """A session that could have written a line."""
        row = self._sessions.row(candidate.session)
        return OtherItem(session=row.uid, agent=row.agent, edit=candidate.edit)

    def _tell(self, candidate: Candidate) -> EditItem:
        row = self._sessions.row(candidate.session)
        prompt = self._prompts.prompt_of(candidate.writing)
        sub_agent = None
        if candidate.writing.session != candidate.session:
            sub_agent = self._sessions.row(candidate.writing.session).uid
        return EditItem(
            row.uid,
            row.agent,
            candidate.edit,
            iso_time(candidate.writing.time),
            prompt_item(prompt),
            sub_agent,
        )


def prompt_item(prompt: Prompt | None) -> PromptItem | None:
    """A prompt as answers show it."""
    if prompt is None:
        return None
    return PromptItem(position=prompt.position, text=first_line(prompt.text))


def first_line(text: str) -> str:
    """The first line of a prompt."""
    first, _, _ = text.strip().partition("\n")
    return one_line(first, _LONGEST)
