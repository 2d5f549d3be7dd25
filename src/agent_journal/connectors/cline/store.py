"""Cline's new store: `sessions/<id>/<id>.messages.json`, and one such file for each sub-agent.

{"version":1,"agent":"lead","sessionId":"1794…_twzbl","origin":{…},"messages":[…]}
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.base import Content, FileIdentity
from agent_journal.connectors.cline import MESSAGES
from agent_journal.connectors.cline.exchange import Exchange, arguments_of, blocks_of, texts_of
from agent_journal.connectors.cline.products import Product
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.recognition import stem
from agent_journal.connectors.values import items, mapping, string, title_of
from agent_journal.model import Piece, Session
from agent_journal.text.dates import parse_time

_SPAWN = "spawn_agent"
_UNNAMED = "agent_"
_RECORDED_TITLE_RANK = 40
_SPOKEN_TITLE_RANK = 10


class StoreReader(DocumentReader):
    """Reads the messages of a session or of a sub-agent."""

    kind = "session"

    def __init__(self, product: Product, file: FileIdentity) -> None:
        super().__init__(file)
        self._product = product

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return the pieces of the document."""
        document = mapping(decode_document(data))
        if not isinstance(document.get("messages"), list):
            raise ValueError("not a session: there is no list of messages")
        origin = mapping(document.get("origin"))
        recorded = string(document.get("sessionId"))
        session_id = self.file.session_id or recorded or stem(self.file.name)
        parent = string(origin.get("parentThreadId"))
        is_subagent = parent is not None or document.get("agent") == "subagent"
        exchange = Exchange(session_id, is_subagent=is_subagent)
        found: list[Piece] = []
        messages = items(document["messages"])
        for number, message in enumerate(messages):
            found += exchange.pieces(message, number)
        session = self._session(exchange, origin, content)
        if is_subagent:
            session = self._as_subagent(session, parent, origin, messages, content)
        self.found_sessions = [session]
        self.completeness = exchange.messages
        return found

    def _session(self, exchange: Exchange, origin: dict[str, Any], content: Content) -> Session:
        """What the messages and the manifest beside them say."""
        manifest = _manifest(self.file, content)
        metadata = mapping(manifest.get("metadata"))
        title = title_of(metadata.get("title"))
        rank = _RECORDED_TITLE_RANK
        source: str | None = "title"
        if exchange.is_subagent or not title:
            title = exchange.title.text
            rank = _SPOKEN_TITLE_RANK
            source = exchange.title.source
        times = [exchange.first_time]
        if not exchange.is_subagent:
            times.append(parse_time(manifest.get("started_at")))
        return Session(
            agent=self._product.agent,
            id=exchange.session_id,
            title=title,
            title_rank=rank if title else 0,
            title_source=source,
            project_path=string(manifest.get("cwd")) or string(manifest.get("workspace_root")),
            git_branch=string(mapping(metadata.get("git")).get("branch")),
            host_app=string(origin.get("source")),
            agent_version=string(origin.get("version")),
            models=tuple(exchange.models),
            started_at=min(filter(None, times), default=None),
            ended_at=exchange.last_time,
        )

    def _as_subagent(
        self,
        session: Session,
        parent: str | None,
        origin: dict[str, Any],
        messages: list[dict[str, Any]],
        content: Content,
    ) -> Session:
        """The same session as a part of the one that started it."""
        return replace(
            session,
            parent_id=parent or _folder(self.file),
            parent_call_id=_spawned_by(messages, self.file, content),
            agent_name=_named(string(origin.get("subagent"))),
        )


def _named(subagent: str | None) -> str | None:
    """The name of a sub-agent, unless it only has an id."""
    if subagent is None or subagent.startswith(_UNNAMED):
        return None
    return subagent


def _folder(file: FileIdentity) -> str | None:
    """The name of the folder of a session: its id."""
    parts = file.name.split("/")
    if len(parts) < 2:
        return None
    return parts[-2]


def _manifest(file: FileIdentity, content: Content) -> dict[str, Any]:
    folder = _folder(file)
    if folder is None:
        return {}
    return mapping(document_beside(content, f"{folder}.json"))


def _spawned_by(messages: list[dict[str, Any]], file: FileIdentity, content: Content) -> str | None:
    """The call of the lead that has this task; None when several calls have it."""
    folder = _folder(file)
    if folder is None or not messages:
        return None
    task = "\n\n".join(texts_of(blocks_of(messages[0]), "text"))
    lead = Exchange(folder)
    document = mapping(document_beside(content, f"{folder}{MESSAGES}"))
    for number, message in enumerate(items(document.get("messages"))):
        for _ in lead.pieces(message, number):
            pass
    calls = [call for call in lead.calls.values() if call.name == _SPAWN]
    matching = [call.id for call in calls if arguments_of(call).get("task") == task]
    if len(matching) != 1:
        return None
    return matching[0]


def document_beside(content: Content, name: str) -> object:
    """The JSON document of that name beside a file; None when there is none to read."""
    data = content.sibling(name)
    if not data:
        return None
    try:
        return decode_document(data)
    except ValueError:
        return None
