"""A session as a log: `chats/session-*.jsonl`, and `chats/<session>/<agent>.jsonl` of its
sub-agents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent_journal.connectors.base import PAUSE, Content, FileIdentity, Pause
from agent_journal.connectors.gemini.projects import folder_of, project_path
from agent_journal.connectors.gemini.records import (
    Line,
    MessageRecord,
    NoState,
    checkpoint_of,
    id_of,
    message_of,
)
from agent_journal.connectors.gemini.scan import ALONE, Plan, Scan, unnamed
from agent_journal.connectors.gemini.talk import ANSWERS, Spot, Talk, is_known
from agent_journal.connectors.jsonl import LogReader
from agent_journal.model import Event, Message, Piece, Quote, Session

RECORD_STARTS = ('{"id":', '{"sessionId":', '{"$set":', '{"$rewindTo":')


class ChatReader(LogReader[Line, NoState]):
    """Reads a log twice: first for what counts in the end, then for the messages."""

    record_type = Line
    state_type = NoState
    record_starts = RECORD_STARTS

    def __init__(self, file: FileIdentity) -> None:
        super().__init__(file, None)
        self._plan = Plan()
        self._talk = Talk("")
        self._sessions: list[Session] = []

    def sessions(self) -> Iterable[Session]:
        """The session, once the log is read."""
        return self._sessions

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """Everything the log comes to."""
        scan = Scan(self.file)
        scan.record_starts = RECORD_STARTS  # type: ignore[misc]
        for _ in scan.read(content):
            pass
        plan = self._plan = scan.plan
        self._talk = talk = Talk(session_id(self.file, plan.header.session_id), self._quoted)
        yield from (piece for piece in super().read(content) if piece is not PAUSE)
        if plan.header.session_id is None and not talk.messages:
            return
        if plan.header.session_id is None:
            self.ledger.trouble(0, "log", "the first line, which names the session, is lost")
        project = project_path(self.file, plan.header, content)
        session = talk.session(plan.header, project, folder_of(self.file), parent_of(self.file))
        self._sessions = [session]
        self.completeness = completeness(session, talk.messages, is_log=True)

    def record(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """What one line adds to the session."""
        if record.rewind_to is not None:
            self.mapped("$rewindTo")
            text = f"back to before message {record.rewind_to}"
            return (
                Event(
                    session_id=self._talk.session_id,
                    type="rewind",
                    text=text,
                    offset=offset,
                    length=length,
                ),
            )
        if record.id or (record.type is not None and not record.session_id):
            return self._message(record, offset, length, line)
        messages = checkpoint_of(record)
        if bytes(record.update):
            self.mapped("$set with messages" if messages else "$set")
        elif record.session_id:
            self.mapped("header")
        else:
            self.unknown("no id")
            return (self._raw("record", None, line, offset, length),)
        way = ("$set", "messages") if bytes(record.update) else ("messages",)
        found: list[Piece] = []
        for number, raw in enumerate(messages):
            name = id_of(raw) or unnamed(offset, number)
            if self._plan.last.get(name) == (offset, number):
                spot = Spot(offset, length, (*way, number), name not in self._plan.current)
                try:
                    found += self._pieces_of(message_of(raw), name, bytes(raw), spot)
                except ValueError:
                    self.ledger.trouble(
                        offset,
                        "message",
                        f"message {number} of the checkpoint is not a JSON object",
                    )
        return found

    def _message(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        name, here = record.id or unnamed(offset, ALONE), (offset, ALONE)
        kind = record.type or "no type"
        if self._plan.last.get(name, here) != here:
            self.skipped(kind[:80], "a later record of the same message replaces it")
            is_moved = self._plan.first[name] == here and name in self._plan.moved
            return self._opened(record, name) if is_moved else ()
        if is_known(record.type):
            self.mapped(kind)
        else:
            self.unknown(kind[:80])
        is_hidden = name in self._plan.last and name not in self._plan.current
        return list(
            self._pieces_of(message_of(line), name, line, Spot(offset, length, (), is_hidden))
        )

    def _opened(self, record: Line, name: str) -> Iterable[Piece]:
        """Holds the place of a message whose last record comes after others."""
        offset, number = self._plan.last[name]
        if number != ALONE or not (record.type == "user" or record.type in ANSWERS):
            return ()
        is_user = record.type == "user"
        return (
            Message(
                session_id=self._talk.session_id,
                id=name,
                role="user" if is_user else "assistant",
                kind="prompt" if is_user else "answer",
                offset=offset,
            ),
        )

    def _pieces_of(
        self, message: MessageRecord, name: str, raw: bytes, spot: Spot
    ) -> Iterator[Piece]:
        if is_known(message.type):
            yield from self._talk.pieces(message, name, spot)
        else:
            yield self._raw(str(message.type)[:80], name, raw, spot.offset or 0, spot.length or 0)

    def _raw(self, kind: str, name: str | None, line: bytes, offset: int, length: int) -> Event:
        raw = line.rstrip(b"\r").decode("utf-8", "replace")
        return Event(
            session_id=self._talk.session_id,
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


def session_id(file: FileIdentity, told: str | None) -> str:
    """The id of the session in a file: given by its place, told in it, or else its name."""
    return file.session_id or told or file.name.rpartition("/")[2].partition(".")[0]


def parent_of(file: FileIdentity) -> str | None:
    """The session whose sub-agent a file is of, by its folder."""
    parts = file.name.split("/")
    return parts[-2] if len(parts) > 2 and parts[-3] == "chats" else None


def completeness(session: Session, messages: int, *, is_log: bool) -> int:
    """Later activity, more messages, the log: in this order, for two files of one session."""
    if not messages:
        return 0
    activity = int(session.ended_at.timestamp() * 1000) if session.ended_at else 0
    return (max(0, activity) * 4096 + min(messages, 4095)) * 2 + is_log
