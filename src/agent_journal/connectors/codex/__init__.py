"""OpenAI Codex CLI: `~/.codex/sessions/2026/11/15/rollout-2026-11-15T18-07-32-<id>.jsonl`.

A line:
`{"timestamp":"2026-11-15T18:07:32.731Z","type":"event_msg","payload":{"type":"user_message",…}}`
This module only lists files; what reads them is imported when a file has to be read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

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
from agent_journal.connectors.hooks import UUID, AgentConnector, ResumeMethod

# No other file is opened: auth.json and others contain tokens.
SESSION_FOLDERS = ("sessions", "archived_sessions")
_INDEXES: dict[str, FileRole] = {"history.jsonl": "log", "session_index.jsonl": "document"}
_MAX_DEPTH = 5  # sessions/YYYY/MM/DD, and one more for other layouts
_UUID_LENGTH = 36
_UUID_DASHES = [8, 13, 18, 23]
_UUID_LETTERS = frozenset("0123456789abcdefABCDEF-")


class Codex(AgentConnector):
    """The connector for Codex CLI; its editor extension and desktop app write the same files."""

    name = "codex"
    title = "OpenAI Codex CLI"
    version = 8
    import_suffixes = (".json", ".jsonl", ".jsonl.zst")
    root_folders = SESSION_FOLDERS
    resume_method = ResumeMethod("Codex CLI", ("codex", "resume", "{}"), needs_folder=False)

    def roots(self, env: Env) -> list[str]:
        """Return `$CODEX_HOME` or `~/.codex`, the same on every system."""
        return [env.variable("CODEX_HOME") or env.path(".codex")]

    def normalize_root(self, path: str) -> str:
        """Return the folder above `sessions` or `archived_sessions`."""
        parent, last = os.path.split(path.rstrip("/\\") or path)
        if last in SESSION_FOLDERS:
            return parent
        return path

    def retention_days(self, root: str) -> int | None:
        """Return None: Codex compresses and archives sessions but never deletes them."""
        return None

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """Yield all session files under `root`."""
        return with_unlisted(_discover, root)

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """Return the reader for a file."""
        from agent_journal.connectors.codex.reading import reader_for

        return reader_for(file, state)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """Recognise a rollout by its types of records."""
        from agent_journal.connectors.codex.recognition import recognise

        return recognise(path, head)

    def recognise_by_name(self, path: str) -> Recognition:
        """Return the role of a rollout: a log, or a whole session when it is compressed."""
        if path.lower().endswith(".zst"):
            return Recognition("session", None)
        return Recognition("log", None)

    def resumable_name(self, name: str) -> str:
        """Codex does not resume archived sessions: they belong into the folder of their day."""
        found = re.fullmatch(r"archived_sessions/(rollout-(\d{4})-(\d\d)-(\d\d)T[^/]+)", name)
        if found is None:
            return name
        return f"sessions/{found[2]}/{found[3]}/{found[4]}/{found[1]}"

    def is_resumable(self, name: str, session_id: str, content: bytes) -> bool:
        """Codex looks for the id in the name, and for the head in the first line."""
        found = re.fullmatch(rf"sessions/[\d/]*rollout-[^/]+-({UUID})\.jsonl", name)
        if found is None or found[1] != session_id:
            return False
        return re.match(rb'\{[^\n]{0,200}"session_meta"', content) is not None


def session_of(name: str) -> str | None:
    """Return the session of a rollout by the name of its file; None for other files."""
    if not name.startswith("rollout-") or not name.endswith((".jsonl", ".jsonl.zst")):
        return None
    stem = name.removeprefix("rollout-").removesuffix(".zst").removesuffix(".jsonl")
    uuid = stem[-_UUID_LENGTH:]
    if _is_uuid(uuid):
        return uuid
    if stem[10:11] == "T" and stem[19:20] == "-":
        stem = stem[20:]  # after the time
    return stem or None


def _is_uuid(text: str) -> bool:
    dashes = [index for index, letter in enumerate(text) if letter == "-"]
    return len(text) == _UUID_LENGTH and dashes == _UUID_DASHES and _UUID_LETTERS.issuperset(text)


def _discover(root: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    for folder in SESSION_FOLDERS:
        yield from _rollouts(os.path.join(root, folder), folder, unlisted, _MAX_DEPTH)
    for entry in listing(root, unlisted.append):
        if entry.name in _INDEXES:
            yield from found_file(entry, entry.name, _INDEXES[entry.name], unlisted)


def _rollouts(folder: str, name: str, unlisted: list[Unlisted], depth: int) -> Iterator[FoundFile]:
    for entry in listing(folder, unlisted.append):
        inner = f"{name}/{entry.name}"
        session_id = session_of(entry.name)
        if session_id is not None:
            role: FileRole = "session" if entry.name.endswith(".zst") else "log"
            yield from found_file(entry, inner, role, unlisted, session_id)
        elif depth > 1 and not entry.name.startswith(".") and is_folder(entry):
            yield from _rollouts(entry.path, inner, unlisted, depth - 1)


CONNECTOR = Codex()
