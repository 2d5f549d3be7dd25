"""Editing sessions: what each request of a chat did to which files, with the texts around it.

    chatEditingSessions/<session>/state.json        in three layouts since VS Code 1.96
    chatEditingSessions/<session>/contents/6fcf9df  the text of a file, named by its SHA-1

The layout with a "timeline" (since 1.106) is replayed by timeline.py; those with a "linearHistory"
are read by snapshots.py. If the chat itself is gone, its edits are what is left of the session.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.base import Content
from agent_journal.connectors.jsonl import DocumentReader
from agent_journal.connectors.vscode_chat.changes import (
    UNKNOWN,
    Budget,
    Change,
    FileText,
    ReportTrouble,
)
from agent_journal.connectors.vscode_chat.document import AGENT, workspace_place
from agent_journal.connectors.vscode_chat.file_edits import EditMaker
from agent_journal.connectors.vscode_chat.places import product_of
from agent_journal.connectors.vscode_chat.snapshots import (
    EMPTY_HASH,
    FileSnapshot,
    SnapshotHistory,
    initial_hashes,
    snapshot_files,
)
from agent_journal.connectors.vscode_chat.timeline import Replay
from agent_journal.model import FileEdit, Piece, Session
from agent_journal.model.diffs import ALL_STEPS, Differ

_TITLE_RANK = 5  # lower than that of a title from a prompt
_NAMED = 3


class EditingReader(DocumentReader):
    """Reads `state.json` of an editing session."""

    kind = "editing-session"
    max_size = 512 * 2**20

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """A FileEdit for each file that each request changed."""
        document = _decoded(data)
        if not isinstance(document, dict):
            raise ValueError("not a JSON object")
        session_id = self.file.name.split("/")[-2:][0]
        budget = Budget(len(data))
        texts = _KeptTexts(content, budget, self._report_contents)
        recent = snapshot_files(document.get("recentSnapshot"), self._report)
        maker = EditMaker(
            session_id=session_id,
            budget=budget,
            differ=Differ(ALL_STEPS + len(data)),
            recent=recent,
        )
        edits: list[FileEdit] = []
        for change in self._changes(document, recent, texts, budget):
            edits += maker.edits(change)
        if budget.is_exceeded:
            self._report("too much work: some changes are listed without their text")
        if edits:
            self.found_sessions = [self._session(session_id, edits, content)]
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

    def _session(self, session_id: str, edits: list[FileEdit], content: Content) -> Session:
        """What the edits say about their session; the file of the chat says it better."""
        session = Session(
            agent=AGENT,
            id=session_id,
            title=_title(edits),
            title_rank=_TITLE_RANK,
            title_source="edits",
            host_app=product_of(self.file.path[: -len(self.file.name)]),
        )
        place = workspace_place(content.sibling("../../workspace.json"))
        if place is None:
            return session
        return replace(session, project_path=place.path)

    def _report(self, reason: str) -> None:
        self.ledger.trouble(0, self.kind, reason)

    def _report_contents(self, reason: str) -> None:
        self.ledger.trouble(0, "contents", reason)


def _title(edits: list[FileEdit]) -> str:
    """The names of the files that were changed, the first ones of many."""
    paths = dict.fromkeys(edit.path for edit in edits)
    names = list(dict.fromkeys(path.replace("\\", "/").rpartition("/")[2] for path in paths))
    title = f"Edits of {', '.join(names[:_NAMED])}"
    if len(names) > _NAMED:
        title += f" and {len(names) - _NAMED} more"
    return title


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
