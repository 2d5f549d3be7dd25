"""The small files of a session: `workspace.yaml`, `plan.md`, checkpoints, rewind indexes, others.

session-state/<id>/rewind-file-snapshots/index.json
    {"schema":1,"snapshots":[{"eventId":…,"files":{…}}]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from agent_journal.connectors.base import Content
from agent_journal.connectors.copilot_cli import legacy
from agent_journal.connectors.copilot_cli.sessions import (
    AGENT,
    EMPTY_TITLE,
    GIVEN_TITLE,
    PROMPT_TITLE,
    SUMMARY_TITLE,
    USER_TITLE,
    VSCODE_TITLE,
    session_of,
    with_title,
)
from agent_journal.connectors.copilot_cli.workspace import read_flat_yaml
from agent_journal.connectors.jsonl import DocumentReader
from agent_journal.connectors.loose import decode_any
from agent_journal.connectors.titles import SpokenTitle, prompt_title, says_something
from agent_journal.connectors.values import (
    first_string,
    integer,
    items,
    mapping,
    string,
    title_of,
)
from agent_journal.model import (
    FileEdit,
    HistoryEntry,
    Message,
    Piece,
    Plan,
    Session,
    Todo,
    TodoList,
)
from agent_journal.text.dates import parse_time

_TASK = re.compile(r"^[ \t]*[-*+] \[([ xX~-])\] +(.+?)[ \t]*$", re.MULTILINE)
_TITLE = re.compile(r"<checkpoint_title>\s*(.*?)\s*</checkpoint_title>", re.DOTALL)
_IMPORT = b'"type":"session.import_legacy"'
_EditKind = Literal["create", "edit", "delete", "backup"]
_TASK_STATUS = {" ": "pending", "x": "done", "X": "done"}


def _json(data: bytes) -> Any:
    try:
        return decode_any(data)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None


class WorkspaceReader(DocumentReader):
    """Reads `workspace.yaml`: title, folder, branch and times of a session."""

    kind = "workspace.yaml"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """No pieces; only what it says about the session."""
        values = read_flat_yaml(data.decode("utf-8", "replace"))
        if not values and data.strip(b"\0 \r\n\t"):
            raise ValueError("no key: value line in it")
        session = Session(
            agent=AGENT,
            id=session_of(self.file.name),
            project_path=values.get("cwd"),
            repository=values.get("repository"),
            git_branch=values.get("branch"),
            host_app=values.get("client_name"),
            started_at=parse_time(values.get("created_at")),
            ended_at=parse_time(values.get("updated_at")),
        )
        self.found_sessions = [_titled(session, values)]
        return ()


def _titled(session: Session, values: dict[str, str]) -> Session:
    name = values.get("name")
    if name and values.get("user_named", "").lower() == "true":
        return with_title(session, title_of(name), USER_TITLE, "user")
    # A name that the person did not give may be a prompt, with what the harness put around it.
    title = prompt_title(name or values.get("summary") or "")
    if title and not says_something(title):
        return with_title(session, title, EMPTY_TITLE, "prompt")
    if name:
        return with_title(session, title, GIVEN_TITLE, "name")
    return with_title(session, title, SUMMARY_TITLE, "summary")


class VsCodeReader(DocumentReader):
    """Reads `vscode.metadata.json`, which VS Code writes for the sessions it hosts."""

    kind = "vscode.metadata.json"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """No pieces; only what it says about the session."""
        values = mapping(_json(data))
        folder = values.get("workspaceFolder")
        folder_path = string(folder) or first_string(mapping(folder), "folderPath", "path")
        repository = mapping(values.get("repositoryProperties"))
        session = Session(
            agent=AGENT,
            id=session_of(self.file.name),
            project_path=folder_path or string(repository.get("repositoryPath")),
            git_branch=first_string(repository, "branchName", "branch"),
            host_app="vscode",
        )
        title = title_of(values.get("customTitle"))
        self.found_sessions = [with_title(session, title, VSCODE_TITLE, "custom title")]
        return ()


class PlanReader(DocumentReader):
    """Reads `plan.md` and `checkpoints/NNN-<slug>.md`."""

    kind = "plan.md"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The plan or checkpoint, and its checklist."""
        text = data.decode("utf-8", "replace").removeprefix("\ufeff")
        name = self.file.name.rpartition("/")[2].removesuffix(".md")
        # Todo lists of session.db have a higher rank. Of these two, the plan is the current one.
        kind: Literal["plan", "checkpoint"] = "plan"
        rank = 1
        if name != "plan":
            self.kind = "checkpoint"
            kind = "checkpoint"
            rank = 0
            name = _checkpoint_title(text) or name
        if not text.strip():
            return
        session_id = session_of(self.file.name)
        yield Plan(text=text, name=name, session_id=session_id, kind=kind, path=self.file.path)
        todos = tuple(
            Todo(content=task, status=_TASK_STATUS.get(mark, "in_progress"))
            for mark, task in _TASK.findall(text)
        )
        if todos:
            yield TodoList(session_id=session_id, origin="markdown", items=todos, rank=rank)


def _checkpoint_title(text: str) -> str | None:
    title = _TITLE.search(text)
    if title is None:
        return None
    return title_of(title[1])


class RewindReader(DocumentReader):
    """Reads the index of a rewind folder.

    That of `rewind-file-snapshots` lists the files each prompt changed. The older one of
    `rewind-snapshots` lists the files that differed from git when the prompt was sent, whoever
    changed them: these are backups.
    """

    kind = "rewind index"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """An edit or backup for each prompt and file."""
        index = _json(data)
        if not isinstance(index, dict | list):
            raise ValueError("no snapshots in it")
        edits = list(self._edits(mapping(index)))
        if not edits:
            self.left_out = "it lists no file"
        return edits

    def _edits(self, index: dict[str, Any]) -> Iterator[FileEdit]:
        paths = mapping(index.get("filePathMap"))
        for snapshot in items(index.get("snapshots")):
            for key, file in mapping(snapshot.get("files")).items():
                path = string(mapping(file).get("path")) or string(paths.get(key)) or key
                yield self._edit(path, mapping(file), snapshot)

    def _edit(self, path: str, file: dict[str, Any], snapshot: dict[str, Any]) -> FileEdit:
        kind: _EditKind = "backup"
        if "/rewind-snapshots/" not in self.file.name:
            kind = _edit_kind(file)
        return FileEdit(
            session_id=session_of(self.file.name),
            path=path,
            kind=kind,
            message_id=string(snapshot.get("eventId")),
            timestamp=parse_time(snapshot.get("timestamp")),
            lines_added=integer(file.get("linesAdded")),
            lines_removed=integer(file.get("linesRemoved")),
            backup=self._backup(file, snapshot),
            origin="rewind",
        )

    def _backup(self, file: dict[str, Any], snapshot: dict[str, Any]) -> str | None:
        """The kept file with the content before the edit."""
        before = mapping(file.get("preimage"))
        backup = string(before.get("backupFile")) or first_string(file, "backupFile", "backupHash")
        if backup is None and before.get("contentHash") in (snapshot.get("backupFiles") or ()):
            backup = string(before.get("contentHash"))
        if backup is None:
            return None
        folder = self.file.name.rpartition("/")[0]
        name = backup.replace("\\", "/").rpartition("/")[2]
        return f"{folder}/backups/{name}"


def _edit_kind(file: dict[str, Any]) -> _EditKind:
    if mapping(file.get("postimage")).get("kind") == "absent":
        return "delete"
    if mapping(file.get("preimage")).get("kind") == "absent":
        return "create"
    return "edit"


class HistoryReader(DocumentReader):
    """Reads `command-history-state.json`, newest first, without times."""

    kind = "command history"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The lines the person typed, oldest first."""
        lines = _json(data)
        if isinstance(lines, dict):
            lines = lines.get("commandHistory")
        if not isinstance(lines, list):
            raise ValueError("no list of commands in it")
        texts = [_command(line) for line in reversed(lines)]
        for position, text in enumerate(text for text in texts if text):
            yield HistoryEntry(text=text, position=position)


def _command(line: Any) -> str | None:
    return string(line) or first_string(mapping(line), "command", "text", "prompt")


class LegacyReader(DocumentReader):
    """Reads `history-session-state/*.json`, the sessions of the first releases."""

    kind = "legacy session"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The messages and tool calls of the session."""
        old = mapping(_json(data))
        if not isinstance(old.get("chatMessages"), list):
            raise ValueError("no chatMessages in it")
        stem = self.file.name.rpartition("/")[2].removesuffix(".json")
        session_id = string(old.get("sessionId")) or stem
        pieces = list(legacy.pieces(old, session_id))
        is_imported = _is_imported(session_id, content)
        times = [parse_time(item.get("timestamp")) for item in items(old.get("timeline"))]
        model = string(old.get("selectedModel"))
        session = Session(
            agent=AGENT,
            id=session_id,
            models=tuple(filter(None, [model])),
            started_at=parse_time(old.get("startTime")),
            ended_at=max(filter(None, times), default=None),
            is_hint=is_imported,
        )
        spoken = _spoken_title(pieces)
        self.found_sessions = [with_title(session, spoken.text, PROMPT_TITLE, spoken.source)]
        if is_imported:
            self.left_out = "repeated in the log of the session"
            return ()
        return pieces


def _spoken_title(pieces: Iterable[Piece]) -> SpokenTitle:
    spoken = SpokenTitle()
    for piece in pieces:
        if isinstance(piece, Message) and piece.kind == "prompt":
            spoken.note_prompt(piece.text)
    return spoken


def _is_imported(session_id: str, content: Content) -> bool:
    """Whether a later release imported the session: its log begins with all earlier messages."""
    if not session_id.replace("-", "").isalnum():
        return False
    logs = (f"../session-state/{session_id}/events.jsonl", f"../session-state/{session_id}.jsonl")
    return any(_IMPORT in (content.sibling(log) or b"") for log in logs)
