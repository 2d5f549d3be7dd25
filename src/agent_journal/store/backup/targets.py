"""Where a backup may be written."""

from __future__ import annotations

import os
from collections.abc import Iterable

from agent_journal.errors import UsageError

FILE_ENDING = ".tar.zst"


def is_file_name(target: str) -> bool:
    """Whether a backup is to be one file."""
    return target.endswith(FILE_ENDING)


def check_target(target: str, home: str, agent_folders: Iterable[str]) -> None:
    """Refuse a place inside the journal or inside a folder of an agent, or around the journal."""
    path = os.path.realpath(target)
    if _is_in(path, home) or (not is_file_name(target) and _is_in(home, path)):
        raise UsageError(
            f"{target} and the folder of the journal overlap", "choose a place outside of it"
        )
    for folder in agent_folders:
        if _is_in(path, folder):
            raise UsageError(
                f"{target} is in {folder}, where an agent keeps its sessions",
                "choose a place outside of it",
            )


def _is_in(path: str, folder: str) -> bool:
    return (path + os.sep).startswith(os.path.realpath(folder) + os.sep)
