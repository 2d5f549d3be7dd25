"""Aider: `.aider.chat.history.md` and `.aider.input.history`, in the folder of each project.

# aider chat started at 2026-11-15 18:00:00
#### fix the test
> Applied edit to test_a.py

This half only lists files; what reads them is imported when a file has to be read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

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


class Aider(AgentConnector):
    """The connector for Aider. Its files lie in projects, so a root is a project's folder, or a
    folder of projects.
    """

    name = "aider"
    title = "Aider"
    version = 2
    import_suffixes = NAMES
    resume_method = ResumeMethod(
        "Aider",
        instead="run 'aider --restore-chat-history' in its folder: it continues the last session",
    )

    def roots(self, env: Env) -> list[str]:
        """Where aider was or may have been started: docs/formats/aider.md tells which folders and
        why.
        """
        return default_roots(env)

    def normalize_root(self, path: str) -> str:
        """The folder of a history; a folder of projects with everything below it."""
        return named_root(path)

    def normalize_roots(self, path: str, env: Env) -> list[str]:
        """The roots for a path or pattern a user configured."""
        return named_roots(path, env)

    def retention_days(self, root: str) -> int | None:
        """None: Aider deletes nothing by itself."""
        return None

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """The histories in a folder; below it, too, where the root ends with `**`; or the file that
        the root is.
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
        """The reader for both kinds of history: the first line tells which it is."""
        from agent_journal.connectors.aider.history import HistoryReader

        return HistoryReader(file, state)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A history by its text or its name."""
        from agent_journal.connectors.aider.recognition import recognise

        return recognise(path, head)

    def recognise_by_name(self, path: str) -> Recognition:
        """All files of Aider are logs."""
        return Recognition("log", None)


def _in_folder(
    folder: str, names: tuple[str, ...], prefix: str = "."
) -> Iterator[FoundFile | Unlisted]:
    """The files of these names: looked at one by one, since a project's folder may have many
    others.
    """
    for name in names:
        inner = name if prefix == "." else f"{prefix.replace(os.sep, '/')}/{name}"
        yield from found_path(os.path.join(folder, name), inner, "log")


CONNECTOR = Aider()
