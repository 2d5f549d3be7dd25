"""`marks.jsonl`: the stars, tags and titles that a person gave to sessions.

They are in no agent's file and no archive: the file is all there is. It is only appended to, a line
with a checksum for each word of the person, and the last word about something counts. A line that
is damaged takes no other with it.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple

from agent_journal.errors import CannotWrite, JournalBusy, JournalError, permission_hint
from agent_journal.store.catalog.store import try_lock

STAR = "star"
TAG = "tag"
TITLE = "title"
_TYPES = (int, str, str, str, str, bool)  # of the members of a mark
_LATEST = 2**53  # a later time is none
_WAIT = 10.0  # seconds; who holds the file needs a few milliseconds
_PAUSE = 0.01

Subject = tuple[str, str, str, str]


class Mark(NamedTuple):
    """A word of a person about a session; `value` is the tag or the title."""

    at: int  # microseconds
    agent: str
    session_id: str
    kind: str  # STAR, TAG or TITLE; others are of a newer version
    value: str
    is_set: bool  # false: it was taken back

    @property
    def subject(self) -> Subject:
        """What it is about: a later mark about the same takes its place."""
        word = ""
        if self.kind == TAG:
            word = self.value.casefold()
        return self.agent, self.session_id, self.kind, word


class MarksFile(NamedTuple):
    """What the file says, in its order, and which of its lines are damaged, from 1."""

    marks: list[Mark]
    damaged: list[int]


def last_words(marks: Iterable[Mark]) -> dict[Subject, Mark]:
    """The newest mark about each subject; of equally old ones the last."""
    found: dict[Subject, Mark] = {}
    for mark in marks:
        before = found.get(mark.subject)
        if before is None or before.at <= mark.at:
            found[mark.subject] = mark
    return found


def read_marks(path: str) -> MarksFile:
    """Read the file; without one there are no marks."""
    try:
        with open(path, "rb") as file:
            return _parsed(file.read())
    except FileNotFoundError:
        return MarksFile([], [])
    except OSError as error:
        message = f"cannot read {path}: {error.strerror or error}"
        raise JournalError(message, "it holds your stars, tags and titles") from error


def add_marks(path: str, make: Callable[[list[Mark]], Iterable[Mark]]) -> list[Mark]:
    """Append what `make` returns for the marks in the file, and return it.

    Nobody else writes meanwhile. What is appended has reached the disk.
    """
    with _locked(path) as file:
        data = file.read()
        new = list(make(_parsed(data).marks))
        if not new:
            return []
        lines = [_line(mark) for mark in new]
        if data and not data.endswith(b"\n"):  # the last line was cut off
            lines.insert(0, b"\n")
        _append(file, b"".join(lines), len(data))
        return new


def next_time(marks: Iterable[Mark]) -> int:
    """The present in microseconds; later than all marks, also where a clock was set back."""
    latest = max((mark.at for mark in marks), default=0)
    return min(max(time.time_ns() // 1000, latest + 1), _LATEST - 1)


def merge_marks(path: str, others: Iterable[Mark]) -> list[Mark]:
    """Append the marks that the file does not have; newer ones in the file still count."""
    others = list(dict.fromkeys(others))
    if not others:
        return []

    def missing(marks: list[Mark]) -> list[Mark]:
        known = set(marks)
        return [mark for mark in others if mark not in known]

    return add_marks(path, missing)


def drop_lines(path: str, is_unwanted: Callable[[Mark], bool] | None = None) -> int:
    """Overwrite the damaged lines, and those of marks that are unwanted, with spaces.

    In place: the file keeps its size, and whoever appends to it is not disturbed.
    """
    dropped = 0
    with _locked(path) as file:
        at = 0
        for line in file.read().splitlines(keepends=True):
            mark = _parse(line)
            if mark is None:
                is_dropped = bool(line.strip())
            else:
                is_dropped = is_unwanted is not None and is_unwanted(mark)
            if is_dropped:
                file.seek(at)
                file.write(b" " * len(line.rstrip(b"\n")))
                dropped += 1
            at += len(line)
        os.fsync(file.fileno())
    return dropped


@contextmanager
def _locked(path: str) -> Iterator[IO[bytes]]:
    """The file, open for reading and writing, while no other process writes it."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(os.open(path, flags, 0o600), "r+b", buffering=0) as file:
            _lock(file.fileno(), path)
            yield file
    except OSError as error:
        message = f"cannot write {path}: {error.strerror or error}"
        raise CannotWrite(message, permission_hint(error)) from error


def _lock(descriptor: int, path: str) -> None:
    deadline = time.monotonic() + _WAIT
    while not try_lock(descriptor):
        if time.monotonic() >= deadline:
            raise JournalBusy(f"another aj is writing {path}", "wait for it to end and try again")
        time.sleep(_PAUSE)


def _append(file: IO[bytes], data: bytes, end: int) -> None:
    """Write at the end of a file, or nothing where there is no space for all of it."""
    try:
        file.seek(end)
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) :]
        os.fsync(file.fileno())
    except OSError:
        file.truncate(end)
        raise


def _parsed(data: bytes) -> MarksFile:
    marks = []
    damaged = []
    for number, line in enumerate(data.split(b"\n"), 1):
        mark = _parse(line)
        if mark is not None:
            marks.append(mark)
        elif line.strip():
            damaged.append(number)
    return MarksFile(marks, damaged)


def _parse(line: bytes) -> Mark | None:
    """The mark of a line; None when it is damaged or blank."""
    check, _, text = line.rstrip(b"\n").partition(b" ")
    if check != _checksum(text):
        return None
    try:
        values = json.loads(text)
        json.dumps(values, ensure_ascii=False).encode()  # halves of letters are none
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, list) or tuple(map(type, values)) != _TYPES:
        return None
    mark = Mark(*values)
    if not 0 <= mark.at < _LATEST:
        return None
    return mark


def _line(mark: Mark) -> bytes:
    text = json.dumps(mark, ensure_ascii=False, separators=(",", ":")).encode()
    return _checksum(text) + b" " + text + b"\n"


def _checksum(text: bytes) -> bytes:
    return b"%08x" % zlib.crc32(text)
