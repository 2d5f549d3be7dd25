"""`seen.jsonl`: what was seen once and cannot be seen again, apart from the catalog.

The catalog is derived from the archive. When a file was first seen, when a version of it was kept,
when it vanished, and which project a folder belonged to is in no archive: these facts are lines of
a file that is appended to, each with a checksum. A line is the kind of the fact, what it is about,
and what is known of it.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterable
from typing import Any

from agent_journal.store.atomic import write_private

# How many members of a line say what it is about, with the kind itself
_SUBJECT = {"file": 3, "version": 4, "vanished": 3, "project": 2, "unkept": 3}
_NO_FACT = (ValueError, RecursionError, KeyError, IndexError, TypeError)
Subject = tuple[Any, ...]
Known = tuple[Any, ...]


class SeenFile:
    """The facts in the file; `damaged` is how many of its lines cannot be read."""

    def __init__(self, path: str) -> None:
        from agent_journal.model.light_msgspec import msgspec

        self.path = path
        self.facts: dict[Subject, Known] = {}
        self.damaged = 0
        self._new: list[bytes] = []
        decode = msgspec.json.Decoder(list[Any]).decode  # six times as fast as json
        try:
            with open(path, "rb") as file:
                for line in file:
                    self._read(line, decode)
        except FileNotFoundError:
            pass

    def add(self, fact: Iterable[Any]) -> None:
        """Add a fact to the file, unless it is there; only when something vanished may change."""
        if self._remember(tuple(fact)):
            self._new.append(_line(fact))

    def write(self) -> None:
        """Write what was added; without the lines that cannot be read."""
        if self.damaged:
            lines = (_line((*subject, *known)) for subject, known in self.facts.items())
            write_private(self.path, lines, durable=True)
        elif self._new:
            _append(self.path, self._new)
        self._new = []
        self.damaged = 0

    def remove(self, subjects: Iterable[Subject]) -> None:
        """Write the file without what it says of these."""
        for subject in list(subjects):
            del self.facts[subject]
        self.damaged += 1  # which writes all lines
        self.write()

    def _read(self, line: bytes, decode: Callable[[bytes], list[Any]]) -> None:
        check, _, text = line.rstrip(b"\n").partition(b" ")
        if check != _checksum(text):
            self.damaged += 1
            return
        try:
            self._remember(tuple(decode(text)))
        except _NO_FACT:  # such as one of a journal that somebody has made
            self.damaged += 1

    def _remember(self, fact: tuple[Any, ...]) -> bool:
        length = _SUBJECT[fact[0]]
        subject, known = fact[:length], fact[length:]
        before = self.facts.get(subject)
        if before is not None and (before == known or fact[0] != "vanished"):
            return False
        self.facts[subject] = known
        return True


def append_facts(path: str, facts: Iterable[Iterable[Any]]) -> None:
    """Add facts to the file that are known not to be in it."""
    lines = [_line(fact) for fact in facts]
    if lines:
        _append(path, lines)


def size_of(path: str) -> int:
    """The size of the file; 0 when there is none."""
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _append(path: str, lines: list[bytes]) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    with open(descriptor, "r+b") as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":  # the last line was cut off
                file.write(b"\n")
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())


def _line(fact: Iterable[Any]) -> bytes:
    text = json.dumps(list(fact), ensure_ascii=False, separators=(",", ":")).encode()
    return _checksum(text) + b" " + text + b"\n"


def _checksum(text: bytes) -> bytes:
    return b"%08x" % zlib.crc32(text)
