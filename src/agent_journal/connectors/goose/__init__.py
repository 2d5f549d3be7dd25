"""Goose: one database of sessions, and the logs of versions before 1.10.

    ~/.local/share/goose/sessions/sessions.db             all sessions
    ~/.local/share/goose/sessions/20250620_013617.jsonl   a session of an older version

The logs were imported into the database once, and are still there. This module only lists files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

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

# Which copy of a session is read: the database has what came after the import, too
RANK_DATABASE = 2
RANK_LOG = 1
DATABASE = "sessions.db"


class Goose(AgentConnector):
    """The connector for Goose."""

    name = "goose"
    title = "Goose"
    version = 3
    root_folders = ("sessions",)
    databases = (f"sessions/{DATABASE}",)
    resume_method = ResumeMethod(
        "Goose", ("goose", "session", "--resume", "--session-id", "{}"), r"\d{8}_\d{1,12}"
    )

    def roots(self, env: Env) -> list[str]:
        """Return the folder for data; on Windows it is elsewhere."""
        moved = env.variable("GOOSE_PATH_ROOT")
        if moved:
            return [os.path.join(moved, "data")]
        if env.platform == "win32":
            data = env.variable("APPDATA") or env.path("AppData", "Roaming")
            return [os.path.join(data, "Block", "goose", "data")]
        return [os.path.join(env.variable("XDG_DATA_HOME") or env.path(".local", "share"), "goose")]

    def normalize_root(self, path: str) -> str:
        """Return the folder around `sessions`."""
        parent, last = os.path.split(path.rstrip("/\\") or path)
        if last == "sessions":
            return parent
        return path

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """Yield the database and the logs."""
        return with_unlisted(_sessions, root)

    def extract_changes(
        self, path: str, kept: Mapping[str, tuple[int, int, int]]
    ) -> Iterator[Extract | str]:
        """Yield the sessions of the database; only those that changed are read."""
        from agent_journal.connectors.goose.extracts import extracts

        return extracts(path, kept)

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """Return a reader for the rows of a session, or for a log."""
        from agent_journal.connectors.goose.reading import make_reader

        return make_reader(file)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """The rows of a session that were restored, or a log."""
        if os.path.basename(path).startswith(DATABASE + ROWS_MARK):
            return _recognise_rows(path)
        from agent_journal.connectors.goose.reading import is_log

        if not is_log(head):
            return None
        return Recognition("replay", os.path.basename(path).removesuffix(".jsonl"), RANK_LOG)


CONNECTOR = Goose()


def _sessions(root: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    entries = listing(os.path.join(root, "sessions"), unlisted.append)
    for entry in entries:
        name = f"sessions/{entry.name}"
        stem, suffix = os.path.splitext(entry.name)
        if entry.name == DATABASE:
            yield from found_file(entry, name, "rows", unlisted)
        elif suffix == ".jsonl" and ROWS_MARK not in entry.name and not stem.startswith("."):
            yield from found_file(entry, name, "replay", unlisted, stem, RANK_LOG)
    yield from restored_rows(entries, "sessions", DATABASE, _recognise_rows, unlisted)


def _recognise_rows(path: str) -> Recognition | None:
    from agent_journal.connectors.row_lines import recognise_session

    return recognise_session(path, RANK_DATABASE)
