"""Where a history was first: its sessions keep the ids they were given there when it is moved."""

from __future__ import annotations

import math

from agent_journal.errors import JournalDamaged
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.content import KeptContent
from agent_journal.sync.copies import begins_with

_HEAD = 256  # bytes by which most histories can be told apart


class Origins:
    """Finds the path at which a history was seen first."""

    def __init__(self, files: Files, archive: Archive) -> None:
        self._files = files
        self._archive = archive
        self._heads: dict[int, bytes] = {}  # of versions, by id: many are compared with many

    def of(self, row: FileRow, content: KeptContent) -> str:
        """The path at which a history was seen first, as long as the two are not both there.

        A history that is at another path, too, is a copy, which may go on as something else.
        """
        older = [other for other in self._files.namesakes(row) if _age(other) < _age(row)]
        if not older:
            return row.path
        head = _head(content)
        moved = [other for other in older if self._was_moved(other, row, content, head)]
        if not moved:
            return row.path
        return min(moved, key=_age).path

    def _was_moved(self, other: FileRow, row: FileRow, content: KeptContent, head: bytes) -> bool:
        """Whether a file has all that was at the other path, or had it before it moved back."""
        for version in self._files.versions(other.id):
            is_gone = other.vanished_at is not None or version.id != other.version_id
            if not version.size or not (is_gone or row.vanished_at is not None):
                continue
            kept = KeptContent(self._files, self._archive, other, version)
            try:
                if not self._has_head(kept, version.id, head):
                    continue
                if is_gone and begins_with(content, kept):
                    return True
                if row.vanished_at is not None and begins_with(kept, content):
                    return True
            except JournalDamaged:
                continue
        return False

    def _has_head(self, kept: KeptContent, version_id: int, head: bytes) -> bool:
        if version_id not in self._heads:
            self._heads[version_id] = _head(kept)
        known = self._heads[version_id]
        size = min(len(known), len(head))
        return size > 0 and known[:size] == head[:size]


def _age(row: FileRow) -> tuple[float, str]:
    if row.first_seen is None:
        return math.inf, row.path
    return row.first_seen, row.path


def _head(content: KeptContent) -> bytes:
    head = b""
    for chunk in content.chunks():
        head += chunk[:_HEAD]
        if len(head) >= _HEAD:
            break
    return head[:_HEAD]
