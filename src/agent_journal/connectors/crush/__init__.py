"""Crush, and the older Go program that was called opencode: a database in each project.

    <project>/.crush/crush.db          Crush
    <project>/.opencode/opencode.db    the program before it
    ~/.local/share/crush/projects.json     where Crush has been

This module only lists files; the readers are imported when a file has to be read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from agent_journal.connectors.base import (
    ROWS_MARK,
    Env,
    Extract,
    FileIdentity,
    FoundFile,
    Reader,
    Recognition,
    Unlisted,
    found_file,
    listing,
    with_unlisted,
)
from agent_journal.connectors.hooks import AgentConnector, ResumeMethod
from agent_journal.connectors.restored_rows import restored_rows

FOLDERS = {".crush": "crush.db", ".opencode": "opencode.db"}
_MAX_LIST = 4 * 2**20


class Crush(AgentConnector):
    """The connector for Crush. A root is the folder of a database."""

    name = "crush"
    title = "Crush"
    version = 1
    root_folders = ()
    databases = tuple(FOLDERS.values())
    resume_method = ResumeMethod("Crush", ("crush", "--session", "{}"))

    def roots(self, env: Env) -> list[str]:
        """Return the folders that Crush lists, and those in the projects of all sessions."""
        found = [path for path in _listed(env) if os.path.isabs(path)]
        for project in (env.home, env.folder, *env.projects):
            if os.path.basename(project) in FOLDERS:  # a kept file is in it
                found.append(project)
            elif project:
                found += _folders_in(project)
        return list(dict.fromkeys(found))

    def normalize_root(self, path: str) -> str:
        """Return the folder of the database in a project, or that of a database."""
        if os.path.basename(path) in FOLDERS.values():
            return os.path.dirname(path)
        return next(iter(_folders_in(path)), path)

    def normalize_roots(self, path: str, env: Env) -> list[str]:
        """Return the roots for a configured path."""
        return [self.normalize_root(path)]

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """Yield the database in a folder; the settings, which have keys, are never opened."""
        return with_unlisted(_databases, root)

    def extract(self, path: str) -> tuple[list[Extract], str | None]:
        """Return the sessions of a database."""
        from agent_journal.connectors.crush.extracts import extracts

        return extracts(path), None

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """Return a reader for the rows of a session."""
        from agent_journal.connectors.crush.reading import SessionReader

        return SessionReader(file)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """The rows of a session that were restored."""
        database = os.path.basename(path).partition(ROWS_MARK)[0]
        if database in FOLDERS.values() and head.startswith(b'{"table":"sessions"'):
            return _recognise_rows(path)
        return None

    def why_not_resumable(self, session_id: str, names: Iterable[str]) -> str | None:
        """Say why not: Crush does not have the sessions of the program before it."""
        if any(name.startswith("opencode.db") for name in names):
            return "this session is of the older program called opencode, which Crush replaced"
        return None


CONNECTOR = Crush()


def _databases(root: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    entries = listing(root, unlisted.append)
    for name in FOLDERS.values():
        for entry in entries:
            if entry.name == name:
                yield from found_file(entry, name, "rows", unlisted)
        yield from restored_rows(entries, "", name, _recognise_rows, unlisted)


def _recognise_rows(path: str) -> Recognition | None:
    from agent_journal.connectors.row_lines import recognise_session

    return recognise_session(path, 0)


def _folders_in(project: str) -> list[str]:
    """Return the folders in a project that may have a database."""
    return [
        os.path.join(project, folder)
        for folder in FOLDERS
        if os.path.isdir(os.path.join(project, folder))
    ]


def _listed(env: Env) -> Iterator[str]:
    """Yield the folders of databases that Crush itself has noted."""
    data = env.variable("CRUSH_GLOBAL_DATA")
    if data is None and env.platform == "win32":
        data = os.path.join(env.variable("LOCALAPPDATA") or env.path("AppData", "Local"), "crush")
    elif data is None:
        share = env.variable("XDG_DATA_HOME") or env.path(".local", "share")
        data = os.path.join(share, "crush")
    path = os.path.join(data, "projects.json")
    if not os.path.isfile(path):
        return
    import json  # more than a millisecond, and most people do not use Crush

    try:
        with open(path, encoding="utf-8") as file:
            projects = json.loads(file.read(_MAX_LIST))["projects"]
        for project in projects:
            yield os.path.join(str(project["path"]), str(project.get("data_dir") or ".crush"))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return
