"""The project folder of a session.

The session itself has only a name or the SHA-256 of the folder. The folder is listed in one of the
agent's files, or it is above the files that the session reads and writes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

from agent_journal.connectors.base import Content, FileIdentity
from agent_journal.connectors.gemini.records import Header
from agent_journal.connectors.jsonl import decode_document
from agent_journal.connectors.values import mapping, string

_ARGUMENTS = ("file_path", "absolute_path", "path", "dir_path")
_ABSOLUTE = re.compile(r"/|[A-Za-z]:\\")
_LAST_ON_LINE = re.compile(r"(?<![^\s:])(?:/|[A-Za-z]:\\)[^\n]{1,1000}$", re.MULTILINE)
_MAX_PATHS = 100
_MAX_CONTEXT = 20_000  # letters
_DEEPEST = 40  # folders above a file


class SeenPaths:
    """The absolute paths that a session names."""

    def __init__(self) -> None:
        self._paths: dict[str, None] = {}

    def note_arguments(self, args: dict[str, Any]) -> None:
        """Note the paths that a tool is called with."""
        if len(self._paths) >= _MAX_PATHS:
            return
        for key in _ARGUMENTS:
            if key in args:
                self._note(string(args[key]))

    def note_context(self, text: str) -> None:
        """Note the folders that the harness tells the model at the beginning."""
        for path in _LAST_ON_LINE.findall(text[:_MAX_CONTEXT])[:_MAX_PATHS]:
            self._note(path.rstrip())

    def _note(self, path: str | None) -> None:
        if path and _ABSOLUTE.match(path):
            self._paths.setdefault(path)

    def folders(self) -> Iterator[str]:
        """Yield each path and the folders above it, once."""
        seen: set[str] = set()
        for path in self._paths:
            for folder in _with_parents(path):
                if folder in seen:
                    break
                seen.add(folder)
                yield folder


def _with_parents(path: str) -> Iterator[str]:
    separator = "/" if path.startswith("/") else "\\"
    folder = path.rstrip(separator)
    for _ in range(_DEEPEST):
        if not folder:
            return
        yield folder
        folder = folder.rpartition(separator)[0]


def folder_of(file: FileIdentity) -> str | None:
    """Return the name of the project's folder below `tmp`."""
    parts = file.name.split("/")
    if parts[0] == "tmp" and len(parts) > 2:
        return parts[1]
    return None


def project_path(
    file: FileIdentity, header: Header, content: Content, seen: SeenPaths | None = None
) -> str | None:
    """Return the project's folder.

    It is in the file beside the session, in a list of folders, or in the session itself.
    """
    hashes = set(filter(None, [header.project_hash]))
    folder = folder_of(file)
    if folder is not None:
        hashes.add(folder)
        up = "../" * (file.name.count("/") - 2)
        sibling = content.sibling(f"{up}.project_root") or b""
        path = sibling.decode("utf-8", "replace").strip()
        if path:
            return path
        projects = mapping(_listed(content, f"{up}../../projects.json").get("projects"))
        trusted = _listed(content, f"{up}../../trustedFolders.json")
        named = (path for path, name in projects.items() if name == folder)
        listed = next(named, None) or _with_hash([*projects, *trusted], hashes)
        if listed:
            return listed
    if header.directories:
        return header.directories[0]
    if seen is None:
        return None
    return _with_hash(seen.folders(), hashes)


def _with_hash(folders: Iterable[str], hashes: set[str]) -> str | None:
    for folder in folders:
        if hashlib.sha256(folder.encode("utf-8", "replace")).hexdigest() in hashes:
            return folder
    return None


def _listed(content: Content, name: str) -> dict[str, Any]:
    data = content.sibling(name)
    if not data:
        return {}
    try:
        return mapping(decode_document(data))
    except ValueError:
        return {}
