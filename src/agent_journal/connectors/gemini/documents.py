"""The small files beside the sessions: the history of prompts, plans, and the lists of projects."""

from __future__ import annotations

import re
from collections.abc import Iterable

from agent_journal.connectors.base import Content
from agent_journal.connectors.gemini.projects import project_path
from agent_journal.connectors.gemini.records import Header
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.values import mapping, string
from agent_journal.model import HistoryEntry, Piece, Plan
from agent_journal.text.dates import parse_time

_TITLE = re.compile(r"^# +(.{1,300})$", re.MULTILINE)


class HistoryReader(DocumentReader):
    """Reads `logs.json`.

    [{"sessionId":"…","messageId":0,"type":"user","message":"fix it","timestamp":"…"}]
    """

    kind = "prompt history"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Yield the prompts, oldest first."""
        entries = decode_document(data)
        if not isinstance(entries, list):
            raise ValueError("no list of prompts in it")
        project = project_path(self.file, Header(), content)
        for position, entry in enumerate(map(mapping, entries)):
            text = string(entry.get("message"))
            if text is None:
                self.ledger.add("skipped", "entry of the history", 0, "without a text")
                continue
            yield HistoryEntry(
                text=text,
                position=position,
                timestamp=parse_time(entry.get("timestamp")),
                project_path=project,
                session_id=string(entry.get("sessionId")),
            )


class ShellHistoryReader(DocumentReader):
    """Reads `shell_history`: the person's shell commands; a backslash continues a line."""

    kind = "shell history"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Yield the commands, oldest first."""
        text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\\\n", "\0")
        project = project_path(self.file, Header(), content)
        lines = [line.replace("\0", "\\\n") for line in text.split("\n") if line.strip("\0 \t")]
        for position, line in enumerate(lines):
            yield HistoryEntry(text=line, position=position, project_path=project)


class PlanReader(DocumentReader):
    """Reads `plans/*.md`, of a session when the folder is below the session's."""

    kind = "plan"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Yield the plan."""
        text = data.decode("utf-8", "replace").removeprefix("\ufeff")
        if not text.strip():
            return
        parts = self.file.name.split("/")
        title = _TITLE.search(text)
        yield Plan(
            text=text,
            name=title[1].strip() if title else parts[-1].removesuffix(".md"),
            session_id=parts[-3] if len(parts) == 5 else None,
            path=self.file.path,
        )


class RootReader(DocumentReader):
    """Reads `.project_root`, the path of the project: the sessions beside it are read with it."""

    kind = "project root"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return nothing."""
        return ()


class FoldersReader(DocumentReader):
    """Reads a list of folders; the sessions are read with it.

    `projects.json`: `{"projects":{"/home/me/app":"app"}}`, or `trustedFolders.json`:
    `{"/home/me/app":"TRUST_FOLDER"}`.
    """

    kind = "list of folders"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return nothing; ValueError when damaged, so that its last readable content is used."""
        if not isinstance(decode_document(data), dict):
            raise ValueError("not a JSON object")
        return ()
