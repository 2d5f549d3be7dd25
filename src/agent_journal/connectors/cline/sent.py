"""`api_conversation_history.json` as the session itself, where nothing was shown to the person."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from agent_journal.connectors.base import Content, FileIdentity
from agent_journal.connectors.cline import SHOWN
from agent_journal.connectors.cline.exchange import Exchange, blocks_of, texts_of
from agent_journal.connectors.cline.products import Product
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.recognition import stem
from agent_journal.connectors.values import items
from agent_journal.connectors.vscode_chat.places import product_of
from agent_journal.model import Piece, Session
from agent_journal.text.dates import parse_time

SPOKEN_TITLE_RANK = 10
_EMPTY = 2  # bytes of an empty list
_FOLDER = re.compile(r"Current (?:Working|Workspace) Directory \(([^\n()]{1,4096})\)")
_MILLISECONDS = re.compile(r"\d{13}")  # the id of a task is the time at which it began


class SentReader(DocumentReader):
    """Reads what was sent to the model and what it answered."""

    kind = "task"

    def __init__(self, product: Product, file: FileIdentity) -> None:
        super().__init__(file)
        self._product = product

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return the pieces of the document."""
        document = decode_document(data)
        if not isinstance(document, list):
            raise ValueError("not a task: not a list of messages")
        if len(content.sibling(SHOWN) or b"") > _EMPTY:
            self.left_out = f"read together with {SHOWN}"
            return ()
        messages = items(document)
        exchange = Exchange(task_of(self.file))
        found: list[Piece] = []
        for number, message in enumerate(messages):
            found += exchange.pieces(message, number)
        if not found:
            self.left_out = "a task without messages"
            return ()
        session = Session(
            agent=self._product.agent,
            id=exchange.session_id,
            title=exchange.title.text,
            title_rank=SPOKEN_TITLE_RANK if exchange.title.text else 0,
            title_source=exchange.title.source,
            project_path=folder_in(messages),
            host_app=host_of(self.file),
            models=tuple(exchange.models),
            started_at=began_at(exchange.session_id) or exchange.first_time,
            ended_at=exchange.last_time,
        )
        self.found_sessions = [session]
        self.completeness = exchange.messages
        return found


def task_of(file: FileIdentity) -> str:
    """The id of a task: recorded with the file, or the name of its folder."""
    if file.session_id is not None:
        return file.session_id
    parts = file.name.split("/")
    return parts[-2] if len(parts) > 1 else stem(file.name)


def folder_in(messages: list[dict[str, Any]]) -> str | None:
    """The folder of a project, as the harness tells the model in the first message."""
    for message in messages[:1]:
        for text in texts_of(blocks_of(message), "text"):
            found = folder_in_text(text)
            if found is not None:
                return found
    return None


def folder_in_text(text: str) -> str | None:
    """The folder of a project in what the harness tells the model."""
    found = _FOLDER.search(text)
    return found[1] if found else None


def host_of(file: FileIdentity) -> str | None:
    """The editor in whose folder a task is."""
    root, mark, _ = file.path.partition("globalStorage")
    if not mark:
        return None
    return product_of(root)


def began_at(session_id: str) -> Any:
    """When a task began, by its id."""
    if _MILLISECONDS.fullmatch(session_id):
        return parse_time(int(session_id))
    return None
