"""The index of lines, as an index that follows the catalog.

New items become a new file; small files are merged, and files with many lines of edits that are
gone are written again. What else is to be known of an edit is in the catalog.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from agent_journal.errors import CannotWrite
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import last_item, watermark
from agent_journal.store.condemned import condemn, is_condemned

if TYPE_CHECKING:
    from agent_journal.store.catalog.results import Resolve
    from agent_journal.store.lines.manifest import Manifest, Part
    from agent_journal.store.lines.reading import LineReader
    from agent_journal.store.lines.segments import Gathered, Place, Segment

NAME = "lines-v1"
SYNC_HINT = "'aj sync' rebuilds it"
_STEP = 5_000  # ids read at a time
_MOST_LINES = 500_000  # of a file, as it is first written
_MOST_MERGED = 1_000_000
_MOST_PLACES = 1_000  # of one line: what stands in more places says nothing

Open = Callable[[Connection], AbstractContextManager["Resolve"]]


class Lines:
    """The index in a folder. `quotes` opens what resolves texts in the archive."""

    name = NAME
    trouble = ""

    def __init__(self, index_path: str, quotes: Open) -> None:
        self.path = os.path.join(index_path, NAME)
        self.quotes = quotes
        self.tell: Callable[[float], None] = lambda _: None
        self._segments: list[Segment] | None = None

    def is_there(self) -> bool:
        """Whether there is an index of this version, with all its files."""
        from agent_journal.store.lines.saved import has_all_files

        return not is_condemned(self.path) and has_all_files(self.path)

    def reached(self, db: Connection) -> int:
        """The last item it has; 0 when it has to be built from the beginning."""
        if not self.is_there():
            return 0
        return watermark(db, self.name)

    def drop(self) -> None:
        """Remove it; the next sync rebuilds it."""
        import shutil

        self._segments = None
        shutil.rmtree(self.path, ignore_errors=True)

    def condemn(self) -> None:
        """Mark it as damaged: the next sync rebuilds it."""
        condemn(self.path)

    # -- answering -----------------------------------------------------------------------------

    def find(self, hashes: Iterable[int]) -> dict[int, list[Place]]:
        """Where lines were written, by their hashes; those that were, at most 1,000 places each.

        Edits may be gone meanwhile: the catalog knows.
        """
        found: dict[int, list[Place]] = {}
        wanted = sorted(set(hashes))
        for segment in self._opened():
            segment.find(wanted, found, _MOST_PLACES)
        return found

    def is_everywhere(self, places: list[Place]) -> bool:
        """Whether a line was written in more places than are looked at."""
        return len(places) >= _MOST_PLACES

    def _opened(self) -> list[Segment]:
        """The files; a sync that replaces them meanwhile makes this begin again."""
        from agent_journal.store.lines.manifest import read_manifest
        from agent_journal.store.lines.saved import part_path
        from agent_journal.store.lines.segments import Segment

        while self._segments is None:
            manifest = read_manifest(self.path)
            if manifest is None:
                return []
            try:
                paths = [part_path(self.path, part.number) for part in manifest.parts]
                self._segments = [Segment(path) for path in paths]
            except FileNotFoundError:
                if read_manifest(self.path) == manifest:
                    raise
        return self._segments

    # -- catching up ---------------------------------------------------------------------------

    def catch_up(self, db: Connection, watermark: int, gone: list[int]) -> int:
        """Add the lines of new items, drop those of deleted ones, and return the last item.

        Safe to repeat after a crash.
        """
        from agent_journal.store.lines.manifest import read_manifest, sweep, write_manifest
        from agent_journal.store.lines.reading import LineReader

        last = last_item(db)
        self._segments = None
        try:
            before = read_manifest(self.path)
            if before is None or not self._can_continue(before, watermark):
                before = self._begin(before)
                gone = []
            with self.quotes(db) as resolve:
                after = self._update(LineReader(db, resolve), before, watermark, gone, last)
            has_changed = after.parts != before.parts
            write_manifest(self.path, after, durable=has_changed)
            if has_changed:
                sweep(self.path, after)
            return last
        except OSError as error:
            reason = error.strerror or error
            raise CannotWrite(f"cannot write the index in {self.path}: {reason}") from error

    def _can_continue(self, manifest: Manifest, watermark: int) -> bool:
        """Whether the files can be added to, and need not be rebuilt."""
        return bool(watermark) and manifest.upto >= watermark and self.is_there()

    def _begin(self, before: Manifest | None) -> Manifest:
        """Begin again, with new files; those that others may be reading stay until then."""
        from agent_journal.store.incomplete import forget_incomplete
        from agent_journal.store.lines.manifest import Manifest

        if before is None or is_condemned(self.path):
            self.drop()
            before = Manifest()
        os.makedirs(self.path, mode=0o700, exist_ok=True)
        forget_incomplete(self.path)
        return Manifest(next_number=before.next_number)

    def _update(
        self, reader: LineReader, before: Manifest, watermark: int, gone: list[int], last: int
    ) -> Manifest:
        kept = [part for part in before.parts if part.upto <= watermark]
        start = min(before.upto, watermark)
        if len(kept) < len(before.parts):  # a sync was killed before it moved the watermark
            start = min(start, before.parts[len(kept)].after)
        dead = self._dead(kept, before.gone, gone)
        writer = _Writer(self.path, before.next_number, self.tell)
        for part in self._too_dead(kept, dead):
            kept[kept.index(part)] = writer.rewrite(part, dead)
        kept += writer.write(reader, start, last)
        kept = writer.merge(kept, dead)
        left = self._dead(kept, tuple(sorted(dead)), [])
        return before._replace(
            parts=tuple(kept), gone=tuple(sorted(left)), upto=last, next_number=writer.next_number
        )

    def _dead(self, parts: list[Part], before: tuple[int, ...], gone: list[int]) -> dict[int, int]:
        """The edits in files that are gone, with their numbers of lines."""
        from agent_journal.store.lines.saved import part_path
        from agent_journal.store.lines.segments import Segment

        found: dict[int, int] = {}
        for part in parts:
            own = [edit for edit in (*before, *gone) if part.after < edit <= part.upto]
            if own:
                found.update(Segment(part_path(self.path, part.number)).lines_of(own))
        return found

    def _too_dead(self, parts: list[Part], dead: dict[int, int]) -> list[Part]:
        """The files of which more than a quarter belongs to edits that are gone."""
        found = []
        for part in parts:
            lost = sum(n for edit, n in dead.items() if part.after < edit <= part.upto)
            if lost * 4 > part.lines:
                found.append(part)
        return found


class _Writer:
    """Writes files."""

    def __init__(self, folder: str, next_number: int, tell: Callable[[float], None]) -> None:
        self._folder = folder
        self._tell = tell
        self.next_number = next_number

    def write(self, reader: LineReader, after: int, upto: int) -> list[Part]:
        """Write the lines of the items in a range: to one file, or to several."""
        from agent_journal.store.lines.segments import Gathered

        parts = []
        first = start = after
        gathered = Gathered()
        while after < upto:
            self._tell((after - first) / (upto - first))
            end = min(upto, after + _STEP)
            for item in reader.read(after, end):
                gathered.add(item.item, item.hashes, item.places)
            after = end
            is_full = len(gathered) >= _MOST_LINES
            if gathered and (is_full or after == upto):
                parts.append(self._write_part(gathered, start, after))
                start = after
                gathered = Gathered()
        return parts

    def rewrite(self, part: Part, dead: dict[int, int]) -> Part:
        """Write a file again without the edits that are gone."""
        return self._joined([part], dead)

    def merge(self, parts: list[Part], dead: dict[int, int]) -> list[Part]:
        """Join the last files while the one before is not much larger than those after it."""
        kept = list(parts)
        joined: list[Part] = []
        lines = 0
        while kept and _belongs(kept[-1], lines):
            lines += kept[-1].lines
            joined.insert(0, kept.pop())
        if len(joined) < 2:
            return parts
        return [*kept, self._joined(joined, dead)]

    def _joined(self, parts: list[Part], dead: dict[int, int]) -> Part:
        from agent_journal.store.lines.saved import part_path
        from agent_journal.store.lines.segments import Gathered, Segment

        gathered = Gathered()
        for part in parts:
            columns = Segment(part_path(self._folder, part.number)).columns
            gathered.add_all(columns, set(dead))
        return self._write_part(gathered, parts[0].after, parts[-1].upto)

    def _write_part(self, gathered: Gathered, after: int, upto: int) -> Part:
        from agent_journal.store.lines.manifest import Part
        from agent_journal.store.lines.saved import part_path
        from agent_journal.store.lines.segments import write

        number = self.next_number
        self.next_number += 1
        written = write(part_path(self._folder, number), gathered)
        return Part(number, after, upto, *written)


def _belongs(part: Part, lines: int) -> bool:
    """Whether a file is to be merged with so many lines in the files after it."""
    if not lines:
        return part.lines < _MOST_MERGED
    return part.lines <= 2 * lines and part.lines + lines <= _MOST_MERGED
