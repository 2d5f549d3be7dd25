"""Gemini CLI: lists the files under `~/.gemini` that hold sessions.

    tmp/<project>/chats/session-2026-11-15T18-07-6f0c11e2.jsonl   a session: a log of messages
    tmp/<project>/chats/session-2026-01-10T20-00-fa4593e0.json    an older session: one document
    tmp/<project>/chats/<session id>/<agent id>.jsonl             a sub-agent of that session

<project> is a short name from `projects.json`, or the SHA-256 of the project's folder. This module
only lists files; the readers are imported when a file has to be read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from agent_journal.connectors.base import (
    Env,
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
from agent_journal.connectors.hooks import AgentConnector, ResumeMethod

CHATS = "chats"
_ROLES: dict[str, FileRole] = {".jsonl": "replay", ".json": "session"}
_KEPT_FOLDERS = ("checkpoints", "tool-outputs")
_FOLDER_LISTS = ("projects.json", "trustedFolders.json")
_PLAIN_FILES = (".project_root", "logs.json", "shell_history")
_MAX_KEPT = 2000  # files of a folder
_Found = Iterator[FoundFile]

_HEAD = 4_096  # bytes of a file in which it names its session


class Gemini(AgentConnector):
    """The connector for Gemini CLI."""

    name = "gemini"
    title = "Gemini CLI"
    version = 6
    root_folders = ("tmp",)
    shared_files = ("projects.json", "trustedFolders.json")
    resume_method = ResumeMethod("Gemini CLI", ("gemini", "--resume", "{}"))

    def roots(self, env: Env) -> list[str]:
        """Return `.gemini` in `$GEMINI_CLI_HOME` or in the home folder."""
        home = env.variable("GEMINI_CLI_HOME")
        if home:
            return [os.path.join(home, ".gemini")]
        return [env.path(".gemini")]

    def normalize_root(self, path: str) -> str:
        """Return the folder around `tmp`, or the `.gemini` in a folder that has one."""
        parent, last = os.path.split(path.rstrip("/\\") or path)
        if last == "tmp":
            return parent
        below = os.path.join(path, ".gemini")
        if os.path.isdir(below):
            return below
        return path

    def retention_days(self, root: str) -> int | None:
        """Return 30 unless the settings say otherwise."""
        from agent_journal.connectors.gemini.retention import cleanup_days

        return cleanup_days(root)

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """Yield all session files; settings and credentials are never looked at."""
        unlisted: list[Unlisted] = []
        # The lists of folders come first: the sessions are read with them.
        for entry in listing(root, unlisted.append):
            if entry.name in _FOLDER_LISTS:
                yield from found_file(entry, entry.name, "document", unlisted)
        yield from project_files(root, unlisted)
        yield from unlisted

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """Return a reader for one file."""
        from agent_journal.connectors.gemini.reading import make_reader

        return make_reader(file)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A log of messages and their updates."""
        from agent_journal.connectors.gemini.recognition import recognise

        return recognise(path, head)

    def recognise_document(self, path: str, document: Any, content: bytes) -> Recognition | None:
        """A session that is one document."""
        from agent_journal.connectors.gemini.recognition import recognise_document

        return recognise_document(path, document)

    def recognise_by_name(self, path: str) -> Recognition:
        """Later lines of a log change earlier ones, so it is read whole."""
        found = super().recognise_by_name(path)
        if found.role == "log":
            return found._replace(role="replay")
        return found

    def is_resumable(self, name: str, session_id: str, content: bytes) -> bool:
        """Gemini CLI looks for the id in the files of a project."""
        is_chat = re.fullmatch(r"tmp/[^/]+/chats/session-[^/]+\.jsonl?", name) is not None
        recorded = re.search(rb'"sessionId"\s*:\s*"([^"]{1,80})"', content[:_HEAD])
        return is_chat and recorded is not None and recorded[1].decode() == session_id


CONNECTOR = Gemini()


def project_files(root: str, unlisted: list[Unlisted]) -> _Found:
    """Yield the files of all projects below `tmp`, which Qwen Code had, too."""
    for project in listing(os.path.join(root, "tmp"), unlisted.append):
        if is_folder(project):
            yield from _project(project.path, f"tmp/{project.name}", unlisted)


def _project(folder: str, name: str, unlisted: list[Unlisted]) -> _Found:
    entries = listing(folder, unlisted.append)
    for entry in entries:  # .project_root sorts first, before the sessions that are read with it
        inner = f"{name}/{entry.name}"
        if entry.name in _PLAIN_FILES:
            yield from found_file(entry, inner, "document", unlisted)
        elif entry.name.startswith("checkpoint-") and entry.name.endswith(".json"):
            yield from found_file(entry, inner, "kept", unlisted)
        elif entry.name == CHATS:
            yield from _chats(entry.path, inner, unlisted)
        elif entry.is_dir(follow_symlinks=False):
            yield from _project_folder(entry, inner, unlisted)


def _project_folder(entry: os.DirEntry[str], name: str, unlisted: list[Unlisted]) -> _Found:
    plans = os.path.join(entry.path, "plans")
    if entry.name in _KEPT_FOLDERS:
        yield from _kept(entry.path, name, unlisted)
    elif entry.name == "plans":
        yield from _plans(entry.path, name, unlisted)
    elif os.path.isdir(plans):
        yield from _plans(plans, f"{name}/plans", unlisted)


def _chats(folder: str, name: str, unlisted: list[Unlisted]) -> _Found:
    for entry in listing(folder, unlisted.append):
        if entry.name.startswith("."):
            continue
        suffix = os.path.splitext(entry.name)[1]
        if suffix in _ROLES:
            yield from found_file(entry, f"{name}/{entry.name}", _ROLES[suffix], unlisted)
        elif is_folder(entry):
            yield from _subagents(entry.path, f"{name}/{entry.name}", entry.name, unlisted)


def _subagents(folder: str, name: str, parent: str, unlisted: list[Unlisted]) -> _Found:
    for entry in listing(folder, unlisted.append):
        stem, suffix = os.path.splitext(entry.name)
        if suffix in _ROLES and not stem.startswith("."):
            inner = f"{name}/{entry.name}"
            yield from found_file(entry, inner, _ROLES[suffix], unlisted, f"{parent}/{stem}")


def _plans(folder: str, name: str, unlisted: list[Unlisted]) -> _Found:
    for entry in listing(folder, unlisted.append):
        if entry.name.endswith(".md") and not entry.name.startswith("."):
            yield from found_file(entry, f"{name}/{entry.name}", "document", unlisted)


def _kept(folder: str, name: str, unlisted: list[Unlisted]) -> _Found:
    for count, entry in enumerate(listing(folder, unlisted.append)):
        if count >= _MAX_KEPT:
            unlisted.append(Unlisted(folder, f"more than {_MAX_KEPT} files; the rest is not kept"))
            return
        inner = f"{name}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            if name.count("/") < 3:
                yield from _kept(entry.path, inner, unlisted)
        elif not entry.name.startswith("."):
            yield from found_file(entry, inner, "kept", unlisted)
