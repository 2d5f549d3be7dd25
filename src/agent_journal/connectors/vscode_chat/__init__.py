"""VS Code Chat (GitHub Copilot Chat): lists the files under `<user data>/User` that hold sessions.

    workspaceStorage/<id>/chatSessions/6f0c…e1.jsonl  a session, as a log of changes to a document
    workspaceStorage/<id>/chatSessions/6f0c…e1.json   the same before VS Code 1.109, a document
    workspaceStorage/<id>/state.vscdb                 older ones, and the list that VS Code shows

This half only lists files, and is imported by every sync; `reader` imports what reads them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from agent_journal.connectors.base import (
    Env,
    Extract,
    FileIdentity,
    FoundFile,
    Reader,
    Recognition,
    Unlisted,
    found_file,
    is_folder,
    listing,
)
from agent_journal.connectors.hooks import AgentConnector, ResumeMethod
from agent_journal.connectors.restored_rows import restored_rows
from agent_journal.connectors.vscode_chat.places import user_folder_of, user_folders

# Which copy of a session is read if there are several: the log before the document before the rows
# of the oldest versions, and last the transcript that the Copilot extension keeps for its hooks.
RANK_LOG = 3
RANK_DOCUMENT = 2
RANK_ROW = 1
RANK_TRANSCRIPT = 0
# GitHub.copilot-chat in workspaces, lower case in the global storage
_EXTENSION = "github.copilot-chat"
_Found = Iterator[FoundFile]


class VsCodeChat(AgentConnector):
    """The connector for VS Code and its relatives."""

    name = "vscode-chat"
    title = "VS Code Chat"
    version = 6
    root_folders = ("workspaceStorage", "globalStorage")
    resume_method = ResumeMethod(
        "VS Code",
        instead="open its folder in VS Code: the session is in the history of the chat view",
    )

    def roots(self, env: Env) -> list[str]:
        """The `User` folders of all products that exist; that of VS Code if there is none."""
        return user_folders(env)

    def normalize_root(self, path: str) -> str:
        """The `User` folder for a configured path, which may be around or below it."""
        return user_folder_of(path)

    def retention_days(self, root: str) -> int | None:
        """VS Code forgets sessions but does not delete their files."""
        return None

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """All session files; settings, credentials and files of other extensions are not read."""
        unlisted: list[Unlisted] = []
        for workspace in listing(os.path.join(root, "workspaceStorage"), unlisted.append):
            if is_folder(workspace):
                yield from _workspace(
                    workspace.path, f"workspaceStorage/{workspace.name}", unlisted
                )
        yield from _global(os.path.join(root, "globalStorage"), "globalStorage", unlisted)
        yield from unlisted

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """A reader for one file."""
        from agent_journal.connectors.vscode_chat.reading import make_reader

        return make_reader(file, state)

    def extract(self, path: str) -> tuple[list[Extract], str | None]:
        """The sessions of the oldest versions, and the list of sessions that VS Code shows."""
        from agent_journal.connectors.vscode_chat.rows import extracts

        return extracts(path)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A log of changes to a chat, or a transcript of the extension."""
        from agent_journal.connectors.vscode_chat.recognition import recognise

        return recognise(path, head)

    def recognise_document(self, path: str, document: Any, content: bytes) -> Recognition | None:
        """A chat that is one document."""
        from agent_journal.connectors.vscode_chat.recognition import recognise_document

        return recognise_document(document)

    def recognise_by_name(self, path: str) -> Recognition:
        """Later lines of a log change earlier ones, so it is read whole."""
        found = super().recognise_by_name(path)
        return found._replace(role="replay") if found.role == "log" else found


CONNECTOR = VsCodeChat()


def _workspace(folder: str, name: str, unlisted: list[Unlisted]) -> _Found:
    entries = {entry.name: entry for entry in listing(folder, unlisted.append)}
    # workspace.json comes first: the sessions are read with it.
    for file, role in (("workspace.json", "document"), ("state.vscdb", "rows")):
        if file in entries:
            yield from found_file(entries[file], f"{name}/{file}", role, unlisted)  # type: ignore[arg-type]
    yield from restored_rows(entries.values(), name, "state.vscdb", _extract, unlisted)
    if "chatSessions" in entries:
        yield from _sessions(entries["chatSessions"].path, f"{name}/chatSessions", unlisted)
    if "chatEditingSessions" in entries:
        yield from _edits(
            entries["chatEditingSessions"].path, f"{name}/chatEditingSessions", unlisted
        )
    for entry in entries.values():
        if entry.name.lower() == _EXTENSION and is_folder(entry):
            yield from _extension(entry.path, f"{name}/{entry.name}", unlisted)


def _global(folder: str, name: str, unlisted: list[Unlisted]) -> _Found:
    entries = {entry.name: entry for entry in listing(folder, unlisted.append)}
    if "state.vscdb" in entries:
        yield from found_file(entries["state.vscdb"], f"{name}/state.vscdb", "rows", unlisted)
    yield from restored_rows(entries.values(), name, "state.vscdb", _extract, unlisted)
    for below in ("emptyWindowChatSessions", "transferredChatSessions"):
        if below in entries:
            yield from _sessions(entries[below].path, f"{name}/{below}", unlisted)


def _extract(path: str) -> Recognition | None:
    from agent_journal.connectors.vscode_chat.recognition import recognise_extract

    return recognise_extract(path)


def _sessions(folder: str, name: str, unlisted: list[Unlisted]) -> _Found:
    for entry in listing(folder, unlisted.append):
        stem, _, kind = entry.name.rpartition(".")
        if kind == "jsonl":
            yield from found_file(entry, f"{name}/{entry.name}", "replay", unlisted, stem, RANK_LOG)
        elif kind == "json":
            yield from found_file(
                entry, f"{name}/{entry.name}", "session", unlisted, stem, RANK_DOCUMENT
            )


def _edits(folder: str, name: str, unlisted: list[Unlisted]) -> _Found:
    for key in listing(folder, unlisted.append):
        if not key.is_dir(follow_symlinks=False):
            continue
        entries = {entry.name: entry for entry in listing(key.path, unlisted.append)}
        # The contents come first: state.json is read with them.
        if "contents" in entries and entries["contents"].is_dir(follow_symlinks=False):
            for content in listing(entries["contents"].path, unlisted.append):
                yield from found_file(
                    content, f"{name}/{key.name}/contents/{content.name}", "kept", unlisted
                )
        if "state.json" in entries:
            yield from found_file(
                entries["state.json"], f"{name}/{key.name}/state.json", "document", unlisted
            )


def _extension(folder: str, name: str, unlisted: list[Unlisted]) -> _Found:
    for entry in listing(os.path.join(folder, "transcripts"), unlisted.append):
        if entry.name.endswith(".jsonl"):
            inner = f"{name}/transcripts/{entry.name}"
            stem = entry.name.removesuffix(".jsonl")
            yield from found_file(entry, inner, "log", unlisted, stem, RANK_TRANSCRIPT)
    for below in ("chat-session-resources", "debug-logs"):
        if os.path.islink(os.path.join(folder, below)):
            continue  # it could lead anywhere, and what is there would go into the journal
        for session in listing(os.path.join(folder, below), unlisted.append):
            if session.is_dir(follow_symlinks=False):
                yield from _kept(session.path, f"{name}/{below}/{session.name}", unlisted, 6)


def _kept(folder: str, name: str, unlisted: list[Unlisted], depth: int) -> _Found:
    for entry in listing(folder, unlisted.append):
        if entry.is_dir(follow_symlinks=False):
            if depth > 1:
                yield from _kept(entry.path, f"{name}/{entry.name}", unlisted, depth - 1)
        else:
            yield from found_file(entry, f"{name}/{entry.name}", "kept", unlisted)
