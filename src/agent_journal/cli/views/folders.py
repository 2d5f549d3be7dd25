"""Lines about the folders in which an agent's files are looked for."""

from __future__ import annotations

from collections.abc import Sequence

from agent_journal.text.human import short_path
from agent_journal.text.plain import safe

_SHOWN = 3


def where_scattered(agent: str) -> str:
    """Say where the files of an agent are looked for that keeps them in the users' own folders."""
    return (
        "searched: the working folder, the home folder and the projects of other sessions; "
        f"to search other folders: aj config set storage.sources.{agent} '~/src'"
    )


def kept_here(gone: int, lost: int) -> str:
    """Say how many of the files that are gone from an agent's folder the archive has."""
    if not lost:
        return ", kept here"
    line = f"; the archive has lost bytes of {lost:,}"
    if lost < gone:
        line = f", {gone - lost:,} kept here{line}"
    return line


def no_files_in(folders: Sequence[str]) -> str:
    """Name the folders in which nothing was found."""
    names = ", ".join(safe(short_path(folder)) for folder in folders[:_SHOWN])
    if len(folders) > _SHOWN:
        names += f" and {len(folders) - _SHOWN:,} more folders"
    return f"no files in {names}"
