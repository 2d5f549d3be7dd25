"""Readers of the rows taken out of `state.vscdb`: a conversation as JSON lines, and the inline ones
of old versions.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from agent_journal.connectors.base import PAUSE, Content, FileIdentity, Pause
from agent_journal.connectors.cursor.talk import Talk
from agent_journal.connectors.jsonl import DocumentReader, LogReader, decode_document
from agent_journal.connectors.values import mapping, string
from agent_journal.connectors.vscode_chat.document import workspace_place
from agent_journal.connectors.vscode_chat.uris import Place
from agent_journal.model import Event, Piece, Quote, Session

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_RESULT = ("value", "toolFormerData", "result")


class Row(msgspec.Struct):
    """One line: a row of the database."""

    key: str = ""
    value: msgspec.Raw = msgspec.Raw(b"")
    text: str | None = None
    base64: str | None = None
    missing: bool = False

    def object(self) -> dict[str, Any] | None:
        """The JSON object of the row; None for NULL, ValueError for anything else."""
        data = bytes(self.value) or (self.text or "").encode("utf-8", "replace")
        if not data and self.base64 is not None:
            data = base64.b64decode(self.base64, validate=False)
        if not data or data == b"null":
            return None
        value = decode_document(data)
        if not isinstance(value, dict):
            raise ValueError("not a JSON object")
        return value


class NoState(msgspec.Struct):
    """A conversation is always read whole."""


class ConversationReader(LogReader[Row, NoState]):
    """Reads a conversation: its messages in order, then its own row, then the messages it left
    behind.
    """

    record_type = Row
    state_type = NoState
    record_starts = ('{"key":',)

    def __init__(self, file: FileIdentity, state: bytes | None = None) -> None:
        super().__init__(file, None)
        self._talk = Talk(file.session_id or file.name)
        self._place: Place | None = None

    def sessions(self) -> Iterable[Session]:
        """The conversation, and its sub-agents as hints."""
        return (self._talk.session(self._place), *self._talk.sessions)

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """Everything the rows say."""
        yield from (piece for piece in super().read(content) if piece is not PAUSE)
        if self.offset < content.size:
            self._malformed(content.size - self.offset, "the last line is cut off")
            self.offset = content.size
        self.completeness = self._talk.completeness
        self._place = _place(self.file, self._talk.workspace_id, content)

    def record(self, record: Row, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one row."""
        kind, _, rest = record.key.partition(":")
        if kind == "bubbleId":
            return self._bubble(record, rest.partition(":")[2] or rest, offset, length)
        if record.key.startswith("composer.content."):
            self._talk.content(record.key, record.text or "")
            self.mapped("content")
            return ()
        if kind not in ("composerData", "composerHeaders"):
            self.unknown(f"row/{kind}"[:80])
            raw = line.decode("utf-8", "replace")
            return (
                Event(session_id=self._talk.id, type="row", raw=raw, offset=offset, length=length),
            )
        self.mapped(kind)
        value = record.object()
        if value is None:
            self.skipped(kind, "NULL: the conversation was deleted")
            return ()
        if kind == "composerData":
            return self._talk.composer(value, self.ledger)
        self._talk.header(value)
        return ()

    def _bubble(self, record: Row, bubble_id: str, offset: int, length: int) -> Iterable[Piece]:
        if record.missing:
            self.mapped("gap")
            text = "a message that the conversation names is not in the database"
            return (
                Event(
                    session_id=self._talk.id,
                    type="gap",
                    id=bubble_id,
                    text=text,
                    offset=offset,
                    length=length,
                ),
            )
        self.mapped("bubble")
        value = record.object()
        if value is None:
            self.skipped("bubble", "NULL: the message was deleted")
            return ()

        def quoting(text: str | None) -> Quote | None:
            return self.quote(text, (offset, length), *_RESULT) if record.value else None

        told = self._talk.bubble(value, bubble_id, offset, length, quoting)
        if told.status == "skipped":
            self.skipped(told.kind, told.reason)
        elif told.status == "unknown":
            self.unknown(told.kind)
        else:
            self.mapped(told.kind)
        return told.pieces


class ComposerReader(DocumentReader):
    """Reads a conversation that stands whole in the list of a folder, or a tab of the old chat
    pane.
    """

    kind = "conversation"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Everything the conversation says."""
        composer = decode_document(data)
        if not isinstance(composer, dict):
            raise ValueError("not a JSON object")
        talk = Talk(self.file.session_id or self.file.name)
        if isinstance(composer.get("bubbles"), list):
            composer = {**composer, "conversation": composer["bubbles"]}
        pieces = talk.composer(composer, self.ledger)
        self.completeness = talk.completeness
        self.found_sessions = [
            talk.session(_place(self.file, talk.workspace_id, content)),
            *talk.sessions,
        ]
        return pieces


def _place(file: FileIdentity, workspace_id: str | None, content: Content) -> Place | None:
    """The folder of a conversation: of the workspace it is stored in, or of the one it names."""
    if file.name.startswith("workspaceStorage/"):
        return workspace_place(content.sibling("workspace.json"))
    if workspace_id and _PLAIN.fullmatch(workspace_id):
        return workspace_place(
            content.sibling(f"../workspaceStorage/{workspace_id}/workspace.json")
        )
    return None


class ListedReader(DocumentReader):
    """Reads the list of conversations of a folder: titles and the folder, as hints."""

    kind = "list"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing but hints."""
        for line in filter(None, data.split(b"\n")):
            composer = mapping(decode_document(line))
            composer_id = string(composer.get("composerId"))
            if composer_id is None:
                self.ledger.add("skipped", "entry", 0, "without an id")
                continue
            self.ledger.add("mapped", "entry", 0)
            talk = Talk(composer_id)
            talk.composer(composer, self.ledger)
            self.found_sessions.append(
                talk.session(_place(self.file, talk.workspace_id, content), host=None)
            )
        return ()
