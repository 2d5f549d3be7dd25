"""How far a sync has come: its phases, and which share of the time each of them takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from agent_journal.search.lexical import NAME as WORDS_NAME
from agent_journal.search.vector_files import NAME as VECTORS_NAME
from agent_journal.store.lines.lines import NAME as LINES_NAME
from agent_journal.sync.work import Progress, Work

FINDING = "finding files"
READING = "reading"
WORDS = "indexing words"
MEANING = "indexing meaning"
LINES = "indexing lines"
TABLES = "writing tables"
_INDEXES = {WORDS_NAME: WORDS, VECTORS_NAME: MEANING, LINES_NAME: LINES}
# CPU seconds in the first sync of the home that bench/homes.py measures
_SECONDS = {FINDING: 0.1, READING: 8.0, WORDS: 9.2, MEANING: 1.9, LINES: 0.5, TABLES: 2.7}


class Meter:
    """Adds up the phases of a sync; the share that it tells never becomes less."""

    def __init__(
        self, tell: Callable[[Progress], None] | None = None, indexes: Iterable[str] = ()
    ) -> None:
        self._tell = tell
        phases = (FINDING, READING, *(_phase_of(name) for name in indexes))
        self._done = dict.fromkeys(phases, 0.0)
        self._share = 0.0
        self._total_bytes = 0
        self._done_bytes = 0  # of files that are finished
        self._file_size = 0

    def find(self, done: float) -> None:
        """Tell which part of the agents' folders was looked at."""
        self._move(FINDING, done)

    def plan(self, work: Iterable[Work]) -> None:
        """Add files that are to be read."""
        self._total_bytes += sum(max(0, item.size) for item in work)

    def begin_file(self, item: Work) -> None:
        """Tell that a file is being read."""
        self._file_size = max(0, item.size)
        self.read(item.found.path)

    def read(self, path: str, in_file: int = 0) -> None:
        """Tell how many bytes of the current file are read."""
        done = min(self._total_bytes, self._done_bytes + min(in_file, self._file_size))
        self._move(READING, done / max(1, self._total_bytes), path, done)

    def end_file(self) -> None:
        """Count the current file as read."""
        self._done_bytes += self._file_size
        self._file_size = 0

    def end_reading(self) -> None:
        """Leave the rest of the time to the indexes; all of it if there was nothing to read."""
        self._done[FINDING] = self._done[READING] = 1.0
        if not self._total_bytes:
            del self._done[FINDING], self._done[READING]

    def of_index(self, name: str) -> Callable[[float], None]:
        """What tells how far an index has come with what is read so far."""
        phase = _phase_of(name)
        start = self._done.get(phase, 0.0)
        end = self._done.get(READING, 1.0)
        return lambda part: self._move(phase, start + (end - start) * part)

    def index(self, name: str, part: float) -> None:
        """Tell which part of what is read so far an index has, while reading goes on."""
        self._move(_phase_of(name), part * self._done.get(READING, 1.0))

    def _move(self, phase: str, done: float, path: str = "", done_bytes: int | None = None) -> None:
        if self._tell is None:
            return
        self._done[phase] = max(self._done.get(phase, 0.0), done)
        whole = sum(_SECONDS[one] for one in self._done)
        share = sum(_SECONDS[one] * part for one, part in self._done.items()) / whole
        self._share = max(self._share, share)
        if done_bytes is None:
            done_bytes = min(self._total_bytes, self._done_bytes)
        self._tell(Progress(done_bytes, self._total_bytes, path, phase, self._share))


def _phase_of(name: str) -> str:
    return _INDEXES.get(name, TABLES)
