"""Pi: lists the sessions under `~/.pi/agent`, each a log of entries that form a tree.

    sessions/--home-sam-garden--/2026-05-02T09-00-00-000Z_0196900a-….jsonl

OpenClaw writes the same lines (`agent_journal.connectors.openclaw`). This module only lists files;
the reader is imported when a file has to be read.
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

SESSIONS = "sessions"
# Compiled when it is needed: most machines have no sessions of Pi. `pi --session-id` sets an id
_ANY_ID = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?"
_NAMED_BY_ID = rf"(?:.*_)?({UUID})\.jsonl"
_NAMED_BY_ANY_ID = rf"\d{{4}}-\d\d-\d\dT[\d-]+Z_({_ANY_ID})\.jsonl"


class Pi(AgentConnector):
    """The connector for Pi."""

    name = "pi"
    title = "Pi"
    version = 2
    root_folders = (SESSIONS,)
    import_suffixes = (".jsonl",)
    resume_method = ResumeMethod("Pi", ("pi", "--session", "{}"), _ANY_ID)

    def roots(self, env: Env) -> list[str]:
        """`$PI_CODING_AGENT_DIR`, or `~/.pi/agent`."""
        return [env.variable("PI_CODING_AGENT_DIR") or env.path(".pi", "agent")]

    def normalize_root(self, path: str) -> str:
        """The folder around `sessions`, or the `agent` folder in `~/.pi`."""
        parent, last = os.path.split(path.rstrip("/\\") or path)
        if last == SESSIONS:
            return parent
        below = os.path.join(path, "agent")
        if os.path.isdir(os.path.join(below, SESSIONS)):
            return below
        return path

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """All sessions; settings and credentials are never looked at."""
        unlisted: list[Unlisted] = []
        for project in listing(os.path.join(root, SESSIONS), unlisted.append):
            if not is_folder(project):
                continue
            for entry in listing(project.path, unlisted.append):
                if entry.name.endswith(".jsonl"):
                    name = f"{SESSIONS}/{project.name}/{entry.name}"
                    named = session_in_name(entry.name)
                    yield from found_file(entry, name, "log", unlisted, named)
        yield from unlisted

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """A reader for one session."""
        from agent_journal.connectors.pi.dialects import PI
        from agent_journal.connectors.pi.reading import EntryReader

        return EntryReader(file, state, PI)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A log that begins with the header of a session of Pi."""
        from agent_journal.connectors.pi.recognition import recognise_session

        return recognise_session(path, head, is_of_openclaw=False)

    def is_resumable(self, name: str, session_id: str, content: bytes) -> bool:
        """Pi finds a session by the id in its name."""
        return name.startswith(f"{SESSIONS}/") and origin_in_name(name) == session_id


CONNECTOR = Pi()


def session_in_name(name: str) -> str | None:
    """The id of the session in the name or path of its file; None for names people gave."""
    return _matched(_NAMED_BY_ID, name)


def origin_in_name(name: str) -> str | None:
    """The same where Pi wrote the name, so that it may be an id that a person chose.

    The file of a session itself is asked for its id: people rename files, too.
    """
    return _matched(_NAMED_BY_ID, name) or _matched(_NAMED_BY_ANY_ID, name)


def _matched(pattern: str, path: str) -> str | None:
    found = re.fullmatch(pattern, path.replace("\\", "/").rpartition("/")[2])
    if found is None:
        return None
    return found[1]
