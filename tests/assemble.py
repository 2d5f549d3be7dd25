"""The reference: pieces joined in memory by the plain rules, without the catalog. Tests compare both."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from agent_journal.connectors.base import Connector, FileIdentity, FoundFile, Pause
from agent_journal.joining import join_calls, join_messages
from agent_journal.ledger import Ledger
from agent_journal.model import Message, ToolCall


class DiskContent:
    """The bytes of a file on disk, in chunks of a chosen size."""

    def __init__(self, path: str | Path, chunk_size: int = 1 << 16) -> None:
        self.path = str(path)
        self.size = os.path.getsize(path)
        self.chunk_size = chunk_size

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        with open(self.path, "rb") as file:
            file.seek(start)
            while chunk := file.read(self.chunk_size):
                yield chunk

    def companion(self, suffix: str) -> bytes | None:
        try:
            return Path(self.path + suffix).read_bytes()
        except OSError:
            return None

    def sibling(self, name: str) -> bytes | None:
        try:
            return Path(os.path.dirname(self.path), name).read_bytes()
        except OSError:
            return None


class BytesContent:
    """Bytes in memory, for cut and damaged files."""

    def __init__(self, data: bytes, chunk_size: int = 1 << 16, companions: dict[str, bytes] | None = None) -> None:
        self.data = data
        self.size = len(data)
        self.chunk_size = chunk_size
        self.companions = companions or {}

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        for at in range(start, len(self.data), self.chunk_size):
            yield self.data[at : at + self.chunk_size]

    def companion(self, suffix: str) -> bytes | None:
        return self.companions.get(suffix)

    def sibling(self, name: str) -> bytes | None:
        return self.companions.get(name)


class Assembly:
    """Everything a set of files says, by plain joining."""

    def __init__(self) -> None:
        self.messages: dict[tuple[str, str], Message] = {}
        self.calls: dict[tuple[str, str], ToolCall] = {}
        self.others: list[Any] = []
        self.sessions: list[Any] = []
        self.ledgers: dict[str, Ledger] = {}

    def read(self, connector: Connector, file: FoundFile, content: Any = None) -> None:
        identity = FileIdentity(file.name, file.path, file.role, file.session_id)
        reader = connector.reader(identity, None)
        for piece in reader.read(content or DiskContent(file.path)):
            if not isinstance(piece, Pause):
                self.add(piece)
        self.sessions += reader.sessions()
        self.ledgers[file.name] = reader.ledger

    def add(self, piece: Any) -> None:
        if isinstance(piece, Message):
            for call in piece.tool_calls:
                self.add(call)
            piece = msgspec.structs.replace(piece, tool_calls=())
            key = (piece.session_id, piece.id)
            old = self.messages.get(key)
            self.messages[key] = join_messages((old, piece)) if old else piece
        elif isinstance(piece, ToolCall):
            key = (piece.session_id, piece.id)
            old_call = self.calls.get(key)
            self.calls[key] = join_calls(old_call, piece) if old_call else piece
        else:
            self.others.append(piece)


def read_root(connector: Connector, root: str | Path) -> Assembly:
    """Reads all files an agent has under a root."""
    assembly = Assembly()
    for found in connector.discover(str(root)):
        if isinstance(found, FoundFile):
            assembly.read(connector, found)
    return assembly
