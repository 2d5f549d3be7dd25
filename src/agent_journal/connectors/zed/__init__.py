"""Zed: the threads of its own agent, in one database.

    ~/.local/share/zed/threads/threads.db

External agents (Claude Code, Gemini CLI and others) keep their own files. This module only lists
files; the readers are imported when a file has to be read.
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

DATABASE = "threads.db"


class Zed(AgentConnector):
    """The connector for Zed."""

    name = "zed"
    title = "Zed"
    version = 2
    root_folders = ("threads",)
    databases = (f"threads/{DATABASE}",)
    resume_method = ResumeMethod(
        "Zed", instead="open its folder in Zed: the thread is in the history of the agent panel"
    )

    def roots(self, env: Env) -> list[str]:
        """Return the folder for data of Zed, and that of its Flatpak."""
        if env.platform == "darwin":
            return [env.path("Library", "Application Support", "Zed")]
        if env.platform == "win32":
            data = env.variable("LOCALAPPDATA") or env.path("AppData", "Local")
            return [os.path.join(data, "Zed")]
        data = env.variable("XDG_DATA_HOME") or env.path(".local", "share")
        flatpak = env.path(".var", "app", "dev.zed.Zed", "data", "zed")
        roots = [os.path.join(data, "zed")]
        if os.path.isdir(flatpak):
            roots.append(flatpak)
        return roots

    def normalize_root(self, path: str) -> str:
        """Return the folder around `threads`."""
        parent, last = os.path.split(path.rstrip("/\\") or path)
        if last == "threads":
            return parent
        return path

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """Yield the database of threads."""
        return with_unlisted(_threads, root)

    def extract_changes(
        self, path: str, kept: Mapping[str, tuple[int, int, int]]
    ) -> Iterator[Extract | str]:
        """Yield the threads; only those that changed are read."""
        from agent_journal.connectors.zed.extracts import extracts

        return extracts(path, kept)

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """Return a reader for a thread."""
        from agent_journal.connectors.zed.reading import ThreadReader

        return ThreadReader(file)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A thread that was restored."""
        if os.path.basename(path).startswith(DATABASE + ROWS_MARK):
            return _recognise_rows(path)
        return None


CONNECTOR = Zed()


def _threads(root: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    entries = listing(os.path.join(root, "threads"), unlisted.append)
    for entry in entries:
        if entry.name == DATABASE:
            yield from found_file(entry, f"threads/{DATABASE}", "rows", unlisted)
    yield from restored_rows(entries, "threads", DATABASE, _recognise_rows, unlisted)


def _recognise_rows(path: str) -> Recognition | None:
    from agent_journal.connectors.row_lines import recognise_session

    return recognise_session(path, 0)
