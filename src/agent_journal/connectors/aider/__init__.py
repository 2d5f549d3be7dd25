"""Aider: `.aider.chat.history.md` and `.aider.input.history`, in the folder of each project.

# aider chat started at 2026-11-15 18:00:00
#### fix the test
> Applied edit to test_a.py

This module only lists files; the readers are imported when a file has to be read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agent_journal.connectors.aider.places import (
    NAMES,
    default_roots,
    named_root,
    named_roots,
    walked,
)
from agent_journal.connectors.base import (
    DEEP,
    Env,
    FileIdentity,
    FoundFile,
    Reader,
    Recognition,
    Unlisted,
    found_path,
)
from agent_journal.connectors.hooks import AgentConnector, ResumeMethod

if TYPE_CHECKING:
    from datetime import datetime


class Aider(AgentConnector):
    """The connector for Aider. Its files are in projects: a root is one, or a folder of them."""

    name = "aider"
    title = "Aider"
    version = 7
    holds_many_sessions = True
    has_former_ids = True
    has_local_clock = True
    import_suffixes = NAMES
    resume_method = ResumeMethod(
        "Aider",
        instead="run 'aider --restore-chat-history' in its folder: it continues the last session",
    )

    def roots(self, env: Env) -> list[str]:
        """Return where aider was or may have been started (docs/formats/aider.md explains why)."""
        return default_roots(env)

    def normalize_root(self, path: str) -> str:
        """Return the folder of a history, or a folder of projects with everything below it."""
        return named_root(path)

    def normalize_roots(self, path: str, env: Env) -> list[str]:
        """Return the roots for a configured path or pattern."""
        return named_roots(path, env)

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """Yield the histories in a folder, or below it where the root ends with `**`.

        A root can also be a single file.
        """
        if root.endswith(DEEP):
            base = root[: -len(DEEP)] or os.sep
            for folder in walked(base):
                if isinstance(folder, Unlisted):
                    yield folder
                else:
                    yield from _in_folder(folder, NAMES, os.path.relpath(folder, base))
        elif os.path.isfile(root):
            folder, name = os.path.split(root)
            yield from _in_folder(folder, tuple(dict.fromkeys((*NAMES, name))))
        else:
            yield from _in_folder(root, NAMES)

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """Return the reader for both kinds of history: the first line tells which it is."""
        from agent_journal.connectors.aider.history import HistoryReader

        return HistoryReader(file, state)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A history by its text or its name."""
        from agent_journal.connectors.aider.recognition import recognise

        return recognise(path, head)

    def former_id(self, path: str, started_at: datetime | None, number: int) -> str:
        """Return the id of versions that made it from the path of the history."""
        from agent_journal.connectors.aider.state import run_id

        start = ""
        if started_at is not None:
            start = f"{started_at:%Y-%m-%d %H:%M:%S}"
        return run_id(path, start, number)

    def recognise_by_name(self, path: str) -> Recognition:
        """All files of Aider are logs."""
        return Recognition("log", None)


def _in_folder(
    folder: str, names: tuple[str, ...], prefix: str = "."
) -> Iterator[FoundFile | Unlisted]:
    """Yield the files of these names without listing the folder: it may have many others."""
    for name in names:
        inner = os.path.normpath(os.path.join(prefix, name)).replace(os.sep, "/")
        yield from found_path(os.path.join(folder, name), inner, "log")


CONNECTOR = Aider()
