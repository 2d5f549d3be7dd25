"""The vector of a text, from a table of words inside the package: no model, no download, no tokenizer.

The vector is the sum over the distinct known words of (1 + ln count) x scale x row, of length 1. The table is made by
tools/semantic and described there. A query needs no numpy, whose import would cost more than the search.
"""

from __future__ import annotations

import math
import mmap
import os
import struct
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, Any
from zlib import crc32

from agent_journal.search.words import words

if TYPE_CHECKING:
    import numpy

DIMS = 256
PATH = os.path.join(os.path.dirname(__file__), "word-table.bin")
_MAGIC = b"AJWORDS1"
_HEADER = struct.Struct("<8sIII12x")
_STEP = 254  # int8 units for 1.0: the numbers of a vector of length 1 stay below a half


class Table:
    """The word table, mapped from its file."""

    def __init__(self, path: str = PATH) -> None:
        with open(path, "rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, count, dims, _ = _HEADER.unpack_from(self._data)
        if magic != _MAGIC or dims != DIMS:
            raise ValueError(f"{path} is not a word table of this version")
        view = memoryview(self._data)
        start = _HEADER.size
        self._count = count
        self._hashes = view[start : start + 4 * count].cast("I")
        self._scales = view[start + 4 * count : start + 8 * count].cast("f")
        self._rows = view[start + 8 * count :].cast("b")
        self._arrays: Any = None

    def embed(self, text: str) -> bytes | None:
        """The vector of a short text as int8; None when no word of it is known."""
        sums = [0.0] * DIMS
        known = False
        for word, count in Counter(words(text)).items():
            key = crc32(word.encode())
            place = bisect_left(self._hashes, key)
            if place < self._count and self._hashes[place] == key:
                known = True
                factor = (1 + math.log(count)) * self._scales[place]
                row = self._rows[place * DIMS : (place + 1) * DIMS]
                sums = [value + factor * number for value, number in zip(sums, row, strict=True)]
        length = math.sqrt(sum(value * value for value in sums))
        if not known or not length:
            return None
        numbers = (round(value / length * _STEP) for value in sums)
        return struct.pack(f"{DIMS}b", *(max(-127, min(127, number)) for number in numbers))

    def embed_many(self, texts: list[str]) -> list[bytes | None]:
        """The vectors of many texts, with numpy."""
        import numpy as np

        if self._arrays is None:
            rows = np.frombuffer(self._rows, "i1").reshape(self._count, DIMS)
            self._arrays = np.asarray(self._hashes), np.asarray(self._scales), rows
        return [self._embed(text, np) for text in texts]

    def _embed(self, text: str, np: Any) -> bytes | None:
        hashes, scales, rows = self._arrays
        counts = Counter(words(text))
        if not counts:
            return None
        keys = np.fromiter((crc32(word.encode()) for word in counts), np.uint32, len(counts))
        places = np.minimum(np.searchsorted(hashes, keys), self._count - 1)
        known = hashes[places] == keys
        if not known.any():
            return None
        factors = 1 + np.log(np.fromiter(counts.values(), np.float32, len(counts))[known])
        places = places[known]
        vector: numpy.ndarray[Any, Any] = (factors * scales[places]) @ rows[places].astype(np.float32)
        length = float(np.sqrt(vector @ vector))
        if not length:
            return None
        whole: bytes = np.clip(np.rint(vector / length * _STEP), -127, 127).astype(np.int8).tobytes()
        return whole


def likeness(dot: float) -> float:
    """The cosine of two vectors, from the product of their int8 forms."""
    return dot / (_STEP * _STEP)
