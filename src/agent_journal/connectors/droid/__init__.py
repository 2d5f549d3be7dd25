"""Factory Droid: lists the sessions under `~/.factory`.

sessions/<folder with dashes>/<session id>.jsonl            a session
sessions/<folder with dashes>/<session id>.settings.json    its tokens
"""

from __future__ import annotations

import os
import re
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
from agent_journal.connectors.hooks import UUID, AgentConnector, ResumeMethod

_SESSIONS = "sessions"
_NAME = rf"({UUID})\.(jsonl|settings\.json)"  # compiled when needed


class Droid(AgentConnector):
    """The connector for Factory Droid."""

    name = "droid"
    title = "Factory Droid"
    version = 2
    root_folders = (_SESSIONS,)
    import_suffixes = (".jsonl",)
    resume_method = ResumeMethod("Factory Droid", ("droid", "--resume", "{}"))

    def roots(self, env: Env) -> list[str]:
        """`~/.factory`."""
        return [env.path(".factory")]

    def normalize_root(self, path: str) -> str:
        """The folder around `sessions`."""
        parent, last = os.path.split(path.rstrip("/\\") or path)
        if last == _SESSIONS:
            return parent
        return path

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """All sessions; settings and credentials of the agent are never looked at."""
        unlisted: list[Unlisted] = []
        for project in listing(os.path.join(root, _SESSIONS), unlisted.append):
            if not is_folder(project):
                continue
            for entry in listing(project.path, unlisted.append):
                named = re.fullmatch(_NAME, entry.name)
                if named is None:
                    continue
                name = f"{_SESSIONS}/{project.name}/{entry.name}"
                if named[2] == "jsonl":
                    yield from found_file(entry, name, "log", unlisted, named[1])
                else:
                    yield from found_file(entry, name, "document", unlisted)
        yield from unlisted

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """A reader for one file."""
        if file.role == "log":
            from agent_journal.connectors.droid.reading import SessionReader

            return SessionReader(file, state)
        from agent_journal.connectors.droid.settings import SettingsReader

        return SettingsReader(file)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A log that begins with the start of a session."""
        from agent_journal.connectors.recognition import first_records
        from agent_journal.connectors.values import string

        records = first_records(head)
        if not records or records[0].get("type") != "session_start":
            return None
        session_id = string(records[0].get("id"))
        if session_id is None:
            return None
        return Recognition("log", session_id)

    def is_resumable(self, name: str, session_id: str, content: bytes) -> bool:
        """Droid finds a session by the name of its file."""
        return name.startswith(f"{_SESSIONS}/") and name.endswith(f"/{session_id}.jsonl")


CONNECTOR = Droid()


def session_of(name: str) -> str | None:
    """The id of the session in the name of a file."""
    found = re.fullmatch(_NAME, name.rpartition("/")[2])
    if found is None:
        return None
    return found[1]
