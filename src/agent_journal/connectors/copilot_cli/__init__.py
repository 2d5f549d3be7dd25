"""GitHub Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl` and the files around it.

    {"type":"user.message","data":{"content":"fix it"},"id":"<uuid>",
     "timestamp":"2026-11-15T18:07:32.731Z"}

This module only lists files, and every sync imports it; what reads them is imported by `reader`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

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
    with_unlisted,
)
from agent_journal.connectors.hooks import PLAIN_ID, UUID, AgentConnector, ResumeMethod

# Files that are not named here are never read: config.json, mcp-*, ide/ and others may hold tokens.
_SESSION_FOLDERS = ("session-state", "sessions")  # the second is in .copilot-cli
_SESSION_FILES: dict[str, FileRole] = {
    "workspace.yaml": "document",
    "plan.md": "document",
    "vscode.metadata.json": "document",
    "session.db": "database",
}
_REWIND_FILES = ("index.json", "tracking.json")
_KEPT_FOLDERS = ("files", "research")
_USAGE_GAPS = {
    "shutdown": "its totals at the end of a session leave out compaction and crashed sessions",
    "usage_record": "its records of calls leave out compaction; versions before 1.0.93 have none",
    "store": "its database leaves out what older versions did not write there",
    "message": "its messages record output tokens only",
}
_MAX_DEPTH = 4
_MAX_KEPT = 2000


class CopilotCli(AgentConnector):
    """The connector for GitHub Copilot CLI."""

    name = "copilot-cli"
    title = "GitHub Copilot CLI"
    version = 8
    root_folders = ("session-state",)
    records_credits = True
    usage_gaps = _USAGE_GAPS
    resume_method = ResumeMethod(
        "Copilot CLI", ("copilot", "--resume={}"), PLAIN_ID, needs_folder=False
    )

    def roots(self, env: Env) -> list[str]:
        """`$COPILOT_HOME` or `~/.copilot`, then the folders of early versions."""
        roots = [env.variable("COPILOT_HOME") or env.path(".copilot")]
        config = env.variable("XDG_CONFIG_HOME")
        if config is not None:
            roots.append(os.path.join(config, ".copilot"))
        roots.append(env.path(".config", ".copilot"))
        roots.append(env.path(".copilot-cli"))
        return list(dict.fromkeys(roots))

    def normalize_root(self, path: str) -> str:
        """The folder above `session-state`, or above the `sessions` of `.copilot-cli`."""
        parent, name = os.path.split(path.rstrip("/\\") or path)
        if name == "session-state":
            return parent
        if name == "sessions" and os.path.basename(parent) == ".copilot-cli":
            return parent
        return path

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """All session files under `root`."""
        return with_unlisted(_discover, root)

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """The reader for a file, by its name."""
        from agent_journal.connectors.copilot_cli.reading import reader_for

        return reader_for(file, state)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A log of events."""
        from agent_journal.connectors.copilot_cli.recognition import recognise

        return recognise(path, head)

    def why_not_resumable(self, session_id: str, names: Iterable[str]) -> str | None:
        """Transcripts that are one file are of an old version."""
        if f"session-state/{session_id}.jsonl" in names:
            return "this session is of a version whose files Copilot CLI no longer reads"
        return None

    def resumable_name(self, name: str) -> str:
        """A transcript that is one file is read where it is in a folder of its session."""
        return re.sub(r"(session-state/[^/]+)\.jsonl\Z", r"\1/events.jsonl", name)

    def is_resumable(self, name: str, session_id: str, content: bytes) -> bool:
        """Copilot CLI looks for `<session>/events.jsonl`, and for its start in the first line."""
        from agent_journal.connectors.copilot_cli.loading import is_loadable

        found = re.fullmatch(rf"session-state/({UUID})/events\.jsonl", name)
        if found is None or found[1] != session_id:
            return False
        is_log = re.match(rb'\{[^\n]{0,400}"session\.start"', content) is not None
        return is_log and all(map(is_loadable, content.splitlines()))


def _discover(root: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    for folder in _SESSION_FOLDERS:
        yield from _sessions(os.path.join(root, folder), folder, unlisted)
    legacy = os.path.join(root, "history-session-state")
    yield from _documents(legacy, "history-session-state", ".json", unlisted)
    for entry in listing(root, unlisted.append):
        if entry.name == "session-store.db":
            yield from found_file(entry, entry.name, "database", unlisted)
        elif entry.name == "command-history-state.json":
            yield from found_file(entry, entry.name, "document", unlisted)
        elif entry.name == "command-history-state":
            yield from _documents(entry.path, entry.name, "", unlisted)


def _sessions(path: str, name: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    for entry in listing(path, unlisted.append):
        inner = f"{name}/{entry.name}"
        if entry.name.startswith("."):
            continue
        if is_folder(entry):
            yield from _session(entry.path, inner, entry.name, unlisted)
        elif entry.name.endswith(".jsonl"):
            session_id = entry.name.removesuffix(".jsonl")
            yield from found_file(entry, inner, "log", unlisted, session_id)


def _session(
    folder: str, name: str, session_id: str, unlisted: list[Unlisted]
) -> Iterator[FoundFile]:
    for entry in listing(folder, unlisted.append):
        inner = f"{name}/{entry.name}"
        if entry.name == "events.jsonl":
            yield from found_file(entry, inner, "log", unlisted, session_id, rank=1)
        elif entry.name in _SESSION_FILES:
            yield from found_file(entry, inner, _SESSION_FILES[entry.name], unlisted)
        elif entry.name == "checkpoints":
            yield from _documents(entry.path, inner, ".md", unlisted)
        elif entry.name in ("rewind-file-snapshots", "rewind-snapshots"):
            yield from _rewind(entry, inner, unlisted)
        elif entry.name in _KEPT_FOLDERS and entry.is_dir(follow_symlinks=False):
            yield from _first_kept(entry.path, inner, unlisted)


def _documents(
    folder: str, name: str, suffix: str, unlisted: list[Unlisted]
) -> Iterator[FoundFile]:
    for entry in listing(folder, unlisted.append):
        if entry.name.endswith(suffix) and not entry.name.startswith("."):
            yield from found_file(entry, f"{name}/{entry.name}", "document", unlisted)


def _first_kept(folder: str, name: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    for count, file in enumerate(_kept(folder, name, unlisted, _MAX_DEPTH)):
        if count >= _MAX_KEPT:
            reason = f"more than {_MAX_KEPT} files; the rest is not kept"
            unlisted.append(Unlisted(folder, reason))
            return
        yield file


def _rewind(folder: os.DirEntry[str], name: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    for entry in listing(folder.path, unlisted.append):
        if entry.name in _REWIND_FILES:
            yield from found_file(entry, f"{name}/{entry.name}", "document", unlisted)
        elif entry.name == "backups" and entry.is_dir(follow_symlinks=False):
            yield from _kept(entry.path, f"{name}/{entry.name}", unlisted, 1)


def _kept(folder: str, name: str, unlisted: list[Unlisted], depth: int) -> Iterator[FoundFile]:
    # Links are not followed: they could lead out of the session's folder.
    for entry in listing(folder, unlisted.append):
        if entry.name.startswith("."):
            continue
        inner = f"{name}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            if depth > 1:
                yield from _kept(entry.path, inner, unlisted, depth - 1)
        elif entry.is_file(follow_symlinks=False):
            yield from found_file(entry, inner, "kept", unlisted)


CONNECTOR = CopilotCli()
