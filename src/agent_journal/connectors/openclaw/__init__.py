"""OpenClaw: lists the sessions of its agents under `~/.openclaw`, which are those of Pi.

    agents/<agent>/agent/openclaw-agent.sqlite                   all sessions, since 2026.7.2
    agents/<agent>/sessions/<id>.jsonl                           a session, of versions before
    agents/<agent>/sessions/<id>.jsonl.reset.2026-04-02T…        one that the person ended
    agents/<agent>/sessions/sessions.json                        the names of sessions

The database also holds credentials: it is never archived, only the rows of sessions are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

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
from agent_journal.connectors.restored_rows import extract_name, restored_rows

DATABASE = "openclaw-agent.sqlite"
SESSION = "session-"
RANK_ROWS = 2
_RANK_LOG = 1
_RANK_OLD_LOG = 0
_FOLDERS = (".openclaw", ".moltbot", ".clawdbot")
_SESSION_FILE = r"([^.][^/]*?)\.jsonl(\.(?:reset|deleted|bak)\.[^/]+)?"  # compiled when needed
_COMPRESSED = "it is compressed"


class OpenClaw(AgentConnector):
    """The connector for OpenClaw."""

    name = "openclaw"
    title = "OpenClaw"
    version = 2
    root_folders = ("agents",)
    databases = (f"agents/*/agent/{DATABASE}",)
    import_suffixes = (".jsonl",)
    resume_method = ResumeMethod("OpenClaw", instead="continue it where it was held")

    def roots(self, env: Env) -> list[str]:
        """`$OPENCLAW_STATE_DIR`, or `~/.openclaw` and the folders of its older names."""
        folder = env.variable("OPENCLAW_STATE_DIR")
        if folder:
            return [folder]
        newest, *older = (env.path(name) for name in _FOLDERS)
        return [newest, *filter(os.path.isdir, older)]

    def normalize_root(self, path: str) -> str:
        """The folder around `agents`."""
        parent, last = os.path.split(path.rstrip("/\\") or path)
        if last == "agents":
            return parent
        return path

    def retention_days(self, root: str) -> int | None:
        """None: OpenClaw can delete old sessions, but when is in its settings."""
        return None

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """All sessions; settings and credentials are never looked at."""
        unlisted: list[Unlisted] = []
        for agent in listing(os.path.join(root, "agents"), unlisted.append):
            if is_folder(agent):
                yield from _database(agent, unlisted)
                yield from _files(agent, unlisted)
        yield from unlisted

    def extract_changes(
        self, path: str, kept: Mapping[str, tuple[int, int, int]]
    ) -> Iterator[Extract | str]:
        """The sessions of a database, each as a log; only changed ones are read."""
        from agent_journal.connectors.openclaw.rows import extracts

        return extracts(path, kept)

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """A reader for one file."""
        if file.role == "document":
            from agent_journal.connectors.openclaw.names import NamesReader

            return NamesReader(file)
        if file.role == "kept":
            from agent_journal.connectors.kept import KeptReader

            return KeptReader(file, "session", _COMPRESSED)
        from agent_journal.connectors.pi.dialects import OPENCLAW
        from agent_journal.connectors.pi.reading import EntryReader

        return EntryReader(file, state, OPENCLAW)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A log of OpenClaw, or the rows of a session."""
        if extract_name(path) is not None:
            is_ours = os.path.basename(path).startswith(DATABASE)
            return _recognise_extract(path) if is_ours else None
        from agent_journal.connectors.pi.recognition import recognise_session

        return recognise_session(path, head, is_of_openclaw=True)


CONNECTOR = OpenClaw()


def _database(agent: os.DirEntry[str], unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    folder = f"agents/{agent.name}/agent"
    entries = listing(os.path.join(agent.path, "agent"), unlisted.append)
    for entry in entries:
        if entry.name == DATABASE:
            yield from found_file(entry, f"{folder}/{DATABASE}", "rows", unlisted)
    yield from restored_rows(entries, folder, DATABASE, _recognise_extract, unlisted)


def _recognise_extract(path: str) -> Recognition | None:
    name = extract_name(path) or ""
    session_id = name.removeprefix(SESSION).removesuffix(".jsonl")
    if f"{SESSION}{session_id}.jsonl" != name:
        return None
    return Recognition("log", session_id, RANK_ROWS)


def _files(agent: os.DirEntry[str], unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    folder = f"agents/{agent.name}/sessions"
    for entry in listing(os.path.join(agent.path, "sessions"), unlisted.append):
        name = f"{folder}/{entry.name}"
        found = re.fullmatch(_SESSION_FILE, entry.name)
        if entry.name == "sessions.json":
            yield from found_file(entry, name, "document", unlisted)
        elif found is None:
            continue
        elif entry.name.endswith(".zst"):
            yield from found_file(entry, name, "kept", unlisted)
        else:
            rank = _RANK_OLD_LOG if found[2] else _RANK_LOG
            yield from found_file(entry, name, "log", unlisted, found[1], rank)
