"""A session of Continue, and the list of sessions. Neither messages nor calls have times.

{"sessionId":"c213…","title":"Pears","workspaceDirectory":"/home/sam/orchard","history":[
 {"message":{"role":"user","content":"Plant a pear."},"contextItems":[]},
 {"message":{"role":"assistant","content":"Done.","toolCalls":[…],"usage":{…}},"toolCallStates":[…]}
]}
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agent_journal.connectors.base import Content, Recognition
from agent_journal.connectors.continue_dev.history import AGENT, History
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.recognition import stem
from agent_journal.connectors.values import first_string, integer, items, mapping, string, title_of
from agent_journal.connectors.vscode_chat.uris import path_of
from agent_journal.model import Piece, Session
from agent_journal.text.dates import parse_time

_MAX_SIZE = 512 * 2**20
_NO_TITLES = ("New Session", "Untitled Session")
_TITLE_RANK = 40
_PROMPT_RANK = 10


class SessionReader(DocumentReader):
    """Reads a session."""

    kind = "session"
    max_size = _MAX_SIZE

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return the pieces of the document."""
        document = decode_document(data)
        if not isinstance(document, dict) or not isinstance(document.get("history"), list):
            raise ValueError("not a session: there is no history")
        session_id = self.file.session_id or string(document.get("sessionId"))
        history = History(session_id or stem(self.file.name), self.ledger)
        found: list[Piece] = []
        for number, item in enumerate(document["history"]):
            found += history.item(item, number)
        if not found:
            self.left_out = "a session without messages"
            return ()
        self.found_sessions = [_session(document, history)]
        self.completeness = len(found)
        return found


def _session(document: dict[str, Any], history: History) -> Session:
    title = _title(document.get("title"))
    rank = _TITLE_RANK
    source: str | None = "title"
    if title is None:
        title = history.title.text
        rank = _PROMPT_RANK if title else 0
        source = history.title.source
    models = list(history.models)
    named = string(document.get("chatModelTitle"))
    if not models and named is not None:
        models = [named]
    return Session(
        agent=AGENT,
        id=history.session_id,
        title=title,
        title_rank=rank,
        title_source=source,
        project_path=_folder(document.get("workspaceDirectory")),
        models=tuple(models),
    )


def _title(title: object) -> str | None:
    """A title that somebody gave."""
    if title in _NO_TITLES:
        return None
    return title_of(title)


def _folder(place: object) -> str | None:
    """A folder that is recorded as a path or as a URI."""
    text = string(place)
    if text is None or "://" not in text:
        return text
    return path_of(text)


class ListReader(DocumentReader):
    """Reads `sessions.json`: what is known of sessions, with or without a file."""

    kind = "list of sessions"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return nothing; what is said about sessions goes into `found_sessions`."""
        document = decode_document(data)
        if not isinstance(document, list):
            raise ValueError("not a list of sessions")
        for entry in items(document):
            session_id = first_string(entry, "sessionId", "session_id")
            if session_id is not None:
                self.found_sessions.append(_hint(session_id, entry))
        return ()


def _hint(session_id: str, entry: dict[str, Any]) -> Session:
    title = _title(entry.get("title"))
    return Session(
        agent=AGENT,
        id=session_id,
        title=title,
        title_rank=_TITLE_RANK if title else 0,
        title_source="title" if title else None,
        project_path=_folder(entry.get("workspaceDirectory")),
        started_at=parse_time(_milliseconds(entry.get("dateCreated"))),
        is_hint=True,
    )


def _milliseconds(value: object) -> object:
    """A number that may be written as a text; any other text is a date."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 16:
        return integer(int(value))
    return value


def recognise(document: object) -> Recognition | None:
    """A document with a history of messages."""
    session_id = string(mapping(document).get("sessionId"))
    history = items(mapping(document).get("history"))
    if session_id is None or not any("message" in item for item in history):
        return None
    return Recognition("session", session_id)
