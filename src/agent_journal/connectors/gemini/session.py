"""A session as one document: `chats/session-*.json` of versions before the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from agent_journal.connectors.base import Content, FileIdentity, Pause
from agent_journal.connectors.gemini.chat import completeness
from agent_journal.connectors.gemini.conversation import AGENT, Conversation, Location, is_known
from agent_journal.connectors.gemini.identity import identity
from agent_journal.connectors.gemini.parts import as_json
from agent_journal.connectors.gemini.projects import folder_of, project_path
from agent_journal.connectors.gemini.prompts import opening_of
from agent_journal.connectors.gemini.records import Header, MessageRecord, SessionFields
from agent_journal.connectors.json_repair import decode_any
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.ledger import Ledger
from agent_journal.connectors.values import string
from agent_journal.errors import JournalError
from agent_journal.model import Event, Piece

_MAX_SIZE = 512 * 2**20
_LARGE = 16 * 2**20  # from here on, only the bytes are held, and one message after the other
_Decode = Callable[[Any], Any]


class _Document(SessionFields, rename="camel", kw_only=True):
    """A document whose messages are not decoded yet."""

    messages: list[msgspec.Raw]


_outline = msgspec.json.Decoder(_Document).decode


class SessionReader(DocumentReader):
    """Reads a session that is one document."""

    kind = "session"
    max_size = _MAX_SIZE

    def __init__(self, file: FileIdentity, agent: str = AGENT) -> None:
        super().__init__(file)
        self._agent = agent

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """The pieces of the whole document, or a problem."""
        if _LARGE < content.size <= self.max_size:
            return self._read_large(content)
        return super().read(content)

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return the pieces of the document."""
        document = decode_document(data)
        if not isinstance(document, dict) or not isinstance(document.get("messages"), list):
            raise ValueError("not a session: there is no list of messages")
        fields = msgspec.convert(document, SessionFields)
        return list(self._pieces(fields, document["messages"], _as_it_is, content))

    def _read_large(self, content: Content) -> Iterator[Piece | Pause]:
        """Read it twice: nothing is yielded of a document that cannot be read to its end."""
        data = _bytes_of(content)
        document = self._checked(data, content)
        self.ledger = Ledger()
        if document is None:
            data = bytearray()
            yield from super().read(content)
            return
        self.offset = len(data)
        yield from self._pieces(document, document.messages, decode_any, content)
        self.ledger.add("mapped", self.kind, len(data))

    def _checked(self, data: bytearray, content: Content) -> _Document | None:
        """The document; None if it is damaged: what can be repaired of it is read at once."""
        try:
            document = _outline(data)
            for _ in self._pieces(document, document.messages, decode_any, content):
                pass
        except JournalError:
            raise
        except Exception:
            return None
        return document

    def _pieces(
        self, fields: SessionFields, messages: list[Any], decode: _Decode, content: Content
    ) -> Iterator[Piece]:
        header = Header()
        header.update(fields)
        named = self._messages(messages, decode)
        opening = _opening(map(decode, named.values()))
        first_id = None
        if messages:
            first_id = _first_id(decode(messages[0]))
        found = identity(self.file, header, opening, first_id, content)
        conversation = Conversation(found, agent=self._agent)
        for name, message in named.items():
            yield from self._message(conversation, name, decode(message))
        project = project_path(self.file, header, content, conversation.paths)
        session = conversation.session(header, project, folder_of(self.file))
        self.found_sessions = [session]
        self.completeness = completeness(session, conversation.messages, is_log=False)

    def _message(
        self, conversation: Conversation, name: str, message: dict[str, Any]
    ) -> Iterable[Piece]:
        if is_known(message.get("type")):
            record = msgspec.convert(message, MessageRecord)
            return conversation.pieces(record, name, Location())
        kind = str(message.get("type"))[:80]
        self.ledger.add("unknown", kind, 0)
        raw = as_json(message)
        return (Event(session_id=conversation.session_id, type=kind, id=name, raw=raw),)

    def _messages(self, messages: list[Any], decode: _Decode) -> dict[str, Any]:
        """Return the messages by id: as in a log the last one counts, in the place of the first."""
        found: dict[str, Any] = {}
        for number, each in enumerate(messages):
            message = decode(each)
            if isinstance(message, dict):
                found[string(message.get("id")) or f"line-{number}"] = each
            else:
                self.ledger.add("malformed", "message", 0, "not a JSON object")
                self.ledger.trouble(None, "message", f"message {number} is not a JSON object")
        return found


def _as_it_is(message: Any) -> Any:
    return message


def _bytes_of(content: Content) -> bytearray:
    """All bytes, which joining chunks would hold twice for a moment."""
    data = bytearray(content.size)
    size = 0
    for chunk in content.chunks():
        data[size : size + len(chunk)] = chunk
        size += len(chunk)
    del data[size:]
    return data


def _first_id(message: Any) -> str | None:
    if not isinstance(message, dict):
        return None
    return string(message.get("id")) or ""


def _opening(messages: Iterable[dict[str, Any]]) -> str:
    records = (msgspec.convert(message, MessageRecord) for message in messages)
    return next(filter(None, map(opening_of, records)), "")
