"""Small files: typed prompts, plans, and files that are only read together with others."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from agent_journal.connectors.base import Content
from agent_journal.connectors.cursor.times import time_of
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.values import mapping, string
from agent_journal.connectors.vscode_chat.document import workspace_place
from agent_journal.model import HistoryEntry, Piece, Plan

_NAME = re.compile(r"^name:[ \t]*(.+)$", re.MULTILINE)


class PromptsReader(DocumentReader):
    """Reads what was typed in a folder.

    `aiService.generations` is a list with times, `aiService.prompts` one without.
    """

    kind = "prompts"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Yield each text once, with its time where one of the lists has it."""
        times: dict[str, datetime | None] = {}
        for line in filter(None, data.split(b"\n")):
            for entry in _entries(decode_document(line)):
                text = string(entry.get("textDescription")) or string(entry.get("text"))
                if text is None:
                    self.ledger.add("skipped", "prompt", 0, "without a text")
                    continue
                self.ledger.add("mapped", "prompt", 0)
                times[text] = times.get(text) or time_of(entry.get("unixMs"))
        place = workspace_place(content.sibling("workspace.json"))
        path = place.path if place else None
        for position, (text, time) in enumerate(times.items()):
            yield HistoryEntry(text=text, position=position, timestamp=time, project_path=path)


def _entries(value: Any) -> list[dict[str, Any]]:
    """Return the entries of a list; those that are not objects are empty."""
    if not isinstance(value, list):
        return []
    return [mapping(entry) for entry in value]


class HistoryReader(DocumentReader):
    """Reads `prompt_history.json`, newest first."""

    kind = "prompt history"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Yield the prompts, oldest first."""
        value = decode_document(data)
        if not isinstance(value, list):
            raise ValueError("not a list of prompts")
        session_id = None
        parts = self.file.name.split("/")
        if len(parts) > 2:  # chats/<hash>/<session>/prompt_history.json
            session_id = parts[-2]
        texts = [text for entry in reversed(value) if (text := _prompt(entry))]
        for position, text in enumerate(texts):
            yield HistoryEntry(text=text, position=position, session_id=session_id)


def _prompt(entry: Any) -> str | None:
    return string(entry) or string(mapping(entry).get("text"))


class PlanReader(DocumentReader):
    """Reads a plan: Markdown with front matter in YAML."""

    kind = "plan"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Yield the plan, unless it is empty."""
        text = data.decode("utf-8", "replace").removeprefix("\ufeff")
        if text.strip():
            yield Plan(text=text, name=self._name(text), path=self.file.path)

    def _name(self, text: str) -> str:
        """Return the name in the front matter, else that of the file."""
        if text.startswith("---"):
            name = _NAME.search(text.partition("\n---")[0])
            if name is not None:
                return name[1].strip("'\" ")
        return self.file.name.rpartition("/")[2].removesuffix(".plan.md")


class SiblingReader(DocumentReader):
    """Reads `workspace.json` and `meta.json`, which other files are read together with."""

    kind = "beside"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return no pieces; ValueError for a damaged file, so that its previous content counts."""
        if not isinstance(decode_document(data), dict):
            raise ValueError("not a JSON object")
        return ()


class DamagedReader(DocumentReader):
    """Reads a damaged value that should hold conversations; only its bytes are kept."""

    kind = "list"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Raise the problem."""
        raise ValueError("a damaged list of conversations")
