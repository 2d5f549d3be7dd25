"""OpenCode: lists its databases and the tree of JSON files of versions before them.

    ~/.local/share/opencode/opencode.db                       all sessions, since version 1.2
    ~/.local/share/opencode/storage/session/<project>/<id>.json   a session of older versions, whose
    storage/message/<id>/<message>.json                           messages and their parts are files

The databases hold credentials, too: only the rows of sessions are taken. What other agents of the
same code do otherwise is said by their class (kilo.py). This module only lists files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

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

# Which copy of a session is read: the newest program never changes the tree of older ones
RANK_DATABASE = 3
RANK_TREE = 2
RANK_EXPORT = 1
_SESSION_ID = r"ses_[A-Za-z0-9_]{1,80}"
_Found = Iterator[FoundFile]


class OpenCode(AgentConnector):
    """The connector for OpenCode."""

    name = "opencode"
    title = "OpenCode"
    version = 2
    root_folders = ("storage", "snapshot")
    databases: tuple[str, ...] = ("opencode.db", "opencode-*.db")
    resume_method = ResumeMethod("OpenCode", ("opencode", "--session", "{}"), _SESSION_ID)
    folder = "opencode"  # in the folder for data
    database = "opencode"  # opencode.db, opencode-<channel>.db
    database_variable = "OPENCODE_DB"

    def roots(self, env: Env) -> list[str]:
        """Return the folder for data, which is the same on all systems, and a database apart."""
        data = env.variable("XDG_DATA_HOME") or env.path(".local", "share")
        folder = os.path.join(data, self.folder)
        database = env.variable(self.database_variable)
        if database is None or database == ":memory:":
            return [folder]
        return [folder, os.path.join(folder, database)]

    def normalize_root(self, path: str) -> str:
        """Return the folder around `storage`."""
        parent, last = os.path.split(path.rstrip("/\\") or path)
        if last == "storage":
            return parent
        return path

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """Yield the databases and the sessions of the tree; credentials are never opened."""
        return with_unlisted(self._files, root)

    def _files(self, root: str, unlisted: list[Unlisted]) -> _Found:
        if os.path.isfile(root):
            folder, name = os.path.split(root)
            for entry in listing(folder, unlisted.append):
                if entry.name == name:
                    yield from found_file(entry, name, "rows", unlisted)
            return
        entries = listing(root, unlisted.append)
        for entry in entries:
            if self._is_database(entry.name):
                yield from found_file(entry, entry.name, "rows", unlisted)
        yield from restored_sessions(entries, "", unlisted)
        if any(entry.name == "storage" for entry in entries):
            from agent_journal.connectors.opencode.tree_files import tree_files

            yield from tree_files(os.path.join(root, "storage"), unlisted)

    def _is_database(self, name: str) -> bool:
        return re.fullmatch(rf"{self.database}(-[\w.-]+)?\.db", name) is not None

    def found_with(self, path: str) -> tuple[FoundFile | Unlisted, ...]:
        """Return the session in the tree that has a file; its messages are files of their own."""
        if "storage" not in path:
            return ()
        from agent_journal.connectors.opencode.tree_files import session_with

        return session_with(path)

    def extract_changes(
        self, path: str, kept: Mapping[str, tuple[int, int, int]]
    ) -> Iterator[Extract | str]:
        """Yield the sessions of a database, or the one session of a file in the tree."""
        from agent_journal.connectors.opencode.extracts import database_extracts
        from agent_journal.connectors.opencode.tree import tree_extract

        if path.endswith(".json"):
            return tree_extract(path)
        return database_extracts(path, kept)

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """Return a reader for one file."""
        from agent_journal.connectors.opencode.reading import make_reader

        return make_reader(file, self.name)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """The rows of a session that were restored from this agent's database."""
        database = os.path.basename(path).partition(ROWS_MARK)[0]
        # The program before Crush had a database of this name, with another table
        if head.startswith(b'{"table":"sessions"'):
            return None
        if self._is_database(database) or is_session_file(database):
            return _recognise_rows(path)
        return None

    def recognise_document(self, path: str, document: Any, content: bytes) -> Recognition | None:
        """A session that `opencode export` wrote."""
        from agent_journal.connectors.opencode.reading import exported_id

        session_id = exported_id(document)
        if session_id is None:
            return None
        return Recognition("session", session_id, RANK_EXPORT)


CONNECTOR = OpenCode()


def is_session_file(name: str) -> bool:
    """Whether a file of the tree has a session. (Nothing is compiled before there is a name.)"""
    return re.fullmatch(rf"{_SESSION_ID}\.json", name) is not None


def _recognise_rows(path: str) -> Recognition | None:
    from agent_journal.connectors.row_lines import recognise_session

    rank = RANK_TREE if ".json" + ROWS_MARK in path else RANK_DATABASE
    return recognise_session(path, rank)


def restored_sessions(
    entries: Iterable[os.DirEntry[str]], name: str, unlisted: list[Unlisted]
) -> _Found:
    """Yield the sessions that `aj restore` wrote into a folder."""
    entries = list(entries)
    marked = [entry.name for entry in entries if ROWS_MARK in entry.name]
    for database in dict.fromkeys(found.partition(ROWS_MARK)[0] for found in marked):
        yield from restored_rows(entries, name, database, _recognise_rows, unlisted)
