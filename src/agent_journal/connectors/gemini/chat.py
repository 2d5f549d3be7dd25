"""A session as a log: `chats/session-*.jsonl`, or `chats/<session>/<agent>.jsonl` (sub-agents)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from agent_journal.connectors.base import PAUSE, Content, FileIdentity, Pause
from agent_journal.connectors.gemini.conversation import (
    AGENT,
    ANSWERS,
    Conversation,
    Location,
    is_known,
)
from agent_journal.connectors.gemini.identity import Identity, identity
from agent_journal.connectors.gemini.projects import folder_of, project_path
from agent_journal.connectors.gemini.records import (
    Line,
    MessageRecord,
    NoState,
    checkpoint_of,
    id_of,
    message_of,
)
from agent_journal.connectors.gemini.scan import ALONE, Outline, Place, Scan, unnamed
from agent_journal.connectors.jsonl import LogReader
from agent_journal.model import Event, Message, MessageKind, Piece, Quote, Role, Session

RECORD_STARTS = ('{"id":', '{"sessionId":', '{"$set":', '{"$rewindTo":')


class ChatReader(LogReader[Line, NoState]):
    """Reads a log twice: first for what counts in the end, then for the messages."""

    record_type = Line
    state_type = NoState
    record_starts = RECORD_STARTS

    def __init__(self, file: FileIdentity, agent: str = AGENT) -> None:
        super().__init__(file, None)
        self._agent = agent
        self._outline = Outline()
        self._conversation = Conversation(Identity(""))
        self._sessions: list[Session] = []

    def sessions(self) -> Iterable[Session]:
        """Return the session, once the log is read."""
        return self._sessions

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """Yield the pieces of the log, each message as its last record has it."""
        self._outline = self._scan(content)
        header = self._outline.header
        outline = self._outline
        found = identity(self.file, header, outline.opening, outline.first_id, content)
        conversation = Conversation(found, self._quoted, self._agent)
        self._conversation = conversation
        for piece in super().read(content):
            if piece is not PAUSE:
                yield piece
        if header.session_id is None:
            if not conversation.messages:
                return
            self.ledger.trouble(0, "log", "the first line, which names the session, is lost")
        project = project_path(self.file, header, content, conversation.paths)
        session = conversation.session(header, project, folder_of(self.file))
        self._sessions = [session]
        self.completeness = completeness(session, conversation.messages, is_log=True)

    def _scan(self, content: Content) -> Outline:
        scan = Scan(self.file)
        scan.record_starts = RECORD_STARTS  # type: ignore[misc]
        for _ in scan.read(content):
            pass
        return scan.outline

    def record(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """Return what one line adds to the session."""
        if record.rewind_to is not None:
            self.mapped("$rewindTo")
            return (self._rewind(record.rewind_to, offset, length),)
        if record.id or (record.type is not None and not record.session_id):
            return self._message(record, offset, length, line)
        messages = checkpoint_of(record)
        if bytes(record.update):
            self.mapped("$set with messages" if messages else "$set")
            return self._checkpoint(messages, offset, length, ("$set", "messages"))
        if record.session_id:
            self.mapped("header")
            return self._checkpoint(messages, offset, length, ("messages",))
        self.unknown("no id")
        return (self._raw("record", None, line, offset, length),)

    def _rewind(self, message_id: str, offset: int, length: int) -> Event:
        return Event(
            session_id=self._conversation.session_id,
            type="rewind",
            text=f"back to before message {message_id}",
            offset=offset,
            length=length,
        )

    def _checkpoint(
        self, messages: list[msgspec.Raw], offset: int, length: int, path: tuple[str, ...]
    ) -> list[Piece]:
        """Return the messages of a checkpoint that no other record replaces."""
        found: list[Piece] = []
        for number, raw in enumerate(messages):
            name = id_of(raw) or unnamed(offset, number)
            if self._outline.last.get(name) != Place(offset, number):
                continue
            is_hidden = name not in self._outline.current
            at = Location(offset, length, (*path, number), is_hidden)
            try:
                found += self._pieces_of(message_of(raw), name, bytes(raw), at)
            except ValueError:
                reason = f"message {number} of the checkpoint is not a JSON object"
                self.ledger.trouble(offset, "message", reason)
        return found

    def _message(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        outline = self._outline
        name = record.id or unnamed(offset, ALONE)
        here = Place(offset, ALONE)
        kind = record.type or "no type"
        if name in outline.copies:
            self.skipped(kind[:80], "a message of the conversation, written again under a new id")
            return ()
        if outline.last.get(name, here) != here:
            self.skipped(kind[:80], "a later record of the same message replaces it")
            if outline.first[name] == here and name in outline.moved:
                return self._stand_in(record, name)
            return ()
        if is_known(record.type):
            self.mapped(kind)
        else:
            self.unknown(kind[:80])
        is_hidden = name in outline.last and name not in outline.current
        at = Location(offset, length, is_hidden=is_hidden)
        return list(self._pieces_of(message_of(line), name, line, at))

    def _stand_in(self, record: Line, name: str) -> Iterable[Piece]:
        """Return an empty message that keeps the place of one whose last record comes later."""
        role: Role
        kind: MessageKind
        if record.type == "user":
            role = "user"
            kind = "prompt"
        elif record.type in ANSWERS:
            role = "assistant"
            kind = "answer"
        else:
            return ()
        last = self._outline.last[name]
        if last.number != ALONE:
            return ()
        message = Message(
            session_id=self._conversation.session_id,
            id=name,
            role=role,
            kind=kind,
            offset=last.offset,
        )
        return (message,)

    def _pieces_of(
        self, message: MessageRecord, name: str, raw: bytes, at: Location
    ) -> Iterator[Piece]:
        if is_known(message.type):
            yield from self._conversation.pieces(message, name, at)
        else:
            yield self._raw(str(message.type)[:80], name, raw, at.offset or 0, at.length or 0)

    def _raw(self, kind: str, name: str | None, line: bytes, offset: int, length: int) -> Event:
        raw = line.rstrip(b"\r").decode("utf-8", "replace")
        return Event(
            session_id=self._conversation.session_id,
            type=kind,
            id=name,
            raw=raw,
            offset=offset,
            length=length,
        )

    def _quoted(
        self, text: str | None, where: tuple[int, int], path: tuple[str | int, ...]
    ) -> Quote | None:
        return self.quote(text, where, *path)


def completeness(session: Session, messages: int, *, is_log: bool) -> int:
    """Rank two files of one session: by later activity, more messages, being a log."""
    if not messages:
        return 0
    activity = 0
    if session.ended_at:
        activity = max(0, int(session.ended_at.timestamp() * 1000))
    return (activity * 4096 + min(messages, 4095)) * 2 + is_log
