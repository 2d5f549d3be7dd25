"""Builders of editing sessions of VS Code, and what the reader makes of them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.ledger import Ledger
from agent_journal.connectors.vscode_chat.editing import EditingReader
from agent_journal.model import FileEdit
from tests.support.assemble import BytesContent

NAME = "workspaceStorage/w1/chatEditingSessions/s1/state.json"


def read_bytes(
    data: bytes, contents: dict[str, bytes] | None = None
) -> tuple[list[FileEdit], Ledger]:
    reader = EditingReader(FileIdentity(NAME, f"/u/{NAME}", "document", None))
    companions = {f"contents/{name}": text for name, text in (contents or {}).items()}
    edits = list(reader.read(BytesContent(data, companions=companions)))
    assert reader.ledger.total_bytes == reader.offset == len(data)
    assert all(isinstance(edit, FileEdit) and edit.session_id == "s1" for edit in edits)
    return edits, reader.ledger  # type: ignore[return-value]


def read(document: Any, contents: dict[str, bytes] | None = None) -> list[FileEdit]:
    edits, ledger = read_bytes(json.dumps(document).encode(), contents)
    assert [key[:2] for key in ledger.counts] == [("mapped", "editing-session")]
    return edits


def troubles(document: Any, contents: dict[str, bytes] | None = None) -> list[tuple[str, str]]:
    _, ledger = read_bytes(json.dumps(document).encode(), contents)
    return [(trouble.kind, trouble.reason) for trouble in ledger.troubles]


def summary(edits: list[FileEdit]) -> list[tuple[Any, ...]]:
    return [(e.message_id, e.path, e.kind, e.state, e.lines_added, e.lines_removed) for e in edits]


def uri(path: str) -> dict[str, Any]:
    return {"$mid": 1, "scheme": "file", "path": path}


def place(start_line: int, start: int, end_line: int, end: int) -> dict[str, int]:
    return {
        "startLineNumber": start_line,
        "startColumn": start,
        "endLineNumber": end_line,
        "endColumn": end,
    }


def operation(kind: str, path: str, request: str, epoch: int, **more: Any) -> dict[str, Any]:
    return {"type": kind, "uri": uri(path), "requestId": request, "epoch": epoch, **more}


def text_edit(
    path: str, request: str, epoch: int, *edits: tuple[tuple[int, int, int, int], str]
) -> dict[str, Any]:
    made = [{"range": place(*where), "text": text} for where, text in edits]
    return operation("textEdit", path, request, epoch, edits=made)


def baseline(path: str, request: str, epoch: int, text: str, **more: Any) -> list[Any]:
    return [
        f"file://{path}::{request}",
        {
            "uri": uri(path),
            "requestId": request,
            "content": text,
            "epoch": epoch,
            "telemetryInfo": {},
            **more,
        },
    ]


def timeline(
    operations: list[Any], baselines: list[Any] | None = None, now: int = 10_000, **more: Any
) -> dict[str, Any]:
    return {
        "version": 2,
        "initialFileContents": [],
        "recentSnapshot": {"entries": []},
        "timeline": {
            "checkpoints": [],
            "currentEpoch": now,
            "epochCounter": now,
            "fileBaselines": baselines or [],
            "operations": operations,
        },
        **more,
    }


def name_of(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()[:7]


def entry(
    path: str, original: str, current: str, state: int = 0, request: str = "r1", **more: Any
) -> dict[str, Any]:
    return {
        "resource": f"file://{path}",
        "languageId": "plaintext",
        "originalHash": name_of(original),
        "currentHash": name_of(current),
        "state": state,
        "snapshotUri": f"chat-editing-snapshot-text-model:{path}",
        "telemetryInfo": {"requestId": request},
        **more,
    }


def blobs(*texts: str) -> dict[str, bytes]:
    return {name_of(text): text.encode() for text in texts}


def stops(request: str, *snapshots: list[Any]) -> dict[str, Any]:
    return {
        "requestId": request,
        "stops": [{"stopId": f"s{n}", "entries": each} for n, each in enumerate(snapshots)],
    }


def linear(history: list[Any], index: int | None = None, **more: Any) -> dict[str, Any]:
    count = sum(len(item.get("stops", [1])) for item in history)
    return {
        "version": 2,
        "sessionId": "s1",
        "linearHistory": history,
        "linearHistoryIndex": count if index is None else index,
        "initialFileContents": [],
        "recentSnapshot": {"entries": []},
        **more,
    }
