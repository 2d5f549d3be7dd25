"""Cursor: lists the files of the editor and of the command line that hold conversations.

    <IDE>/User/globalStorage/state.vscdb                       conversations, one row for each message
    <IDE>/User/workspaceStorage/<hash>/state.vscdb             which conversations are a folder's; the oldest ones
    ~/.cursor/projects/<folder>/agent-transcripts/<id>/<id>.jsonl   a transcript without results and times
    ~/.cursor/chats/<hash>/<id>/store.db                       a conversation of the command line

This half only lists and stats, and is imported by every sync; what reads the files is imported by `reader`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
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
from agent_journal.connectors.cursor.places import folders, settled
from agent_journal.connectors.hooks import PLAIN_ID, AgentConnector, ResumeMethod

# Which copy of a conversation is read: the database has everything, the store of the command line
# no times, a transcript no results. Of several transcripts the one that says most is read.
RANK_ROWS, RANK_INLINE, RANK_STORE, RANK_TRANSCRIPT = 4, 3, 2, 1
TRANSCRIPTS = "agent-transcripts"
_Found = Iterator[FoundFile]


class Cursor(AgentConnector):
    """The connector for Cursor, the editor and the command line."""

    name = "cursor"
    title = "Cursor"
    version = 1
    root_folders = ("workspaceStorage", "globalStorage", "projects", "chats")
    has_shared_database_names = True  # with VS Code
    resume_method = ResumeMethod(
        "Cursor",
        ("cursor-agent", "--resume={}"),
        PLAIN_ID,
        instead="open its folder in Cursor: it is in the chat history",
    )

    def roots(self, env: Env) -> list[str]:
        """The `User` folders of the editor and the folders of the command line, those that are
        there.
        """
        return folders(env)

    def normalize_root(self, path: str) -> str:
        """The root for a configured path, which may point deeper (`~/.cursor/conversations`)."""
        return settled(path)

    def retention_days(self, root: str) -> int | None:
        """Cursor does not delete conversations by itself."""
        return None

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """All files with conversations; settings, credentials and indexes of code are never looked
        at.
        """
        unlisted: list[Unlisted] = []
        yield from _editor(root, unlisted)
        for project in listing(os.path.join(root, "projects"), unlisted.append):
            if not is_folder(project):
                continue
            below = (
                project.path
                if project.name == TRANSCRIPTS
                else os.path.join(project.path, TRANSCRIPTS)
            )
            name = "projects/" + (
                TRANSCRIPTS if project.name == TRANSCRIPTS else f"{project.name}/{TRANSCRIPTS}"
            )
            yield from _transcripts(below, name, unlisted)
        yield from _transcripts(os.path.join(root, "conversations"), "conversations", unlisted)
        for workspace in listing(os.path.join(root, "chats"), unlisted.append):
            if is_folder(workspace):
                yield from _chats(workspace, f"chats/{workspace.name}", unlisted)
        yield from _notes(root, unlisted)
        yield from unlisted

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """A reader for one file."""
        from agent_journal.connectors.cursor.reading import make_reader

        return make_reader(file, state)

    def extract_changes(
        self, path: str, kept: Mapping[str, tuple[int, int, int]]
    ) -> Iterator[Extract | str]:
        """The conversations of a database, each as a file of its own; only those that changed are
        read.
        """
        from agent_journal.connectors.cursor.extracts import extracts

        return extracts(path, kept)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A transcript of lines or of plain text."""
        from agent_journal.connectors.cursor.recognition import recognise

        return recognise(path, head)

    def recognise_document(self, path: str, document: Any, content: bytes) -> Recognition | None:
        """A list of messages."""
        from agent_journal.connectors.cursor.recognition import recognise_document

        return recognise_document(path, document)

    def why_not_resumable(self, session_id: str, names: Iterable[str]) -> str | None:
        """The command line resumes its conversations, not those of the editor."""
        if any(name.startswith("chats/") for name in names):
            return None
        return "this session is of the editor, not of cursor-agent"


CONNECTOR = Cursor()


def _editor(root: str, unlisted: list[Unlisted]) -> _Found:
    # workspace.json comes first: conversations are read with it.
    for workspace in listing(os.path.join(root, "workspaceStorage"), unlisted.append):
        if is_folder(workspace):
            entries = {entry.name: entry for entry in listing(workspace.path, unlisted.append)}
            name = f"workspaceStorage/{workspace.name}"
            if "workspace.json" in entries:
                yield from found_file(
                    entries["workspace.json"], f"{name}/workspace.json", "document", unlisted
                )
            if "state.vscdb" in entries:
                yield from found_file(
                    entries["state.vscdb"], f"{name}/state.vscdb", "rows", unlisted
                )
    for entry in listing(os.path.join(root, "globalStorage"), unlisted.append):
        if entry.name == "state.vscdb":
            yield from found_file(entry, "globalStorage/state.vscdb", "rows", unlisted)


def _transcripts(folder: str, name: str, unlisted: list[Unlisted], depth: int = 3) -> _Found:
    """Transcripts in a folder, in the folder of their session, and those of its sub-agents."""
    for entry in listing(folder, unlisted.append):
        stem, _, kind = entry.name.rpartition(".")
        inner = f"{name}/{entry.name}"
        if kind in ("jsonl", "json", "txt") and stem:
            role = "log" if kind == "jsonl" else "session"
            yield from found_file(entry, inner, role, unlisted, stem, RANK_TRANSCRIPT)  # type: ignore[arg-type]
        elif depth > 1 and entry.is_dir(follow_symlinks=False):
            yield from _transcripts(entry.path, inner, unlisted, depth - 1)


def _chats(workspace: os.DirEntry[str], name: str, unlisted: list[Unlisted]) -> _Found:
    for session in listing(workspace.path, unlisted.append):
        if is_folder(session):
            entries = {entry.name: entry for entry in listing(session.path, unlisted.append)}
            for file, role in (
                ("meta.json", "document"),
                ("store.db", "rows"),
                ("prompt_history.json", "document"),
            ):
                if file in entries:
                    inner = f"{name}/{session.name}/{file}"
                    yield from found_file(entries[file], inner, role, unlisted)  # type: ignore[arg-type]


def _notes(root: str, unlisted: list[Unlisted]) -> _Found:
    for entry in listing(os.path.join(root, "plans"), unlisted.append):
        if entry.name.endswith(".plan.md"):
            yield from found_file(entry, f"plans/{entry.name}", "document", unlisted)
    for entry in listing(root, unlisted.append):
        if entry.name == "prompt_history.json":
            yield from found_file(entry, entry.name, "document", unlisted)
