"""VS Code's own sessions: the original document, as faithful as an import allows.

A log (`.jsonl`) cannot be imported, and a stored document not by every version: here both become a
document whose requests are those of the original, repaired only where VS Code would show an empty
chat.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.jsonl import decode_document
from agent_journal.connectors.values import items, mapping, string
from agent_journal.connectors.vscode_chat.document import ReplayReader, is_session
from agent_journal.connectors.vscode_chat.states import moment
from agent_journal.convert.losses import Losses
from agent_journal.convert.target import Converted, NewFile, NewIdentity
from agent_journal.convert.vscode.document import encoded, head_of
from agent_journal.convert.vscode.parts import milliseconds
from agent_journal.convert.vscode.repair import loadable, repaired_request
from agent_journal.errors import JournalDamaged
from agent_journal.export.names import file_name
from agent_journal.model import Session
from agent_journal.model.origins import RECORDED_EDIT
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.content import KeptContent
from agent_journal.text.plain import one_line
from agent_journal.text.redaction.redact import redact_all

_AGENTS = ("vscode-chat", "vscode-export")
_NOT_COPIED = ("version", "requests", "isImported", "lastMessageDate", "computedTitle")
_KEPT = ("repoData", "workingDirectory", "requesterAvatarIconUri", "responderAvatarIconUri")
_LEFT_OUT = {
    "inputState": "a draft, not a message",
    "pendingRequests": "prompts that were not sent",
    "hasPendingEdits": "the edits that wait for a decision are not in the document",
}


def kept_document(db: Connection, archive: Archive, row: SessionRow) -> dict[str, Any] | None:
    """The original document of a VS Code session; None for other agents, or if it is lost."""
    if row.agent not in _AGENTS:
        return None
    files = Files(db)
    for file in files.logs_of(row.agent, row.id):
        if file.role not in ("replay", "session"):
            continue
        content = KeptContent(files, archive, file, files.version(file.read_version))
        try:
            if file.role == "replay":
                reader = ReplayReader(FileIdentity(file.name, file.path, file.role, file.session))
                for _ in reader.read(content):
                    pass
                document = reader.document
            else:
                document = decode_document(b"".join(content.chunks()))
        except (JournalDamaged, ValueError):
            continue
        if is_session(document):
            return dict(document)
    return None


def convert_own(
    document: dict[str, Any],
    fresh: NewIdentity,
    session: Session | None = None,
    change: Callable[[str], str] | None = None,
) -> Converted:
    """The original as a document to import; `change` is applied to every text, to redact it.

    `session` is what the journal knows of it, for the report: some of that is in other files than
    the document.
    """
    losses = Losses()
    edits = session.file_edits if session is not None else ()
    recorded = sum(edit.origin == RECORDED_EDIT for edit in edits)
    why = "VS Code records it beside the chat, where an import does not look"
    losses.dropped("file_edits", why, recorded)
    if change is not None:
        document = redact_all(document, change)
    written = own_document(document, fresh, losses)
    name = file_name(written.get("customTitle"), fresh.session_id, ".json", set())
    return Converted(fresh.session_id, (NewFile(name, encoded(written)),), losses)


def own_document(document: dict[str, Any], fresh: NewIdentity, losses: Losses) -> dict[str, Any]:
    """The document with a new id, repaired where VS Code could not show it."""
    listed = document.get("requests")
    turns = items(listed)
    if isinstance(listed, list):
        why = "a turn that is not an object: VS Code would show an empty chat"
        losses.dropped("requests", why, len(listed) - len(turns))
    losses.mapped("requests", len(turns))
    requests = [repaired_request(request, fresh.new_id, losses) for request in turns]
    times = [time for request in requests for time in _times(request)]
    created = moment(document.get("creationDate")) or min(times, default=fresh.now)
    for request in requests:
        # Without a time, that of opening the chat would be shown
        request.setdefault("timestamp", milliseconds(created))
    last = moment(document.get("lastMessageDate")) or max(times, default=created)
    title = string(document.get("customTitle")) or string(document.get("computedTitle"))
    responder = string(document.get("responderUsername")) or "GitHub Copilot"
    head = head_of(fresh, responder, one_line(title, 200) or None, created, last)
    head["requesterUsername"] = string(document.get("requesterUsername")) or "user"
    _report(document, head, losses)
    return {
        **head,
        **{name: loadable(document[name]) for name in _KEPT if name in document},
        "requests": requests,
    }


def _report(document: dict[str, Any], head: dict[str, Any], losses: Losses) -> None:
    for name, value in document.items():
        if value is None or name in _NOT_COPIED:
            continue
        if name in _KEPT or head.get(name) == value:
            losses.mapped(name)
        elif name == "sessionId":
            losses.adapted(name, "a new id, so that no session is written over")
        elif name == "initialLocation":
            losses.adapted(name, "the panel: others are not kept in the history")
        elif name in head:
            losses.adapted(name, "made valid")
        elif value or name not in _LEFT_OUT:
            losses.dropped(name, _LEFT_OUT.get(name, "not part of the conversation"))


def _times(request: dict[str, Any]) -> list[datetime]:
    found = (
        moment(request.get("timestamp")),
        moment(mapping(request.get("modelState")).get("completedAt")),
    )
    return [time.astimezone(UTC) for time in found if time is not None]
