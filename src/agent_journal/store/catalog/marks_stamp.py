"""Whether the catalog's copy of `marks.jsonl` is current; most commands need no more."""

from __future__ import annotations

import os

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import find_meta, set_meta

_KEY = "marks"


def file_stamp(path: str) -> str:
    """Something that differs after the file was changed; empty when there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return f"{found.st_size} {found.st_mtime_ns}"


def is_saved(db: Connection, path: str) -> bool:
    """Whether the file is as it was when it was last copied."""
    return (find_meta(db, _KEY) or "") == file_stamp(path)


def update_marks(db: Connection, path: str, *, has_news: bool) -> str:
    """Copy the file where it changed, or the sessions that it is about; what was wrong with it."""
    if is_saved(db, path) and not (has_news and os.path.exists(path)):
        return ""
    from agent_journal.store.catalog.marks import save_marks

    return save_marks(db, path)


def save_stamp(db: Connection, stamp: str) -> None:
    """Record which state of the file was copied."""
    set_meta(db, _KEY, stamp)
