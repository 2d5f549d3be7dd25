"""Cursor: lists the files of the editor and of the command line that hold conversations.

<IDE>/User/globalStorage/state.vscdb
    conversations, one row for each message
<IDE>/User/workspaceStorage/<hash>/state.vscdb
    the list of a folder's conversations, and the oldest ones
~/.cursor/projects/<folder>/agent-transcripts/<id>/<id>.jsonl
    a transcript without results and times
~/.cursor/chats/<hash>/<id>/store.db
    a conversation of the command line

This module only lists files, and is imported by every sync; `reader` imports what reads them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agent_journal.connectors.base import (
    Env,
    Extract,
    FileIdentity,
    FileRole,
    FoundFile,
    Reader,
    Recognition,
    Unlisted,
    found_file,
    is_folder,
    listing,
)
from agent_journal.connectors.cursor.places import existing_folders, normalized_root
from agent_journal.connectors.hooks import PLAIN_ID, AgentConnector, ResumeMethod
from agent_journal.connectors.restored_rows import restored_rows

# Which copy of a conversation is read: the database has everything, the store of the command line
# no times, a transcript no results. Of several transcripts the most complete one is read.
RANK_ROWS = 4
RANK_INLINE = 3
RANK_STORE = 2
RANK_TRANSCRIPT = 1
TRANSCRIPTS = "agent-transcripts"
_Found = Iterator[FoundFile]


class Cursor(AgentConnector):
    """The connector for Cursor, the editor and the command line."""

    name = "cursor"
    title = "Cursor"
    version = 4
    root_folders = ("workspaceStorage", "globalStorage", "projects", "chats")
    has_shared_database_names = True  # with VS Code
    resume_method = ResumeMethod(
        "Cursor",
        ("cursor-agent", "--resume={}"),
        PLAIN_ID,
        instead="open its folder in Cursor: it is in the chat history",
    )

    def roots(self, env: Env) -> list[str]:
        """Return the `User` folders of the editor and the folders of the command line."""
        return existing_folders(env)

    def normalize_root(self, path: str) -> str:
        """Return the root for a path, which may point deeper (`~/.cursor/conversations`)."""
        return normalized_root(path)

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """Yield all files with conversations; settings and credentials are never opened."""
        unlisted: list[Unlisted] = []
        yield from _editor(root, unlisted)
        for project in listing(os.path.join(root, "projects"), unlisted.append):
            if is_folder(project):
                yield from _project(project, unlisted)
        yield from _transcripts(os.path.join(root, "conversations"), "conversations", unlisted)
        for workspace in listing(os.path.join(root, "chats"), unlisted.append):
            if is_folder(workspace):
                yield from _chats(workspace, f"chats/{workspace.name}", unlisted)
        yield from _notes(root, unlisted)
        yield from unlisted

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """Return the reader for a file."""
        from agent_journal.connectors.cursor.reading import make_reader

        return make_reader(file, state)

    def extract_changes(
        self, path: str, kept: Mapping[str, tuple[int, int, int]]
    ) -> Iterator[Extract | str]:
        """Yield the conversations of a database, each as a file; only changed ones are read."""
        from agent_journal.connectors.cursor.extracts import extracts

        return extracts(path, kept)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """Recognise a transcript of JSON lines or of plain text."""
        from agent_journal.connectors.cursor.recognition import recognise

        return recognise(path, head)

    def recognise_document(self, path: str, document: Any, content: bytes) -> Recognition | None:
        """Recognise a list of messages."""
        from agent_journal.connectors.cursor.recognition import recognise_document

        return recognise_document(path, document)

    def why_not_resumable(self, session_id: str, names: Iterable[str]) -> str | None:
        """Say why not: the command line resumes its conversations, not those of the editor."""
        if any(name.startswith("chats/") for name in names):
            return None
        return "this session is of the editor, not of cursor-agent"


CONNECTOR = Cursor()


# The files of these folders, in the order they are read: conversations are read together with the
# document before them.
_WORKSPACE_FILES: dict[str, FileRole] = {"workspace.json": "document", "state.vscdb": "rows"}
_CHAT_FILES: dict[str, FileRole] = {
    "meta.json": "document",
    "store.db": "rows",
    "prompt_history.json": "document",
}
_TRANSCRIPT_ROLES: dict[str, FileRole] = {"jsonl": "log", "json": "session", "txt": "session"}


def _editor(root: str, unlisted: list[Unlisted]) -> _Found:
    for workspace in listing(os.path.join(root, "workspaceStorage"), unlisted.append):
        if is_folder(workspace):
            name = f"workspaceStorage/{workspace.name}"
            yield from _named_files(workspace, name, _WORKSPACE_FILES, unlisted)
    entries = list(listing(os.path.join(root, "globalStorage"), unlisted.append))
    for entry in entries:
        if entry.name == "state.vscdb":
            yield from found_file(entry, "globalStorage/state.vscdb", "rows", unlisted)
    yield from restored_rows(entries, "globalStorage", "state.vscdb", _extract, unlisted)


def _extract(path: str) -> Recognition | None:
    from agent_journal.connectors.cursor.recognition import recognise_extract

    return recognise_extract(path)


def _named_files(
    folder: os.DirEntry[str], name: str, roles: dict[str, FileRole], unlisted: list[Unlisted]
) -> _Found:
    entries = {entry.name: entry for entry in listing(folder.path, unlisted.append)}
    for file_name, role in roles.items():
        if file_name in entries:
            yield from found_file(entries[file_name], f"{name}/{file_name}", role, unlisted)
        elif role == "rows":
            yield from restored_rows(entries.values(), name, file_name, _extract, unlisted)


def _project(project: os.DirEntry[str], unlisted: list[Unlisted]) -> _Found:
    if project.name == TRANSCRIPTS:
        yield from _transcripts(project.path, f"projects/{TRANSCRIPTS}", unlisted)
        return
    folder = os.path.join(project.path, TRANSCRIPTS)
    yield from _transcripts(folder, f"projects/{project.name}/{TRANSCRIPTS}", unlisted)


def _transcripts(folder: str, name: str, unlisted: list[Unlisted], depth: int = 3) -> _Found:
    """Yield the transcripts in a folder, in those of sessions, and in those of sub-agents."""
    for entry in listing(folder, unlisted.append):
        stem, _, suffix = entry.name.rpartition(".")
        inner = f"{name}/{entry.name}"
        if stem and suffix in _TRANSCRIPT_ROLES:
            role = _TRANSCRIPT_ROLES[suffix]
            yield from found_file(entry, inner, role, unlisted, stem, RANK_TRANSCRIPT)
        elif depth > 1 and entry.is_dir(follow_symlinks=False):
            yield from _transcripts(entry.path, inner, unlisted, depth - 1)


def _chats(workspace: os.DirEntry[str], name: str, unlisted: list[Unlisted]) -> _Found:
    for session in listing(workspace.path, unlisted.append):
        if is_folder(session):
            yield from _named_files(session, f"{name}/{session.name}", _CHAT_FILES, unlisted)


def _notes(root: str, unlisted: list[Unlisted]) -> _Found:
    for entry in listing(os.path.join(root, "plans"), unlisted.append):
        if entry.name.endswith(".plan.md"):
            yield from found_file(entry, f"plans/{entry.name}", "document", unlisted)
    for entry in listing(root, unlisted.append):
        if entry.name == "prompt_history.json":
            yield from found_file(entry, entry.name, "document", unlisted)
