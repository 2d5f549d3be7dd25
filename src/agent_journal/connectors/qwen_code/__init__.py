"""Qwen Code: lists the files under `~/.qwen` that hold sessions.

projects/<folder>/chats/<session>.jsonl                        a session
projects/<folder>/subagents/<session>/agent-<type>-<call>.jsonl   a sub-agent of it
tmp/<hash>/chats/session-….json                                a session of 2025, as of Gemini CLI

This module only lists files; the readers are imported when a file has to be read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from agent_journal.connectors.base import (
    Env,
    FileIdentity,
    FoundFile,
    Reader,
    Recognition,
    Unlisted,
    found_file,
    is_folder,
    listing,
)
from agent_journal.connectors.gemini import project_files
from agent_journal.connectors.hooks import AgentConnector, ResumeMethod

SUBAGENT = "agent-"  # how the names of their files begin
_Found = Iterator[FoundFile]


class QwenCode(AgentConnector):
    """The connector for Qwen Code."""

    name = "qwen-code"
    title = "Qwen Code"
    version = 3
    root_folders = ("projects", "tmp")
    resume_method = ResumeMethod("Qwen Code", ("qwen", "--resume", "{}"))

    def roots(self, env: Env) -> list[str]:
        """Return `$QWEN_HOME` or `~/.qwen`, and `$QWEN_RUNTIME_DIR`."""
        roots = [env.variable("QWEN_HOME") or env.path(".qwen")]
        runtime = env.variable("QWEN_RUNTIME_DIR")
        if runtime:
            roots.append(runtime)
        return roots

    def normalize_root(self, path: str) -> str:
        """Return the folder around `projects` or `tmp`, or the `.qwen` in a folder that has one."""
        path = path.rstrip("/\\") or path
        if os.path.basename(path) in self.root_folders:
            return os.path.dirname(path)
        below = os.path.join(path, ".qwen")
        if os.path.isdir(below):
            return below
        return path

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """Yield all session files; settings and credentials are never looked at."""
        unlisted: list[Unlisted] = []
        for project in listing(os.path.join(root, "projects"), unlisted.append):
            if is_folder(project):
                yield from _project(project.path, f"projects/{project.name}", unlisted)
        yield from project_files(root, unlisted)
        yield from unlisted

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """Return a reader for one file."""
        if file.name.startswith("tmp/"):
            from agent_journal.connectors.gemini.reading import make_reader

            return make_reader(file, self.name)
        if file.role == "kept":
            from agent_journal.connectors.kept import KeptReader

            return KeptReader(file, "sub-agent", "how the sub-agent was started")
        from agent_journal.connectors.qwen_code.chat import ChatReader

        return ChatReader(file, state)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A log whose messages have the parts of Gemini's API."""
        from agent_journal.connectors.qwen_code.recognition import recognise

        return recognise(path, head)


CONNECTOR = QwenCode()


def _project(folder: str, name: str, unlisted: list[Unlisted]) -> _Found:
    for entry in listing(os.path.join(folder, "chats"), unlisted.append):
        stem, suffix = os.path.splitext(entry.name)
        if suffix == ".jsonl":
            yield from found_file(entry, f"{name}/chats/{entry.name}", "log", unlisted, stem)
    for session in listing(os.path.join(folder, "subagents"), unlisted.append):
        if is_folder(session):
            yield from _subagents(session, f"{name}/subagents/{session.name}", unlisted)


def _subagents(session: os.DirEntry[str], name: str, unlisted: list[Unlisted]) -> _Found:
    for entry in listing(session.path, unlisted.append):
        inner = f"{name}/{entry.name}"
        if entry.name.endswith(".meta.json"):
            yield from found_file(entry, inner, "kept", unlisted)
        elif entry.name.endswith(".jsonl"):
            agent_id = entry.name.removesuffix(".jsonl").removeprefix(SUBAGENT)
            session_id = f"{session.name}/{agent_id}"
            # Read whole: the file beside it names the model of all its lines, and changes
            yield from found_file(entry, inner, "replay", unlisted, session_id)
