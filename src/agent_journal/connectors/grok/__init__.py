"""Grok Build: lists the sessions under `~/.grok`.

sessions/<encoded folder>/<session id>/updates.jsonl     a session
sessions/<encoded folder>/<session id>/summary.json      its title and folder
sessions/<encoded folder>/<session id>/terminal/*.log    what commands printed
sessions/<encoded folder>/prompt_history.jsonl           the prompts that were typed
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
)
from agent_journal.connectors.hooks import UUID, AgentConnector, ResumeMethod

_SESSIONS = "sessions"
_TERMINAL = "terminal"
_HISTORY = "prompt_history.jsonl"
_ROLES: dict[str, FileRole] = {"updates.jsonl": "log", "summary.json": "document"}
_MAX_KEPT = 2000  # files of a folder


class Grok(AgentConnector):
    """The connector for Grok Build."""

    name = "grok"
    title = "Grok Build"
    version = 1
    root_folders = (_SESSIONS,)
    import_suffixes = (".jsonl",)
    resume_method = ResumeMethod("Grok Build", ("grok", "--resume", "{}"))

    def roots(self, env: Env) -> list[str]:
        """`$GROK_HOME`, or `~/.grok`."""
        return [env.variable("GROK_HOME") or env.path(".grok")]

    def normalize_root(self, path: str) -> str:
        """The folder around `sessions`."""
        parent, last = os.path.split(path.rstrip("/\\") or path)
        if last == _SESSIONS:
            return parent
        return path

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """All sessions; settings and credentials are never looked at."""
        unlisted: list[Unlisted] = []
        for project in listing(os.path.join(root, _SESSIONS), unlisted.append):
            if not is_folder(project):
                continue
            for entry in listing(project.path, unlisted.append):
                name = f"{_SESSIONS}/{project.name}/{entry.name}"
                if entry.name == _HISTORY:
                    yield from found_file(entry, name, "document", unlisted)
                elif re.fullmatch(UUID, entry.name) and is_folder(entry):
                    yield from _session(entry, name, unlisted)
        yield from unlisted

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """A reader for one file."""
        if file.role == "log":
            from agent_journal.connectors.grok.reading import UpdatesReader

            return UpdatesReader(file, state)
        from agent_journal.connectors.grok.documents import document_reader

        return document_reader(file)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A log of updates of a session, in which the agent notes the time of each."""
        from agent_journal.connectors.recognition import first_records
        from agent_journal.connectors.values import mapping, string

        for record in first_records(head):
            params = mapping(record.get("params"))
            session_id = string(params.get("sessionId"))
            if session_id and "agentTimestampMs" in mapping(params.get("_meta")):
                return Recognition("log", session_id)
        return None

    def is_resumable(self, name: str, session_id: str, content: bytes) -> bool:
        """Grok Build finds a session by the name of its folder."""
        return name.split("/")[2:] == [session_id, "updates.jsonl"]


CONNECTOR = Grok()


def session_of(name: str) -> str | None:
    """The id of the session that a file at this path is of."""
    for part in reversed(name.split("/")[:-1]):
        if re.fullmatch(UUID, part):
            return part
    return None


def _session(session: os.DirEntry[str], name: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    for entry in listing(session.path, unlisted.append):
        inner = f"{name}/{entry.name}"
        if entry.name in _ROLES:
            role = _ROLES[entry.name]
            named = session.name if role == "log" else None
            yield from found_file(entry, inner, role, unlisted, named)
        elif entry.name == _TERMINAL:
            yield from _outputs(entry.path, inner, unlisted)


def _outputs(folder: str, name: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    for number, entry in enumerate(listing(folder, unlisted.append)):
        if number >= _MAX_KEPT:
            unlisted.append(Unlisted(folder, f"more than {_MAX_KEPT} files; the rest is not kept"))
            return
        if entry.name.endswith(".log"):
            yield from found_file(entry, f"{name}/{entry.name}", "kept", unlisted)
