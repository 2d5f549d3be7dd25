"""OpenAI Codex CLI: `~/.codex/sessions/2026/11/15/rollout-2026-11-15T18-07-32-<id>.jsonl` and the
files around it.

A line:
`{"timestamp":"2026-11-15T18:07:32.731Z","type":"event_msg","payload":{"type":"user_message","message":"hi"}}`
This half only lists files; what reads them is imported when a file has to be read.
"""

from __future__ import annotations

import os
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
from agent_journal.connectors.hooks import AgentConnector, ResumeMethod

# Everything not named here stays untouched: auth.json and others hold tokens.
SESSION_FOLDERS = ("sessions", "archived_sessions")
_BESIDE: dict[str, FileRole] = {"history.jsonl": "log", "session_index.jsonl": "document"}
_MAX_DEPTH = 5  # sessions/YYYY/MM/DD, and one more for tools that sort them otherwise
_DASHES = [8, 13, 18, 23]  # of a UUID
_HEX = frozenset("0123456789abcdefABCDEF-")


class Codex(AgentConnector):
    """The connector for OpenAI Codex CLI, its editor extension and its desktop program: all write
    the same files.
    """

    name = "codex"
    title = "OpenAI Codex CLI"
    version = 3
    import_suffixes = (".json", ".jsonl", ".jsonl.zst")
    root_folders = SESSION_FOLDERS
    resume_method = ResumeMethod("Codex CLI", ("codex", "resume", "{}"), needs_folder=False)

    def roots(self, env: Env) -> list[str]:
        """`$CODEX_HOME` or `~/.codex`, the same on every system."""
        return [env.variable("CODEX_HOME") or env.path(".codex")]

    def normalize_root(self, path: str) -> str:
        """The folder above `sessions` or `archived_sessions`."""
        parent, last = os.path.split(path.rstrip("/\\") or path)
        return parent if last in SESSION_FOLDERS else path

    def retention_days(self, root: str) -> int | None:
        """None: Codex compresses and archives sessions, and deletes none by itself."""
        return None

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """All session files under `root`."""
        return with_unlisted(_discover, root)

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """The reader for a file, by its name."""
        from agent_journal.connectors.codex.reading import reader_for

        return reader_for(file, state)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A rollout by its types of records."""
        from agent_journal.connectors.codex.recognition import recognise

        return recognise(path, head)

    def recognise_by_name(self, path: str) -> Recognition:
        """Rollouts are logs, but compressed ones are read whole."""
        return Recognition("session" if path.lower().endswith(".zst") else "log", None)


def session_of(name: str) -> str | None:
    """The session a rollout is of, by the name of its file; None for files that are called
    otherwise.
    """
    stem = name.removesuffix(".zst").removesuffix(".jsonl")
    if not name.startswith("rollout-") or not name.endswith((".jsonl", ".jsonl.zst")):
        return None
    tail = stem[-36:]
    if (
        len(tail) == 36
        and _HEX.issuperset(tail)
        and [at for at, sign in enumerate(tail) if sign == "-"] == _DASHES
    ):
        return tail
    rest = stem.removeprefix("rollout-")
    return (
        rest[20:] if rest[10:11] == "T" and rest[19:20] == "-" else rest
    ) or None  # behind the time, if there is one


def _discover(root: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    for folder in SESSION_FOLDERS:
        yield from _rollouts(os.path.join(root, folder), folder, unlisted, _MAX_DEPTH)
    for entry in listing(root, unlisted.append):
        if entry.name in _BESIDE:
            yield from found_file(entry, entry.name, _BESIDE[entry.name], unlisted)


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
