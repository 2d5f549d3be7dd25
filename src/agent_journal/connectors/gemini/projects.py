"""Which folder a session was about: the agent's own lists name it, the sessions only have a short
name or a hash.
"""

from __future__ import annotations

import hashlib

from agent_journal.connectors.base import Content, FileIdentity
from agent_journal.connectors.gemini.records import Header
from agent_journal.connectors.jsonl import decode_document
from agent_journal.connectors.values import mapping


def folder_of(file: FileIdentity) -> str | None:
    """The name of the project's folder below `tmp`."""
    parts = file.name.split("/")
    return parts[1] if parts[0] == "tmp" and len(parts) > 2 else None


def project_path(file: FileIdentity, header: Header, content: Content) -> str | None:
    """The project's folder: from the mark beside the session, the list of projects, or the session
    itself.
    """
    folder = folder_of(file)
    if folder is not None:
        up = "../" * (file.name.count("/") - 2)
        marked = (content.sibling(f"{up}.project_root") or b"").decode("utf-8", "replace").strip()
        listed = marked or _listed(
            content.sibling(f"{up}../../projects.json"), folder, header.project_hash
        )
        if listed:
            return listed
    return header.directories[0] if header.directories else None


def _listed(data: bytes | None, folder: str, project_hash: str | None) -> str | None:
    hashes = {folder, project_hash}
    for path, name in _projects(data).items():
        if name == folder or hashlib.sha256(path.encode("utf-8", "replace")).hexdigest() in hashes:
            return path
    return None


def _projects(data: bytes | None) -> dict[str, object]:
    try:
        return mapping(mapping(decode_document(data) if data else None).get("projects"))
    except ValueError:
        return {}
