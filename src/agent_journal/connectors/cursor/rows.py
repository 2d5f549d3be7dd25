"""Readers of the rows of `state.vscdb`: conversations as JSON lines, and those of old versions."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from agent_journal.connectors.base import ROWS_MARK, Content, FileIdentity, Pause
from agent_journal.connectors.cursor.bubbles import Bubble
from agent_journal.connectors.cursor.conversation import Conversation
from agent_journal.connectors.cursor.extracts import parent_name
from agent_journal.connectors.jsonl import DocumentReader, LogReader, decode_document
from agent_journal.connectors.sqlite import TOO_LARGE
from agent_journal.connectors.values import mapping, string
from agent_journal.connectors.vscode_chat.document import workspace_place
from agent_journal.connectors.vscode_chat.uris import Place
from agent_journal.model import Event, Piece, Quote, Session

_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]+")
_RESULT_PATH = ("value", "toolFormerData", "result")


class Row(msgspec.Struct):
    """One line of an extract: a row of the database."""

    key: str = ""
    value: msgspec.Raw = msgspec.Raw(b"")
    text: str | None = None
    base64: str | None = None
    missing: bool = False
    too_large: bool = False

    def object(self) -> dict[str, Any] | None:
        """Return the JSON object of the row; None for NULL, ValueError for anything else."""
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
    """Reads a conversation: its messages, then its own row, then messages it no longer names."""

    record_type = Row
    state_type = NoState
    record_starts = ('{"key":',)

    def __init__(self, file: FileIdentity, state: bytes | None = None) -> None:
        super().__init__(file, None)
        self._conversation = Conversation(file.session_id or file.name)
        self._place: Place | None = None

    def sessions(self) -> Iterable[Session]:
        """Return the session of the conversation, and its sub-agents as hints."""
        return (self._conversation.session(self._place), *self._conversation.subagents)

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """Yield the pieces of all rows."""
        # Only the conversation's own row, after its messages, says some things about them
        pieces = [piece for piece in super().read(content) if not isinstance(piece, Pause)]
        if self.offset < content.size:
            self._malformed(content.size - self.offset, "the last line is truncated")
            self.offset = content.size
        self.completeness = self._conversation.completeness
        self._place = _place(self.file, self._conversation.workspace_id, content)
        self._conversation.note_parent(self._named_parent(content))
        yield from self._conversation.finished(pieces)

    def _named_parent(self, content: Content) -> str | None:
        """Return the conversation whose row names this one as its sub-agent."""
        database = self.file.name.rpartition("/")[2].partition(ROWS_MARK)[0]
        data = content.sibling(f"{database}{ROWS_MARK}{parent_name(self._conversation.id)}")
        if not data:
            return None
        try:
            return string(mapping(decode_document(data)).get("parentComposerId"))
        except ValueError:
            return None

    def record(self, record: Row, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """Return the pieces of one row."""
        if record.too_large:
            raise ValueError(f"the value of {record.key[:80]} is {TOO_LARGE}")
        kind, _, rest = record.key.partition(":")
        if kind == "bubbleId":
            return self._bubble(record, rest.partition(":")[2] or rest, offset, length)
        if record.key.startswith("composer.content."):
            self._conversation.add_content(record.key, record.text or "")
            self.mapped("content")
            return ()
        if kind not in ("composerData", "composerHeaders"):
            self.unknown(f"row/{kind}"[:80])
            event = Event(
                session_id=self._conversation.id,
                type="row",
                raw=line.decode("utf-8", "replace"),
                offset=offset,
                length=length,
            )
            return (event,)
        self.mapped(kind)
        value = record.object()
        if value is None:
            self.skipped(kind, "NULL: the conversation was deleted")
            return ()
        if kind == "composerData":
            return self._conversation.read_composer(value, self.ledger)
        self._conversation.read_header(value)
        return ()

    def _bubble(self, record: Row, bubble_id: str, offset: int, length: int) -> Iterable[Piece]:
        if record.missing:
            self.mapped("gap")
            event = Event(
                session_id=self._conversation.id,
                type="gap",
                id=bubble_id,
                text="a message that the conversation names is not in the database",
                offset=offset,
                length=length,
            )
            return (event,)
        self.mapped("bubble")
        values = record.object()
        if values is None:
            self.skipped("bubble", "NULL: the message was deleted")
            return ()

        def quote(text: str | None) -> Quote | None:
            if not record.value:
                return None
            return self.quote(text, (offset, length), *_RESULT_PATH)

        read = self._conversation.read_bubble(Bubble(bubble_id, values, offset, length, quote))
        if read.status == "skipped":
            self.skipped(read.kind, read.reason)
        elif read.status == "unknown":
            self.unknown(read.kind)
        else:
            self.mapped(read.kind)
        return read.pieces


class ComposerReader(DocumentReader):
    """Reads a conversation inside the list of a folder, or a tab of the old chat pane."""

    kind = "conversation"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return everything the conversation says."""
        composer = decode_document(data)
        if not isinstance(composer, dict):
            raise ValueError("not a JSON object")
        if isinstance(composer.get("bubbles"), list):
            composer = {**composer, "conversation": composer["bubbles"]}
        conversation = Conversation(self.file.session_id or self.file.name)
        pieces = conversation.read_composer(composer, self.ledger)
        self.completeness = conversation.completeness
        place = _place(self.file, conversation.workspace_id, content)
        self.found_sessions = [conversation.session(place), *conversation.subagents]
        return conversation.finished(pieces)


def _place(file: FileIdentity, workspace_id: str | None, content: Content) -> Place | None:
    """Return the folder of a conversation: of the workspace it is stored in, or that it names."""
    if file.name.startswith("workspaceStorage/"):
        return workspace_place(content.sibling("workspace.json"))
    if workspace_id and _PLAIN_ID.fullmatch(workspace_id):
        name = f"../workspaceStorage/{workspace_id}/workspace.json"
        return workspace_place(content.sibling(name))
    return None


class ListedReader(DocumentReader):
    """Reads the list of conversations of a folder: titles and the folder, as hints."""

    kind = "list"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return no pieces: a list gives only hints."""
        for line in filter(None, data.split(b"\n")):
            composer = mapping(decode_document(line))
            composer_id = string(composer.get("composerId"))
            if composer_id is None:
                self.ledger.add("skipped", "entry", 0, "without an id")
                continue
            self.ledger.add("mapped", "entry", 0)
            conversation = Conversation(composer_id)
            conversation.read_composer(composer, self.ledger)
            place = _place(self.file, conversation.workspace_id, content)
            self.found_sessions.append(conversation.session(place, host=None))
        return ()
