"""Cline, Roo Code and Kilo Code (up to version 5): lists the files that hold tasks and sessions.

<IDE>/User/globalStorage/saoudrizwan.claude-dev/tasks/<id>/ui_messages.json
    a task as the person saw it
<IDE>/User/globalStorage/saoudrizwan.claude-dev/tasks/<id>/api_conversation_history.json
    the same task as the model saw it: arguments and results of tools
~/.cline/data/sessions/<id>/<id>.messages.json
    a session of Cline's command line, and of its extension from version 4 on

This module only lists files; the readers are imported when a file has to be read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
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
from agent_journal.connectors.cline.products import CLINE, KILO_CODE, ROO_CODE, Product
from agent_journal.connectors.hooks import AgentConnector, ResumeMethod
from agent_journal.connectors.restored_rows import extract_name, restored_rows
from agent_journal.connectors.vscode_chat.places import user_folders

SHOWN = "ui_messages.json"
SENT = ("api_conversation_history.json", "claude_messages.json")  # the second one until 2024
MESSAGES = ".messages.json"
DATABASE = "state.vscdb"
_ENTRY = "history_item.json"
_LISTS = (_ENTRY, "_index.json", "taskHistory.json")
_TASK_FILES: dict[str, FileRole] = {
    **dict.fromkeys(SENT, "document"),
    "task_metadata.json": "kept",
    _ENTRY: "document",
    SHOWN: "session",
}
_IN_ROOT = ("tasks", "sessions", "state")
_GLOBAL = "globalStorage"
_Found = Iterator[FoundFile]


class TaskAgent(AgentConnector):
    """The connector for one program of the family."""

    version = 2
    has_shared_database_names = True  # with VS Code
    _session_ids = r"\d{13}_[A-Za-z0-9_-]{1,20}"  # of Cline's command line

    def __init__(self, product: Product) -> None:
        self.product = product
        self.name = product.agent
        self.title = product.title
        self.root_folders = (_GLOBAL,)
        argv: tuple[str, ...] = ()
        if product.has_own_folder:
            self.root_folders = (_GLOBAL, "sessions")
            argv = ("cline", "--id", "{}")
        self.resume_method = ResumeMethod(
            product.title.partition(" (")[0],
            argv,
            self._session_ids,
            instead="open its folder in the editor: the task is in the history of the extension",
        )

    def roots(self, env: Env) -> list[str]:
        """Return the `User` folders of editors that have the extension, and Cline's own folder."""
        editors = user_folders(env)
        found = [folder for folder in editors if self._has_extension(folder)]
        if self.product.has_own_folder:
            found.append(_own_folder(env))
        return found or [os.path.join(editors[0], _GLOBAL, self.product.extensions[0])]

    def _has_extension(self, folder: str) -> bool:
        places = [os.path.join(folder, _GLOBAL, name) for name in self.product.extensions]
        return any(map(os.path.isdir, places))

    def normalize_root(self, path: str) -> str:
        """Return the `User` folder or the one with `tasks`, for a path around or below it."""
        path = path.rstrip("/\\") or path
        if os.path.basename(path) in (_GLOBAL, *_IN_ROOT):
            return os.path.dirname(path)
        for below in ("User", "data"):
            if os.path.isdir(os.path.join(path, below)):
                return os.path.join(path, below)
        return path

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """Yield the files with tasks and sessions; settings and keys are never listed."""
        unlisted: list[Unlisted] = []
        storage = listing(os.path.join(root, _GLOBAL), unlisted.append)
        entries = {entry.name: entry for entry in storage}
        extensions = [name for name in self.product.extensions if name in entries]
        for name in extensions:
            yield from _storage(entries[name].path, f"{_GLOBAL}/{name}/", unlisted)
        if extensions:
            yield from self._database(entries, unlisted)
        yield from _storage(root, "", unlisted)
        yield from unlisted

    def _database(self, entries: dict[str, os.DirEntry[str]], unlisted: list[Unlisted]) -> _Found:
        """Yield the database of the editor, for the list of tasks in it."""
        if DATABASE in entries:
            name = f"{_GLOBAL}/{DATABASE}"
            yield from found_file(entries[DATABASE], name, "rows", unlisted)
        yield from restored_rows(entries.values(), _GLOBAL, DATABASE, self._restored, unlisted)

    def _restored(self, path: str) -> Recognition | None:
        if extract_name(path) != self.product.extract:
            return None
        return Recognition("document", None)

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """Return a reader for one file."""
        from agent_journal.connectors.cline.reading import make_reader

        return make_reader(self.product, file)

    def extract(self, path: str) -> tuple[list[Extract], str | None]:
        """Return the list of tasks; nothing else in the database is read."""
        from agent_journal.connectors.cline.task_lists import extracts

        return extracts(path, self.product)

    def recognise_document(self, path: str, document: Any, content: bytes) -> Recognition | None:
        """Recognise a task or a session by what is in it."""
        from agent_journal.connectors.cline.recognition import recognise_document

        return recognise_document(self.product, path, document)

    def why_not_resumable(self, session_id: str, names: Iterable[str]) -> str | None:
        """Say why not: the command line resumes its own sessions, not tasks of the extension."""
        if any(name.startswith("sessions/") for name in names):
            return None
        return "this is a task of the extension, not a session of the command line"


CONNECTOR = TaskAgent(CLINE)
ROO = TaskAgent(ROO_CODE)
KILO = TaskAgent(KILO_CODE)


def _own_folder(env: Env) -> str:
    """Cline's folder for data; the environment may name it, or the folder around it."""
    sessions = env.variable("CLINE_SESSION_DATA_DIR")
    if sessions:
        return os.path.dirname(sessions.rstrip("/\\"))
    data = env.variable("CLINE_DATA_DIR")
    if data:
        return data
    return os.path.join(env.variable("CLINE_DIR") or env.path(".cline"), "data")


def _storage(folder: str, name: str, unlisted: list[Unlisted]) -> _Found:
    """Yield the files in a folder of an extension, or in Cline's own one."""
    for task in listing(os.path.join(folder, "tasks"), unlisted.append):
        inner = f"{name}tasks/{task.name}"
        if task.name in _LISTS:
            yield from found_file(task, inner, "document", unlisted)
        elif is_folder(task):
            yield from _task(task, inner, unlisted)
    for entry in listing(os.path.join(folder, "state"), unlisted.append):
        if entry.name in _LISTS:
            yield from found_file(entry, f"{name}state/{entry.name}", "document", unlisted)
    for session in listing(os.path.join(folder, "sessions"), unlisted.append):
        if is_folder(session):
            yield from _session(session, f"{name}sessions/{session.name}", unlisted)


def _task(task: os.DirEntry[str], name: str, unlisted: list[Unlisted]) -> _Found:
    """Yield the files of a task; what was shown of it comes last, it is read with the others."""
    entries = {entry.name: entry for entry in listing(task.path, unlisted.append)}
    for file_name, role in _TASK_FILES.items():
        if file_name in entries:
            session_id = task.name if role == "session" else None
            inner = f"{name}/{file_name}"
            yield from found_file(entries[file_name], inner, role, unlisted, session_id)


def _session(session: os.DirEntry[str], name: str, unlisted: list[Unlisted]) -> _Found:
    """Yield the messages of a session and of its sub-agents; the manifest is read with them."""
    for entry in listing(session.path, unlisted.append):
        inner = f"{name}/{entry.name}"
        stem = entry.name.removesuffix(MESSAGES)
        if entry.name == f"{session.name}.json":
            yield from found_file(entry, inner, "kept", unlisted)
        elif stem == session.name:
            yield from found_file(entry, inner, "session", unlisted, stem)
        elif stem != entry.name:
            session_id = f"{session.name}__{stem}"
            yield from found_file(entry, inner, "session", unlisted, session_id)
