"""What an answer may say of a session: without secrets, unless the person has decided otherwise."""

from __future__ import annotations

from typing import Any, NamedTuple

from agent_journal.answers.recall.quotation import plain
from agent_journal.model import Session
from agent_journal.store.catalog.session_row import SessionRow

LONGEST_SECRET = 5_000  # letters after the end of what is shown, so that no half of one is shown


class Cleaning(NamedTuple):
    """Removes secrets, and names home folders `~`; or leaves texts as they are."""

    home: str
    is_redacting: bool

    def text(self, text: str) -> str:
        """A text without its secrets."""
        if not self.is_redacting or not text:
            return text
        from agent_journal.text.redaction.redact import redact

        return redact(text, self.home)

    def printed(self, text: str, command: str) -> str:
        """What a command printed, also without what only the command shows to be secret."""
        if not self.is_redacting or not text:
            return text
        from agent_journal.text.redaction.redact import redact_printed

        return self.text(redact_printed(text, command))

    def beginning(self, text: str, length: int, command: str = "") -> str:
        """The beginning of a text without its secrets, nor the half of one at its end.

        With a command, the text is what that printed.
        """
        looked_at = text[: length + LONGEST_SECRET]
        clean = self.printed(looked_at, command)
        if len(looked_at) < len(text):
            clean = clean[:-LONGEST_SECRET]
        return clean[:length]

    def title(self, title: str | None) -> str:
        """A title; a word at the end of a long one may be the half of a secret, and goes."""
        from agent_journal.export.family import without_cut_word

        if not title:
            return ""
        return self.text(without_cut_word(title))

    def row(self, row: SessionRow) -> SessionRow:
        """A session of a list with titles that are safe to cut further."""
        if not self.is_redacting:
            return row
        agent_title = row.agent_title
        if agent_title is not None:
            agent_title = self.title(agent_title)
        title = row.title
        if title is not None:
            title = self.title(title)
        return row._replace(title=title, agent_title=agent_title)

    def session(self, session: Session) -> Session:
        """A session without secrets."""
        from agent_journal.export.family import without_secrets

        if not self.is_redacting:
            return session
        return without_secrets(session, self.home)

    def data(self, value: Any) -> Any:
        """Plain data (dicts, lists, strings) without secrets, and without unseen letters."""
        if self.is_redacting:
            from agent_journal.text.redaction.redact import redact_all

            value = redact_all(value, self.text)
        return _plain_data(value)


def _plain_data(value: Any) -> Any:
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, dict):
        return {plain(str(name)): _plain_data(below) for name, below in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain_data(below) for below in value]
    return value
