"""Reads files without a journal: contents from disk and memory, and pieces merged in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.base import Connector, Content, FileIdentity, FoundFile, Part, Pause
from agent_journal.connectors.ledger import Ledger
from agent_journal.model import FileEdit, Message, Session, ToolCall, Withdrawal
from agent_journal.model.merging import (
    call_under_another_id,
    is_other_call,
    is_other_message,
    join_calls,
    join_messages,
    under_another_id,
)
from agent_journal.model.origins import PROPOSED_EDIT


class DiskContent:
    """The bytes of a file on disk, in chunks of a chosen size."""

    def __init__(self, path: str | os.PathLike[str], chunk_size: int = 1 << 16) -> None:
        self.path = os.fspath(path)
        self.size = os.path.getsize(path)
        self.chunk_size = chunk_size

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on."""
        with open(self.path, "rb") as file:
            file.seek(start)
            while chunk := file.read(self.chunk_size):
                yield chunk

    def companion(self, suffix: str) -> bytes | None:
        """The bytes of the file beside it with that suffix."""
        return _bytes_of(Path(self.path + suffix))

    def sibling(self, name: str) -> bytes | None:
        """The bytes of another file, by its path from this one's folder."""
        return _bytes_of(Path(os.path.dirname(self.path), name))

    def has_sibling(self, name: str) -> bool:
        """Whether another file is there and has bytes."""
        return bool(self.sibling(name))

    def is_first_part(self, part: Part) -> bool:
        """Return True: each file is read alone."""
        return True

    def earlier_parts(self, part: Part) -> list[Part]:
        """Return nothing: each file is read alone."""
        return []


class BytesContent:
    """Bytes in memory; `companions` has the files beside them, by suffix or name."""

    def __init__(
        self, data: bytes, chunk_size: int = 1 << 16, companions: Mapping[str, bytes] | None = None
    ) -> None:
        self.data = data
        self.size = len(data)
        self.chunk_size = chunk_size
        self.companions = companions or {}

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on."""
        for at in range(start, len(self.data), self.chunk_size):
            yield self.data[at : at + self.chunk_size]

    def companion(self, suffix: str) -> bytes | None:
        """The bytes given for that suffix."""
        return self.companions.get(suffix)

    def sibling(self, name: str) -> bytes | None:
        """The bytes given for that name."""
        return self.companions.get(name)

    def has_sibling(self, name: str) -> bool:
        """Whether bytes are given for that name."""
        return bool(self.sibling(name))

    def is_first_part(self, part: Part) -> bool:
        """Return True: each file is read alone."""
        return True

    def earlier_parts(self, part: Part) -> list[Part]:
        """Return nothing: each file is read alone."""
        return []


class Assembly:
    """Everything a set of files says, merged in the plainest way; a journal must agree with it."""

    def __init__(self) -> None:
        self.messages: dict[tuple[str, str], Message] = {}
        self.calls: dict[tuple[str, str], ToolCall] = {}
        self.others: list[Any] = []
        self.sessions: list[Session] = []
        self.ledgers: dict[str, Ledger] = {}

    def read(self, connector: Connector, file: FoundFile, content: Content | None = None) -> None:
        """Reads one file, from disk or from the content that is given for it."""
        reader = connector.reader(identity_of(file), None)
        for piece in reader.read(content or DiskContent(file.path)):
            if not isinstance(piece, Pause):
                self.add(piece)
        self.sessions += reader.sessions()
        self.ledgers[file.name] = reader.ledger

    def add(self, piece: Any) -> None:
        """Adds a piece, merged with those of the same identity."""
        if isinstance(piece, Message):
            merge_message(self.messages, piece, self._add_call)
        elif isinstance(piece, ToolCall):
            self._add_call(piece, False)
        elif isinstance(piece, Withdrawal):
            withdraw(piece, self.messages, self.others)
        else:
            self.others.append(piece)

    def _add_call(self, piece: ToolCall, is_repeated: bool) -> None:
        key = (piece.session_id, piece.id)
        old = self.calls.get(key)
        if old is None:
            self.calls[key] = piece
        elif is_other_call(old, piece, is_repeated):
            self._add_call(call_under_another_id(piece), False)
        else:
            self.calls[key] = join_calls(old, piece)


def merge_message(
    messages: dict[tuple[str, str], Message],
    piece: Message,
    add_call: Callable[[ToolCall, bool], None],
    is_repeated: bool = False,
) -> None:
    """Adds a message to others, as the journal does; its calls are added on their own."""
    old = messages.get((piece.session_id, piece.id))
    if old is not None and is_other_message(old, piece):
        merge_message(messages, under_another_id(piece), add_call, is_repeated=True)
        return
    if old is not None and piece.record_ids:
        is_repeated |= set(piece.record_ids) <= set(old.record_ids)
    for call in piece.tool_calls:
        add_call(call, is_repeated)
    piece = replace(piece, tool_calls=())
    if old is not None:
        piece = join_messages((old, piece))
    messages[piece.session_id, piece.id] = piece


def withdraw(
    piece: Withdrawal, messages: dict[tuple[str, str], Message], others: list[Any]
) -> None:
    """Removes what a withdrawal takes back."""
    if not piece.is_of_edits:
        messages.pop((piece.session_id, piece.message_id), None)
        return
    others[:] = [
        other
        for other in others
        if not (
            isinstance(other, FileEdit)
            and other.origin == PROPOSED_EDIT
            and other.session_id == piece.session_id
            and other.message_id == piece.message_id
        )
    ]


def read_root(connector: Connector, root: str | os.PathLike[str]) -> Assembly:
    """Reads all files an agent has under a root."""
    assembly = Assembly()
    for found in connector.discover(os.fspath(root)):
        if isinstance(found, FoundFile):
            assembly.read(connector, found)
    return assembly


def identity_of(file: FoundFile) -> FileIdentity:
    """What a reader may know of a file."""
    return FileIdentity(file.name, file.path, file.role, file.session_id)


def _bytes_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
