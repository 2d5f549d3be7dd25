"""Which reader reads which file: the rows of a session, an export, or what is only kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from agent_journal.connectors.base import ROWS_MARK, Content, FileIdentity, Reader
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.kept import KeptReader
from agent_journal.connectors.opencode.calls import todo
from agent_journal.connectors.opencode.conversation import Conversation, Place
from agent_journal.connectors.opencode.parts import Part, decoded_parts
from agent_journal.connectors.row_lines import RowLine, RowsReader, json_column
from agent_journal.connectors.values import items, mapping, string
from agent_journal.model import Document, Piece, Quote, Session, Todo, TodoList


def make_reader(file: FileIdentity, agent: str) -> Reader:
    """Return the reader for a file."""
    if ROWS_MARK in file.name:
        return SessionReader(file, agent)
    if file.role == "session":
        return ExportReader(file, agent)
    if file.role == "rows":
        return KeptReader(file, "rows", "its sessions are files of their own")
    name = file.name.rpartition("/")[2]
    document = Document(session_id=name.removesuffix(".json"), name=name, kind="diff")
    return KeptReader(file, "diff", "", document)


class Row(RowLine):
    """A row of any of our tables. `data` is JSON; the other columns are of a session or todo."""

    data: Any = None
    parts: Any = None
    time_created: Any = None
    time_updated: Any = None
    parent_id: Any = None
    directory: Any = None
    title: Any = None
    version: Any = None
    agent: Any = None
    permission: Any = None
    revert: Any = None
    content: Any = None
    status: Any = None


class SessionReader(RowsReader[Row]):
    """Reads the rows of a session."""

    record_type = Row

    def __init__(self, file: FileIdentity, agent: str) -> None:
        super().__init__(file)
        self._conversation = Conversation(agent, self.id)
        self._todos: list[Todo] = []

    def sessions(self) -> Iterable[Session]:
        """Return the session, once something of it was read."""
        if not any(status == "mapped" for status, _, _ in self.ledger.counts):
            return ()
        return (self._conversation.session(),)

    def row(self, row: Row, offset: int, length: int) -> Iterable[Piece] | None:
        """Return the pieces of a row."""
        if row.table == "session":
            self._conversation.note_session(_session_values(row))
            return ()
        name = string(row.id)
        if row.table == "message" and name:
            return self._message(name, row, offset, length)
        if row.table == "todo":
            data = json_column(row.data)
            if data is None:
                data = [{"content": row.content, "status": row.status}]
            self._todos += map(todo, items(data))
            return ()
        return None

    def _message(self, name: str, row: Row, offset: int, length: int) -> Iterator[Piece]:
        parts, troubles = decoded_parts(row.parts)
        for trouble in troubles:
            self.ledger.add("malformed", "part", 0, trouble.partition(":")[0])
            self.ledger.trouble(offset, "part", trouble)

        def quote(text: str | None, path: tuple[str | int, ...] | None) -> Quote | None:
            if path is None:
                return None
            return self.quote(text, (offset, length), *path)

        info = json_column(row.data)
        if not isinstance(info, dict):
            raise ValueError("the data of a message is not a JSON object")
        yield from self._conversation.read(name, info, parts, Place(offset, length, quote))
        _count_unknown(self, parts)

    def finished(self) -> Iterable[Piece]:
        """Return the list of things to do."""
        self.completeness = self._conversation.messages
        if not self._todos:
            return ()
        return (TodoList(session_id=self.id, origin="sql", items=tuple(self._todos), rank=1),)


def _session_values(row: Row) -> dict[str, Any]:
    """Return the columns of the row of a session, or the document of one in the tree."""
    document = json_column(row.data)
    if isinstance(document, dict):
        return document
    values = msgspec.structs.asdict(row)
    for name in ("permission", "revert"):
        values[name] = json_column(values[name])
    return values


_KNOWN = (
    *("text", "reasoning", "file", "agent", "tool", "step-start", "step-finish", "patch"),
    *("snapshot", "subtask", "retry", "compaction"),
)


def _count_unknown(reader: SessionReader | ExportReader, parts: list[Part]) -> None:
    for part in parts:
        kind = str(part.values.get("type"))[:60]
        if kind not in _KNOWN:
            reader.ledger.add("unknown", f"part/{kind}", 0)


class ExportReader(DocumentReader):
    """Reads what `opencode export` wrote."""

    kind = "export"

    def __init__(self, file: FileIdentity, agent: str) -> None:
        super().__init__(file)
        self._agent = agent

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return the pieces of all messages."""
        document = decode_document(data)
        session_id = exported_id(document)
        if session_id is None:
            raise ValueError("not an export of a session")
        conversation = Conversation(self._agent, self.file.session_id or session_id)
        conversation.note_session(mapping(document["info"]))
        pieces: list[Piece] = []
        for number, message in enumerate(items(document["messages"])):
            info = mapping(message.get("info"))
            parts = [
                Part(string(values.get("id")) or f"part-{at}", at, values)
                for at, values in enumerate(items(message.get("parts")))
            ]
            name = string(info.get("id")) or f"line-{number}"
            try:
                pieces += conversation.read(name, info, parts, Place())
            except ValueError as error:
                self.ledger.add("malformed", "message", 0, str(error))
                self.ledger.trouble(None, "message", f"message {number}: {error}")
            _count_unknown(self, parts)
        self.completeness = conversation.messages
        self.found_sessions = [conversation.session()]
        return pieces


def exported_id(document: Any) -> str | None:
    """Return the id of the session in an export; None when a document is something else."""
    values = mapping(document)
    info = mapping(values.get("info"))
    if not isinstance(values.get("messages"), list) or "projectID" not in info:
        return None
    return string(info.get("id"))
