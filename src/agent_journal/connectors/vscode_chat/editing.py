"""Editing sessions: what each request of a chat did to which files, with the texts around it.

    chatEditingSessions/<session>/state.json        in three layouts since VS Code 1.96
    chatEditingSessions/<session>/contents/6fcf9df  the text of a file, named by its SHA-1

The layout with a "timeline" (since 1.106) is replayed by timeline.py; those with a "linearHistory"
are read by snapshots.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from agent_journal.connectors.base import Content
from agent_journal.connectors.jsonl import DocumentReader
from agent_journal.connectors.vscode_chat.changes import (
    UNKNOWN,
    Budget,
    Change,
    FileText,
    ReportTrouble,
)
from agent_journal.connectors.vscode_chat.file_edits import EditMaker
from agent_journal.connectors.vscode_chat.snapshots import (
    EMPTY_HASH,
    FileSnapshot,
    SnapshotHistory,
    initial_hashes,
    snapshot_files,
)
from agent_journal.connectors.vscode_chat.timeline import Replay
from agent_journal.model import FileEdit, Piece
from agent_journal.model.diffs import ALL_STEPS, Differ


class EditingReader(DocumentReader):
    """Reads `state.json` of an editing session."""

    kind = "editing-session"
    max_size = 512 * 2**20

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """A FileEdit for each file that each request changed."""
        document = _decoded(data)
        if not isinstance(document, dict):
            raise ValueError("not a JSON object")
        budget = Budget(len(data))
        texts = _KeptTexts(content, budget, self._report_contents)
        recent = snapshot_files(document.get("recentSnapshot"), self._report)
        maker = EditMaker(
            session_id=self.file.name.split("/")[-2:][0],
            budget=budget,
            differ=Differ(ALL_STEPS + len(data)),
            recent=recent,
        )
        edits: list[FileEdit] = []
        for change in self._changes(document, recent, texts, budget):
            edits += maker.edits(change)
        if budget.is_exceeded:
            self._report("too much work: some changes are listed without their text")
        return maker.with_verdicts(edits)

    def _changes(
        self,
        document: dict[str, Any],
        recent: dict[str, FileSnapshot],
        texts: _KeptTexts,
        budget: Budget,
    ) -> Iterable[Change]:
        """The changes, in whichever layout they are."""
        initial = initial_hashes(document.get("initialFileContents"), self._report)
        timeline = document.get("timeline")
        history = document.get("linearHistory")
        if isinstance(timeline, dict):
            replay = Replay(lambda path: texts.text(initial.get(path)), self._report, budget)
            return replay.changes(timeline)
        has_only_recent = history is None and timeline is None and bool(recent)
        if isinstance(history, list) or has_only_recent:
            snapshots = SnapshotHistory(document, recent, initial, self._report)
            return snapshots.changes(history or [], texts.text)
        if timeline is None and history is None and "version" in document:
            return ()  # nothing has happened yet
        raise ValueError("unknown layout")

    def _report(self, reason: str) -> None:
        self.ledger.trouble(0, self.kind, reason)

    def _report_contents(self, reason: str) -> None:
        self.ledger.trouble(0, "contents", reason)


def _decoded(data: bytes) -> Any:
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        # VS Code may write half of a surrogate pair, which no text of ours can hold.
        text = json.dumps(json.loads(data), ensure_ascii=False)
        valid = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return msgspec.json.decode(valid)
    except (msgspec.DecodeError, ValueError) as error:
        raise ValueError(f"not JSON: {error}") from None


class _KeptTexts:
    """The texts in the folder `contents`, by their hash."""

    def __init__(self, content: Content, budget: Budget, report: ReportTrouble) -> None:
        self._content = content
        self._budget = budget
        self._report = report
        self._texts: dict[str, FileText] = {EMPTY_HASH: ""}

    def text(self, name: str | None) -> FileText:
        """The text of a hash; unknown if there is no hash or no such text."""
        if name is None:
            return UNKNOWN
        if name not in self._texts:
            self._texts[name] = self._load(name)
        return self._texts[name]

    def _load(self, name: str) -> FileText:
        data = None
        # The name is foreign data: it must not lead out of the folder.
        if name.isalnum():
            data = self._content.sibling(f"contents/{name}")
        if data is None:
            self._report(f"contents/{name[:40]} is missing")
            return UNKNOWN
        self._budget.allow(len(data))
        try:
            return data.decode()
        except UnicodeDecodeError:
            self._report(f"contents/{name[:40]} is not text")
            return UNKNOWN
