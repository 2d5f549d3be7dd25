"""Small files: prompts that were typed, plans, and what only other files are read with."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from agent_journal.connectors.base import Content
from agent_journal.connectors.cursor.talk import moment
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.values import mapping, string
from agent_journal.connectors.vscode_chat.document import workspace_place
from agent_journal.model import HistoryEntry, Piece, Plan

_NAME = re.compile(r"^name:[ \t]*(.+)$", re.MULTILINE)


class PromptsReader(DocumentReader):
    """Reads `aiService.generations` (with times) and `aiService.prompts` (without): what was typed
    in a folder.
    """

    kind = "prompts"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Each text once, with its time where one of the lists has it."""
        place = workspace_place(content.sibling("workspace.json"))
        found: dict[str, datetime | None] = {}
        for line in filter(None, data.split(b"\n")):
            value = decode_document(line)
            for entry in map(mapping, value if isinstance(value, list) else ()):
                text = string(entry.get("textDescription")) or string(entry.get("text"))
                if text is None:
                    self.ledger.add("skipped", "prompt", 0, "without a text")
                    continue
                self.ledger.add("mapped", "prompt", 0)
                found[text] = found.get(text) or moment(entry.get("unixMs"))
        path = None if place is None else place.path
        for position, (text, when) in enumerate(found.items()):
            yield HistoryEntry(text=text, position=position, timestamp=when, project_path=path)


class HistoryReader(DocumentReader):
    """Reads `prompt_history.json`, newest first."""

    kind = "prompt history"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The prompts, oldest first."""
        value = decode_document(data)
        if not isinstance(value, list):
            raise ValueError("not a list of prompts")
        parts = self.file.name.split("/")
        session_id = parts[-2] if len(parts) > 2 else None
        texts = [text for entry in reversed(value) if (text := _text(entry))]
        for position, text in enumerate(texts):
            yield HistoryEntry(text=text, position=position, session_id=session_id)


def _text(entry: Any) -> str | None:
    return string(entry) or string(mapping(entry).get("text"))


class PlanReader(DocumentReader):
    """Reads a plan: Markdown with a head of YAML."""

    kind = "plan"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The plan."""
        text = data.decode("utf-8", "replace").removeprefix("\ufeff")
        stem = self.file.name.rpartition("/")[2].removesuffix(".plan.md")
        head = text.partition("\n---")[0] if text.startswith("---") else ""
        name = _NAME.search(head)
        if text.strip():
            yield Plan(text=text, name=name[1].strip("'\" ") if name else stem, path=self.file.path)


class BesideReader(DocumentReader):
    """Reads what says nothing by itself (`workspace.json`, `meta.json`): conversations are read
    with it.
    """

    kind = "beside"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing; ValueError when it is damaged, so that what it said before stays in force."""
        if not isinstance(decode_document(data), dict):
            raise ValueError("not a JSON object")
        return ()


class DamagedReader(DocumentReader):
    """A value that should hold conversations and is damaged, kept as it is."""

    kind = "list"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing but the problem."""
        raise ValueError("a damaged list of conversations")
