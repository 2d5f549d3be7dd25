"""Writes the `chatEditingSessions` folder of VS Code's chats in the demo."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any, NamedTuple

from agent_journal.demo.steps import Call
from agent_journal.demo.vscode_parts import PROJECT, Json, uri
from agent_journal.demo.writing import compact, put, uuid

_FENCE = {"value": "\n```\n", "supportThemeIcons": False, "supportHtml": False}
_AGENT = "github.copilot.editsAgent"


class EditedFile(NamedTuple):
    """A file before the first and after the last edit, and the request of the last one."""

    first: str
    last: str
    request_id: str


class EditingSession:
    """Every edit of a chat, by the counter that VS Code calls epoch."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.files: dict[str, EditedFile] = {}
        self._epoch = 1
        initial = {"checkpointId": uuid(session_id, 0), "epoch": 0, "label": "Initial State"}
        self._checkpoints: list[Json] = [initial]
        self._baselines: list[list[Any]] = []
        self._operations: list[Json] = []

    @property
    def has_edits(self) -> bool:
        """Whether the chat changed any file."""
        return bool(self._operations)

    def edit(self, call: Call, undo_stop: str, request_id: str) -> list[Json]:
        """Note an edit; return the parts of the answer that show it."""
        path = f"{PROJECT}/{call.input['filePath']}"
        old = call.input["oldString"]
        new = call.input["newString"]
        if all(checkpoint.get("requestId") != request_id for checkpoint in self._checkpoints):
            self._begin_request(path, call.before, request_id)
        edits = [{"range": _range(call.before, old), "text": new}]
        operation = {"type": "textEdit", "uri": uri(path), "requestId": request_id}
        self._operations.append(operation | {"epoch": self._next(), "edits": edits})
        self._checkpoint(requestId=request_id, undoStopId=undo_stop, label="Edit")
        first = self.files[path].first if path in self.files else call.before
        self.files[path] = EditedFile(first, call.before.replace(old, new, 1), request_id)
        group = {"kind": "textEditGroup", "uri": uri(path), "edits": [edits, []], "done": True}
        block = {"kind": "codeblockUri", "uri": uri(path), "isEdit": True, "undoStopId": undo_stop}
        return [_FENCE, {"kind": "undoStop", "id": undo_stop}, block, group, _FENCE]

    def _begin_request(self, path: str, content: str, request_id: str) -> None:
        self._checkpoint(requestId=request_id, label=f"Request {request_id}")
        telemetry = {"requestId": request_id, "agentId": _AGENT, "modelId": "copilot"}
        baseline = {
            "uri": uri(path),
            "requestId": request_id,
            "content": content,
            "epoch": self._next(),
            "telemetryInfo": telemetry,
        }
        self._baselines.append([f"file://{path}::{request_id}", baseline])

    def _checkpoint(self, **fields: str) -> None:
        checkpoint_id = uuid(self.session_id, "checkpoint", self._epoch)
        checkpoint = {"checkpointId": checkpoint_id, **fields, "epoch": self._next()}
        self._checkpoints.append(checkpoint)

    def _next(self) -> int:
        epoch = self._epoch
        self._epoch += 1
        return epoch

    def write(self, folder: str, when: datetime) -> None:
        """Write `state.json` and the contents it names."""
        entries = []
        initial = []
        for path, file in self.files.items():
            first_hash = _write_content(folder, file.first, when)
            last_hash = _write_content(folder, file.last, when)
            entries.append(_snapshot_entry(path, first_hash, last_hash, file.request_id))
            initial.append([f"file://{path}", first_hash])
        timeline = {
            "checkpoints": self._checkpoints,
            "fileBaselines": self._baselines,
            "operations": self._operations,
            "currentEpoch": self._epoch,
            "epochCounter": self._epoch,
        }
        state = {
            "version": 2,
            "initialFileContents": initial,
            "timeline": timeline,
            "recentSnapshot": {"entries": entries},
        }
        put(f"{folder}/state.json", compact(state), when)


def _range(text: str, part: str) -> Json:
    """Return where a part of a text is, by whole lines."""
    line = text[: text.index(part)].count("\n") + 1
    return {
        "startLineNumber": line,
        "startColumn": 1,
        "endLineNumber": line + part.count("\n"),
        "endColumn": 1,
    }


def _write_content(folder: str, text: str, when: datetime) -> str:
    name = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:7]
    put(f"{folder}/contents/{name}", text, when)
    return name


def _snapshot_entry(path: str, first_hash: str, last_hash: str, request_id: str) -> Json:
    return {
        "resource": f"file://{path}",
        "languageId": "python",
        "originalHash": first_hash,
        "currentHash": last_hash,
        "state": 1,
        "snapshotUri": f"chat-editing-snapshot-text-model:{path}",
        "telemetryInfo": {"requestId": request_id, "agentId": _AGENT},
    }
