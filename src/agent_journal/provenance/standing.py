"""Whether a line still stands in the file where an edit wrote it: then it was not moved."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from agent_journal.model.written_lines import hash_of
from agent_journal.provenance.history import decoded
from agent_journal.provenance.places import Places
from agent_journal.store.catalog.line_rows import Writing

_MOST_BYTES = 4 * 2**20


class Standing:
    """The lines of files as they are now."""

    def __init__(self, root: str, places: Places) -> None:
        self._root = root
        self._places = places
        self._hashes: dict[str, set[int | None]] = {}

    def has_line(self, writing: Writing, number: int) -> bool:
        """Whether the file of an edit has a line with this hash."""
        path = self._places.relative(writing)
        if path is None:
            return False
        if path not in self._hashes:
            self._hashes[path] = self._read(path)
        return number in self._hashes[path]

    def _read(self, path: str) -> set[int | None]:
        whole = os.path.join(self._root, *path.split("/"))
        with suppress(OSError):
            found = os.stat(whole)
            if stat.S_ISREG(found.st_mode) and found.st_size <= _MOST_BYTES:
                with open(whole, "rb") as file:
                    return {hash_of(decoded(line)) for line in file.read().split(b"\n")}
        return set()
