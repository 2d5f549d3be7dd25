"""Claude Code: lists the files under `~/.claude` that hold sessions.

    projects/-home-u-app/6f0c…e1.jsonl                          the transcript of a session
    projects/-home-u-app/6f0c…e1/subagents/agent-a1b2.jsonl     the transcript of a sub-agent

This module only lists files, and every sync imports it; what reads them is imported by `reader`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
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
    found_path,
    is_folder,
    listing,
)
from agent_journal.connectors.hooks import UUID, AgentConnector, ResumeMethod

# Claude Desktop keeps one whole configuration folder per local session:
# <account>/<organisation>/<session>/.claude.
_DESKTOP_DEPTH = 4
_DESKTOP_FOLDERS = 5_000
_AGENT = "agent-"
_LOG = ".jsonl"
_ROOT_FILES: dict[str, FileRole] = {"history.jsonl": "log", "stats-cache.json": "document"}
_Found = Iterator[FoundFile | Unlisted]


class ClaudeCode(AgentConnector):
    """The connector for Claude Code."""

    name = "claude-code"
    title = "Claude Code"
    version = 5
    root_folders = ("projects",)
    session_list = "projects/*/sessions-index.json"
    resume_method = ResumeMethod("Claude Code", ("claude", "--resume", "{}"))

    def roots(self, env: Env) -> list[str]:
        """The configured folders or the default ones, and those inside Claude Desktop."""
        listed = env.variable("CLAUDE_CONFIG_DIR")
        if listed:
            roots = [_expanded(part.strip(), env) for part in listed.split(",") if part.strip()]
        else:
            roots = [env.path(".claude"), os.path.join(_config_home(env), "claude")]
        return [*dict.fromkeys([*roots, *_desktop_roots(env)])]

    def normalize_root(self, path: str) -> str:
        """The configuration folder for a path: itself, its `projects`, or the folder above it."""
        path = path.rstrip("/\\") or path
        if os.path.basename(path) == "projects":
            return os.path.dirname(path)
        below = os.path.join(path, ".claude")
        if not _has_projects(path) and _has_projects(below):
            return below
        return path

    def retention_days(self, root: str) -> int | None:
        """`cleanupPeriodDays` of the settings; 30 by default."""
        from agent_journal.connectors.claude_code.retention import cleanup_days

        return cleanup_days(root)

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """All session files; the rest of the folder (credentials, settings) is never read."""
        unlisted: list[Unlisted] = []
        for project in listing(os.path.join(root, "projects"), unlisted.append):
            if is_folder(project):
                yield from _project(project, f"projects/{project.name}", unlisted)
        for name, role in _ROOT_FILES.items():
            yield from found_path(os.path.join(root, name), name, role)
        yield from _matching(root, "paste-cache", ".txt", "kept", unlisted)
        yield from _matching(root, "todos", ".json", "document", unlisted)
        yield from _matching(root, "plans", ".md", "document", unlisted)
        yield from _in_folders(root, "tasks", ".json", "document", unlisted)
        yield from _in_folders(root, "agent-memory", ".md", "document", unlisted)
        yield from _in_folders(root, "file-history", "", "kept", unlisted)
        yield from unlisted

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """A reader for one file."""
        from agent_journal.connectors.claude_code.reading import make_reader

        return make_reader(file, state)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A transcript by its types of records."""
        from agent_journal.connectors.claude_code.recognition import recognise

        return recognise(path, head)

    def recognise_document(self, path: str, document: Any, content: bytes) -> Recognition | None:
        """A session of Claude Code on the web."""
        from agent_journal.connectors.claude_code.web_export import recognise_document

        return recognise_document(path, document)

    def recognise_by_name(self, path: str) -> Recognition:
        """Transcripts are named by their session; those of no session are sub-agents'."""
        from agent_journal.connectors.recognition import stem

        return super().recognise_by_name(path)._replace(session_id=stem(path))

    def is_resumable(self, name: str, session_id: str, content: bytes) -> bool:
        """Claude Code looks for `<session>.jsonl` in the folder of a project."""
        found = re.fullmatch(rf"projects/[^/]+/({UUID})\.jsonl", name)
        return found is not None and found[1] == session_id


CONNECTOR = ClaudeCode()


# -- roots -------------------------------------------------------------------------------------


def _expanded(path: str, env: Env) -> str:
    if path == "~" or path.startswith(("~/", "~\\")):
        return env.home + path[1:]
    return path


def _has_projects(path: str) -> bool:
    return os.path.isdir(os.path.join(path, "projects"))


def _config_home(env: Env) -> str:
    return env.variable("XDG_CONFIG_HOME") or env.path(".config")


def _desktop_roots(env: Env) -> list[str]:
    if env.platform == "darwin":
        base = env.path("Library", "Application Support")
    elif env.platform == "win32":
        base = env.variable("APPDATA") or env.path("AppData", "Roaming")
    else:
        base = _config_home(env)
    found: list[str] = []
    folders = [os.path.join(base, "Claude", "local-agent-mode-sessions")]
    listed = 0
    for _ in range(_DESKTOP_DEPTH):
        below: list[str] = []
        for folder in folders:
            listed += 1
            if listed > _DESKTOP_FOLDERS:
                return found
            for entry in listing(folder, _ignore):
                if entry.name == ".claude":
                    found.append(entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    below.append(entry.path)
        folders = below
    return found


def _ignore(_: Unlisted) -> None:
    """Report nothing: the folders of Claude Desktop need not be readable."""


# -- one project -------------------------------------------------------------------------------


def _project(project: os.DirEntry[str], name: str, unlisted: list[Unlisted]) -> _Found:
    # Sub-agents come first: their parents' transcripts report those that have no file
    entries = listing(project.path, unlisted.append)
    agents = [entry for entry in entries if entry.name.startswith(_AGENT)]
    others = [entry for entry in entries if not entry.name.startswith(_AGENT)]
    for entry in (*agents, *others):
        file = entry.name
        if file.startswith(_AGENT) and file.endswith(_LOG):
            yield from found_file(entry, f"{name}/{file}", "log", unlisted)
        elif file.endswith(_LOG):
            session = file.removesuffix(_LOG)
            yield from found_file(entry, f"{name}/{file}", "log", unlisted, session)
        elif file == "sessions-index.json":
            yield from _file(entry, f"{name}/{file}", "document")
        elif file.endswith(".jsonl.backup") or file == ".session-aliases":
            yield from _file(entry, f"{name}/{file}", "kept")
        elif not is_folder(entry):
            continue
        elif file == "memory":
            yield from _matching(project.path, "memory", ".md", "document", unlisted, f"{name}/")
        else:
            yield from _session_folder(entry, f"{name}/{file}", unlisted)


def _session_folder(folder: os.DirEntry[str], name: str, unlisted: list[Unlisted]) -> _Found:
    for entry in listing(folder.path, unlisted.append):
        below = f"{name}/{entry.name}"
        if entry.name == "custom-title.json":
            yield from _file(entry, below, "document")
        elif not entry.is_dir(follow_symlinks=False):
            continue
        elif entry.name == "subagents":
            yield from _subagents(entry.path, below, folder.name, unlisted)
        elif entry.name == "tool-results":
            yield from _files(listing(entry.path, unlisted.append), below, "kept")
        elif entry.name == "workflows":
            yield from _workflows(entry.path, below, unlisted)


def _workflows(path: str, name: str, unlisted: list[Unlisted]) -> _Found:
    runs = listing(path, unlisted.append)
    yield from _files(runs, name, "kept")
    for run in runs:
        if run.name == "scripts" and run.is_dir(follow_symlinks=False):
            yield from _files(listing(run.path, unlisted.append), f"{name}/scripts", "kept")


def _subagents(path: str, name: str, session: str, unlisted: list[Unlisted]) -> _Found:
    for entry in listing(path, unlisted.append):
        if entry.name == "workflows":
            yield from _workflow_agents(entry.path, f"{name}/workflows", session, unlisted)
        else:
            yield from _agent_file(entry, f"{name}/{entry.name}", session)


def _workflow_agents(path: str, name: str, session: str, unlisted: list[Unlisted]) -> _Found:
    for run in listing(path, unlisted.append):
        if run.is_dir(follow_symlinks=False):
            for file in listing(run.path, unlisted.append):
                yield from _agent_file(file, f"{name}/{run.name}/{file.name}", session)


def _agent_file(entry: os.DirEntry[str], name: str, session: str) -> _Found:
    file = entry.name
    if file.startswith(_AGENT) and file.endswith(_LOG):
        yield from _file(entry, name, "log", f"{session}/{file.removesuffix(_LOG)}")
    elif file == "journal.jsonl":
        # The log of a workflow is not a transcript: without a session it counts as no one's copy.
        yield from _file(entry, name, "log")
    elif file.endswith(".meta.json"):
        yield from _file(entry, name, "document")


# -- the stores beside the projects ------------------------------------------------------------


def _matching(
    root: str,
    folder: str,
    suffix: str,
    role: FileRole,
    unlisted: list[Unlisted],
    prefix: str = "",
) -> _Found:
    for entry in listing(os.path.join(root, folder), unlisted.append):
        if entry.name.endswith(suffix):
            yield from _file(entry, f"{prefix}{folder}/{entry.name}", role)


def _in_folders(
    root: str, folder: str, suffix: str, role: FileRole, unlisted: list[Unlisted]
) -> _Found:
    """The files in the folders below one: each is of a session, or of a kind of sub-agent."""
    for below in listing(os.path.join(root, folder), unlisted.append):
        if not below.is_dir(follow_symlinks=False):
            continue
        for entry in listing(below.path, unlisted.append):
            if entry.name.endswith(suffix) and not entry.name.startswith("."):
                yield from _file(entry, f"{folder}/{below.name}/{entry.name}", role)


def _files(entries: Iterable[os.DirEntry[str]], name: str, role: FileRole) -> _Found:
    for entry in entries:
        yield from _file(entry, f"{name}/{entry.name}", role)


def _file(
    entry: os.DirEntry[str], name: str, role: FileRole, session: str | None = None
) -> tuple[FoundFile | Unlisted, ...]:
    """The file, or why it is not kept; nothing for a folder."""
    unlisted: list[Unlisted] = []
    found = found_file(entry, name, role, unlisted, session)
    if unlisted:
        return tuple(unlisted)
    return found
