"""The small files of a session: `workspace.yaml`, `plan.md`, `checkpoints/*.md`, rewind indexes,
and the others.

`session-state/<id>/rewind-file-snapshots/index.json`:
`{"schema":1,"snapshots":[{"eventId":…,"files":{…}}]}`
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from agent_journal.connectors.base import Content
from agent_journal.connectors.copilot_cli import legacy
from agent_journal.connectors.copilot_cli.workspace import read_flat_yaml
from agent_journal.connectors.jsonl import DocumentReader
from agent_journal.connectors.loose import decode_any
from agent_journal.connectors.values import integer, items, mapping, string, title_of
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

AGENT = "copilot-cli"
_TASK = re.compile(r"^[ \t]*[-*+] \[([ xX~-])\] +(.+?)[ \t]*$", re.MULTILINE)
_TITLE = re.compile(r"<checkpoint_title>\s*(.*?)\s*</checkpoint_title>", re.DOTALL)
_IMPORT = b'"type":"session.import_legacy"'
_TASK_STATUS = {" ": "pending", "x": "done", "X": "done"}


def session_of(name: str) -> str:
    """The session a file belongs to: the folder below `session-state`."""
    parts = name.split("/")
    return parts[1] if len(parts) > 2 else parts[-1].partition(".")[0]


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
        title, rank, source = values.get("name"), 40, "name"
        if title and values.get("user_named", "").lower() == "true":
            rank, source = 50, "user"
        elif not title:
            title, rank, source = values.get("summary"), 30, "summary"
        title = title_of(title) if title else None
        self.found_sessions = [
            Session(
                agent=AGENT,
                id=session_of(self.file.name),
                title=title,
                title_rank=rank if title else 0,
                title_source=source if title else None,
                project_path=values.get("cwd"),
                repository=values.get("repository"),
                git_branch=values.get("branch"),
                host_app=values.get("client_name"),
                started_at=parse_time(values.get("created_at")),
                ended_at=parse_time(values.get("updated_at")),
            )
        ]
        return ()


class VsCodeReader(DocumentReader):
    """Reads `vscode.metadata.json`, which VS Code writes for the sessions it hosts."""

    kind = "vscode.metadata.json"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """No pieces; only what it says about the session."""
        values = mapping(_json(data))
        folder, repository = (
            values.get("workspaceFolder"),
            mapping(values.get("repositoryProperties")),
        )
        path = (
            string(folder)
            or string(mapping(folder).get("folderPath"))
            or string(mapping(folder).get("path"))
        )
        title = title_of(string(values.get("customTitle")) or "")
        self.found_sessions = [
            Session(
                agent=AGENT,
                id=session_of(self.file.name),
                title=title,
                title_rank=45 if title else 0,
                title_source="custom title" if title else None,
                project_path=path or string(repository.get("repositoryPath")),
                git_branch=string(repository.get("branchName")) or string(repository.get("branch")),
                host_app="vscode",
            )
        ]
        return ()


class PlanReader(DocumentReader):
    """Reads `plan.md` and `checkpoints/NNN-<slug>.md`."""

    kind = "plan.md"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The plan or checkpoint, and its checklist."""
        text = data.decode("utf-8", "replace").removeprefix("\ufeff")
        session_id = session_of(self.file.name)
        stem = self.file.name.rpartition("/")[2].removesuffix(".md")
        is_plan = stem == "plan"
        self.kind = "plan.md" if is_plan else "checkpoint"
        title = _TITLE.search(text)
        if not text.strip():
            return
        yield Plan(
            text=text,
            name="plan" if is_plan else (title and title_of(title[1])) or stem,
            session_id=session_id,
            kind="plan" if is_plan else "checkpoint",
            path=self.file.path,
        )
        todos = tuple(
            Todo(content=task, status=_TASK_STATUS.get(mark, "in_progress"))
            for mark, task in _TASK.findall(text)
        )
        if todos:
            # Both are weak beside session.db; of the two the plan is the current one.
            yield TodoList(
                session_id=session_id, origin="markdown", items=todos, rank=1 if is_plan else 0
            )


class RewindReader(DocumentReader):
    """Reads the index of a rewind folder: which files each prompt changed."""

    kind = "rewind index"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """One edit per prompt and file."""
        index = mapping(_json(data))
        paths = mapping(index.get("filePathMap"))
        folder = self.file.name.rpartition("/")[0]
        for snapshot in items(index.get("snapshots")):
            for key, file in mapping(snapshot.get("files")).items():
                yield self._edit(snapshot, key, mapping(file), paths, folder)

    def _edit(
        self,
        snapshot: dict[str, Any],
        key: str,
        file: dict[str, Any],
        paths: dict[str, Any],
        folder: str,
    ) -> FileEdit:
        before, after = mapping(file.get("preimage")), mapping(file.get("postimage"))
        backup = (
            string(before.get("backupFile"))
            or string(file.get("backupFile"))
            or string(file.get("backupHash"))
        )
        if backup is None and before.get("contentHash") in (snapshot.get("backupFiles") or ()):
            backup = string(before.get("contentHash"))
        gone = after.get("kind") == "absent"
        return FileEdit(
            session_id=session_of(self.file.name),
            path=string(file.get("path")) or string(paths.get(key)) or key,
            kind="create"
            if before.get("kind") == "absent" and not gone
            else "delete"
            if gone
            else "edit",
            message_id=string(snapshot.get("eventId")),
            timestamp=parse_time(snapshot.get("timestamp")),
            lines_added=integer(file.get("linesAdded")),
            lines_removed=integer(file.get("linesRemoved")),
            backup=f"{folder}/backups/{backup.replace(chr(92), '/').rpartition('/')[2]}"
            if backup
            else None,
            origin="rewind",
        )


class HistoryReader(DocumentReader):
    """Reads `command-history-state.json`, newest first, without times."""

    kind = "command history"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The lines the person typed, oldest first."""
        value = _json(data)
        lines = value if isinstance(value, list) else mapping(value).get("commandHistory")
        if not isinstance(lines, list):
            raise ValueError("no list of commands in it")
        texts = [line if isinstance(line, str) else _command(line) for line in lines]
        for position, text in enumerate(text for text in reversed(texts) if text):
            yield HistoryEntry(text=text, position=position)


def _command(line: Any) -> str:
    values = mapping(line)
    return next(
        (values[key] for key in ("command", "text", "prompt") if string(values.get(key))), ""
    )


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
        found = list(legacy.pieces(old, session_id))
        messages = [piece for piece in found if isinstance(piece, Message)]
        prompt = next((message.text for message in messages if message.kind == "prompt"), "")
        title = title_of(prompt)
        if _is_imported(session_id, content):
            self.left_out = "the log of the session tells it again"
        times = [
            when
            for item in items(old.get("timeline"))
            if (when := parse_time(item.get("timestamp")))
        ]
        model = string(old.get("selectedModel"))
        self.found_sessions = [
            Session(
                agent=AGENT,
                id=session_id,
                title=title,
                title_rank=10 if title else 0,
                title_source="prompt" if title else None,
                models=(model,) if model else (),
                started_at=parse_time(old.get("startTime")),
                ended_at=max(times, default=None),
                is_hint=bool(self.left_out),
            )
        ]
        return () if self.left_out else found


def _is_imported(session_id: str, content: Content) -> bool:
    """Whether a later release went on with the session: its log then begins with all that was said
    before.
    """
    if not session_id.replace("-", "").isalnum():
        return False
    logs = (f"../session-state/{session_id}/events.jsonl", f"../session-state/{session_id}.jsonl")
    return any(_IMPORT in (content.sibling(log) or b"") for log in logs)
