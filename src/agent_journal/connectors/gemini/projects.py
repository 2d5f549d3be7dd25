"""The project folder of a session: listed by the agent, sessions only have a name or hash."""

from __future__ import annotations

import hashlib

from agent_journal.connectors.base import Content, FileIdentity
from agent_journal.connectors.gemini.records import Header
from agent_journal.connectors.jsonl import decode_document
from agent_journal.connectors.values import mapping


def folder_of(file: FileIdentity) -> str | None:
    """Return the name of the project's folder below `tmp`."""
    parts = file.name.split("/")
    if parts[0] == "tmp" and len(parts) > 2:
        return parts[1]
    return None


def project_path(file: FileIdentity, header: Header, content: Content) -> str | None:
    """Return the project's folder.

    It is in the file beside the session, in the list of projects, or in the session itself.
    """
    folder = folder_of(file)
    if folder is not None:
        up = "../" * (file.name.count("/") - 2)
        sibling = content.sibling(f"{up}.project_root") or b""
        path = sibling.decode("utf-8", "replace").strip()
        if path:
            return path
        projects = _projects(content.sibling(f"{up}../../projects.json"))
        listed = _find_listed(projects, folder, header.project_hash)
        if listed:
            return listed
    return next(iter(header.directories), None)


def _find_listed(projects: dict[str, object], folder: str, project_hash: str | None) -> str | None:
    hashes = {folder, project_hash}
    for path, name in projects.items():
        if name == folder or hashlib.sha256(path.encode("utf-8", "replace")).hexdigest() in hashes:
            return path
    return None


def _projects(data: bytes | None) -> dict[str, object]:
    if not data:
        return {}
    try:
        return mapping(mapping(decode_document(data)).get("projects"))
    except ValueError:
        return {}
