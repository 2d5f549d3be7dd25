"""Kimi Code: lists the sessions under `~/.kimi-code`.

sessions/wd_<name>_<hash>/session_<id>/agents/main/wire.jsonl       a session
sessions/wd_<name>_<hash>/session_<id>/agents/agent-0/wire.jsonl    a sub-agent of it
sessions/wd_<name>_<hash>/session_<id>/agents/main/file-history/    files before they changed
sessions/wd_<name>_<hash>/session_<id>/state.json                   its title
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from agent_journal.connectors.base import (
    Env,
    FileIdentity,
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

MAIN = "main"
_SESSIONS = "sessions"
_STATE = "state.json"
_WIRE = "wire.jsonl"
_HISTORY = "file-history"
_MAX_KEPT = 2000  # files of a folder


class KimiCode(AgentConnector):
    """The connector for Kimi Code."""

    name = "kimi-code"
    title = "Kimi Code"
    version = 2
    root_folders = (_SESSIONS,)
    import_suffixes = (".jsonl",)
    resume_method = ResumeMethod(
        "Kimi Code", ("kimi", "--session", "{}"), ids=r"session_[0-9a-fA-F-]{36}"
    )

    def roots(self, env: Env) -> list[str]:
        """`$KIMI_CODE_HOME`, or `~/.kimi-code`."""
        return [env.variable("KIMI_CODE_HOME") or env.path(".kimi-code")]

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
            for session in listing(project.path, unlisted.append):
                if is_folder(session):
                    name = f"{_SESSIONS}/{project.name}/{session.name}"
                    yield from _session(session, name, unlisted)
        yield from unlisted

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """A reader for one file."""
        if file.role == "log":
            from agent_journal.connectors.kimi_code.reading import WireReader

            return WireReader(file, state)
        from agent_journal.connectors.kimi_code.documents import document_reader

        return document_reader(file)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A log that begins with the version of its protocol, and then has what the model saw."""
        from agent_journal.connectors.recognition import first_records

        records = first_records(head)
        if not records or records[0].get("type") != "metadata":
            return None
        if any(_is_ours(record) for record in records):
            return Recognition("log", _session_of_log(path.replace("\\", "/")))
        return None

    def is_resumable(self, name: str, session_id: str, content: bytes) -> bool:
        """Kimi Code finds a session by the name of its folder."""
        return name.split("/")[2:] == [session_id, "agents", MAIN, _WIRE]


CONNECTOR = KimiCode()


def _is_ours(record: dict[str, object]) -> bool:
    """Whether a record names an agent, as of protocol 1.5, or is one of a context."""
    return "agentId" in record or str(record.get("type")).startswith("context.")


def _session_of_log(path: str) -> str | None:
    """The session that the folder of a log names; None where people gave the log a name."""
    if os.path.basename(path) != _WIRE:
        return None
    return session_of(path)


def session_of(name: str) -> str | None:
    """The id of the session that a file at this path is of; None where the path does not say."""
    parts = name.split("/")
    if "agents" in parts[:-1]:
        at = len(parts) - 2 - parts[-2::-1].index("agents")
        if at > 0 and at + 1 < len(parts) - 1:
            return _id(parts[at - 1], parts[at + 1])
    if parts[-1] == _STATE and len(parts) > 1:
        return parts[-2]
    return None


def _id(session_id: str, agent: str) -> str:
    if agent == MAIN:
        return session_id
    return f"{session_id}/{agent}"


def _session(session: os.DirEntry[str], name: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    for found in found_path(os.path.join(session.path, _STATE), f"{name}/{_STATE}", "document"):
        if isinstance(found, FoundFile):
            yield found
        else:
            unlisted.append(found)
    for agent in listing(os.path.join(session.path, "agents"), unlisted.append):
        if not is_folder(agent):
            continue
        inner = f"{name}/agents/{agent.name}"
        session_id = _id(session.name, agent.name)
        for entry in listing(agent.path, unlisted.append):
            if entry.name == _WIRE:
                yield from found_file(entry, f"{inner}/{_WIRE}", "log", unlisted, session_id)
            elif entry.name == _HISTORY:
                yield from _history(entry.path, f"{inner}/{_HISTORY}", unlisted)


def _history(folder: str, name: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    for number, entry in enumerate(listing(folder, unlisted.append)):
        if number >= _MAX_KEPT:
            unlisted.append(Unlisted(folder, f"more than {_MAX_KEPT} files; the rest is not kept"))
            return
        yield from found_file(entry, f"{name}/{entry.name}", "kept", unlisted)
