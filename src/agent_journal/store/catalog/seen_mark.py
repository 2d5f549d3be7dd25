"""How much of a catalog's facts is in `seen.jsonl`; a sync with nothing to do needs no more."""

from __future__ import annotations

import os
from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import find_meta, set_meta

_KEY = "seen"


class Mark(NamedTuple):
    """Up to where the facts of the catalog are in the file, which had `size` bytes then."""

    size: int = 0
    last_file: int = 0
    last_version: int = 0
    last_vanished: int = 0
    vanished: int = 0  # how many
    projects: int = 0  # how many


def find_mark(db: Connection) -> Mark | None:
    """The mark of a catalog; None when its facts were never saved, as while it is rebuilt."""
    text = find_meta(db, _KEY)
    if text is None:
        return None
    try:
        return Mark(*map(int, text.split()))
    except (TypeError, ValueError):
        return Mark()


def save_mark(db: Connection, mark: Mark) -> None:
    """Record how much is in the file."""
    set_meta(db, _KEY, " ".join(map(str, mark)))


def is_saved(db: Connection, path: str) -> bool:
    """Whether the file is as it was when facts were last saved."""
    mark = find_mark(db)
    try:
        return mark is not None and mark.size == os.path.getsize(path)
    except OSError:
        return False
