"""The vector of a text, from the built-in table of words: no model, no download, no tokenizer.

The vector is the sum over the distinct words of (1 + ln count) x scale x row, of length 1; the row
of a word that is not in the table is made from its letters. The table is made by tools/semantic and
described there. A query does without numpy, whose import would take longer than the search.
"""

from __future__ import annotations

import math
import mmap
import os
import struct
from bisect import bisect_left
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any
from zlib import crc32

if TYPE_CHECKING:
    import numpy

    from agent_journal.search.embedding import Weigh
    from agent_journal.search.many_meanings import ManyMeanings

PATH = os.path.join(os.path.dirname(__file__), "word-table.bin")
_DIMS = 256
_LENGTH = math.sqrt(_DIMS)
_MAGIC = b"AJWORDS2"
_HEADER = struct.Struct("<8sIIIf8x")


@cache
def _built_in() -> Table:
    return Table()


def is_word(text: str) -> bool:
    """Whether something is a word of English or of code, as far as the built-in table knows."""
    return _built_in().knows(text)


class Table:
    """The word table, mapped from its file when it is first used."""

    dims = _DIMS
    units = 254
    unlike = 0.2
    is_slow = False

    def __init__(self, path: str = PATH) -> None:
        self._path = path
        self._data: mmap.mmap | None = None
        self._many: ManyMeanings | None = None

    @property
    def name(self) -> str:
        """Which table it is: by its checksum."""
        with open(self._path, "rb") as file:
            return f"words {_HEADER.unpack(file.read(_HEADER.size))[3]:08x}"

    def _load(self) -> None:
        if self._data is not None:
            return
        with open(self._path, "rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, count, dims, _, self._unknown = _HEADER.unpack_from(self._data)
        if magic != _MAGIC or dims != _DIMS:
            raise ValueError(f"{self._path} is not a word table of this version")
        view = memoryview(self._data)
        start = _HEADER.size
        self._count = count
        self._hashes = view[start : start + 4 * count].cast("I")
        self._scales = view[start + 4 * count : start + 8 * count].cast("f")
        self._rows = view[start + 8 * count :].cast("b")

    def _place(self, word: str) -> int:
        """The row of a word; -1 when the table does not have it."""
        key = crc32(word.encode())
        place = bisect_left(self._hashes, key)
        if place < self._count and self._hashes[place] == key:
            return place
        return -1

    def knows(self, word: str) -> bool:
        """Whether the table has a word."""
        self._load()
        return self._place(word) >= 0

    def embed(self, text: str, weigh: Weigh | None = None) -> list[float] | None:
        """The vector of a short text; None when there is no word in it that counts.

        `weigh` says how much a word counts.
        """
        from agent_journal.search.words import signs, words

        self._load()
        sums = [0.0] * _DIMS
        for word, count in Counter(words(text)).items():
            place = self._place(word)
            factor = 1 + math.log(count)
            if weigh is not None:
                factor *= weigh(word)
            if not factor:
                continue
            if place >= 0:
                factor *= self._scales[place]
                row = self._rows[place * _DIMS : (place + 1) * _DIMS].tolist()
            else:
                factor *= self._unknown / _LENGTH
                row = [2 * int(bit) - 1 for bit in f"{signs(word):0{_DIMS}b}"]
            sums = [value + factor * number for value, number in zip(sums, row, strict=True)]
        length = math.sqrt(sum(value * value for value in sums))
        if not length:
            return None
        return [value / length for value in sums]

    def embed_many(self, texts: list[str]) -> numpy.ndarray[Any, Any]:
        """A row for each text, as `embed` makes it; zeros where `embed` returns None."""
        from agent_journal.search.many_meanings import ManyMeanings

        if self._many is None:
            self._load()
            self._many = ManyMeanings(self._place, self._scales, self._rows, self._unknown)
        return self._many.embed(texts)
