"""Continue: lists the sessions under `~/.continue`, of its editors' extensions and command line.

sessions/<id>.json       a session, one document
sessions/sessions.json   the list of sessions: titles, folders, when each began

This module only lists files; the readers are imported when a file has to be read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from agent_journal.connectors.base import (
    Env,
    FileIdentity,
    FoundFile,
    Reader,
    Recognition,
    Unlisted,
    found_file,
    listing,
)
from agent_journal.connectors.hooks import AgentConnector, ResumeMethod

_SESSIONS = "sessions"
_LIST = "sessions.json"


class ContinueDev(AgentConnector):
    """The connector for Continue."""

    name = "continue"
    title = "Continue"
    version = 2
    import_suffixes = (".json",)
    root_folders = (_SESSIONS,)
    resume_method = ResumeMethod(
        "Continue", instead="open its folder: the session is in the history of Continue"
    )

    def roots(self, env: Env) -> list[str]:
        """Return `$CONTINUE_GLOBAL_DIR` or `~/.continue`."""
        return [env.variable("CONTINUE_GLOBAL_DIR") or env.path(".continue")]

    def normalize_root(self, path: str) -> str:
        """Return the folder around `sessions`, or the `.continue` in a folder that has one."""
        path = path.rstrip("/\\") or path
        if os.path.basename(path) == _SESSIONS:
            return os.path.dirname(path)
        below = os.path.join(path, ".continue")
        if os.path.isdir(below):
            return below
        return path

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """Yield all sessions and their list; settings and credentials are never looked at."""
        unlisted: list[Unlisted] = []
        for entry in listing(os.path.join(root, _SESSIONS), unlisted.append):
            stem, suffix = os.path.splitext(entry.name)
            name = f"{_SESSIONS}/{entry.name}"
            if entry.name == _LIST:
                yield from found_file(entry, name, "document", unlisted)
            elif suffix == ".json":
                yield from found_file(entry, name, "session", unlisted, stem)
        yield from unlisted

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """Return a reader for one file."""
        from agent_journal.connectors.continue_dev.session import ListReader, SessionReader

        if file.role == "document":
            return ListReader(file)
        return SessionReader(file)

    def recognise_document(self, path: str, document: Any, content: bytes) -> Recognition | None:
        """Recognise a session by its history."""
        from agent_journal.connectors.continue_dev.session import recognise

        return recognise(document)


CONNECTOR = ContinueDev()
