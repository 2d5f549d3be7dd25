"""A session as one document: `chats/session-*.json` of versions before the log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from agent_journal.connectors.base import Content
from agent_journal.connectors.gemini.chat import completeness
from agent_journal.connectors.gemini.conversation import Conversation, Location, is_known
from agent_journal.connectors.gemini.identity import identity
from agent_journal.connectors.gemini.parts import as_json
from agent_journal.connectors.gemini.projects import folder_of, project_path
from agent_journal.connectors.gemini.prompts import opening_of
from agent_journal.connectors.gemini.records import Header, MessageRecord, SessionFields
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.values import string
from agent_journal.model import Event, Piece

_MAX_SIZE = 512 * 2**20


class SessionReader(DocumentReader):
    """Reads a session that is one document."""

    kind = "session"
    max_size = _MAX_SIZE

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return the pieces of the document."""
        document = decode_document(data)
        if not isinstance(document, dict) or not isinstance(document.get("messages"), list):
            raise ValueError("not a session: there is no list of messages")
        header = Header()
        header.update(msgspec.convert(document, SessionFields))
        messages = self._messages(document["messages"])
        opening = _opening(messages.values())
        conversation = Conversation(
            identity(self.file, header, opening, _first_id(document["messages"]), content)
        )
        found: list[Piece] = []
        for name, message in messages.items():
            if is_known(message.get("type")):
                record = msgspec.convert(message, MessageRecord)
                found += conversation.pieces(record, name, Location())
            else:
                kind = str(message.get("type"))[:80]
                self.ledger.add("unknown", kind, 0)
                raw = as_json(message)
                event = Event(session_id=conversation.session_id, type=kind, id=name, raw=raw)
                found.append(event)
        project = project_path(self.file, header, content, conversation.paths)
        session = conversation.session(header, project, folder_of(self.file))
        self.found_sessions = [session]
        self.completeness = completeness(session, conversation.messages, is_log=False)
        return found

    def _messages(self, messages: list[Any]) -> dict[str, dict[str, Any]]:
        """Return the messages by id: as in a log the last one counts, in the place of the first."""
        found: dict[str, dict[str, Any]] = {}
        for number, message in enumerate(messages):
            if isinstance(message, dict):
                found[string(message.get("id")) or f"line-{number}"] = message
            else:
                self.ledger.add("malformed", "message", 0, "not a JSON object")
                self.ledger.trouble(None, "message", f"message {number} is not a JSON object")
        return found


def _first_id(messages: list[Any]) -> str | None:
    if not messages or not isinstance(messages[0], dict):
        return None
    return string(messages[0].get("id")) or ""


def _opening(messages: Iterable[dict[str, Any]]) -> str:
    records = (msgspec.convert(message, MessageRecord) for message in messages)
    return next(filter(None, map(opening_of, records)), "")
