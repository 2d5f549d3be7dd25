"""Whether a file is a chat of VS Code: a log, a transcript, a document, or rows of a database."""

from __future__ import annotations

from typing import Any

from agent_journal.connectors.base import Recognition
from agent_journal.connectors.copilot_cli.recognition import event_log
from agent_journal.connectors.jsonl import decode_document
from agent_journal.connectors.recognition import first_records, stem
from agent_journal.connectors.restored_rows import extract_name
from agent_journal.connectors.values import mapping, string
from agent_journal.connectors.vscode_chat import (
    RANK_DOCUMENT,
    RANK_LOG,
    RANK_ROW,
    RANK_TRANSCRIPT,
)
from agent_journal.connectors.vscode_chat.rows import DAMAGED, HISTORY, INDEX, SESSIONS

_KINDS = (0, 1, 2, 3)  # of changes
_INITIAL = 0


def recognise(path: str, head: bytes) -> Recognition | None:
    """Rows of a database, a log of changes to a chat, or a transcript of the extension."""
    rows = recognise_extract(path)
    if rows is not None and rows.role == "session":
        return rows
    changes = [record for record in first_records(head) if _is_change(record)]
    if changes:
        return Recognition("replay", _session_of(changes) or stem(path), RANK_LOG)
    log = event_log(path, head)
    if log is None or not log.is_of_vscode:
        return None
    return Recognition("log", log.session_id, RANK_TRANSCRIPT)


def _is_change(record: dict[str, Any]) -> bool:
    return record.get("kind") in _KINDS and ("v" in record or "k" in record)


def _session_of(changes: list[dict[str, Any]]) -> str | None:
    """The id in the first change that sets the whole session."""
    for change in changes:
        if change["kind"] == _INITIAL and "v" in change:
            return string(mapping(change["v"]).get("sessionId"))
    return None


def recognise_document(document: Any) -> Recognition | None:
    """A chat that VS Code keeps as one document: unlike an export it has an id."""
    if turns_of(document) is None:
        return None
    session_id = string(document.get("sessionId"))
    if session_id is None:
        return None
    return Recognition("session", session_id, RANK_DOCUMENT)


def turns_of(document: Any) -> list[dict[str, Any]] | None:
    """The turns of a chat; None when it is something else, ValueError when it is broken."""
    if not isinstance(document, dict) or "requests" not in document:
        return None
    requests = document["requests"]
    if not isinstance(requests, list):
        raise ValueError("looks like a VS Code chat, but its 'requests' is not a list")
    turns = [
        turn
        for turn in requests
        if isinstance(turn, dict) and ("message" in turn or "response" in turn)
    ]
    if requests and not turns:
        raise ValueError("looks like a VS Code chat, but its requests are not turns of a chat")
    return turns


def recognise_extract(path: str) -> Recognition | None:
    """Rows of a database that were restored, by the name of the extract."""
    name = extract_name(path)
    if name in (INDEX, HISTORY, DAMAGED):
        return Recognition("document", None)
    start = f"{SESSIONS}-"
    if name is None or not name.startswith(start):
        return None
    session_id: str | None = stem(name).removeprefix(start)
    if "~" in (session_id or ""):  # the id has letters that names cannot have
        session_id = _id_in(path)
    return Recognition("session", session_id, RANK_ROW)


def _id_in(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return string(mapping(decode_document(file.read())).get("sessionId"))
    except (OSError, ValueError):
        return None
