"""Kimi CLI: lists the sessions under `~/.kimi`.

sessions/<md5 of the folder>/<session id>/wire.jsonl                      a session
sessions/<md5 of the folder>/<session id>/state.json                      its title
sessions/<md5 of the folder>/<session id>/subagents/<agent>/wire.jsonl    a sub-agent
kimi.json                                                                 the folders
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
    found_path,
    is_folder,
    listing,
)
from agent_journal.connectors.hooks import AgentConnector, ResumeMethod

_SESSIONS = "sessions"
_SUBAGENTS = "subagents"
_FOLDERS = "kimi.json"
_DOCUMENTS = ("state.json", "meta.json")


class KimiCli(AgentConnector):
    """The connector for Kimi CLI."""

    name = "kimi-cli"
    title = "Kimi CLI"
    version = 1
    root_folders = (_SESSIONS,)
    import_suffixes = (".jsonl",)
    shared_files = (_FOLDERS,)
    resume_method = ResumeMethod("Kimi CLI", ("kimi", "--session", "{}"))

    def roots(self, env: Env) -> list[str]:
        """`$KIMI_SHARE_DIR`, or `~/.kimi`."""
        return [env.variable("KIMI_SHARE_DIR") or env.path(".kimi")]

    def normalize_root(self, path: str) -> str:
        """The folder around `sessions`."""
        parent, last = os.path.split(path.rstrip("/\\") or path)
        if last == _SESSIONS:
            return parent
        return path

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """All sessions; settings and credentials are never looked at."""
        unlisted: list[Unlisted] = []
        yield from found_path(os.path.join(root, _FOLDERS), _FOLDERS, "document")
        for project in listing(os.path.join(root, _SESSIONS), unlisted.append):
            if not is_folder(project):
                continue
            for session in listing(project.path, unlisted.append):
                if is_folder(session):
                    name = f"{_SESSIONS}/{project.name}/{session.name}"
                    yield from _session(session.path, name, session.name, unlisted)
        yield from unlisted

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """A reader for one file."""
        if file.role == "log":
            from agent_journal.connectors.kimi_cli.reading import WireReader

            return WireReader(file, state)
        from agent_journal.connectors.kimi_cli.documents import document_reader

        return document_reader(file)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A log that begins with the version of its protocol, and then has turns."""
        from agent_journal.connectors.recognition import first_records
        from agent_journal.connectors.values import mapping

        records = first_records(head)
        if not records or records[0].get("type") != "metadata":
            return None
        if any(mapping(record.get("message")).get("type") == "TurnBegin" for record in records):
            return Recognition("log", _session_of_log(path.replace("\\", "/")))
        return None

    def is_resumable(self, name: str, session_id: str, content: bytes) -> bool:
        """Kimi CLI finds a session by the name of its folder."""
        return name.split("/")[2:] == [session_id, "wire.jsonl"]


CONNECTOR = KimiCli()


def _session_of_log(path: str) -> str | None:
    """The session that the folder of a log names; None where people gave the log a name."""
    if os.path.basename(path) != "wire.jsonl":
        return None
    return session_of(path)


def session_of(name: str) -> str | None:
    """The id of the session that a file at this path is of; None where the path does not say."""
    parts = name.split("/")[:-1]
    if len(parts) > 2 and parts[-2] == _SUBAGENTS:
        return f"{parts[-3]}/{parts[-1]}"
    if len(parts) > 1:
        return parts[-1]
    return None


def _session(
    folder: str, name: str, session_id: str, unlisted: list[Unlisted]
) -> Iterator[FoundFile]:
    for entry in listing(folder, unlisted.append):
        inner = f"{name}/{entry.name}"
        role = _role(entry.name)
        if role is not None:
            named = session_id if role == "log" else None
            yield from found_file(entry, inner, role, unlisted, named)
        elif entry.name == _SUBAGENTS:
            for agent in listing(entry.path, unlisted.append):
                if is_folder(agent):
                    child = f"{session_id}/{agent.name}"
                    yield from _session(agent.path, f"{inner}/{agent.name}", child, unlisted)


def _role(name: str) -> FileRole | None:
    if name == "wire.jsonl":
        return "log"
    if name in _DOCUMENTS:
        return "document"
    if name.startswith("context") and name.endswith(".jsonl"):
        return "kept"
    return None
