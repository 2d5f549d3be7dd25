"""Files beside transcripts (plans, prompts, tokens) of which an agent's folder has copies.

A file counts once where another one of its name, under another root, begins with all its bytes.
Where two went on apart, both are read, and a prompt that is in both counts once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.connectors.base import TRANSCRIPTS
from agent_journal.errors import JournalDamaged
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.content import KeptContent
from agent_journal.sync.copies import Roots


class Settled(NamedTuple):
    """Of several files of one name, those to read, by path, and those that are copies."""

    read: list[FileRow]
    copies: list[FileRow]

    @property
    def has_changed(self) -> bool:
        """Whether one of them is to be read that was a copy, or the other way round."""
        is_found = any(row.status == "copy" for row in self.read)
        return is_found or any(row.status == "read" for row in self.copies)


class SideFiles:
    """Finds out which of the files beside transcripts are copies of others."""

    def __init__(self, files: Files, archive: Archive, roots: Roots) -> None:
        self._files = files
        self._archive = archive
        self._roots = roots

    def leftovers(self, row: FileRow) -> list[FileRow]:
        """The copies of a file that has nothing any more of which there could be a copy."""
        others = [other for other in self._roots.namesakes(row) if not _is_transcript(other)]
        copies = [other for other in others if other.status == "copy"]
        read = [self._files.get(row.id), *(other for other in others if other.status == "read")]
        if not copies or any(self._has_rows(one) for one in read):
            return []
        return copies

    def _has_rows(self, row: FileRow) -> bool:
        return self._files.has_side_rows(row.id) or self._files.has_edits(row.id)

    def settle(self, row: FileRow) -> Settled | None:
        """The files with the name of this one, which was read now; None when all stays as it is."""
        others = [other for other in self._roots.namesakes(row) if not _is_transcript(other)]
        if not others:
            return None
        same = [self._files.get(row.id), *others]
        if not any(self._has_side_rows(one) for one in same):
            return None
        is_continued = row.read_offset > 0
        if is_continued and [other.status for other in others] == ["copy"]:
            return None  # a copy of this one, which has more now
        same.sort(key=lambda one: (self.content(one).size, one.path), reverse=True)
        read: list[FileRow] = []
        copies: list[FileRow] = []
        for one in same:
            if any(self._is_copy(one, better) for better in read):
                copies.append(one)
            else:
                read.append(one)
        return Settled(sorted(read, key=lambda one: one.path), copies)

    def content(self, row: FileRow) -> KeptContent:
        """The bytes of a file that were read."""
        version = self._files.version(row.read_version)
        return KeptContent(self._files, self._archive, row, version)

    def _has_side_rows(self, row: FileRow) -> bool:
        return row.status == "copy" or self._files.has_side_rows(row.id)

    def _is_copy(self, row: FileRow, better: FileRow) -> bool:
        ours = self.content(row)
        theirs = self.content(better)
        try:
            if row.role == "database" and _log_of(ours) != _log_of(theirs):
                return False
            return _begins_with(theirs, ours)
        except JournalDamaged:
            return False


def _is_transcript(row: FileRow) -> bool:
    """Whether a file has a session; a prompt history has the role of one, and none."""
    return row.role in TRANSCRIPTS and row.session is not None


def _log_of(content: KeptContent) -> bytes:
    return content.companion("-wal") or b""


def _begins_with(content: KeptContent, beginning: KeptContent) -> bool:
    """Compare up to the first difference: files that are no copies differ early."""
    found = b""
    chunks = content.chunks()
    for chunk in beginning.chunks():
        found += _at_least(chunks, len(chunk) - len(found))
        if not found.startswith(chunk):
            return False
        found = found[len(chunk) :]
    return True


def _at_least(chunks: Iterator[bytes], size: int) -> bytes:
    """The next chunks that have this many bytes together, or all that are left."""
    found = []
    while size > 0:
        chunk = next(chunks, None)
        if chunk is None:
            break
        found.append(chunk)
        size -= len(chunk)
    return b"".join(found)
