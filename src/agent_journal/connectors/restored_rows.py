"""Rows of databases that `aj restore` wrote as files, each named after its database.

globalStorage/state.vscdb#rows-conversation-….jsonl

A connector lists them where the database itself is not there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from agent_journal.connectors.base import (
    ROWS_MARK,
    FoundFile,
    Recognition,
    Unlisted,
    found_file,
)


def extract_name(path: str) -> str | None:
    """The name of the extract that a restored file is; None for any other file."""
    _, mark, name = os.path.basename(path).partition(ROWS_MARK)
    if not mark:
        return None
    return name


def restored_rows(
    entries: Iterable[os.DirEntry[str]],
    folder: str,
    database: str,
    recognise: Callable[[str], Recognition | None],
    unlisted: list[Unlisted],
) -> Iterator[FoundFile]:
    """Yield the restored rows of a database among the entries of a folder.

    `recognise` says what a path is by the name of the extract.
    """
    found = {entry.name: entry for entry in entries}
    if database in found:
        return  # it has the same conversations, as they are now
    for name, entry in found.items():
        if not name.startswith(database + ROWS_MARK):
            continue
        kind = recognise(entry.path)
        if kind is not None:
            inner = f"{folder}/{name}" if folder else name
            yield from found_file(entry, inner, kind.role, unlisted, kind.session_id, kind.rank)
