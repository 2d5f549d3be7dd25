"""Imported files that are still where they were: their bytes can heal the archive.

No connector finds them, so a sync that compares every file would pass them over.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Container

from agent_journal.connectors.base import Connector, FoundFile, stamp
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.sync.work import Work

_SIDE_FILES = ("companion", "rows", "database")  # read by way of another file


def imported_again(files: Files, connector: Connector, found: Container[str]) -> list[Work]:
    """The files of an agent that were not found, but still have the bytes that were kept."""
    work = []
    for row in files.kept():
        is_candidate = row.agent == connector.name and row.path not in found
        if is_candidate and row.role not in _SIDE_FILES and has_kept_bytes(files, row):
            stamped = stamp(os.stat(row.path))
            file = FoundFile(row.path, row.name, row.role, *stamped, row.session, row.rank)
            work.append(Work(connector, row.root, file))
    return work


def has_kept_bytes(files: Files, row: FileRow) -> bool:
    """Whether a file on disk is what was kept of it, as far as the catalog knows that."""
    version = files.version(row.version_id)
    if version is None or os.path.islink(row.path) or not os.path.isfile(row.path):
        return False
    try:
        with open(row.path, "rb") as file:
            if os.fstat(file.fileno()).st_size != version.size:
                return False
            for frame in [*files.frames(version.id), *files.lost_frames(version.id)]:
                file.seek(frame.start)
                if hashlib.sha256(file.read(frame.size)).digest() != frame.sha256:
                    return False
    except OSError:
        return False
    return True
